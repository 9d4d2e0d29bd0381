#include <fmt/core.h>

#include "fractile/report.hpp"
#include "report/csv_cells.hpp"

namespace fractile {
std::string to_csv(const GroupedRelease& groups) {
  const bool is_seeded = !groups.releases.empty() && groups.releases.front().unsafe_seed.has_value();
  std::string text = is_seeded ? "key,quantile,value,unsafe_seed\n" : "key,quantile,value\n";
  for (std::size_t g = 0; g < groups.releases.size(); ++g) {
    const QuantileRelease& release = groups.releases[g];
    const std::string key = report_detail::csv_cell(groups.keys[g]);
    for (std::size_t i = 0; i < release.indices.size(); ++i) {
      text += fmt::format("{},{},{}", key, release.query.quantiles[i].to_string(), release.value(i).to_decimal());
      if (release.unsafe_seed) text += fmt::format(",{}", *release.unsafe_seed);
      text += '\n';
    }
  }
  return text;
}

}  // namespace fractile
