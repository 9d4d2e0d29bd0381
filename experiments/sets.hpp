// The data sets of approximate-quantiles 2021, section 4.2, and samples of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "experiments/seeds.hpp"
#include "fractile/ranks.hpp"

namespace fractile::experiments {

enum class Origin { uniform, gaussian, file };

/// A data set: where its records come from, and which values are declared possible: -100, -100 + step, ..., 100.
struct StudiedSet {
  const char* name;
  const char* title;  ///< for figures
  Origin origin;
  const char* file;    ///< in the data folder; "" if the records are generated
  const char* column;  ///< of the file
  const char* sql;     ///< a query over the file that yields the column; "" for the file as it is
  const char* step;    ///< 1/100000 if nothing is declared about the values; otherwise the values' own granularity
  bool declared;       ///< whether the granularity is declared
};

/// All sets in the paper's order, with the sets of declared granularity last.
std::span<const StudiedSet> studied_sets();

/// Draws samples of a set.
class SampleSource {
 public:
  /// Reads the set's file in `folder`, which must be there, with the engine at `library` ("" for where the system looks). Throws whatever
  /// Table throws.
  static SampleSource open(const StudiedSet& set, const std::string& folder, const std::string& library);

  const StudiedSet& set() const { return *set_; }
  const Lattice& lattice() const { return lattice_; }
  /// Draws `records` records, from the file with replacement, or from the law. Except for rounding, they do not depend on whether the
  /// granularity is declared.
  RankProfile sample(std::uint64_t records, const Seed& seed) const;

 private:
  SampleSource(const StudiedSet& set, Lattice lattice, std::optional<RankProfile> pool);

  const StudiedSet* set_;
  Lattice lattice_;
  std::optional<RankProfile> pool_;  // the file's records
};

}  // namespace fractile::experiments
