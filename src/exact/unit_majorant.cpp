#include "exact/unit_majorant.hpp"

#include <algorithm>

// One source, compiled for several instruction sets and chosen when the program is loaded. The arithmetic is the same in all
// of them: no contraction, no reassociation of floating point. Not under sanitizers, which start after that choice is made.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(FRACTILE_SANITIZED)
#define FRACTILE_INSTRUCTION_SETS __attribute__((target_clones("default", "avx2", "avx512f"), optimize("O3")))
#else
#define FRACTILE_INSTRUCTION_SETS
#endif

namespace fractile {

FRACTILE_INSTRUCTION_SETS
std::uint64_t least_score(std::span<const std::uint64_t> scores, std::uint64_t flip) {
  std::uint64_t least = ~std::uint64_t{0};
  for (const std::uint64_t score : scores) least = std::min(least, score ^ flip);
  return least;
}

FRACTILE_INSTRUCTION_SETS
std::uint64_t unit_mass(const UnitMajorant& majorant, std::span<const std::uint64_t> scores, std::uint64_t flip,
                        std::uint64_t best) {
  const UnitMajorant weight = majorant;
  std::uint64_t mass = 0;
  for (const std::uint64_t score : scores) mass += weight((score ^ flip) - best);
  return mass;
}

FRACTILE_INSTRUCTION_SETS
void unit_masses(const UnitMajorant& majorant, std::span<const std::uint64_t> scores, std::uint64_t flip,
                 std::uint64_t best, std::uint64_t* masses) {
  const UnitMajorant weight = majorant;
  for (std::size_t k = 0; k < scores.size(); ++k) masses[k] = weight((scores[k] ^ flip) - best);
}

}  // namespace fractile
