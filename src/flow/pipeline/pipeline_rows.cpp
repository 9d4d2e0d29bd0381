#include "flow/pipeline/pipeline_rows.hpp"

#include <algorithm>
#include <utility>

#include "exact/checkpoint.hpp"
#include "flow/algebra/real_roots.hpp"
#include "flow/pipeline/channel_of.hpp"
#include "flow/pipeline/noise_in_odds.hpp"
#include "flow/pipeline/post_images.hpp"
#include "fractile/error.hpp"

namespace fractile::flow {
namespace {

/// `evaluate` turns a perturber's noise into numbers.
template <class Ring, class Evaluate>
ScaledRows<Ring> rows_by(const Pipeline& pipeline, const Outline& outline, const Evaluate& evaluate) {
  const Perturber& perturber = pipeline.perturber;
  std::vector<Noise<Ring>> noises;
  if (perturber.is_shared()) noises.push_back(evaluate(noise_of(perturber)));
  for (const Perturber& one : perturber.each()) noises.push_back(evaluate(noise_of(one)));
  return rows_of<Ring>(pipeline, outline, noises);
}

double denominator_bits(const Perturber& perturber, const Rational& odds) {
  return static_cast<double>(fmpz_bits(noise_at(noise_of(perturber), odds).denominator.get()));
}

/// Throws if the numerators would take more than a gigabit and a half.
void require_short_numbers(const Pipeline& pipeline, const Outline& outline, const Rational& odds) {
  const Perturber& perturber = pipeline.perturber;
  auto entries = static_cast<double>(outline.secrets.size()) * static_cast<double>(outline.observation_names.size());
  if (collects_bars(pipeline)) {
    entries = std::max(entries, compositions(pipeline.participants, pipeline.shown().size()).to_double());
  }
  double bits = 0;
  if (perturber.is_shared())
    bits = denominator_bits(perturber, odds) * static_cast<double>(perturbed_answers(pipeline));
  for (const Perturber& one : perturber.each()) bits += denominator_bits(one, odds);
  if (entries * bits > 1.5e9) {
    throw Error(ErrorCode::usage, "the channel's fractions are too long to be written down",
                "take fewer participants, or a shorter exp(epsilon)");
  }
}

Rational sum(const Rational& a, const Rational& b) { return a + b; }
Enclosure sum(const Enclosure& a, const Enclosure& b) { return Enclosure::sum(a, b, enclosure_bits); }
RationalFunction sum(const RationalFunction& a, const RationalFunction& b) { return a + b; }

/// The rows of a release: the probability of every observation.
template <class Number>
std::vector<std::vector<Number>> release_rows(const Pipeline& pipeline, const Outline& outline, const Number& base) {
  const CentralMechanism& release = *pipeline.perturber.release();
  const Images images = images_of(pipeline, release_outputs(release, pipeline.values.size()));
  std::vector<std::vector<Number>> rows;
  rows.reserve(outline.secrets.size());
  for (const std::vector<std::size_t>& secret : outline.secrets) {
    checkpoint();
    const std::vector<Number> law = release_law(release, whole_composition(pipeline, secret), base);
    std::vector<Number> row(images.names.size());
    for (std::size_t i = 0; i < law.size(); ++i) row[images.image[i]] = sum(row[images.image[i]], law[i]);
    rows.push_back(std::move(row));
  }
  return rows;
}

Matrix release_matrix(const Pipeline& pipeline, const Outline& outline, const Rational& odds) {
  const std::optional<Rational> base = exact_root(odds, pipeline.perturber.root_degree());
  if (!base || *base < 1) {
    throw Error(
        ErrorCode::usage, "the release's probabilities are not rational at these odds",
        "take exp(epsilon) as the power " + std::to_string(pipeline.perturber.root_degree()) + " of a rational number");
  }
  return Matrix::of(release_rows(pipeline, outline, *base));
}

}  // namespace

Exponent looked_at(const Perturber& perturber, const Exponent& epsilon) {
  if (!perturber.depends_on_epsilon()) return {};
  require_usual(epsilon);
  return epsilon;
}

std::optional<Rational> exact_root(const Rational& value, std::int64_t degree) {
  Rational root;
  const bool exact = fmpz_root(fmpq_numref(flint_of(root)), fmpq_numref(flint_of(value)), degree) != 0 &&
                     fmpz_root(fmpq_denref(flint_of(root)), fmpq_denref(flint_of(value)), degree) != 0;
  return exact ? std::optional(root) : std::nullopt;
}

RealBounds base_bounds(const Pipeline& pipeline, const Rational& odds) {
  const std::int64_t degree = pipeline.perturber.root_degree();
  if (const std::optional<Rational> base = exact_root(odds, degree)) return {*base, *base};
  return bounds_of(Enclosure::root(Enclosure::of(odds, enclosure_bits), degree, enclosure_bits));
}

double symbolic_degree(const Pipeline& pipeline) {
  const CentralMechanism* const release = pipeline.perturber.release();
  if (!pipeline.perturber.each().empty()) {
    double degree = 0;
    for (const Perturber& one : pipeline.perturber.each())
      degree += static_cast<double>(noise_of(one).denominator.degree());
    return degree;
  }
  if (release == nullptr) {
    return static_cast<double>(perturbed_answers(pipeline)) *
           static_cast<double>(noise_of(pipeline.perturber).denominator.degree());
  }
  // The weights of a selection differ by at most base^(degree * records), and a row has one selection per remaining part.
  const auto records = static_cast<double>(pipeline.participants);
  const double selections = release->quantiles.size() == 1 ? 1 : 2 * (records + 1) + 1;
  return secret_count(pipeline).to_double() * selections * records *
         static_cast<double>(pipeline.perturber.root_degree());
}

bool is_exact_at(const Pipeline& pipeline, const Odds& odds) {
  if (odds.value() < 1) throw Error(ErrorCode::usage, "odds, exp(epsilon), are at least 1");
  return exact_root(odds.value(), pipeline.perturber.root_degree()).has_value();
}

Matrix matrix_at(const Pipeline& pipeline, const Outline& outline, const Rational& odds) {
  if (pipeline.perturber.release() != nullptr) return release_matrix(pipeline, outline, odds);
  require_short_numbers(pipeline, outline, odds);
  const auto rows =
      rows_by<Integer>(pipeline, outline, [&](const PolynomialNoise& noise) { return noise_at(noise, odds); });
  Matrix matrix(outline.secrets.size(), outline.observation_names.size());
  for (std::size_t x = 0; x < matrix.rows(); ++x) {
    checkpoint();
    for (std::size_t y = 0; y < matrix.columns(); ++y) {
      matrix(x, y) = fraction_of(rows.numerators[x][y], rows.denominator);
    }
  }
  return matrix;
}

ScaledRows<Enclosure> rows_at(const Pipeline& pipeline, const Outline& outline, const Enclosure& odds) {
  if (pipeline.perturber.release() == nullptr) {
    return rows_by<Enclosure>(pipeline, outline, [&](const PolynomialNoise& noise) { return noise_at(noise, odds); });
  }
  const Enclosure base = Enclosure::root(odds, pipeline.perturber.root_degree(), enclosure_bits);
  return {release_rows(pipeline, outline, Enclosure::of(Rational(1), enclosure_bits) * base), whole<Enclosure>(1)};
}

ScaledRows<Polynomial> symbolic_rows(const Pipeline& pipeline, const Outline& outline) {
  if (pipeline.perturber.release() == nullptr) {
    return rows_by<Polynomial>(pipeline, outline, [](const Noise<Polynomial>& noise) { return noise; });
  }
  auto [numerators, denominator] =
      over_common_denominator(release_rows(pipeline, outline, RationalFunction::variable()));
  return {std::move(numerators), std::move(denominator)};
}

}  // namespace fractile::flow
