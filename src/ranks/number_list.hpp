// Records on a fine lattice: a list of their positions, or of other numbers, that is sorted in the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fractile/ranks.hpp"
#include "ranks/number_sort.hpp"

namespace fractile {

template <class Number>
class NumberList {
 public:
  /// Room for at least one number after those that are there.
  std::span<Number> room();
  /// Declares that the first numbers of room() have been written.
  void keep(std::size_t written);
  std::size_t size() const;
  /// Takes all numbers of `other`, which is empty afterwards.
  void take(NumberList& other);

  /// All numbers in increasing order, sorted by at most `threads` threads, with room for `spare` more; the list is empty afterwards.
  LargeArray<Number> take_sorted(std::size_t threads, std::size_t spare = 0);

 private:
  std::vector<NumberChunk<Number>> chunks_;
  VaryingBits<Number> varying_;
};

extern template class NumberList<std::uint32_t>;
extern template class NumberList<std::uint64_t>;

using PositionList = NumberList<Position>;

}  // namespace fractile
