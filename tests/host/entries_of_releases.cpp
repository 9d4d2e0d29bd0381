// Releases of every kind, what is known of them beforehand and afterwards, and all that shows them.
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "fractile/exact.hpp"
#include "fractile/planning.hpp"
#include "fractile/ranks.hpp"
#include "fractile/receipts.hpp"
#include "fractile/release.hpp"
#include "fractile/reports.hpp"
#include "host/entry_groups.hpp"
#include "report/release/page_receipt.hpp"
#include "report/text/canonical_query.hpp"

namespace fractile::host_test {
namespace {

Lattice thousand() { return Lattice::regular(0, 1000, 1); }

std::string drawn(const CountedColumn& counted, const ReleaseOptions& options) {
  RandomBits bits = RandomBits::unsafe_seeded(seed);
  return to_json(release(counted, options, bits));
}

QuantileQuery median(const Budget& budget) {
  QuantileQuery query{{Rational(1, 2)}, budget};
  query.mechanism = Mechanism::exponential;
  return query;
}

/// Two groups, with intervals and statistics.
CountedColumn groups() { return {{"a", "b"}, {normal_table(300), normal_table(200)}, 1}; }

ReleaseOptions all_of_them() {
  ReleaseOptions options{query_of(Mechanism::automatic, Budget::pure(Rational(2)))};
  options.query.intervals = IntervalRequest{Rational(19, 20)};
  options.statistics = StatisticsRequest{{Rational(300)}, true, Rational(1, 5)};
  options.threads = 2;
  return options;
}

std::string found_bounds() {
  const QuantileQuery query = median(Budget::pure(Rational(1)));
  const BoundsSearch search{Rational(1), 8};
  const RankProfile table = relabeled(reference_table(search.lattice(), Shape::normal, 300), search.lattice());
  return drawn({table, 1}, {query, BoundsToFind{search, Rational(1, 10)}});
}

std::string drawn_weighted() {
  const RecordWeights weights{"w", Rational(1), Rational(4), Rational(1)};
  QuantileQuery query = over_weights(median(Budget::pure(Rational(1))), weights);
  return drawn(CountedColumn(normal_table(300), 1).weighted(weights), {over_query(query, 2)});
}

std::string compared(const Release& release) {
  const std::vector<NamedComparison> found = comparisons_of(release, {"a", "b"});
  const Estimate first = estimate_in_pairs(release, release.groups[0], 0);
  return to_csv(release, found) + to_table(release, found) +
         compare(first, estimate_in_pairs(release, release.groups[1], 0)).difference.value.to_string();
}

std::string added_up(const Release& release) {
  Margins margins(*release.statistics, release.lattice);
  std::vector<Statistics> cells;
  for (const Release::Group& group : release.groups) cells.push_back(*group.statistics);
  const Statistics total = margins.of(cells);
  return std::to_string(total.count.value) + " " + total.mean->lower.to_string() + " " +
         std::to_string(count_below(total, *release.statistics, 0).value());
}

std::string shown(const Release& release) {
  PageOptions options;
  options.about = {"Wages", "Office", "Planning", "Norway", "2026-05-01"};
  options.about.curator_type = "Government";
  return to_csv(release) + to_table(release) + explain(release, Prose::text) + explain(release, Prose::markdown) +
         to_registry(release, options.about) + to_html(release, {}, options).html;
}

std::string read_back(const Release& release) {
  const Release read = read_receipt(release.receipt, "receipt");
  std::string all = to_json(read) + sha256_of(read.receipt);
  for (const std::optional<NoiseInWords>& each : {noise_in_words(read), empty_groups_in_words(read)}) {
    if (each) all += each->what + each->hint;
  }
  const WebPage page = to_html(read, {}, {});
  return all + receipt_of_page(page.html) + std::to_string(altered_parts(page.html, page).size());
}

std::string bounded(const Release& release) {
  std::string all;
  for (const WorstCase& each : worst_cases(release, Rational(19, 20))) {
    all += std::to_string(each.largest().value_or(0)) + " ";
  }
  const std::optional<UnsettledEnds> unsettled = unsettled_ends(release);
  return all + std::to_string(unsettled ? unsettled->settled_from : 0) +
         std::to_string(worst_case(release.query, release.lattice, Rational(19, 20)).rows);
}

std::string planned(const QuantileQuery& query, const Lattice& lattice) {
  PlanOptions options;
  options.releases = 20;
  options.with_noise = false;
  const PlanReport report{plan_release(query, lattice, options)};
  std::string all;
  for (const double mean : report.plan.typical.mean) all += Rational::from_double(mean).to_string() + " ";
  return all + to_json(report) + to_csv(report) + to_table(report) + to_html(report, {}).html;
}

std::string planned_intervals() {
  QuantileQuery query = query_of(Mechanism::automatic, Budget::pure(Rational(2)));
  query.intervals = IntervalRequest{Rational(19, 20)};
  query.expected_rows = 100;
  const std::optional<UnsettledEnds> unsettled = unsettled_ends(query, 100);
  return std::to_string(records_that_settle(query).value_or(0)) +
         (unsettled && unsettled->sufficient_budget ? unsettled->sufficient_budget->to_string() : "settled");
}

std::string warned() {
  QuantileQuery query = query_of(Mechanism::automatic, Budget::pure(Rational(1, 10)));
  query.expected_rows = 20;
  const std::optional<MostlyNoise> noise = mostly_noise(query, Lattice::regular(0, 20, 1));
  return noise ? Rational::from_double(noise->share).to_string() : "useful";
}

std::string solved() {
  const QuantileQuery query = median(Budget::pure(Rational(1)));
  return query_for_rank_error(query, Lattice::regular(0, 20, 1), 5, Rational(19, 20)).budget.to_string();
}

std::string served() {
  ReleaseAnalyst analyst;
  analyst.accepted_loss = Rational(5);
  const Lattice few = Lattice::regular(0, 20, 1);
  const ServedEpsilons found =
      served_epsilons(median(Budget::pure(Rational(1))), few, reference_table(few, Shape::normal, 100), 100, analyst,
                      Rational(1, 10), Rational(2));
  return found.served_from ? found.served_from->to_string() : "none";
}

std::string guessed() {
  const Lattice few = Lattice::regular(0, 20, 1);
  const PersonLeakage found =
      person_leakage(median(Budget::pure(Rational(1))), few, reference_table(few, Shape::normal, 20), 20, {});
  return found.before.to_string() + " " + found.knowing_any_others.to_string() + " " +
         found.knowing_the_distribution.to_string() + " " + guesses_by_share(Rational(1, 3), 20).to_string();
}

std::string audited() {
  const AuditRequest request{"exponential", 2, 3, Budget::pure(Rational(1))};
  return to_json(request, audit(request)) + std::to_string(audited_mechanisms().size());
}

std::string recognized() {
  ReleaseDetails details;
  details.keys = {"a", "b"};
  SourceDescription source;
  source.column = "x";
  source.by = "k";
  return canonical_query(query_of(Mechanism::automatic, Budget::zcdp(Rational(1, 2))), thousand(), source, details);
}

/// The same bits each time, in which a receipt sees nothing wrong.
RandomBits repeated_bits() {
  return RandomBits::from_source([state = seed](std::span<std::byte> out) mutable {
    for (std::byte& each : out) {
      state = state * 6'364'136'223'846'793'005 + 1;
      each = static_cast<std::byte>(state >> 56);
    }
  });
}

/// With all that a release may have, and its receipt.
std::shared_ptr<const Release> whole_release() {
  RandomBits bits = repeated_bits();
  Release made = release(groups(), all_of_them(), bits);
  made.source.column = "x";
  made.source.by = "k";
  return std::make_shared<const Release>(with_receipt(std::move(made)));
}

}  // namespace

std::vector<Entry> entries_of_releases() {
  const std::shared_ptr<const Release> whole = whole_release();
  return {{"groups", [] { return drawn(groups(), all_of_them()); }},
          {"bounds to find", found_bounds},
          {"weighted records", drawn_weighted},
          {"comparisons", [whole] { return compared(*whole); }},
          {"margins", [whole] { return added_up(*whole); }},
          {"release, shown", [whole] { return shown(*whole); }},
          {"receipt, read", [whole] { return read_back(*whole); }},
          {"worst cases", [whole] { return bounded(*whole); }},
          {"plan",
           [] {
             return planned(query_of(Mechanism::automatic, Budget::pure(Rational(1, 2))), Lattice::regular(0, 100, 1));
           }},
          {"plan of intervals", planned_intervals},
          {"plan that warns", warned},
          {"budget for an error", solved},
          {"epsilons that serve", served},
          {"guesses about a person", guessed},
          {"audit", audited},
          {"canonical query", recognized}};
}

}  // namespace fractile::host_test
