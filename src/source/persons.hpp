// Contribution bounding: of each person's records a uniform random sample of at most so many.
// Proof: docs/proofs/contribution_bounding.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fractile/random.hpp"
#include "fractile/ranks.hpp"

namespace fractile::source_detail {

/// A record as the profiles know it: where it lies, and which of the keys it has.
struct KeyedRecord {
  Position position;
  std::uint32_t key;
  friend bool operator==(const KeyedRecord&, const KeyedRecord&) = default;
};

/// Keeps of every person a sample of min(most, his records) records, each such subset equally likely, independently of all
/// other persons (Waterman's algorithm R, a reservoir a person). Persons are told apart by their exact bytes.
class PersonSamples {
 public:
  PersonSamples(std::uint32_t most, RandomBits& bits) : most_(most), bits_(bits) {}

  void add(std::string_view person, const KeyedRecord& record);

  template <class Visit>
  void for_each_kept(Visit visit) const {
    for (const auto& [person, sample] : samples_) {
      for (const KeyedRecord& record : sample.kept) visit(record);
    }
  }

 private:
  struct Sample {
    std::uint64_t seen = 0;
    std::vector<KeyedRecord> kept = {};
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::uint64_t most_;
  RandomBits& bits_;
  std::unordered_map<std::string, Sample, Hash, std::equal_to<>> samples_;
};

}  // namespace fractile::source_detail
