#include <algorithm>
#include <limits>

#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/measurements.hpp"
#include "quantiles/release/release.hpp"
#include "ranks/profile_parts.hpp"

namespace fractile {
namespace {

[[noreturn]] void refuse_argument(const std::string& what, const std::string& hint) {
  throw Error(ErrorCode::usage, what, hint);
}

template <class Element>
void require_non_null(const char* argument, const VectorDomain<Element>& domain) {
  if (domain.element.nullable()) {
    refuse_argument(std::string(argument) + ": its elements may be NaN",
                    "use make_drop_null or make_impute_constant first");
  }
}

template <class Distance>
Distance unchanged(const Distance& d_in) {
  return d_in;
}

/// A row-by-row transformation, which is 1-stable under every metric that counts rows.
template <class DI, class DO, class M, class Function>
RowTransform<DI, DO, M> row_by_row(const DI& input_domain, const DO& output_domain, const M& metric,
                                   Function function) {
  const auto all = [function](const typename DI::Carrier& rows) {
    typename DO::Carrier result;
    result.reserve(rows.size());
    for (const auto& row : rows) result.push_back(function(row));
    return result;
  };
  return {input_domain, metric, output_domain, metric, all, unchanged<typename M::Distance>};
}

Rational records(std::uint64_t count) { return to_rational(count); }

template <Number T>
bool is_nan(T value) {
  return value != value;
}

}  // namespace

// --- Rows -----------------------------------------------------------------------------------------------------------

template <Number T, DatasetMetric M>
RowTransform<Rows<T>, Rows<T>, M> make_clamp(const Rows<T>& input_domain, const M& input_metric, T lower, T upper) {
  require_non_null("input_domain", input_domain);
  const Rows<T> output_domain{AtomDomain<T>::bounded(lower, upper), input_domain.size};
  return row_by_row(input_domain, output_domain, input_metric,
                    [lower, upper](const T& x) { return std::clamp(x, lower, upper); });
}

template <std::floating_point T, AddRemoveMetric M>
requires Number<T> RowTransform<Rows<T>, Rows<T>, M> make_drop_null(const Rows<T>& input_domain,
                                                                    const M& input_metric) {
  const auto present = [](const std::vector<T>& rows) {
    std::vector<T> kept;
    std::ranges::copy_if(rows, std::back_inserter(kept), [](T x) { return !is_nan(x); });
    return kept;
  };
  const auto& bounds = input_domain.element.bounds();
  const AtomDomain<T> element =
      bounds ? AtomDomain<T>::bounded(bounds->first, bounds->second) : AtomDomain<T>::non_null();
  return {input_domain, input_metric, Rows<T>{element}, input_metric, present, unchanged<std::uint64_t>};
}

template <Number T, AddRemoveMetric M>
RowTransform<VectorDomain<OptionDomain<AtomDomain<T>>>, Rows<T>, M> make_drop_null(
    const VectorDomain<OptionDomain<AtomDomain<T>>>& input_domain, const M& input_metric) {
  const auto present = [](const std::vector<std::optional<T>>& rows) {
    std::vector<T> kept;
    for (const std::optional<T>& row : rows) {
      if (row) kept.push_back(*row);
    }
    return kept;
  };
  const Rows<T> output_domain{input_domain.element.element};
  return {input_domain, input_metric, output_domain, input_metric, present, unchanged<std::uint64_t>};
}

template <std::floating_point T, DatasetMetric M>
requires Number<T> RowTransform<Rows<T>, Rows<T>, M> make_impute_constant(const Rows<T>& input_domain,
                                                                          const M& input_metric, T constant) {
  if (is_nan(constant)) refuse_argument("constant: it is NaN itself", "choose a number");
  const Rows<T> output_domain{AtomDomain<T>::non_null(), input_domain.size};
  return row_by_row(input_domain, output_domain, input_metric,
                    [constant](const T& x) { return is_nan(x) ? constant : x; });
}

template <Number T, DatasetMetric M>
RowTransform<VectorDomain<OptionDomain<AtomDomain<T>>>, Rows<T>, M> make_impute_constant(
    const VectorDomain<OptionDomain<AtomDomain<T>>>& input_domain, const M& input_metric, T constant) {
  if (is_nan(constant)) refuse_argument("constant: it is NaN itself", "choose a number");
  const AtomDomain<T>& element = input_domain.element.element;
  if (!element.contains(constant)) refuse_argument("constant: it is not in " + element.to_string(), "choose a member");
  const Rows<T> output_domain{element, input_domain.size};
  return row_by_row(input_domain, output_domain, input_metric,
                    [constant](const std::optional<T>& x) { return x.value_or(constant); });
}

template <Number T, DatasetMetric M>
RowTransform<Rows<T>, VectorDomain<PositionDomain>, M> make_cast_to_lattice(const Rows<T>& input_domain,
                                                                            const M& input_metric,
                                                                            const Lattice& lattice) {
  require_non_null("input_domain", input_domain);
  const VectorDomain<PositionDomain> output_domain{{lattice}, input_domain.size};
  return row_by_row(input_domain, output_domain, input_metric, [lattice](const T& x) {
    if constexpr (std::floating_point<T>) return lattice.position_of(static_cast<double>(x));
    return lattice.position_of(static_cast<std::int64_t>(x));
  });
}

namespace {

RankProfile counted(const Lattice& lattice, std::vector<Position> positions) {
  std::ranges::sort(positions);
  CollectedCounts records;
  for (const Position position : positions) records.add(position, 1);
  return std::move(records).on(lattice);
}

template <class MI, class MO>
Transformation<VectorDomain<PositionDomain>, MI, RankProfileDomain, MO> rank_profile(
    const VectorDomain<PositionDomain>& input_domain, const MI& input_metric, const MO& output_metric) {
  const Lattice& lattice = input_domain.element.lattice;
  return {input_domain,
          input_metric,
          RankProfileDomain{lattice},
          output_metric,
          [lattice](const std::vector<Position>& rows) { return counted(lattice, rows); },
          unchanged<std::uint64_t>};
}

}  // namespace

template <AddRemoveMetric M>
Transformation<VectorDomain<PositionDomain>, M, RankProfileDomain, SymmetricDistance> make_rank_profile(
    const VectorDomain<PositionDomain>& input_domain, const M& input_metric) {
  return rank_profile(input_domain, input_metric, SymmetricDistance{});
}

template <ChangeMetric M>
Transformation<VectorDomain<PositionDomain>, M, RankProfileDomain, ChangeOneDistance> make_rank_profile(
    const VectorDomain<PositionDomain>& input_domain, const M& input_metric) {
  return rank_profile(input_domain, input_metric, ChangeOneDistance{});
}

// --- Scores of candidates -------------------------------------------------------------------------------------------

namespace {

template <Number T>
void require_sorted(const std::vector<T>& candidates) {
  for (std::size_t i = 0; i + 1 < candidates.size(); ++i) {
    if (candidates[i] < candidates[i + 1]) continue;
    refuse_argument("candidates: number " + std::to_string(i + 2) + " is not above the one before it",
                    "sort them, without repetitions");
  }
  if (candidates.size() == 1 && is_nan(candidates.front())) refuse_argument("candidates: it is NaN", "list numbers");
}

void require_fraction(const Rational& alpha) {
  if (alpha.sign() < 0 || alpha > Rational(1))
    refuse_argument("alpha: " + alpha.to_string() + " is not in [0, 1]", "0.5 is the median");
}

/// Each candidate's #(x < c) and #(x = c), by comparing rows with it.
template <Number T>
std::vector<std::pair<std::uint64_t, std::uint64_t>> ranks_of(const std::vector<T>& candidates, std::vector<T> rows) {
  std::ranges::sort(rows);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranks;
  for (const T c : candidates) {
    const auto first = std::lower_bound(rows.begin(), rows.end(), c);
    const auto last = std::upper_bound(first, rows.end(), c);
    ranks.emplace_back(first - rows.begin(), last - first);
  }
  return ranks;
}

constexpr std::uint64_t largest_score = std::numeric_limits<std::uint64_t>::max();
/// More records than a process of 2^47 bytes of address space can hold.
constexpr std::uint64_t most_records = std::uint64_t{1} << 47;

/// alpha as 64-bit integers; throws `usage` when its denominator is larger.
QuantileFraction fraction_of(const Rational& alpha) {
  if (!alpha.denominator().fits_uint64())
    refuse_argument("alpha: its denominator does not fit in 64 bits", "write fewer decimals");
  return {alpha.numerator().to_uint64(), alpha.denominator().to_uint64()};
}

}  // namespace

template <Number T, AddRemoveMetric M>
Transformation<Rows<T>, M, Scores<std::uint64_t>, LInfDistance> make_quantile_score_candidates(
    const Rows<T>& input_domain, const M& input_metric, const std::vector<T>& candidates, const Rational& alpha) {
  require_non_null("input_domain", input_domain);
  require_sorted(candidates);
  require_fraction(alpha);
  const QuantileFraction fraction = fraction_of(alpha);
  const std::uint64_t den = fraction.denominator;
  if (input_domain.size && *input_domain.size > largest_score / den) {
    refuse_argument("input_domain: its size times alpha's denominator does not fit in 64 bits",
                    "write alpha with fewer decimals");
  }
  const std::uint64_t size_limit = input_domain.size ? *input_domain.size : largest_score / den;
  const auto score = [candidates, fraction, size_limit](const std::vector<T>& rows) {
    std::vector<std::uint64_t> scores;
    for (const auto& [below, equal] : ranks_of(candidates, rows)) {
      scores.push_back(rank_score(fraction, below, equal, rows.size(), size_limit));
    }
    return scores;
  };
  const bool known = input_domain.size.has_value();
  const bool limit_may_bind = !known && size_limit < most_records;
  const Rational per_record = records(limit_may_bind ? den : std::max(fraction.numerator, den - fraction.numerator));
  const Rational per_change = records(den) * Rational(2);
  return {input_domain,
          input_metric,
          Scores<std::uint64_t>{AtomDomain<std::uint64_t>::all(), candidates.size()},
          LInfDistance{},
          score,
          [known, per_record, per_change](const std::uint64_t& d_in) {
            return known ? records(d_in / 2) * per_change : records(d_in) * per_record;
          }};
}

namespace {

template <Number T>
Transformation<Rows<T>, SymmetricDistance, Scores<Rational>, RangeDistance> real_scores(
    const Rows<T>& input_domain, const std::vector<T>& candidates, const Rational& alpha, const Rational& constant) {
  require_sorted(candidates);
  require_fraction(alpha);
  const auto score = [candidates, alpha](const std::vector<T>& rows) {
    std::vector<Rational> scores;
    for (const auto& [below, equal] : ranks_of(candidates, rows)) {
      const Rational difference = records(below) - alpha * records(rows.size() - equal);
      scores.push_back(difference.sign() > 0 ? -difference : difference);
    }
    return scores;
  };
  return {input_domain,
          SymmetricDistance{},
          Scores<Rational>{AtomDomain<Rational>::all(), candidates.size()},
          RangeDistance{},
          score,
          [constant](const std::uint64_t& d_in) { return records(d_in) * constant; }};
}

}  // namespace

template <Number T>
Transformation<Rows<T>, SymmetricDistance, Scores<Rational>, RangeDistance> make_quantile_score_candidates_2022(
    const std::vector<T>& candidates, const Rational& alpha) {
  const Rational constant = Rational(2) * std::max(alpha, Rational(1) - alpha);
  return real_scores<T>({AtomDomain<T>::non_null()}, candidates, alpha, constant);
}

template <Number T>
Transformation<Rows<T>, SymmetricDistance, Scores<Rational>, RangeDistance> make_sized_quantile_score_candidates(
    std::size_t size, const std::vector<T>& candidates, const Rational& alpha) {
  return real_scores<T>({AtomDomain<T>::non_null(), size}, candidates, alpha, 2);
}

// --- Selections -----------------------------------------------------------------------------------------------------

namespace {

/// The range over which scores at distance d_in can spread: gumbel-max 2023, section 1.1.
Rational range_of(const RangeDistance&, const Rational& d_in) { return d_in; }
Rational range_of(const LInfDistance& metric, const Rational& d_in) {
  return metric.monotonic ? d_in : Rational(2) * d_in;
}

template <ScoreMetric M>
Exponent softmax_cost(const M& metric, const Rational& temperature, const Rational& d_in) {
  if (d_in.sign() < 0) refuse_argument("d_in: it is negative", "distances are at least 0");
  return range_of(metric, d_in) / temperature;
}

template <Atom S>
void require_selectable(const Scores<S>& input_domain, const Rational& temperature) {
  require_non_null("input_domain", input_domain);
  if (temperature.sign() <= 0) refuse_argument("temperature: it is not positive", "the larger, the more private");
}

/// Infinite scores count as the largest finite ones: distances to them are infinite, so there is no promise about them.
template <Atom S>
std::vector<Rational> exact_scores(const std::vector<S>& scores) {
  std::vector<Rational> result;
  result.reserve(scores.size());
  for (const S& score : scores) {
    if constexpr (std::floating_point<S>) {
      result.push_back(to_rational(std::clamp(score, std::numeric_limits<S>::lowest(), std::numeric_limits<S>::max())));
    } else {
      result.push_back(to_rational(score));
    }
  }
  return result;
}

template <Atom S>
std::size_t softmax_index(const std::vector<S>& scores, const Exponent& rate, RandomBits& bits, Optimize optimize) {
  if constexpr (std::same_as<S, std::uint64_t>) return select_softmax(scores, rate, bits, optimize);
  return select_softmax(exact_scores(scores), rate, bits, optimize);
}

template <Atom S>
std::size_t permute_and_flip_index(const std::vector<S>& scores, const Exponent& rate, RandomBits& bits,
                                   Optimize optimize) {
  if constexpr (std::same_as<S, std::uint64_t>) return select_permute_and_flip(scores, rate, bits, optimize);
  return select_permute_and_flip(exact_scores(scores), rate, bits, optimize);
}

}  // namespace

template <Atom S, ScoreMetric M, SelectionMeasure Measure>
Measurement<Scores<S>, M, std::size_t, Measure> make_gumbel_max(const Scores<S>& input_domain, const M& input_metric,
                                                                const Rational& temperature, Optimize optimize,
                                                                const Measure& measure) {
  require_selectable(input_domain, temperature);
  const Exponent rate = Rational(1) / temperature;
  return {input_domain, input_metric, measure,
          [rate, optimize](const std::vector<S>& scores, RandomBits& bits) {
            return softmax_index(scores, rate, bits, optimize);
          },
          [input_metric, temperature](const Rational& d_in) -> typename Measure::Distance {
            Exponent range = softmax_cost(input_metric, temperature, d_in);
            if constexpr (!std::same_as<Measure, ZeroConcentratedDivergence>)
              return range;
            else
              return range.coefficient() * range.coefficient() / Rational(8);
          }};
}

template <Atom S, ScoreMetric M>
Measurement<Scores<S>, M, std::size_t, MaxDivergence> make_permute_and_flip(const Scores<S>& input_domain,
                                                                            const M& input_metric,
                                                                            const Rational& temperature,
                                                                            Optimize optimize) {
  require_selectable(input_domain, temperature);
  const Exponent rate = Rational(1) / temperature;
  return {input_domain, input_metric, MaxDivergence{},
          [rate, optimize](const std::vector<S>& scores, RandomBits& bits) {
            return permute_and_flip_index(scores, rate, bits, optimize);
          },
          [input_metric, temperature](const Rational& d_in) { return softmax_cost(input_metric, temperature, d_in); }};
}

// --- The chain that a release is ------------------------------------------------------------------------------------

namespace {

template <ProfileMetric M>
constexpr Neighbors neighbors_of = std::same_as<M, SymmetricDistance> ? Neighbors::add_remove : Neighbors::change_one;
template <BudgetMeasure Measure>
constexpr ::fractile::Measure measure_of =
    std::same_as<Measure, MaxDivergence> ? ::fractile::Measure::pure : ::fractile::Measure::zcdp;

template <BudgetMeasure OutputMeasure>
typename OutputMeasure::Distance cost_of(const QuantileQuery& query, std::uint64_t d_in) {
  const Rational persons = records(d_in) / Rational(query.records_per_person);
  if constexpr (std::same_as<OutputMeasure, MaxDivergence>)
    return query.budget.epsilon() * persons;
  else
    return query.budget.rho() * persons * persons;
}

}  // namespace

template <ProfileMetric M, BudgetMeasure OutputMeasure>
Measurement<RankProfileDomain, M, std::vector<std::uint64_t>, OutputMeasure> make_quantiles(
    const RankProfileDomain& input_domain, const M& input_metric, const OutputMeasure& measure,
    const QuantileQuery& query) {
  query.validate();
  if (query.neighbors != neighbors_of<M>) {
    refuse_argument("query: its neighbors are " + to_string(query.neighbors) + ", which is not " + M::to_string(),
                    "add-remove goes with SymmetricDistance, change-one with ChangeOneDistance");
  }
  if (query.budget.measure() != measure_of<OutputMeasure>) {
    refuse_argument(
        "query: its budget is " + to_string(query.budget.measure()) + ", which is not " + OutputMeasure::to_string(),
        "a pure budget goes with MaxDivergence, a zCDP budget with ZeroConcentratedDivergence");
  }
  return {input_domain, input_metric, measure,
          [query](const RankProfile& profile, RandomBits& bits) {
            const OwnEnvironment own;
            return detail::release(profile, query, bits, {}).only().indices;
          },
          [query](const std::uint64_t& d_in) { return cost_of<OutputMeasure>(query, d_in); }};
}

template <Number T>
Measurement<Rows<T>, SymmetricDistance, Rational, MaxDivergence> make_quantile(const Rows<T>& input_domain,
                                                                               const Lattice& lattice,
                                                                               const Rational& alpha,
                                                                               const Exponent& epsilon) {
  QuantileQuery query{{alpha}, Budget::pure(epsilon)};
  query.mechanism = Mechanism::exponential;
  const auto cast = make_cast_to_lattice(input_domain, SymmetricDistance{}, lattice);
  const auto profile = make_rank_profile(cast.output_domain(), SymmetricDistance{});
  const auto quantiles = make_quantiles(profile.output_domain(), SymmetricDistance{}, MaxDivergence{}, query);
  return cast >> profile >> quantiles >>
         [lattice](const std::vector<std::uint64_t>& indices) { return lattice.at(indices.front()); };
}

// --- What is compiled -----------------------------------------------------------------------------------------------

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define FRACTILE_ROWS(T, M)                                                                                      \
  template RowTransform<Rows<T>, Rows<T>, M> make_clamp(const Rows<T>&, const M&, T, T);                         \
  template RowTransform<VectorDomain<OptionDomain<AtomDomain<T>>>, Rows<T>, M> make_impute_constant(             \
      const VectorDomain<OptionDomain<AtomDomain<T>>>&, const M&, T);                                            \
  template RowTransform<Rows<T>, VectorDomain<PositionDomain>, M> make_cast_to_lattice(const Rows<T>&, const M&, \
                                                                                       const Lattice&);
#define FRACTILE_ADD_REMOVE_ROWS(T, M)                                                                     \
  FRACTILE_ROWS(T, M)                                                                                      \
  template RowTransform<VectorDomain<OptionDomain<AtomDomain<T>>>, Rows<T>, M> make_drop_null(             \
      const VectorDomain<OptionDomain<AtomDomain<T>>>&, const M&);                                         \
  template Transformation<Rows<T>, M, Scores<std::uint64_t>, LInfDistance> make_quantile_score_candidates( \
      const Rows<T>&, const M&, const std::vector<T>&, const Rational&);
#define FRACTILE_NUMBER(T)                                                                   \
  FRACTILE_ADD_REMOVE_ROWS(T, SymmetricDistance)                                             \
  FRACTILE_ADD_REMOVE_ROWS(T, InsertDeleteDistance)                                          \
  FRACTILE_ROWS(T, ChangeOneDistance)                                                        \
  FRACTILE_ROWS(T, HammingDistance)                                                          \
  template Transformation<Rows<T>, SymmetricDistance, Scores<Rational>, RangeDistance>       \
  make_quantile_score_candidates_2022(const std::vector<T>&, const Rational&);               \
  template Transformation<Rows<T>, SymmetricDistance, Scores<Rational>, RangeDistance>       \
  make_sized_quantile_score_candidates(std::size_t, const std::vector<T>&, const Rational&); \
  template Measurement<Rows<T>, SymmetricDistance, Rational, MaxDivergence> make_quantile(   \
      const Rows<T>&, const Lattice&, const Rational&, const Exponent&);
#define FRACTILE_FLOATING_ROWS(T, M) \
  template RowTransform<Rows<T>, Rows<T>, M> make_impute_constant(const Rows<T>&, const M&, T);
#define FRACTILE_FLOATING(T)                                                                                           \
  FRACTILE_FLOATING_ROWS(T, SymmetricDistance)                                                                         \
  FRACTILE_FLOATING_ROWS(T, InsertDeleteDistance)                                                                      \
  FRACTILE_FLOATING_ROWS(T, ChangeOneDistance)                                                                         \
  FRACTILE_FLOATING_ROWS(T, HammingDistance)                                                                           \
  template RowTransform<Rows<T>, Rows<T>, SymmetricDistance> make_drop_null(const Rows<T>&, const SymmetricDistance&); \
  template RowTransform<Rows<T>, Rows<T>, InsertDeleteDistance> make_drop_null(const Rows<T>&,                         \
                                                                               const InsertDeleteDistance&);
#define FRACTILE_SOFTMAX(S, M, Measure)                                                                \
  template Measurement<Scores<S>, M, std::size_t, Measure> make_gumbel_max(const Scores<S>&, const M&, \
                                                                           const Rational&, Optimize, const Measure&);
#define FRACTILE_SELECTION(S, M)                                                                                   \
  FRACTILE_SOFTMAX(S, M, MaxDivergence)                                                                            \
  FRACTILE_SOFTMAX(S, M, BoundedRange)                                                                             \
  FRACTILE_SOFTMAX(S, M, ZeroConcentratedDivergence)                                                               \
  template Measurement<Scores<S>, M, std::size_t, MaxDivergence> make_permute_and_flip(const Scores<S>&, const M&, \
                                                                                       const Rational&, Optimize);
#define FRACTILE_SCORES(S)            \
  FRACTILE_SELECTION(S, LInfDistance) \
  FRACTILE_SELECTION(S, RangeDistance)
#define FRACTILE_QUANTILES(M, Measure)                                                            \
  template Measurement<RankProfileDomain, M, std::vector<std::uint64_t>, Measure> make_quantiles( \
      const RankProfileDomain&, const M&, const Measure&, const QuantileQuery&);
#define FRACTILE_PROFILE(MI, MO)                                                                      \
  template Transformation<VectorDomain<PositionDomain>, MI, RankProfileDomain, MO> make_rank_profile( \
      const VectorDomain<PositionDomain>&, const MI&);

FRACTILE_NUMBER(std::int32_t)
FRACTILE_NUMBER(std::int64_t)
FRACTILE_NUMBER(float)
FRACTILE_NUMBER(double)
FRACTILE_FLOATING(float)
FRACTILE_FLOATING(double)
FRACTILE_SCORES(std::int32_t)
FRACTILE_SCORES(std::int64_t)
FRACTILE_SCORES(std::uint64_t)
FRACTILE_SCORES(float)
FRACTILE_SCORES(double)
FRACTILE_SCORES(Rational)
FRACTILE_QUANTILES(SymmetricDistance, MaxDivergence)
FRACTILE_QUANTILES(SymmetricDistance, ZeroConcentratedDivergence)
FRACTILE_QUANTILES(ChangeOneDistance, MaxDivergence)
FRACTILE_QUANTILES(ChangeOneDistance, ZeroConcentratedDivergence)
FRACTILE_PROFILE(SymmetricDistance, SymmetricDistance)
FRACTILE_PROFILE(InsertDeleteDistance, SymmetricDistance)
FRACTILE_PROFILE(ChangeOneDistance, ChangeOneDistance)
FRACTILE_PROFILE(HammingDistance, ChangeOneDistance)
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace fractile
