// The laws and files from which the study of robustness draws tables. Each has bounds that a publisher would declare; the study also makes
// them far wider.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>

#include "experiments/seeds.hpp"
#include "fractile/ranks.hpp"

namespace fractile::experiments {

enum class Law { lognormal, pareto, zeros, counts, two_point, narrow, tied, uniform, salaries, file };

/// What records are drawn from. The possible values lie between lower and upper, `step` apart.
struct Population {
  const char* name;
  const char* title;
  Law law;
  const char* lower;
  const char* upper;
  const char* step;
  const char* file = "";    ///< in the data folder
  const char* column = "";  ///< of the file
};

std::span<const Population> populations();

/// Tables of one population, with bounds that are `factor` times as far from zero.
class TableSource {
 public:
  /// Reads the population's file in `folder`, if it has one, with the engine at `library`. Throws whatever Table throws.
  static TableSource open(const Population& population, std::uint64_t factor, const std::string& folder,
                          const std::string& library);

  const Population& population() const { return *population_; }
  const Lattice& lattice() const { return lattice_; }
  /// Draws `records` records, from the file with replacement, or from the law. They do not depend on the bounds.
  RankProfile table(std::uint64_t records, const Seed& seed) const;
  /// The distance between the quartiles of 100,000 records, in steps; at least 1.
  double interquartile_range() const { return interquartile_range_; }

 private:
  TableSource(const Population& population, Lattice lattice, std::optional<RankProfile> pool);
  double value(std::mt19937_64& engine) const;

  const Population* population_;
  Lattice lattice_;
  std::optional<RankProfile> pool_;  // the file's records
  double interquartile_range_;
};

}  // namespace fractile::experiments
