// What determines a release besides its query: where the records came from, and what else was typed. Also the text by which a ledger
// recognizes equal releases.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/ranks.hpp"
#include "fractile/release.hpp"

namespace fractile {

/// What else determines a release, as the user typed it.
struct ReleaseDetails {
  std::string input_format = {};  ///< of a text file; if empty, the format and the delimiter are detected
  std::string delimiter = {};
  bool single_line_records = false;  ///< as in TableOptions
  bool public_rows = false;
  GroupKeys keys = {};                        ///< one per group
  std::optional<Rational> bounds_share = {};  ///< the share of the budget for finding bounds
  /// The table's identity: the canonical path of a file, which begins with a slash, or a declared name. It is empty when nothing is known.
  /// Then equal queries need not be about the same table.
  std::string source = {};
  /// The tables of a query, by the canonical paths of their files.
  std::vector<NamedTable> tables = {};
  std::optional<Unreadable> unreadable = {};  ///< only if it was given
  NumberStyle numbers = {};                   ///< as in TableOptions, and so is the encoding
  std::string encoding = {};
  /// Leaves out the cost, but not its measure, since a level of a publication keeps the cost at which it was first published.
  bool has_any_cost = false;
  std::optional<StatisticsRequest> statistics = {};
  /// How many of each person's records are sampled, if the promise is made for persons with more.
  std::optional<std::uint32_t> sampled_records = {};
  /// Leaves texts that count as missing, and tables, in the order in which they were typed, as earlier programs wrote them. Otherwise they
  /// are sorted, since their order decides nothing.
  bool is_as_typed = false;
};

/// All that determines a release except for the table and the random bits, as one line of JSON. In a ledger, equal texts are the same
/// query. docs/ledger.md lists the members. The engine is not among them.
std::string canonical_query(const QuantileQuery& query, const Lattice& lattice, const SourceDescription& source,
                            const ReleaseDetails& details);

}  // namespace fractile
