// Exact numbers, privacy's accounts, times, keys and texts, pictures, and the papers' constructors.
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "exact/edit_distance.hpp"
#include "exact/wording.hpp"
#include "figures/figures.hpp"
#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/measurements.hpp"
#include "fractile/privacy.hpp"
#include "fractile/ranks.hpp"
#include "fractile/release.hpp"
#include "fractile/source.hpp"
#include "host/entry_groups.hpp"
#include "report/text/shown_text.hpp"

namespace fractile::host_test {
namespace {

std::string joined(std::span<const Rational> all) {
  std::string text;
  for (const Rational& each : all) text += each.to_string() + " ";
  return text;
}

std::string exact_numbers(const std::vector<double>& doubles) {
  std::string all;
  for (const double value : doubles) all += Rational::from_double(value).to_string() + " ";
  Rational moved(1, 3);
  const Rational taken = std::move(moved);
  all += Rational::parse("0.15").pow(300).to_decimal() + taken.to_string();
  const Rational halved = Rational::dyadic(3, -1074);
  all += Rational::from_double(halved.to_double()) == halved ? "same" : "other";
  return all + Exponent::log(3, 40).exponential().to_string() + " " + sqrt_down(Rational(2)).to_string();
}

std::string converted() {
  const Exponent epsilon = Exponent::log(3);
  const Rational rho(1, 3);
  const std::array<Rational, 12> all = {zcdp_of_pure(epsilon),
                                        zcdp_of_pure_tight(epsilon),
                                        zcdp_of_bounded_range(epsilon),
                                        zcdp_of_bounded_range_tight(epsilon),
                                        delta_of_pure(Rational(2), epsilon),
                                        delta_of_zcdp(rho, epsilon),
                                        epsilon_of_zcdp(rho, Rational(1, 1000)),
                                        largest_probability(Budget::zcdp(rho), Rational(1, 2)),
                                        largest_pure(rho),
                                        largest_pure_tight(rho),
                                        largest_bounded_range_tight(rho),
                                        smallest_temperature(epsilon, Rational(2))};
  return joined(all) + pure_of_bounded_range(epsilon).to_string() + bounded_range_of_pure(epsilon).to_string();
}

std::string composed() {
  const std::array<Exponent, 2> epsilons = {Exponent::log(3), Exponent(Rational(1, 2))};
  const std::array<Rational, 2> rhos = {Rational(1, 3), Rational(1, 5)};
  const std::array<ApproximateCost, 2> costs = {ApproximateCost{epsilons[0], Rational(1, 100)},
                                                ApproximateCost{epsilons[1], Rational(1, 1000)}};
  PrivacyFilter filter(Budget::zcdp(Rational(1)));
  filter.spend(Budget::pure(epsilons[0]));
  const std::array<Rational, 6> all = {compose_zcdp(rhos),     parallel_zcdp(rhos, Neighbors::change_one),
                                       group_zcdp(rhos[0], 3), compose_approximate(costs).delta,
                                       filter.remaining(),     compose_pure(epsilons).upper()};
  return joined(all) + compose_pure(epsilons).to_string() + parallel_pure(epsilons, Neighbors::change_one).to_string() +
         group_pure(epsilons[0], 3).to_string();
}

std::string composed_bounded_ranges() {
  const Rational delta = delta_of_bounded_range(Rational(1, 10), 4, Rational(1, 5));
  return delta.to_string() + " " + epsilon_of_bounded_range(Rational(1, 10), 4, Rational(1, 100)).to_string();
}

std::string dated() {
  std::string all;
  for (const char* said : {"2024-01-31", "2024-01-31T17:05:09.25Z", "2024-01-31 17:05", "31.1.2024"}) {
    const std::optional<Moment> moment = read_moment(said);
    if (moment) all += to_string(moment->kind) + moment_text(moment->kind, moment->ticks) + " ";
  }
  const Lattice weeks = Lattice::regular(0, 700, 7, ValueKind::date);
  all += std::to_string(read_span("15min").value_or(0)) + weeks.text(3) + distance_text(weeks.kind(), weeks.step());
  return all + duration_text(ValueKind::instant, Rational(-5'000'250)) +
         read_value(ValueKind::date, "2024-01-31").to_string();
}

std::string worded() {
  const Words words{"write for example ", Field("bounds").pair("0", "125"), " and ", Field("by").text("a key")};
  std::string all = Error(ErrorCode::usage, words, words).what();
  for (const Wording wording : {Wording::library, Wording::program, Wording::python, Wording::r, Wording::file}) {
    all += words.renamed("by", "person").in(wording);
  }
  const std::string odd = "a\x1b\xff\n\xe2\x80\xae";
  return all + shown_text(odd) + shown_lines(odd) + name_text(odd) + nearest_word("regoin", {"region", "sex"}) +
         std::to_string(edit_distance("regoin", "region"));
}

std::string keyed() {
  const GroupKeys crossed = GroupKeys::crossed({{"a", "b"}, {"x", "y"}});
  crossed.validate();
  std::string all = to_string(KeyColumns({"region", "sex"}));
  for (const GroupKey& key : GroupKeys(crossed).with_list(1, {"men", "women"}).all())
    all += to_string(key) + sampled_group(key);
  return all + std::to_string(GroupKeys::tuples({{"a", "x"}, {"b", "y"}}).size());
}

std::string sampled() {
  RandomBits bits = RandomBits::unsafe_seeded(seed);
  std::string all = SamplingKey::draw(bits).id();
  for (const unsigned char byte : SamplingKey::of_bytes(std::string(32, 'k')).rank("ann", {3, "a", 0})) {
    all += std::to_string(byte) + " ";
  }
  return all;
}

std::string selected() {
  RandomBits bits = RandomBits::unsafe_seeded(seed);
  std::vector<std::uint64_t> scores;
  std::vector<std::uint64_t> lengths;
  for (std::uint64_t i = 0; i < 200; ++i) {
    scores.push_back((i * 37) % 101);
    lengths.push_back(1 + i % 5);
  }
  std::string all;
  for (int i = 0; i < 10; ++i) {
    all += std::to_string(select_softmax(scores, lengths, Rational(1, 10), bits, Optimize::minimize)) + " " +
           std::to_string(select_permute_and_flip(scores, Rational(1, 10), bits, Optimize::minimize)) + " " +
           std::to_string(select_gumbel(scores, lengths, Rational(1, 10), bits, Optimize::minimize)) + " ";
  }
  const std::vector<Rational> exact = {Rational(1, 3), Rational(-2), Rational(5)};
  return all + std::to_string(select_softmax(exact, Rational(1), bits)) +
         std::to_string(select_permute_and_flip(exact, Rational(1), bits));
}

std::string constructed() {
  RandomBits bits = RandomBits::unsafe_seeded(seed);
  const Rows<double> rows{AtomDomain<double>::non_null()};
  const std::vector<double> values = {0.15, 1, 2, 3, 4, 5};
  const auto scores =
      make_quantile_score_candidates(rows, SymmetricDistance{}, std::vector<double>{0, 2, 4}, Rational(1, 2));
  const auto drawing = make_clamp(rows, SymmetricDistance{}, 0.0, 4.0);
  const auto best = scores >>
                    make_gumbel_max(scores.output_domain(), LInfDistance{}, Rational(2), Optimize::minimize) >>
                    index_into(std::vector<std::string>{"0", "2", "4"});
  const auto kept =
      scores >> make_permute_and_flip(scores.output_domain(), LInfDistance{}, Rational(2), Optimize::minimize);
  const auto median = make_quantile(rows, tenths(), Rational(1, 2), Exponent(Rational(1)));
  std::string all = best.invoke(values, bits) + best.map(2).to_string() + std::to_string(kept.invoke(values, bits));
  for (const double value : drawing.invoke(values)) all += Rational::from_double(value).to_string() + " ";
  return all + median.invoke(values, bits).to_string() + median.map(1).to_string() + rows.to_string();
}

std::string counted_with_noise() {
  const CountNoise noise{Measure::zcdp, {}, Rational(9)};
  const std::vector<ReleasedCount> cells = {{40, noise}, {-3, noise}};
  std::string all;
  for (const CountInterval& each : intervals_of(std::vector{sum_of(cells), cells[0]}, Rational(19, 20))) {
    all += std::to_string(each.lower) + ".." + std::to_string(each.upper) + " ";
  }
  return all;
}

std::string weighed() {
  const RecordWeights weights{"w", Rational(1, 2), Rational(20), Rational(1, 2)};
  weights.validate();
  return std::to_string(weights.most_units_of_record()) + weights.grid().text(3);
}

std::string drawn_figures() {
  figures::Figure figure{"figure", "Loss", "of everyone", "epsilon", "loss", {}};
  figures::Panel panel{"all", {false, 0, 3}, {true, 0.1, 10}, {}};
  figures::Line line{"loss"};
  line.points = {{0.55, 1.15, 1.05, 1.25}, {1.1, 2.3, 2.1, 2.5}, {1.65, 3.45, 3.15, 3.75}};
  panel.lines = {line};
  figure.panels = {panel};
  const figures::RangeFigure ranges{"ranges", "Income", "value", {false, 0, 9}, {{"a & b", 0.15, 8.5, 1.0, 2.0, 1.5}}};
  return to_svg(figure, figures::ShownIn::file) + to_svg(ranges, figures::ShownIn::page) + figures::style() +
         figures::escaped("<&>");
}

}  // namespace

std::vector<Entry> entries_of_numbers() {
  const std::vector<double> few = numbers(54);
  return {{"numbers", [few] { return exact_numbers(few); }},
          {"conversions", converted},
          {"composition", composed},
          {"composition of bounded ranges", composed_bounded_ranges},
          {"times", dated},
          {"words", worded},
          {"keys", keyed},
          {"sampling keys", sampled},
          {"selections", selected},
          {"constructors", constructed},
          {"sums of counts", counted_with_noise},
          {"weights", weighed},
          {"figures", drawn_figures}};
}

}  // namespace fractile::host_test
