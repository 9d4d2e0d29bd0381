#include <algorithm>
#include <utility>

#include "flow/pipeline/channel_of.hpp"
#include "flow/pipeline/noise.hpp"
#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {
namespace {

Noise<Polynomial> zeros(std::size_t values) {
  return {std::vector<std::vector<Polynomial>>(values, std::vector<Polynomial>(values)), Polynomial()};
}

void require_values(std::size_t values) {
  if (values < 2) throw Error(ErrorCode::usage, "a perturber needs at least two values");
}

}  // namespace

// odds : 1 : ... : 1.
Perturber Perturber::randomized_response(std::size_t values) {
  require_values(values);
  Noise<Polynomial> noise = zeros(values);
  for (std::size_t x = 0; x < values; ++x) {
    for (std::size_t y = 0; y < values; ++y) noise.numerators[x][y] = Polynomial::power(x == y ? 1 : 0);
  }
  noise.denominator = Polynomial::power(1) + Polynomial(static_cast<std::int64_t>(values) - 1);
  return Perturber(std::make_shared<PolynomialNoise>(Family::randomized_response, std::move(noise)));
}

// With a = 1/odds, all over (1 + a), times odds^(K - 1) odds: inner answers (odds - 1) odds^(K - 1 - d), outer ones
// odds^(K - d), over (odds + 1) odds^(K - 1).
Perturber Perturber::geometric(std::size_t values) {
  require_values(values);
  Noise<Polynomial> noise = zeros(values);
  const auto last = static_cast<std::int64_t>(values) - 1;
  for (std::int64_t x = 0; x <= last; ++x) {
    for (std::int64_t y = 0; y <= last; ++y) {
      const std::int64_t left = last - (x > y ? x - y : y - x);
      const Polynomial inner = Polynomial::power(left + 1) - Polynomial::power(left);
      noise.numerators[static_cast<std::size_t>(x)][static_cast<std::size_t>(y)] =
          y == 0 || y == last ? Polynomial::power(left + 1) : inner;
    }
  }
  noise.denominator = Polynomial::power(last + 1) + Polynomial::power(last);
  return Perturber(std::make_shared<PolynomialNoise>(Family::geometric, std::move(noise)));
}

Perturber Perturber::fixed(const Channel& channel) {
  const std::size_t values = channel.secrets().size();
  if (channel.observations().size() != values) {
    throw Error(ErrorCode::usage, "a perturber needs as many columns as rows");
  }
  Rational common = 1;
  for (std::size_t x = 0; x < values; ++x) {
    for (const Rational& p : channel.matrix().row(x)) common *= (common / p.denominator()).denominator();
  }
  Noise<Polynomial> noise = zeros(values);
  for (std::size_t x = 0; x < values; ++x) {
    for (std::size_t y = 0; y < values; ++y) noise.numerators[x][y] = Polynomial::constant(channel(x, y) * common);
  }
  noise.denominator = Polynomial::constant(common);
  return Perturber(std::make_shared<PolynomialNoise>(Family::fixed, std::move(noise)));
}

Perturber Perturber::release(Release release, std::size_t values) {
  require_values(values);
  Perturber perturber(nullptr);
  perturber.root_degree_ = flow::root_degree(release, values);
  perturber.release_ = std::move(release);
  perturber.release_values_ = values;
  return perturber;
}

std::size_t Perturber::values() const { return release_ ? release_values_ : noise_->values(); }
bool Perturber::depends_on_epsilon() const { return release_ || noise_->family != Family::fixed; }
bool Perturber::is_randomized_response() const { return !release_ && noise_->family == Family::randomized_response; }

bool Perturber::is_geometric() const { return !release_ && noise_->family == Family::geometric; }

const PolynomialNoise& Perturber::noise() const {
  if (release_) throw Error(ErrorCode::internal, "a release has no noise of one participant");
  return *noise_;
}

Channel Perturber::at(const Rational& odds) const {
  if (release_) throw Error(ErrorCode::usage, "a release is no channel of one participant", "see channel_at()");
  const Noise<Integer> noise = noise_at(*noise_, odds);
  Matrix matrix(values(), values());
  for (std::size_t x = 0; x < values(); ++x) {
    for (std::size_t y = 0; y < values(); ++y) {
      fmpq_set_fmpz_frac(flint_of(matrix(x, y)), noise.numerators[x][y].get(), noise.denominator.get());
    }
  }
  return Channel(matrix);
}

namespace {

template <class Ring, class Evaluate>
Noise<Ring> evaluated(const PolynomialNoise& noise, Evaluate evaluate) {
  Noise<Ring> result{{}, evaluate(noise.denominator)};
  for (const std::vector<Polynomial>& row : noise.numerators) {
    result.numerators.emplace_back();
    for (const Polynomial& entry : row) result.numerators.back().push_back(evaluate(entry));
  }
  return result;
}

}  // namespace

Noise<Integer> noise_at(const PolynomialNoise& noise, const Rational& odds) {
  if (odds < 1) throw Error(ErrorCode::usage, "odds, exp(epsilon), are at least 1");
  // Times the denominator of odds to the common degree, all values are integers.
  const Rational scale = odds.denominator().pow(noise.denominator.degree());
  return evaluated<Integer>(noise, [&](const Polynomial& entry) {
    Integer result;
    fmpz_set(result.get(), fmpq_numref(flint_of(entry.at(odds) * scale)));
    return result;
  });
}

Noise<Enclosure> noise_at(const PolynomialNoise& noise, const Enclosure& odds) {
  return evaluated<Enclosure>(noise, [&](const Polynomial& entry) {
    Enclosure result;
    arb_fmpz_poly_evaluate_arb(result.arb(), entry.get(), odds.arb(), enclosure_bits);
    return result;
  });
}

}  // namespace fractile::flow
