// "Did you mean ...?" for names a person typed: keys, flags, commands, policies.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace berth {

// Edits (insert, delete, replace, swap two neighbours) that turn `a` into `b`: the restricted
// Damerau-Levenshtein distance, since swapped letters are the commonest slip.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate closest to `word`, if it is close enough to be what was meant: at most one edit in
// three letters, or `word` is the beginning of exactly one candidate. Case, '-' and '_' do not
// count. Ties go to the first.
std::optional<std::string_view> closest(std::string_view word,
                                        std::span<const std::string_view> candidates);

// `; did you mean "X"?`, or nothing when no candidate is close.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace berth
