#include <fmt/core.h>

#include "fractile/report.hpp"

namespace fractile {
namespace {

/// As RFC 4180 has cells.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::string to_csv(const GroupedRelease& groups) {
  const bool is_seeded = !groups.releases.empty() && groups.releases.front().unsafe_seed.has_value();
  std::string text = is_seeded ? "key,quantile,value,unsafe_seed\n" : "key,quantile,value\n";
  for (std::size_t g = 0; g < groups.releases.size(); ++g) {
    const QuantileRelease& release = groups.releases[g];
    const std::string key = csv_cell(groups.keys[g]);
    for (std::size_t i = 0; i < release.indices.size(); ++i) {
      text += fmt::format("{},{},{}", key, release.query.quantiles[i].to_string(), release.value(i).to_decimal());
      if (release.unsafe_seed) text += fmt::format(",{}", *release.unsafe_seed);
      text += '\n';
    }
  }
  return text;
}

}  // namespace fractile
