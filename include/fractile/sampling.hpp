// Keyed samples: which of a person's records count when they have more than they may. The choice is a function of a key and of that
// person's records alone, so that every machine makes the same one, in whatever order the records come.
// Proof: docs/proofs/contribution_bounding.md
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fractile/keys.hpp"
#include "fractile/random.hpp"
#include "fractile/ranks.hpp"

namespace fractile {

/// What stands for a group in the ranks of its records. With one key column it is the key; with several, each column's key after
/// the key's size as 4 bytes, lowest byte first. So different groups of the same columns are distinct, whatever their keys hold.
std::string sampled_group(const GroupKey& key);

/// One of a person's records. Records that are equal in position and group are distinguished by their ordinals 0, 1, ...
struct SampledRecord {
  Position position;
  std::string_view group;  ///< as sampled_group() has it; empty without groups
  std::uint64_t ordinal;
};

/// The key that chooses each person's sample: the `most` records of the smallest ranks. The bound on records per person holds
/// whatever the key is, so it need not be secret; that it is drawn at random, and for one release, makes the samples uniform.
/// Thread-safety: a value; threads may share it while none changes it.
class SamplingKey {
 public:
  static constexpr std::size_t size = 32;  ///< bytes
  /// Ranks are compared as unsigned bytes, the first byte first.
  using Rank = std::array<unsigned char, 32>;

  /// Four draws of 64 bits, each with its lowest byte first.
  static SamplingKey draw(RandomBits& bits);
  /// Throws `usage` unless there are 32 bytes.
  static SamplingKey of_bytes(std::string_view bytes);

  const std::array<std::byte, size>& bytes() const { return bytes_; }
  /// 32 hexadecimal digits that identify a key without revealing it: the first 16 bytes of HMAC-SHA-256(key, "key").
  std::string id() const;
  /// HMAC-SHA-256(key, position, ordinal, size of the group, group, person): the first two as 8 bytes and the size as 4, each
  /// lowest byte first; texts as their bytes.
  Rank rank(std::string_view person, const SampledRecord& record) const;

  friend bool operator==(const SamplingKey&, const SamplingKey&) = default;

 private:
  SamplingKey() = default;
  std::array<std::byte, size> bytes_{};
};

}  // namespace fractile
