#include "report/release/declarations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/release/release_figure.hpp"

namespace fractile::report_detail {
namespace {

/// How many of a table's rows or of a query's a person's records are.
std::string of_one_person(const Receipt& receipt, const Typed& typed) {
  const std::string& bound = receipt.records_per_person;
  const std::string in_groups = receipt.source.by.empty() ? "" : ", in all groups together";
  if (!receipt.source.sql_stability.empty()) {
    return fmt::format("One person's records change at most {} row{} of the query's result{}{}.", bound,
                       bound == "1" ? "" : "s", in_groups,
                       receipt.neighbors == "add-remove" ? "; a row that changes counts as two" : "");
  }
  if (!receipt.source.person.empty()) {
    const std::string column =
        receipt.source.person == withheld ? "the column that identifies persons" : typed(receipt.source.person);
    return fmt::format("Every record of a person carries their own identifier in {}, and nobody else's.", column);
  }
  return fmt::format("No person has more than {} record{} in the table{}.", bound, bound == "1" ? "" : "s", in_groups);
}

/// The number of rows that a release was told to expect; empty where none is known to have been told.
std::string expected_rows(const Receipt& receipt) {
  const bool is_default = receipt.rows == "4294967295";
  return receipt.public_records.empty() && !is_default ? receipt.rows : "";
}

}  // namespace

std::string value_in_words(ValueKind kind) {
  switch (kind) {
    case ValueKind::number:
      return "number";
    case ValueKind::date:
      return "date";
    case ValueKind::timestamp:
      return "time";
    case ValueKind::instant:
      return "time with its zone";
  }
  return {};
}

std::vector<std::string> declarations_of(const Receipt& receipt, const Typed& typed) {
  std::vector<std::string> items;
  items.push_back(receipt.bounds_share.empty()
                      ? fmt::format("The possible values, {}, were chosen without looking at the data, and so was "
                                    "everything else that was typed.",
                                    receipt.lattice)
                      : "The step between possible values was chosen without looking at the data, and so was "
                        "everything else that was typed.");
  items.push_back(of_one_person(receipt, typed));
  if (std::ranges::find(receipt.source.declared, "disjoint_persons") != receipt.source.declared.end()) {
    items.emplace_back("No person has records in two of the countings that were merged.");
  }
  if (!receipt.source.by.empty()) items.emplace_back("The groups were listed without looking at the data.");
  if (!receipt.public_records.empty()) {
    items.push_back(fmt::format("The number of rows of the table, {}, is public.", receipt.public_records));
  }
  if (const std::string rows = expected_rows(receipt); !rows.empty()) {
    items.push_back(fmt::format("About how many records there are{}, {}, is public.",
                                receipt.source.by.empty() ? "" : " in a group", rows));
  }
  if (receipt.interval_of == "population") {
    // Of groups of sampled records, the number of records given says something of whose they are, unless draws are independent.
    items.emplace_back(
        receipt.source.person.empty()
            ? "The records are a simple random sample of the population, one record a person, drawn with "
              "or without replacement."
        : receipt.source.by.empty()
            ? "The persons are a simple random sample of the population's, drawn with or without "
              "replacement, and all records of a person are in the table."
            : "The persons are a simple random sample of the population's, drawn with replacement, and all "
              "records of a person are in the table.");
  }
  return items;
}

std::vector<std::string> failures_of(const Receipt& receipt) {
  std::vector<std::string> failures;
  const bool is_dropped = receipt.source.null_policy == "drop";
  if (!is_dropped || receipt.source.unreadable != "missing") {
    failures.push_back(fmt::format("a record in which the column holds anything but a {}{}",
                                   value_in_words(receipt.kind), is_dropped ? " or nothing" : ""));
  }
  if (!receipt.source.sql_stability.empty()) failures.emplace_back("a value that the query cannot compute");
  failures.emplace_back("contents that cannot be read");
  failures.emplace_back("more than 2^48 - 1 records");
  return failures;
}

}  // namespace fractile::report_detail
