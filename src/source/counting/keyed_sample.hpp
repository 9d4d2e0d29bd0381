// Contribution bounding: keeps at most a given number of each person's records, those of the smallest ranks under a key.
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

/// SamplingKey::rank() for many records, on one thread.
class Ranking {
 public:
  explicit Ranking(const SamplingKey& key) : hash_(key.bytes()) {}
  SamplingKey::Rank of(std::string_view person, const SampledRecord& record);

 private:
  Hmac hash_;
  std::string message_;
};

/// Chooses among the records of one person at a time. The kept records are a function of the key, the person, and their records as
/// a multiset. Not for two threads at once.
class KeyedSample {
 public:
  /// `groups`: sampled_group() of each group, by the group's number; empty without groups. It must outlive this object.
  KeyedSample(const SamplingKey& key, std::uint32_t most, std::span<const std::string> groups)
      : most_(most), groups_(groups), ranking_(key) {}

  /// Removes the records that do not count from all records of a person, which may come in any order.
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
