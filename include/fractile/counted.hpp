// What counting hands out and a release takes: profiles, with what a promise about them rests on.
// Thread-safety: values; threads may share them while none changes one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fractile/keys.hpp"
#include "fractile/ranks.hpp"
#include "fractile/weights.hpp"

namespace fractile {

/// A column that was counted: one profile, or one per key of several groups, and how many of its records can be one person's.
class CountedColumn {
 public:
  /// A profile of your own. You declare that no person has more than `records_per_person` records in it; Fractile does not check that.
  /// Throws `usage` for 0.
  CountedColumn(RankProfile profile, std::uint32_t records_per_person);
  /// One profile for each key. You declare that each record is in at most one of them, decided by that record alone, and that no person has
  /// more than `records_per_person` records in all of them together. Throws `usage` for 0 records, for no keys, for another number of profiles,
  /// for keys of different numbers of columns, and for profiles on different lattices.
  CountedColumn(std::vector<GroupKey> keys, std::vector<RankProfile> profiles, std::uint32_t records_per_person);

  /// Declares that the profiles count rows of a query's result, of which one record changes at most `stability` (TableOptions::sql_stability).
  /// A release multiplies the records of a person by it. Throws `usage` for 0.
  CountedColumn over_query(std::uint32_t stability) &&;
  /// Declares the table's number of rows, with or without a number, to be public. Throws `usage` where there are groups.
  CountedColumn with_public_rows(std::uint64_t rows) &&;

  /// Declares that records are counted in units of weight: a record is at most `weights.most_units_of_record()` records of its value. A release
  /// multiplies the records of a person by it. Throws `usage` as RecordWeights::validate() does, and where the number
  /// of rows is public.
  CountedColumn weighted(RecordWeights weights) &&;

  /// Puts the same records into other groups: `group_of` has, for each group here, its place in `groups`. Without `groups` all records become one
  /// column without groups. Throws `usage` unless each group here has a place.
  CountedColumn in_groups(std::vector<GroupKey> groups, std::span<const std::size_t> group_of) const;

  const Lattice& lattice() const { return profiles_.front().lattice(); }
  /// One profile for each key, and a single one without groups.
  const std::vector<RankProfile>& profiles() const& { return profiles_; }
  std::vector<RankProfile> profiles() && { return std::move(profiles_); }
  bool has_groups() const { return !keys_.empty(); }
  const std::vector<GroupKey>& keys() const { return keys_; }
  /// No person has more records of the table than this; they may have more rows in a query's result.
  std::uint32_t records_per_person() const { return records_per_person_; }
  std::uint32_t sql_stability() const { return sql_stability_; }
  const std::optional<std::uint64_t>& public_rows() const { return public_rows_; }
  const std::optional<RecordWeights>& weights() const { return weights_; }

  /// Throws `usage` when a promise is asked for to persons of fewer records than one person may have here.
  void require_bound(std::uint64_t asked) const;

 private:
  std::vector<GroupKey> keys_;
  std::vector<RankProfile> profiles_;
  std::uint32_t records_per_person_;
  std::uint32_t sql_stability_ = 1;
  std::optional<std::uint64_t> public_rows_ = {};
  std::optional<RecordWeights> weights_ = {};
};

}  // namespace fractile
