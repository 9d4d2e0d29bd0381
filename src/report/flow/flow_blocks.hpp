// The findings about a pipeline, as lines and tables, for text and for pages.
#pragma once

#include <string>
#include <vector>

#include "fractile/reports.hpp"
#include "report/text/text_columns.hpp"

namespace fractile::report_detail {

/// Lines of text, each with its line end, or a table.
struct Block {
  std::string lines = {};
  std::vector<Row> rows = {};
};

/// A sequence of blocks.
class Blocks {
 public:
  Blocks() = default;
  Blocks(std::string lines) : blocks_{{std::move(lines)}} {}         // NOLINT(google-explicit-constructor)
  Blocks(const char* lines) : Blocks(std::string(lines)) {}          // NOLINT(google-explicit-constructor)
  Blocks(std::vector<Row> rows) : blocks_{{{}, std::move(rows)}} {}  // NOLINT(google-explicit-constructor)

  Blocks& operator+=(const Blocks& more) {
    blocks_.insert(blocks_.end(), more.blocks_.begin(), more.blocks_.end());
    return *this;
  }
  friend Blocks operator+(Blocks a, const Blocks& b) { return a += b; }

  bool empty() const { return blocks_.empty(); }
  const std::vector<Block>& all() const { return blocks_; }
  /// The blocks as text, with tables in aligned columns.
  std::string text() const;

 private:
  std::vector<Block> blocks_;
};

Blocks blocks_of(const RefinementReport& report);
Blocks blocks_of(const StabilityReport& report);
Blocks blocks_of(const AnyPriorReport& report);
/// The windows of an analyst, in which a larger epsilon costs the analyst more.
Blocks blocks_of(const flow::Windows& windows);

/// A heading, and one row per point: epsilon, expected loss, change.
std::vector<Row> sweep_rows(const SweepReport& report);

}  // namespace fractile::report_detail
