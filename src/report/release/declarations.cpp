#include "report/release/declarations.hpp"

#include <algorithm>
#include <utility>

#include "libraries/fmt.hpp"
#include "report/release/counted_words.hpp"
#include "report/release/release_figure.hpp"
#include "report/text/decimals.hpp"
#include "report/text/page.hpp"

namespace fractile::report_detail {
namespace {

/// How many rows of the table, or of the query's result, are one person's.
std::string of_one_person(const Release& release, const Typed& typed) {
  const std::uint32_t bound = records_per_person(release);
  const std::string in_groups = !release.is_grouped() ? "" : ", in all groups together";
  if (release.source.sql_stability) {
    return fmt::format("One person's records change at most {} of the query's result{}{}.", counted(bound, "row"),
                       in_groups,
                       release.query.neighbors == Neighbors::add_remove ? "; a row that changes counts as two" : "");
  }
  if (!release.source.person.empty()) {
    const std::string column =
        release.source.person == withheld ? "the column that identifies persons" : typed(release.source.person);
    return fmt::format("Every record of a person carries their own identifier in {}, and nobody else's.", column);
  }
  return fmt::format("No person has more than {} in the table{}.", counted(bound, "record"), in_groups);
}

/// The number of rows that a release expected, if the number of rows is not public.
std::optional<std::uint64_t> expected_rows(const Release& release) {
  return release.public_rows ? std::nullopt : release.query.expected_rows;
}

/// As a sentence; with weights, in units of weight.
std::string expected_in_words(const Release& release, std::uint64_t rows) {
  const std::string where = !release.is_grouped() ? "" : " in a group";
  if (!release.source.weights) {
    return fmt::format("The approximate number of {}{}, {}, is public.", counted_noun(release.source), where,
                       with_separators(std::to_string(rows)));
  }
  return fmt::format(
      "The approximate number of records{} and their approximate mean weight, {}, are public: about {} units.", where,
      release.source.weights->declared.mean->to_string(), rows);
}

/// What was declared about the weights.
std::vector<std::string> weights_declared(const WeightsDescription& weights, const Typed& typed) {
  const RecordWeights& declared = weights.declared;
  const std::string where = declared.column == withheld ? "" : " in " + typed(declared.column);
  std::vector<std::string> items{fmt::format(
      "The bounds and the step of the weights{}, {} to {} in steps of {}, were chosen without looking at the data.",
      where, declared.lower.to_decimal(), declared.upper.to_decimal(), declared.step.to_decimal())};
  if (declared.stability) {
    items.push_back(fmt::format(
        "Adding or removing one person's records changes at most {} of the weighted records, including their own.",
        *declared.stability));
  }
  return items;
}

}  // namespace

std::uint32_t records_per_person(const Release& release) {
  return release.source.weights ? release.source.weights->records_per_person : release.query.records_per_person;
}

std::string lattice_in_words(const Lattice& lattice) {
  if (lattice.is_regular()) {
    return fmt::format("{} to {} in steps of {}", with_separators(lattice.text(0)),
                       with_separators(lattice.text(lattice.size() - 1)),
                       with_separators(distance_text(lattice.kind(), lattice.step())));
  }
  std::string text;
  for (std::uint64_t i = 0; i < lattice.size(); ++i) text += (i == 0 ? "" : ", ") + lattice.text(i);
  return text;
}

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

std::string left_out_in_words(const SourceDescription& source, ValueKind kind) {
  const bool takes_only_values = source.unreadable == Unreadable::missing && !counts_anything(source);
  return takes_only_values ? "no " + value_in_words(kind) : "nothing";
}

std::vector<std::string> declarations_of(const Release& release, const Typed& typed) {
  std::vector<std::string> items = declarations_of_records(release, typed);
  items.insert(items.begin(),
               !release.bounds ? fmt::format("The possible values, {}, were chosen without looking at the data, and so "
                                             "was everything else in the request.",
                                             lattice_in_words(release.lattice))
                               : "The step between possible values was chosen without looking at the data, and so was "
                                 "everything else in the request.");
  return items;
}

std::vector<std::string> declarations_of_records(const Release& release, const Typed& typed) {
  std::vector<std::string> items{of_one_person(release, typed)};
  if (release.source.disjoint_persons) {
    items.emplace_back("No person has records in two of the profiles that were merged.");
  }
  if (release.is_grouped()) items.emplace_back("The groups were listed without looking at the data.");
  if (release.public_rows) {
    items.push_back(fmt::format("The number of rows of the table, {}, is public.",
                                with_separators(std::to_string(*release.public_rows))));
  }
  if (const std::optional<std::uint64_t> rows = expected_rows(release)) {
    items.push_back(expected_in_words(release, *rows));
  }
  if (release.source.weights) {
    for (std::string& each : weights_declared(*release.source.weights, typed)) items.push_back(std::move(each));
  }
  if (release.query.intervals && release.query.intervals->subject == IntervalSubject::population) {
    // For groups of sampled records, the number of records would reveal something about their owners unless draws are independent.
    items.emplace_back(
        release.source.person.empty()
            ? "The records are a simple random sample of the population, one record a person, drawn with "
              "or without replacement."
        : !release.is_grouped()
            ? "The persons are a simple random sample of the population, drawn with or without replacement, and all "
              "records of a person are in the table."
            : "The persons are a simple random sample of the population, drawn with replacement, and all records of a "
              "person are in the table.");
  }
  return items;
}

std::vector<std::string> failures_of(const Release& release) {
  std::vector<std::string> failures;
  const bool is_dropped = release.source.null_policy == NullPolicy::drop;
  if (counts_anything(release.source)) {
    if (!is_dropped) failures.emplace_back("a record in which the column holds nothing");
  } else if (!is_dropped || release.source.unreadable != Unreadable::missing) {
    const char* const or_nothing = is_dropped ? " or nothing" : "";
    std::string failure = fmt::format("a record in which the column holds anything but a {}{}",
                                      value_in_words(release.lattice.kind()), or_nothing);
    if (release.source.weights)
      failure += fmt::format(", or the column of weights anything but a number{}", or_nothing);
    failures.push_back(std::move(failure));
  }
  if (!is_dropped && !release.source.person.empty()) failures.emplace_back("a record without a person");
  if (release.source.sql_stability) failures.emplace_back("a value that the query cannot compute");
  failures.emplace_back("contents that cannot be read");
  failures.push_back("more than 2^48 - 1 " + counted_noun(release.source));
  return failures;
}

}  // namespace fractile::report_detail
