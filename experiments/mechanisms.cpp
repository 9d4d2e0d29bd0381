#include "experiments/mechanisms.hpp"

#include <array>

#include "experiments/tree_as_published.hpp"
#include "fractile/release.hpp"

namespace fractile::experiments {
namespace {

constexpr std::uint64_t any = ~std::uint64_t{0};

// Lines are dashed for mechanisms as others published them, and full for ours.
constexpr std::array mechanisms{
    StudiedMechanism{"approximate-as-published", "approximate, published", Mechanism::approximate, Rates::as_published,
                     true, Base::by_mechanism, any, "#3d9be9", 2},
    StudiedMechanism{"approximate", "approximate", Mechanism::approximate, Rates::tight, true, Base::by_mechanism, any,
                     "#123f8c", 1},
    StudiedMechanism{"joint", "joint (JointExp)", Mechanism::joint, Rates::tight, true, Base::by_mechanism, any,
                     "#f08c00", 2},
    StudiedMechanism{"joint-total", "joint-total", Mechanism::joint_total, Rates::tight, true, Base::by_mechanism, 50,
                     "#c2182b", 1},
    StudiedMechanism{"joint-tree", "joint-tree", Mechanism::joint_tree, Rates::tight, true, Base::by_mechanism, any,
                     "#8e3bb8", 1},
    StudiedMechanism{"independent", "independent", Mechanism::independent, Rates::tight, true, Base::by_mechanism, any,
                     "#8a5a2b", 3},
    StudiedMechanism{"tree", "tree", Mechanism::tree, Rates::tight, true, Base::by_mechanism, any, "#1f9140", 1},
    StudiedMechanism{"auto", "auto", Mechanism::automatic, Rates::tight, true, Base::by_mechanism, any, "#000000", 1},
    StudiedMechanism{"auto-without-interpolation", "auto, no interpolation", Mechanism::automatic, Rates::tight, false,
                     Base::by_mechanism, any, "#707070", 4},
    StudiedMechanism{"auto-uniform-base", "auto, uniform base", Mechanism::automatic, Rates::tight, true, Base::uniform,
                     any, "#b0b0b0", 5},
    StudiedMechanism{"tree-as-published", "tree, published", std::nullopt, Rates::as_published, true,
                     Base::by_mechanism, any, "#8fae1b", 2},
};

std::vector<Rational> uniform_rationals(std::uint64_t m) {
  std::vector<Rational> result;
  const auto parts = static_cast<std::int64_t>(m + 1);
  for (std::int64_t i = 1; i < parts; ++i) result.emplace_back(i, parts);
  return result;
}

std::vector<QuantileFraction> fractions_of(const QuantileQuery& query) {
  std::vector<QuantileFraction> result;
  for (const Rational& q : query.quantiles) result.push_back(QuantileFraction::of(q));
  return result;
}

}  // namespace

std::span<const StudiedMechanism> studied_mechanisms() { return mechanisms; }

QuantileQuery query_for(const StudiedMechanism& mechanism, const Budget& budget, std::uint64_t m,
                        std::uint64_t records) {
  QuantileQuery query{uniform_rationals(m), budget};
  query.mechanism = mechanism.mechanism.value_or(Mechanism::tree);
  query.rates = mechanism.rates;
  query.interpolate = mechanism.interpolate;
  query.base = mechanism.base;
  if (query.mechanism == Mechanism::automatic) query.expected_rows = records;
  return query;
}

std::vector<std::uint64_t> run_mechanism(const StudiedMechanism& mechanism, const RankProfile& profile,
                                         const QuantileQuery& query, RandomBits& bits) {
  if (!mechanism.mechanism) return tree_as_published(profile, fractions_of(query), query.budget, bits);
  return release(CountedColumn(profile, 1), query, bits).only().indices;
}

}  // namespace fractile::experiments
