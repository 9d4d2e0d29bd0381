// One value of each person: what a person's records become, of the person or of the person in a group.
// Proof: docs/proofs/one_value_per_person.md
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fractile/ranks.hpp"
#include "source/counting/keyed_counts.hpp"
#include "source/counting/real_sum.hpp"
#include "source/engine/column_view.hpp"
#include "source/engine/engine.hpp"

namespace fractile::source_detail {

/// Makes a position of the *marks* that a person's records leave: of min, max and median their positions, of sum and mean their numbers, of
/// any and all whether these are other than 0. Not for two threads at once.
class PersonValues {
 public:
  /// The cells are whole numbers, in the lattice's units where their sum or order counts, or doubles.
  PersonValues(PerPerson how, const Lattice& lattice, CellType cells) : how_(how), lattice_(lattice), cells_(cells) {}

  /// Whether a mark is a position.
  bool keep_positions() const { return how_ == PerPerson::min || how_ == PerPerson::max || how_ == PerPerson::median; }
  std::uint64_t largest_mark() const;
  /// For numbers that are there, one mark each. Not where marks are positions.
  void mark(const ColumnView& numbers, std::vector<std::uint64_t>& marks) const;

  /// All records of a person, each with its mark, in any order, become one per key, each with its position. A sum of infinities of
  /// both signs is none, and leaves no record.
  void combine(std::vector<KeyedRecord>& records);

 private:
  std::optional<Position> value_of(std::span<KeyedRecord> marked);
  Position position_of_sum(std::span<const KeyedRecord> marked, std::uint64_t count) const;
  std::optional<Position> position_of_reals(std::span<const KeyedRecord> marked, std::uint64_t count);

  PerPerson how_;
  const Lattice& lattice_;
  CellType cells_;
  RealSum sum_;
};

}  // namespace fractile::source_detail
