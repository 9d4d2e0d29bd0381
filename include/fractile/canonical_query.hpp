// What determines a release beside its query: where the records came from, and what else was typed. And the text in which equal
// releases are equal, for ledgers.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/quantiles.hpp"
#include "fractile/ranks.hpp"
#include "fractile/source.hpp"

namespace fractile {

/// Where the records came from, as the user named it.
struct SourceDescription {
  std::string file;
  std::string sql;
  std::string column;
  std::string null_policy;  ///< "drop" or "error"
  std::string engine;
  std::string person = {};              ///< the column by which persons' records were bounded, if one was named
  std::string by = {};                  ///< the column of the groups' keys, if there are groups
  std::vector<NamedTable> tables = {};  ///< what else the query could read
  /// Declared of the query, in digits; empty when it is row-wise. The release was asked for by over_query().
  std::string sql_stability = {};
  /// What else was declared of the records and never checked, by the names of what declares it: "disjoint_persons".
  std::vector<std::string> declared = {};
  std::vector<std::string> missing = {};  ///< declared to count as missing
  /// What is done with a cell that is no number: "missing" or "error"; empty where nothing was said of it, and then it is an error.
  std::string unreadable = {};
};

/// What else determines a release, as the user typed it.
struct ReleaseDetails {
  std::string input_format = {};  ///< of a text file; empty: found out, and so its delimiter
  std::string delimiter = {};
  bool single_line_records = false;  ///< as in TableOptions
  bool public_rows = false;
  std::vector<std::string> keys = {};         ///< of the groups
  std::optional<Rational> bounds_share = {};  ///< of the budget, for bounds that are to be found
  /// What the table is: the canonical path of a file, which begins with a slash, or a name that was declared; empty when
  /// nothing is known, and then equal queries need not be about the same table.
  std::string source = {};
  /// The tables of a query, by the canonical paths of their files.
  std::vector<NamedTable> tables = {};
  std::string unreadable = {};  ///< "missing" or "error", where it was given
};

/// All that determines a release but the table and the random bits, as one line of JSON: for ledgers, in which equal texts
/// are the same query. docs/ledger.md lists its members. The engine is not among them.
std::string canonical_query(const QuantileQuery& query, const Lattice& lattice, const SourceDescription& source,
                            const ReleaseDetails& details);

}  // namespace fractile
