// Binds releases: reads, verifies, explains and shows them.

#include "report.hpp"

#include "fractile/receipts.hpp"
#include "pages.hpp"
#include "report/release/explained_guess.hpp"
#include "report/release/page_receipt.hpp"
#include "report/text/durable.hpp"
#include "requests/flow.hpp"

namespace fractile::python {
namespace {

using Pair = std::pair<std::string, std::string>;

std::vector<NamedComparison> compared(const Release& release, const std::optional<Pair>& compare) {
  if (!compare) return {};
  return comparisons_of(release, {compare->first, compare->second});
}

/// The limit of a guess in the form in which the program takes it; empty if there is no guess.
std::string limit_of(const Release& release, const std::string& guess) {
  if (guess.empty()) return {};
  requests::Typed typed;
  typed.values["guess"] = {guess};
  std::string limit = requests::guessed_limit(typed);
  report_detail::require_guess(limit, release.lattice.kind(), release.query, release.is_grouped());
  return limit;
}

Page page_of_release(const Release& release, const Texts& about, bool is_public, const std::optional<Pair>& compare,
                     const LedgerAccount* account, const std::string& guess) {
  PageOptions options{about_of(about), is_public};
  options.guess_above = limit_of(release, guess);
  if (account != nullptr) options.account = *account;
  return in_pair(to_html(release, compared(release, compare), options));
}

nb::tuple in_tuple(const Estimate& estimate) {
  return nb::make_tuple(estimate.value, estimate.lower, estimate.upper, estimate.or_below, estimate.or_above);
}

/// A str; a tuple of str for several key columns; "" without groups.
nb::object key_object(const GroupKey& key) {
  if (key.size() < 2) return nb::cast(key.empty() ? std::string() : key[0]);
  nb::list texts;
  for (const std::string& text : key.texts()) texts.append(text);
  return nb::tuple(texts);
}

nb::list keys_of(const Release& release) {
  nb::list keys;
  for (const GroupKey& key : release.keys()) keys.append(key_object(key));
  return keys;
}

/// (key, quantile, against, difference, ratio or None) for each comparison, where an estimate is (value, lower, upper, or_below, or_above).
nb::list comparisons(const Release& release, const std::string& first, const std::string& second) {
  nb::list list;
  for (const NamedComparison& one : comparisons_of(release, {first, second})) {
    const nb::object ratio =
        one.comparison.ratio ? nb::object(in_tuple(*one.comparison.ratio)) : nb::object(nb::none());
    list.append(
        nb::make_tuple(key_object(one.key), one.quantile, one.against, in_tuple(one.comparison.difference), ratio));
  }
  return list;
}

/// (lower, upper, or_below, or_above) for each quantile; an empty list without intervals.
nb::list intervals(const Release& release, std::size_t number) {
  nb::list list;
  for (const Interval& one : release.groups.at(number).intervals) {
    list.append(
        nb::make_tuple(release.lattice.at(one.lower), release.lattice.at(one.upper), one.or_below, one.or_above));
  }
  return list;
}

/// A number of records or, with weights, their total weight, with its interval.
nb::tuple in_tuple(const Statistics::Records& records, const std::optional<WeightsDescription>& weights) {
  const auto& [lower, upper] = records.interval;
  if (!weights) return nb::make_tuple(records.value, lower, upper);
  const auto weight = [&](std::int64_t units) { return Rational(units) * weights->declared.step; };
  return nb::make_tuple(weight(records.value), weight(static_cast<std::int64_t>(lower)),
                        weight(static_cast<std::int64_t>(upper)));
}

nb::tuple in_tuple(const Statistics::Ratio& ratio) { return nb::make_tuple(ratio.value, ratio.lower, ratio.upper); }

/// The statistics of a group; None if none were asked for.
nb::object statistics(const Release& release, std::size_t number) {
  const std::optional<Statistics>& told = release.groups.at(number).statistics;
  return told ? in_tuples(*release.statistics, *told, release.source) : nb::object(nb::none());
}

std::vector<Rational> values(const Release& release, std::size_t number) {
  const Release::Group& group = release.groups.at(number);
  std::vector<Rational> values;
  for (std::size_t i = 0; i < group.indices.size(); ++i) values.push_back(release.value(group, i));
  return values;
}

std::vector<std::pair<std::string, std::string>> spent(const Release& release, std::size_t number) {
  std::vector<std::pair<std::string, std::string>> spent;
  for (const PartCost& part : release.groups.at(number).spent) spent.emplace_back(part.part, part.amount.to_string());
  return spent;
}

/// What was found about the values of a group: their granularity, or the distance of the values on which many heap.
std::optional<std::string> found(const Release& release, std::size_t number,
                                 std::optional<Rational> MechanismUsed::*what) {
  const std::optional<Rational>& distance = release.groups.at(number).used.*what;
  if (!distance) return {};
  return distance_text(release.lattice.kind(), *distance);
}

void bind_groups(nb::class_<Release>& release) {
  const auto group = nb::arg("group");
  release.def("values", &values, group, "The values, in the order of `quantiles`; dates and times are ticks.")
      .def(
          "intervals", &intervals, group,
          nb::sig("def intervals(self, group: int) -> list[tuple[fractions.Fraction, fractions.Fraction, bool, bool]]"),
          "For each quantile: lower, upper, and whether the interval is open below and above. Empty without intervals.")
      .def(
          "statistics", &statistics, group,
          nb::sig("def statistics(self, group: int) -> tuple[tuple[typing.Any, ...], list[tuple[fractions.Fraction, "
                  "tuple[typing.Any, ...], tuple[fractions.Fraction | None, fractions.Fraction, fractions.Fraction]]], "
                  "tuple[fractions.Fraction | None, fractions.Fraction, fractions.Fraction] | None] | None"),
          "The count, the counts and shares below each value, and the mean, each with its interval.")
      .def("spent", &spent, group, "The cost, part by part.")
      .def(
          "rank_errors", [](const Release& r, std::size_t g) { return r.groups.at(g).rank_errors; }, group,
          "For each value, by how many records it misses its quantile at most.")
      .def(
          "mechanism", [](const Release& r, std::size_t g) { return to_string(r.groups.at(g).used.mechanism); }, group,
          "The mechanism that ran.")
      .def(
          "reason", [](const Release& r, std::size_t g) { return r.groups.at(g).used.reason; }, group,
          "Why auto chose this mechanism; empty if it was named.")
      .def(
          "granularity", [](const Release& r, std::size_t g) { return found(r, g, &MechanismUsed::granularity); },
          group, "The granularity of the values that was found and used; None if none was.")
      .def(
          "heaping", [](const Release& r, std::size_t g) { return found(r, g, &MechanismUsed::heaping); }, group,
          "The distance of the values on which many records heap; None if no heaps were found.")
      .def(
          "is_mostly_noise", [](const Release& r, std::size_t g) { return r.groups.at(g).noise.has_value(); }, group,
          "Whether noise decides the values more than the records do.");
}

void bind_release(nb::module_& module) {
  nb::class_<Release> release(
      module, "Release", "Everything that a receipt says. Methods take a group by its index in `keys`, from 0 on.");
  release.def("with_receipt", &with_receipt, "The same, with its receipt.")
      .def_ro("receipt", &Release::receipt, "The receipt, in JSON; empty until with_receipt() has composed it.")
      .def_ro("program", &Release::program, "The program and version that made it.")
      .def_prop_ro(
          "sha256", [](const Release& r) { return sha256_of(r.receipt); }, "The hash of the receipt.")
      .def_prop_ro("keys", &keys_of, nb::sig("def keys(self) -> list[typing.Any]"),
                   "The keys of the groups; empty in a release without groups.")
      .def_prop_ro(
          "quantiles", [](const Release& r) { return r.query.quantiles; }, "Which quantiles were published.")
      .def_prop_ro(
          "kind", [](const Release& r) { return to_string(r.lattice.kind()); },
          R"("number", "date", "timestamp" or "instant".)")
      .def_prop_ro(
          "by", [](const Release& r) { return r.source.by.names(); }, "The key columns.")
      .def_prop_ro(
          "column", [](const Release& r) { return r.source.column; }, "The column that was published.")
      .def_prop_ro(
          "file", [](const Release& r) { return r.source.file; }, "The name of the file or frame that was read.")
      .def_prop_ro(
          "measure", [](const Release& r) { return to_string(r.cost().measure()); },
          "The measure of the cost: pure, zcdp or approximate.")
      .def_prop_ro(
          "cost", [](const Release& r) { return r.cost().to_string(); }, "The cost of the release for one person.")
      .def_prop_ro(
          "neighbors", [](const Release& r) { return to_string(r.query.neighbors); },
          R"(What two tables differ in: "add-remove" or "change-one".)")
      .def_prop_ro(
          "records_per_person", [](const Release& r) { return r.query.records_per_person; },
          "The largest number of records of a person to whom the promise is made.")
      .def_prop_ro(
          "confidence", [](const Release& r) { return r.errors ? std::optional(r.errors->confidence) : std::nullopt; },
          "The probability with which the bounds of rank errors hold.")
      .def_prop_ro(
          "rows", [](const Release& r) { return r.errors ? std::optional(r.errors->rows) : std::nullopt; },
          "The largest number of records for which the bounds of rank errors hold.")
      .def_ro("public_rows", &Release::public_rows, "The number of rows of the table; None if it is not public.")
      .def_ro("unsafe_seed", &Release::unsafe_seed, "The seed of a release that is not private; None otherwise.")
      .def_prop_ro(
          "bounds_share", [](const Release& r) { return r.bounds ? std::optional(r.bounds->share) : std::nullopt; },
          "The share of the budget that found the bounds; None if they were given.")
      .def_prop_ro(
          "interval_level",
          [](const Release& r) { return r.query.intervals ? std::optional(r.query.intervals->level) : std::nullopt; },
          "The probability with which an interval holds its quantile.")
      .def_prop_ro(
          "charge",
          [](const Release& r) -> std::optional<std::pair<std::string, std::int64_t>> {
            if (!r.charge) return {};
            return std::pair{r.charge->dataset, r.charge->entry};
          },
          "The ledger's dataset and entry that paid.")
      .def("__repr__", [](const Release& r) {
        return in_words("Release", {{"column", nb::cast(r.source.column)},
                                    {"file", nb::cast(r.source.file)},
                                    {"quantiles", nb::cast(r.query.quantiles.size())},
                                    {"groups", nb::cast(r.keys().size())},
                                    {"cost", nb::cast(r.cost().to_string())},
                                    {"neighbors", nb::cast(to_string(r.query.neighbors))},
                                    {"records_per_person", nb::cast(r.query.records_per_person)},
                                    {"program", nb::cast(r.program)}});
      });
  bind_groups(release);
}

}  // namespace

nb::object in_tuples(const StatisticsTerms& terms, const Statistics& told, const SourceDescription& source) {
  nb::list below;
  for (std::size_t i = 0; i < told.below.size(); ++i) {
    below.append(
        nb::make_tuple(terms.request.below[i], in_tuple(told.below[i], source.weights), in_tuple(told.shares[i])));
  }
  const nb::object mean = told.mean ? nb::object(in_tuple(*told.mean)) : nb::object(nb::none());
  return nb::make_tuple(in_tuple(told.count, source.weights), below, mean);
}

std::string in_words(const std::string& type, const std::vector<std::pair<const char*, nb::object>>& members) {
  std::string text = type + "(";
  for (const auto& [name, value] : members) {
    if (text.back() != '(') text += ", ";
    text += std::string(name) + "=" + nb::cast<std::string>(nb::repr(value));
  }
  return text + ")";
}

void bind_report(nb::module_& module) {
  bind_release(module);
  const auto compare = nb::arg("compare") = nb::none();
  module.attr("most_receipt_bytes") = most_receipt_bytes;
  module.def("read_receipt", &read_receipt, nb::arg("text"), nb::arg("name"));
  module.def("receipt_of_page", &receipt_of_page, nb::arg("html"));
  module.def(
      "altered_parts",
      [](const std::string& text, const Release& release) {
        return receipt_of_page(text).empty() ? std::vector<std::string>()
                                             : altered_parts(text, to_html(release, {}, {}));
      },
      nb::arg("text"), nb::arg("release"));
  module.def(
      "explain",
      [](const Release& release, bool in_markdown, const std::optional<Pair>& pair, const std::string& guess) {
        PageOptions options;
        options.guess_above = limit_of(release, guess);
        return explain(release, in_markdown ? Prose::markdown : Prose::text, compared(release, pair), options);
      },
      nb::arg("release"), nb::arg("markdown"), compare, nb::arg("guess") = "");
  module.def(
      "to_csv",
      [](const Release& release, const std::optional<Pair>& pair) {
        return pair ? to_csv(release, compared(release, pair)) : to_csv(release);
      },
      nb::arg("release"), compare);
  module.def("to_table", nb::overload_cast<const Release&>(&to_table), nb::arg("release"));
  module.def("page", &page_of_release, nb::arg("release"), nb::arg("about"), nb::arg("public"),
             nb::arg("compare").none(), nb::arg("account").none(), nb::arg("guess") = "");
  module.def("comparisons", &comparisons, nb::arg("release"), nb::arg("first"), nb::arg("second"),
             nb::sig("def comparisons(release: Release, first: str, second: str) -> list[tuple[typing.Any, str, str, "
                     "tuple[typing.Any, ...], tuple[typing.Any, ...] | None]]"));
  module.def(
      "registry", [](const Release& release, const Texts& about) { return to_registry(release, about_of(about)); },
      nb::arg("release"), nb::arg("about"));
  module.def(
      "write_durably", [](const std::string& path, const std::string& text) { write_durably(path, text); },
      nb::arg("path"), nb::arg("text"));
}

}  // namespace fractile::python
