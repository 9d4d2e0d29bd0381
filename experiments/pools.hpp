// Files from which records are drawn with replacement.
#pragma once

#include <random>
#include <string>

#include "fractile/ranks.hpp"

namespace fractile::experiments {

struct PoolFile {
  const char* file;      ///< in the data folder
  const char* column;    ///< of the file, or of the query's result
  const char* sql = "";  ///< a query over the file; "" for the file as it is
};

/// The column's records, read with the engine at `library`. Throws whatever Table throws.
RankProfile pool_of(const PoolFile& file, const Lattice& lattice, const std::string& folder,
                    const std::string& library);

/// Adds one of the pool's records, each with the same probability.
void add_one_of(const RankProfile& pool, std::mt19937_64& engine, ProfileBuilder& table);

}  // namespace fractile::experiments
