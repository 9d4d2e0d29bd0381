// Which texts of a list, such as a hundred thousand keys, occurred in it before.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fractile {

/// Allocates once, however many texts there are.
class SeenTexts {
 public:
  /// The list may grow to `most` texts, fewer than 2^32, and must outlive this object.
  SeenTexts(const std::vector<std::string>& texts, std::size_t most)
      : texts_(texts), mask_(std::bit_ceil(2 * most + 2) - 1), slots_(mask_ + 1) {}

  /// Adds texts[k]. The place of an equal text that was added before; nothing if there is none, and texts[k] is remembered.
  std::optional<std::size_t> add(std::size_t k) {
    const std::size_t hash = std::hash<std::string_view>()(texts_[k]);
    const auto mark = static_cast<std::uint32_t>(hash >> 32);
    std::size_t slot = hash & mask_;
    for (; slots_[slot].place != 0; slot = (slot + 1) & mask_) {
      const std::size_t place = slots_[slot].place - 1;
      if (slots_[slot].mark == mark && texts_[place] == texts_[k]) return place;
    }
    slots_[slot] = {static_cast<std::uint32_t>(k + 1), mark};
    return {};
  }

 private:
  struct Slot {
    std::uint32_t place;  ///< 1 + that of a text, or 0
    std::uint32_t mark;   ///< of its hash: most other texts differ here
  };
  const std::vector<std::string>& texts_;
  std::size_t mask_;
  std::vector<Slot> slots_;
};

}  // namespace fractile
