#include "experiments/populations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "experiments/metrics.hpp"
#include "experiments/pools.hpp"
#include "experiments/variates.hpp"

namespace fractile::experiments {
namespace {

constexpr std::array all_populations{
    Population{"lognormal", "lognormal incomes, median 30,000", Law::lognormal, "0", "300000", "1"},
    Population{"pareto", "Pareto, exponent 1.5, from 1,000", Law::pareto, "0", "100000", "1"},
    Population{"zeros", "60 % zeros, the others lognormal", Law::zeros, "0", "300000", "1"},
    Population{"counts", "counts 0 to 5", Law::counts, "0", "10", "1"},
    Population{"two-point", "10 and 90", Law::two_point, "0", "100", "1"},
    Population{"narrow", "N(700, 50)", Law::narrow, "0", "1000", "1"},
    Population{"tied", "nine in ten 400, the others N(400, 100)", Law::tied, "0", "1000", "0.01"},
    Population{"uniform", "uniform on (-5, 5)", Law::uniform, "-10", "10", "0.00001"},
    Population{"salaries", "lognormal, three in five rounded to 1,000", Law::salaries, "0", "300000", "1"},
    Population{"ages", "Adult: age", Law::file, "0", "100", "1", "adult.csv", "age"},
    Population{"hours", "Adult: hours per week", Law::file, "0", "100", "1", "adult.csv", "hours_per_week"},
    Population{"ratings", "Goodreads: rating", Law::file, "0", "5", "0.01", "goodreads.csv", "average_rating"},
    Population{"pages", "Goodreads: pages", Law::file, "0", "2000", "1", "goodreads.csv", "num_pages"},
};

double income(std::mt19937_64& engine) { return std::round(30'000 * std::exp(0.8 * normal_variate(engine))); }

double heaped_income(std::mt19937_64& engine) {
  const double exact = income(engine);
  const double draw = uniform_variate(engine);
  const double unit = draw <= 0.6 ? 1000 : draw <= 0.8 ? 100 : 1;
  return std::round(exact / unit) * unit;
}

/// The number of tails before the first head, at most 5.
double small_count(std::mt19937_64& engine) { return std::min(5.0, std::floor(-std::log2(uniform_variate(engine)))); }

}  // namespace

std::span<const Population> populations() { return all_populations; }

TableSource::TableSource(const Population& population, Lattice lattice, std::optional<RankProfile> pool)
    : population_(&population), lattice_(std::move(lattice)), pool_(std::move(pool)) {
  const RankProfile many = table(100'000, Seed(0).with("interquartile range"));
  const auto range = true_quantile(many, {3, 4}) - true_quantile(many, {1, 4});
  interquartile_range_ = static_cast<double>(std::max<std::uint64_t>(range, 1));
}

TableSource TableSource::open(const Population& population, std::uint64_t factor, const std::string& folder,
                              const std::string& library) {
  const Rational wider = factor;
  const Lattice lattice = Lattice::regular(Rational::parse(population.lower) * wider,
                                           Rational::parse(population.upper) * wider, Rational::parse(population.step));
  if (population.law != Law::file) return {population, lattice, std::nullopt};
  return {population, lattice, pool_of({population.file, population.column}, lattice, folder, library)};
}

double TableSource::value(std::mt19937_64& engine) const {
  switch (population_->law) {
    case Law::lognormal:
      return income(engine);
    case Law::pareto:
      return std::round(1000 * std::pow(uniform_variate(engine), -1 / 1.5));
    case Law::zeros:
      return uniform_variate(engine) <= 0.6 ? 0 : income(engine);
    case Law::counts:
      return small_count(engine);
    case Law::two_point:
      return uniform_variate(engine) <= 0.7 ? 10 : 90;
    case Law::narrow:
      return std::round(700 + 50 * normal_variate(engine));
    case Law::tied:
      return uniform_variate(engine) <= 0.9 ? 400 : 400 + 100 * normal_variate(engine);
    case Law::uniform:
      return 10 * uniform_variate(engine) - 5;
    case Law::salaries:
      return heaped_income(engine);
    case Law::file:
      break;
  }
  return 0;
}

RankProfile TableSource::table(std::uint64_t records, const Seed& seed) const {
  std::mt19937_64 engine(seed.with(population_->name).value());
  ProfileBuilder builder(lattice_);
  for (std::uint64_t i = 0; i < records; ++i) {
    if (pool_) {
      add_one_of(*pool_, engine, builder);
    } else {
      builder.add(value(engine));
    }
  }
  return builder.finish();
}

}  // namespace fractile::experiments
