// Contribution bounding: of each person's records those of the smallest ranks under a key, at most this many.
// Proof: docs/proofs/contribution_bounding.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exact/digest.hpp"
#include "fractile/source.hpp"
#include "source/counting/keyed_counts.hpp"

namespace fractile::source_detail {

/// SamplingKey::rank() of many records, for one thread.
class Ranking {
 public:
  explicit Ranking(const SamplingKey& key) : hash_(key.bytes()) {}
  SamplingKey::Rank of(std::string_view person, const SampledRecord& record);

 private:
  Hmac hash_;
  std::string message_;
};

/// Chooses among the records of one person at a time. What is kept is a function of the key, the person and their records as a
/// multiset. Not for two threads at once.
class KeyedSample {
 public:
  /// `groups`: what sampled_group() has of each group, by its number; none without groups. It outlives this.
  KeyedSample(const SamplingKey& key, std::uint32_t most, std::span<const std::string> groups)
      : most_(most), groups_(groups), ranking_(key) {}

  /// All records of a person, in any order; those that do not count go.
  void keep(std::string_view person, std::vector<KeyedRecord>& records) {
    if (records.size() > most_) keep_smallest(person, records);
  }

 private:
  struct Ranked {
    SamplingKey::Rank rank;
    KeyedRecord record;
    std::uint64_t ordinal;
  };

  void keep_smallest(std::string_view person, std::vector<KeyedRecord>& records);
  std::string_view group_of(const KeyedRecord& record) const {
    return groups_.empty() ? std::string_view() : std::string_view(groups_[record.key]);
  }
  bool is_before(const Ranked& a, const Ranked& b) const;

  std::size_t most_;
  std::span<const std::string> groups_;
  Ranking ranking_;
  std::vector<Ranked> ranked_;
};

}  // namespace fractile::source_detail
