// How a release is shown.
#pragma once

#include <optional>
#include <string>

#include "fractile/publication.hpp"
#include "fractile/receipts.hpp"
#include "options.hpp"
#include "page_output.hpp"
#include "requests/values.hpp"

namespace fractile::cli {

/// The format of data without --format: a table for people at a terminal, and CSV for programs.
Format usual_format();

/// The report in a format other than HTML.
template <class Report>
std::string text_in(Format format, const Report& report) {
  return format == Format::json ? to_json(report) : format == Format::csv ? to_csv(report) : to_table(report);
}

struct Shown {
  Format format;
  std::optional<ComparisonRequest> compared = {};
  PageOutput page = {};  ///< for Format::html
};
/// Reads --format and the options that go with it, --compare and --guess. Throws `usage` for comparisons of groups or quantiles that the
/// release will not have, and for a guess that cannot be explained for this release.
Shown shown_as(const Typed& typed, const ReleaseRequest& request);

}  // namespace fractile::cli
