#include "experiments/pools.hpp"

#include <filesystem>

#include "experiments/metrics.hpp"
#include "experiments/variates.hpp"
#include "fractile/source.hpp"

namespace fractile::experiments {

RankProfile pool_of(const PoolFile& file, const Lattice& lattice, const std::string& folder,
                    const std::string& library) {
  TableOptions options;
  options.file = (std::filesystem::path(folder) / file.file).string();
  options.sql = file.sql;
  options.library = library;
  return Table::open(options).profile(file.column, lattice, NullPolicy::error);
}

void add_one_of(const RankProfile& pool, std::mt19937_64& engine, ProfileBuilder& table) {
  table.add_position(2 * record_at(pool, uniform_below_variate(pool.records(), engine)) + 1, 1);
}

}  // namespace fractile::experiments
