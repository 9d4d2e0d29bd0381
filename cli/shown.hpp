// How a release is shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/quantiles.hpp"
#include "fractile/receipts.hpp"
#include "options.hpp"
#include "page_output.hpp"
#include "requests/values.hpp"

namespace fractile::cli {

struct Shown {
  Format format;
  std::optional<ComparisonRequest> compared = {};
  PageOutput page = {};  ///< for Format::html
};
/// --format and what goes with it, and --compare. Error(usage) for comparisons of what the release will not have.
Shown shown_as(const Typed& typed, const QuantileQuery& query, const std::vector<std::string>& keys);

}  // namespace fractile::cli
