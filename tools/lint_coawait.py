#!/usr/bin/env python3
"""Forbids temporaries that gcc 12 destroys twice: a capturing lambda, a braced aggregate or a ?: inside the
full expression of a co_await. The cure is always the same: name the value on a line before.

Example: lint_coawait.py            (all of src/, tests/ and fuzz/)
         lint_coawait.py file.cc
"""
import argparse
import pathlib
import re
import sys

import sources

AWAIT = re.compile(r"\bco_await\b")
# What may stand before the "{" of a block; any other "{" opens a braced value.
BLOCK_OPENER = re.compile(r"(\)|;|\{|\}|\b(else|do|try|const|noexcept|override|final|mutable)|->[^;{}]*)\s*$")
CONDITION = re.compile(r"\b(if|while|for|switch|constexpr)\s*$")
LAMBDA = re.compile(r"(?<![\w\])\[])\s*\[(?!\[)\s*[^\]\s][^\]]*\]\s*(\(|\{|mutable\b|->)")
BINDING = re.compile(r"\bauto\s*(&|&&)?\s*$")


def expression_around(text, at):
    """Start and end of the full expression that holds the co_await at `at`."""
    start, depth = at, 0
    while start > 0:
        c = text[start - 1]
        if c in ")]}":
            if c == "}" and depth == 0 and not _closes_value(text, start - 1):
                break
            depth += 1
        elif c in "([{":
            if depth == 0:
                before = text[:start - 1]
                if c == "{" and BLOCK_OPENER.search(before[-200:]):
                    break
                if c == "(" and CONDITION.search(before[-40:]):
                    break
            else:
                depth -= 1
        elif c == ";" and depth == 0:
            break
        start -= 1
    end, depth = at, 0
    while end < len(text):
        c = text[end]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if c == ")" and depth < 0 and start > 0 and text[start - 1] == "(":
                break
        elif c == ";" and depth <= 0:
            break
        end += 1
    return start, end


def _closes_value(text, at):
    """True when the "}" at `at` ends a braced value or lambda inside an expression, not a block."""
    return bool(re.match(r"\s*[,).;\]]", text[at + 1:]))


def lambda_bodies_blanked(expression):
    """The expression with the bodies of its lambdas emptied: they are full expressions of their own."""
    out = expression
    for match in re.finditer(r"\]\s*(\([^{}]*\)\s*)?(mutable\s*)?(->[^{};]*)?\{", expression):
        depth, i = 1, match.end()
        while i < len(expression) and depth > 0:
            depth += {"{": 1, "}": -1}.get(expression[i], 0)
            i += 1
        body = re.sub(r"[^\n]", " ", expression[match.end() - 1:i])
        out = out[:match.end() - 1] + body + out[i:]
    return out


def faults(expression):
    """What is wrong in one full expression, in words."""
    found = []
    for match in LAMBDA.finditer(expression):
        if not BINDING.search(expression[:match.start() + 1].rstrip("[ ")):
            found.append("a capturing lambda")
            break
    plain = lambda_bodies_blanked(expression)
    # An empty {} argument is a value of the parameter's own type, and nothing in it can be freed twice.
    if "{" in re.sub(r"(?<=[(,])\s*\{\s*\}", "", plain):
        found.append("a braced value")
    if re.search(r"\?(?!\?)", plain):
        found.append("a ?:")
    return found


def check_text(text, shown):
    """One line for every faulty full expression of a file."""
    plain = sources.blank(text)
    found, seen = [], set()
    for match in AWAIT.finditer(plain):
        start, end = expression_around(plain, match.start())
        if (start, end) in seen:
            continue
        seen.add((start, end))
        for fault in faults(plain[start:end]):
            line = sources.line_of(plain, match.start())
            found.append(f"{shown}:{line}: {fault} in a co_await expression: name it on a line before")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    top = sources.root()
    paths = args.files or [path for under in ("src", "tests", "fuzz", "bench")
                           for path in sources.files(top, sources.CPP, under)]
    found = []
    for path in paths:
        found += check_text(path.read_text(), path.relative_to(top) if path.is_relative_to(top) else path)
    return sources.report(found, "co_await")


if __name__ == "__main__":
    sys.exit(main())
