// How a release is shown.
#pragma once

#include <optional>

#include "fractile/publication.hpp"
#include "fractile/receipts.hpp"
#include "options.hpp"
#include "page_output.hpp"
#include "requests/values.hpp"

namespace fractile::cli {

/// The format of data without --format: a table for people at a terminal, and CSV for programs.
Format usual_format();

struct Shown {
  Format format;
  std::optional<ComparisonRequest> compared = {};
  PageOutput page = {};  ///< for Format::html
};
/// Reads --format and the options that go with it, --compare and --guess. Throws `usage` for comparisons of groups or quantiles that the
/// release will not have, and for a guess that cannot be explained for this release.
Shown shown_as(const Typed& typed, const ReleaseRequest& request);

}  // namespace fractile::cli
