#include "ranks/tie_order.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace fractile {
namespace {

/// The definition, of docs/proofs/approximate_quantiles.md, lemma 2.
std::uint64_t part_of_record(std::uint64_t i, int bits) {
  std::uint64_t part = 0;
  for (int bit = 0; bit < bits; ++bit) part |= ((i >> bit) & 1) << (bits - 1 - bit);
  return part;
}

TEST(TieOrder, RecordsFillPartsAsDefined) {
  for (int bits = 0; bits <= 6; ++bits) {
    const TieOrder order(bits);
    std::vector<std::uint64_t> filled(order.parts());
    for (std::uint64_t records = 0; records <= 150; ++records) {
      if (records > 0) ++filled[part_of_record(records, bits)];
      std::uint64_t below = 0;
      for (std::uint64_t part = 0; part < order.parts(); ++part) {
        ASSERT_EQ(order.in_part(records, part), filled[part]) << bits << " bits, " << records << " records";
        ASSERT_EQ(order.below(records, part), below) << bits << " bits, " << records << " records";
        for (std::uint64_t rank = below; rank < below + filled[part]; ++rank) {
          ASSERT_EQ(order.part_of(records, rank), part) << bits << " bits, " << records << " records, rank " << rank;
        }
        below += filled[part];
        ASSERT_TRUE(filled[part] == 0 || part % order.stride(records) == 0);
      }
      ASSERT_EQ(order.below(records, order.parts()), records);
    }
  }
}

TEST(TieOrder, LargeCellsAgreeWithThemselves) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    const int bits = static_cast<int>(random() % 33);
    const TieOrder order(bits);
    const std::uint64_t records = 1 + (random() >> (3 + random() % 60));
    const std::uint64_t rank = random() % records;
    const std::uint64_t part = order.part_of(records, rank);
    ASSERT_LT(part, order.parts());
    ASSERT_LE(order.below(records, part), rank) << bits << " bits, " << records << " records";
    ASSERT_EQ(order.below(records, part + 1), order.below(records, part) + order.in_part(records, part));
    ASSERT_GT(order.below(records, part + 1), rank) << bits << " bits, " << records << " records";
    const std::uint64_t any = random() % order.parts();
    ASSERT_EQ(order.below(records, any + 1), order.below(records, any) + order.in_part(records, any));
  }
}

}  // namespace
}  // namespace fractile
