#include "http/date.h"

#include <fmt/format.h>

#include <array>
#include <ctime>

namespace berth::http {

// Not strftime: its names follow the locale.
std::string http_date(WallTime at) {
  constexpr std::array<const char*, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t seconds = WallTime::clock::to_time_t(at);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays.at(utc.tm_wday), utc.tm_mday,
                     kMonths.at(utc.tm_mon), utc.tm_year + 1900, utc.tm_hour, utc.tm_min,
                     utc.tm_sec);
}

}  // namespace berth::http
