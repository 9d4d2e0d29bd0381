#include "experiments/sets.hpp"

#include <array>
#include <random>
#include <utility>

#include "experiments/pools.hpp"
#include "experiments/variates.hpp"

namespace fractile::experiments {
namespace {

constexpr const char* fine = "0.00001";
constexpr const char* pages_in_hundreds = "SELECT CAST(num_pages AS DOUBLE) / 100 AS num_pages FROM input";

constexpr std::array sets{
    StudiedSet{"uniform", "Uniform(-5, 5)", Origin::uniform, "", "", "", fine, false},
    StudiedSet{"gaussian", "Gaussian, standard deviation 5", Origin::gaussian, "", "", "", fine, false},
    StudiedSet{"adult-age", "Adult: age", Origin::file, "adult.csv", "age", "", fine, false},
    StudiedSet{"adult-hours", "Adult: hours per week", Origin::file, "adult.csv", "hours_per_week", "", fine, false},
    StudiedSet{"goodreads-rating", "Goodreads: rating", Origin::file, "goodreads.csv", "average_rating", "", fine,
               false},
    StudiedSet{"goodreads-pages", "Goodreads: pages / 100", Origin::file, "goodreads.csv", "num_pages",
               pages_in_hundreds, fine, false},
    StudiedSet{"adult-age-declared", "Adult: age, step 1 declared", Origin::file, "adult.csv", "age", "", "1", true},
    StudiedSet{"adult-hours-declared", "Adult: hours per week, step 1 declared", Origin::file, "adult.csv",
               "hours_per_week", "", "1", true},
    StudiedSet{"goodreads-rating-declared", "Goodreads: rating, step 0.01 declared", Origin::file, "goodreads.csv",
               "average_rating", "", "0.01", true},
    StudiedSet{"goodreads-pages-declared", "Goodreads: pages / 100, step 0.01 declared", Origin::file, "goodreads.csv",
               "num_pages", pages_in_hundreds, "0.01", true},
};

Lattice lattice_of(const StudiedSet& set) { return Lattice::regular(-100, 100, Rational::parse(set.step)); }

double uniform_value(std::mt19937_64& engine) { return 10 * uniform_variate(engine) - 5; }

double gaussian_value(std::mt19937_64& engine) { return 5 * normal_variate(engine); }

}  // namespace

std::span<const StudiedSet> studied_sets() { return sets; }

SampleSource::SampleSource(const StudiedSet& set, Lattice lattice, std::optional<RankProfile> pool)
    : set_(&set), lattice_(std::move(lattice)), pool_(std::move(pool)) {}

SampleSource SampleSource::open(const StudiedSet& set, const std::string& folder, const std::string& library) {
  const Lattice lattice = lattice_of(set);
  if (set.origin != Origin::file) return {set, lattice, std::nullopt};
  return {set, lattice, pool_of({set.file, set.column, set.sql}, lattice, folder, library)};
}

RankProfile SampleSource::sample(std::uint64_t records, const Seed& seed) const {
  const Seed own = set_->origin == Origin::file ? seed.with(set_->file).with(set_->column) : seed.with(set_->name);
  std::mt19937_64 engine(own.value());
  ProfileBuilder builder(lattice_);
  for (std::uint64_t i = 0; i < records; ++i) {
    switch (set_->origin) {
      case Origin::uniform:
        builder.add(uniform_value(engine));
        break;
      case Origin::gaussian:
        builder.add(gaussian_value(engine));
        break;
      case Origin::file:
        add_one_of(*pool_, engine, builder);
        break;
    }
  }
  return builder.finish();
}

}  // namespace fractile::experiments
