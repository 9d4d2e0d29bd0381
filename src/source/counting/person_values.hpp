// One value per person: how a person's records become one value, for the person or for the person in each group.
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

/// Computes a position from the *marks* of a person's records. The marks for min, max and median are the records' positions, for
/// sum and mean their numbers, and for any and all whether a number differs from 0. Not for two threads at once.
class PersonValues {
 public:
  /// `cells`: whole numbers, which are in the lattice's units if their sum or order matters, or doubles.
  PersonValues(PerPerson how, const Lattice& lattice, CellType cells) : how_(how), lattice_(lattice), cells_(cells) {}

  /// Whether marks are positions.
  bool keep_positions() const { return how_ == PerPerson::min || how_ == PerPerson::max || how_ == PerPerson::median; }
  std::uint64_t largest_mark() const;
  /// Sets one mark for each number; no number may be missing. Not to be called where marks are positions.
  void mark(const ColumnView& numbers, std::vector<std::uint64_t>& marks) const;

  /// Combines all records of a person, each with its mark and in any order, to one record per key, with its position. A sum of
  /// infinities of both signs has no value, and leaves no record.
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
