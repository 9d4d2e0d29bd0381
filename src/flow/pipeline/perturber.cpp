#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "exact/own_environment.hpp"
#include "flow/channel/papers.hpp"
#include "flow/pipeline/channel_of.hpp"
#include "flow/pipeline/noise.hpp"
#include "flow/pipeline/noise_in_odds.hpp"
#include "flow/pipeline/pipeline_rows.hpp"
#include "flow/pipeline/size_limit.hpp"
#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

void refuse_perturber(const char* what) { throw Error(ErrorCode::usage, what); }

void require_values(std::size_t values) {
  if (values < 2) refuse_perturber("a perturber needs at least two values");
}

void require_perturber_size(std::size_t values, std::size_t answers) {
  require_values(values);
  if (Rational(values) * Rational(answers) > Rational(most_entries)) {
    throw Error(ErrorCode::usage, "a perturber has more than a million probabilities", "take fewer values or answers");
  }
}

std::size_t wide_answers(std::size_t values, std::size_t reach) {
  require_perturber_size(values, std::max(values, reach));  // then the sum does not overflow
  const std::size_t answers = values + 2 * reach;
  require_perturber_size(values, answers);
  return answers;
}

void require_short_polynomials(const Rational& degree, const Rational& coefficients) {
  if (degree <= Rational(most_degree) && coefficients <= Rational(most_coefficients)) return;
  throw Error(ErrorCode::usage, "a perturber's probabilities are too long polynomials in odds",
              "take fewer values or answers, or a smaller multiple of epsilon");
}

void require_root_degree(const Rational& degree) {
  if (degree <= Rational(most_root_degree)) return;
  throw Error(ErrorCode::usage, "a perturber's probabilities are in roots of odds of a degree above 1000",
              "multiply epsilon by fractions with smaller denominators, or once in place of several times");
}

namespace {

void require_odds(const Rational& odds) {
  if (odds < 1) refuse_perturber("odds, exp(epsilon), are at least 1");
}

}  // namespace

// The weights of a row are odds : 1 : ... : 1.
Perturber Perturber::randomized_response(std::size_t values) {
  require_perturber_size(values, values);
  const auto weight = [](std::size_t x, std::size_t y) { return Polynomial::power(x == y ? 1 : 0); };
  Noise<Polynomial> noise = with_numerators(values, values, weight);
  noise.denominator = Polynomial::power(1) + Polynomial(static_cast<std::int64_t>(values) - 1);
  return Perturber(std::make_shared<PolynomialNoise>(Family::randomized_response, std::move(noise)));
}

Perturber Perturber::geometric(std::size_t values) { return wide_geometric(values, 0); }

// With a = 1/odds and the largest distance L, numerators and denominator are multiplied by odds^L odds: an inner answer at distance
// d has (odds - 1) odds^(L - d), an outer one odds^(L + 1 - d), over (odds + 1) odds^L.
Perturber Perturber::wide_geometric(std::size_t values, std::size_t reach) {
  const std::size_t answers = wide_answers(values, reach);
  const std::size_t longest = values - 1 + reach;
  require_short_polynomials(longest + 1, Rational(values) * Rational(answers) * Rational(longest + 1));
  Noise<Polynomial> noise = with_numerators(values, answers, [&](std::size_t x, std::size_t y) {
    const std::size_t place = x + reach;
    const auto left = static_cast<std::int64_t>(longest - (place > y ? place - y : y - place));
    const bool is_outer = y == 0 || y == answers - 1;
    return is_outer ? Polynomial::power(left + 1) : Polynomial::power(left + 1) - Polynomial::power(left);
  });
  const auto last = static_cast<std::int64_t>(longest);
  noise.denominator = Polynomial::power(last + 1) + Polynomial::power(last);
  return Perturber(std::make_shared<PolynomialNoise>(Family::geometric, std::move(noise)));
}

namespace {

template <class Ring, class Evaluate>
Noise<Ring> evaluated(const Noise<Polynomial>& noise, Evaluate evaluate) {
  Noise<Ring> result{{}, evaluate(noise.denominator)};
  for (const std::vector<Polynomial>& row : noise.numerators) {
    result.numerators.emplace_back();
    for (const Polynomial& entry : row) result.numerators.back().push_back(evaluate(entry));
  }
  return result;
}

/// The noise as polynomials in the root of a degree that is `by` times as high. Throws `usage` when they are too long.
Noise<Polynomial> inflated(const Noise<Polynomial>& noise, std::int64_t by) {
  std::int64_t degree = noise.denominator.degree();
  Rational coefficients;
  for (const std::vector<Polynomial>& row : noise.numerators) {
    for (const Polynomial& entry : row) {
      degree = std::max(degree, entry.degree());
      coefficients += entry.degree() + 1;
    }
  }
  require_short_polynomials(Rational(degree) * by, coefficients * by);
  const auto longer = [&](const Polynomial& polynomial) {
    Polynomial result;
    fmpz_poly_inflate(result.get(), polynomial.get(), static_cast<ulong>(by));
    return result;
  };
  return evaluated<Polynomial>(noise, longer);
}

}  // namespace

Perturber Perturber::with_epsilon_times(const Rational& by) const {
  constexpr std::int64_t most = 12;
  if (release_) refuse_perturber("the epsilon of a release is that of all participants");
  if (by.sign() <= 0 || by.numerator() > Rational(most) || by.denominator() > Rational(most)) {
    refuse_perturber("epsilon is multiplied by a fraction of whole numbers up to 12");
  }
  Perturber result = *this;
  if (!each_.empty()) {
    for (Perturber& one : result.each_) one = one.with_epsilon_times(by);
    return by_participant(std::move(result.each_));
  }
  if (by == 1 || !depends_on_epsilon()) return result;
  const std::int64_t numerator = by.numerator().to_int64();
  require_root_degree(Rational(noise_->root_degree) * by.denominator());
  result.root_degree_ = noise_->root_degree * by.denominator().to_int64();
  result.noise_ = std::make_shared<PolynomialNoise>(is_refinement_preserving() ? Family::preserving : Family::in_odds,
                                                    inflated(*noise_, numerator), result.root_degree_);
  return result;
}

Matrix truncated_answers(std::size_t values, std::size_t reach) {
  Matrix result(wide_answers(values, reach), values);
  for (std::size_t answer = 0; answer < result.rows(); ++answer) {
    result(answer, std::clamp(answer, reach, reach + values - 1) - reach) = 1;
  }
  return result;
}

Matrix extended_answers(std::size_t values, std::size_t reach, const Odds& odds) {
  const std::size_t answers = wide_answers(values, reach);
  require_odds(odds.value());
  const Rational ratio = Rational(1) / odds.value();
  Matrix result(values, answers);
  for (std::size_t value = 1; value + 1 < values; ++value) result(value, reach + value) = 1;
  Rational beyond = 1;  // the probability of moving at least this far
  for (std::size_t places = 0; places < reach; ++places) {
    const Rational here = beyond * (Rational(1) - ratio);
    result(0, reach - places) = here;
    result(values - 1, reach + values - 1 + places) = here;
    beyond *= ratio;
  }
  result(0, 0) = beyond;
  result(values - 1, answers - 1) = beyond;
  return result;
}

Perturber Perturber::fixed(const Channel& channel) {
  const std::size_t values = channel.secrets().size();
  const std::size_t answers = channel.observations().size();
  require_perturber_size(values, answers);
  Rational common = 1;
  for (std::size_t x = 0; x < values; ++x) {
    for (const Rational& p : channel.matrix().row(x)) common *= (common / p.denominator()).denominator();
  }
  const auto multiple = [&](std::size_t x, std::size_t y) { return Polynomial::constant(channel(x, y) * common); };
  Noise<Polynomial> noise = with_numerators(values, answers, multiple);
  noise.denominator = Polynomial::constant(common);
  return Perturber(std::make_shared<PolynomialNoise>(Family::fixed, std::move(noise)));
}

Perturber Perturber::in_odds(const std::vector<std::vector<std::string>>& entries) {
  require_values(entries.size());
  auto [noise, root_degree] = noise_in_odds(entries);
  const auto is_number = [](const Polynomial& entry) { return entry.degree() <= 0; };
  const bool is_fixed = is_number(noise.denominator) && std::ranges::all_of(noise.numerators, [&](const auto& row) {
                          return std::ranges::all_of(row, is_number);
                        });
  Perturber perturber(
      std::make_shared<PolynomialNoise>(is_fixed ? Family::fixed : Family::in_odds, std::move(noise), root_degree));
  perturber.root_degree_ = root_degree;
  return perturber;
}

bool have_one_law(const PolynomialNoise& one, const PolynomialNoise& other) {
  if (one.root_degree != other.root_degree) return false;
  for (std::size_t x = 0; x < one.values(); ++x) {
    for (std::size_t y = 0; y < one.answers(); ++y) {
      if (!(one.numerators[x][y] * other.denominator == other.numerators[x][y] * one.denominator)) return false;
    }
  }
  return true;
}

std::vector<std::size_t> alike_neighbors(const Perturber& perturber) {
  std::vector<std::size_t> groups;
  const std::vector<Perturber>& each = perturber.each();
  for (std::size_t i = 0; i < each.size(); ++i) {
    if (i > 0 && &noise_of(each[i]) == &noise_of(each[i - 1])) {
      ++groups.back();
    } else {
      groups.push_back(1);
    }
  }
  return groups;
}

Perturber Perturber::by_participant(std::vector<Perturber> each) {
  if (each.empty()) refuse_perturber("perturbers: there must be one for every participant");
  for (const Perturber& one : each) {
    if (!one.is_shared()) refuse_perturber("perturbers: each of them must be that of one participant");
    if (one.values() != each.front().values() || one.answers() != each.front().answers()) {
      refuse_perturber("perturbers: all of them must have the same number of values and of answers");
    }
  }
  std::int64_t root_degree = 1;
  for (const Perturber& one : each) {
    root_degree = std::lcm(root_degree, one.root_degree_);  // both are small
    require_root_degree(root_degree);
  }
  for (Perturber& one : each) {
    if (one.root_degree_ == root_degree) continue;
    one.noise_ = std::make_shared<PolynomialNoise>(one.noise_->family,
                                                   inflated(*one.noise_, root_degree / one.root_degree_), root_degree);
    one.root_degree_ = root_degree;
  }
  for (std::size_t i = 1; i < each.size(); ++i) {  // neighbors with one law share one object
    if (have_one_law(*each[i].noise_, *each[i - 1].noise_)) each[i].noise_ = each[i - 1].noise_;
  }
  Perturber perturber(each.front().noise_);
  perturber.root_degree_ = root_degree;
  perturber.each_ = std::move(each);
  return perturber;
}

Perturber Perturber::release(CentralMechanism release, std::size_t values) {
  const OwnEnvironment own;
  require_values(values);
  Perturber perturber(nullptr);
  perturber.root_degree_ = flow::root_degree(release, values);
  perturber.release_ = std::move(release);
  perturber.release_values_ = values;
  return perturber;
}

std::size_t Perturber::values() const { return release_ ? release_values_ : noise_->values(); }
std::size_t Perturber::answers() const { return release_ ? release_values_ : noise_->answers(); }

bool Perturber::depends_on_epsilon() const {
  if (!each_.empty()) return std::ranges::any_of(each_, &Perturber::depends_on_epsilon);
  return release_ || noise_->family != Family::fixed;
}

bool Perturber::is_randomized_response() const { return is_shared() && noise_->family == Family::randomized_response; }

bool Perturber::is_geometric() const { return is_shared() && noise_->family == Family::geometric; }

bool Perturber::is_refinement_preserving() const {
  if (!each_.empty()) return std::ranges::all_of(each_, &Perturber::is_refinement_preserving);
  return !release_ && noise_->family != Family::in_odds;
}

const PolynomialNoise& noise_of(const Perturber& perturber) {
  if (!perturber.is_shared()) throw Error(ErrorCode::internal, "participants have no noise in common");
  return *perturber.noise_;
}

Channel Perturber::at(const Odds& odds) const {
  if (!is_shared()) throw Error(ErrorCode::usage, "participants have different channels", "see channel_at()");
  const Noise<Integer> noise = noise_at(*noise_, odds.value());
  Matrix matrix(values(), answers());
  for (std::size_t x = 0; x < values(); ++x) {
    for (std::size_t y = 0; y < answers(); ++y) {
      matrix(x, y) = fraction_of(noise.numerators[x][y], noise.denominator);
    }
  }
  return Channel(matrix);
}

namespace {

/// Throws `usage` if the values of all entries would take more than two gigabytes.
void require_short_values(const PolynomialNoise& noise, const Rational& base) {
  constexpr double most_bits = 1.7e10;
  const auto bits = static_cast<double>(fmpz_bits(fmpq_numref(flint_of(base)))) +
                    static_cast<double>(fmpz_bits(fmpq_denref(flint_of(base))));
  const double entries = static_cast<double>(noise.values()) * static_cast<double>(noise.answers());
  if (entries * static_cast<double>(noise.denominator.degree()) * bits <= most_bits) return;
  throw Error(ErrorCode::usage, "the perturber's probabilities are too long to be written down",
              "take fewer values, or a shorter exp(epsilon)");
}

}  // namespace

Noise<Integer> noise_at(const PolynomialNoise& noise, const Rational& odds) {
  require_odds(odds);
  const std::optional<Rational> base = exact_root(odds, noise.root_degree);
  if (!base) refuse_perturber("the probabilities are not rational at these odds");
  require_short_values(noise, *base);
  // All values become integers when they are multiplied by the base's denominator to the common degree.
  const Rational scale = base->denominator().pow(noise.denominator.degree());
  return evaluated<Integer>(noise, [&](const Polynomial& entry) {
    Integer result;
    fmpz_set(result.get(), fmpq_numref(flint_of(entry.at(*base) * scale)));
    return result;
  });
}

Noise<Enclosure> noise_at(const PolynomialNoise& noise, const Enclosure& odds) {
  const Enclosure base = noise.root_degree > 1 ? Enclosure::root(odds, noise.root_degree, enclosure_bits) : odds;
  return evaluated<Enclosure>(noise, [&](const Polynomial& entry) { return entry.at(base, enclosure_bits); });
}

}  // namespace fractile::flow
