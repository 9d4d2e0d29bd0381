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

namespace fractile {

/// A column that was counted: one profile, or one a key of several groups, and how many of its records can be one person's.
class CountedColumn {
 public:
  /// A profile of your own, in which no person has more than `records_per_person` records: your word, which nobody checks. Error(usage)
  /// for 0.
  CountedColumn(RankProfile profile, std::uint32_t records_per_person);
  /// One profile a key. Every record is in at most one of them, decided by that record alone, and no person has more than
  /// `records_per_person` records in all of them together. Error(usage) as above, and unless there is a key, as many profiles as keys, a text
  /// for each key column in all of them, and one lattice.
  CountedColumn(std::vector<GroupKey> keys, std::vector<RankProfile> profiles, std::uint32_t records_per_person);

  /// The same, counted on the result of a query of which one record changes at most so many rows (TableOptions::sql_stability): a promise
  /// to persons of so many records is one about so many times as many rows. Error(usage) for 0.
  CountedColumn over_query(std::uint32_t stability) &&;
  /// The same, of a table whose number of rows, with or without a number, is declared public. Error(usage) of groups.
  CountedColumn with_public_rows(std::uint64_t rows) &&;

  /// The same records in other groups: those of each group here are in the group of `groups` whose place `group_of` has for it. Without `groups`
  /// all of them together are one column. Error(usage) unless each group here has a place.
  CountedColumn in_groups(std::vector<GroupKey> groups, std::span<const std::size_t> group_of) const;

  const Lattice& lattice() const { return profiles_.front().lattice(); }
  /// One a key; without groups a single one.
  const std::vector<RankProfile>& profiles() const& { return profiles_; }
  std::vector<RankProfile> profiles() && { return std::move(profiles_); }
  bool has_groups() const { return !keys_.empty(); }
  const std::vector<GroupKey>& keys() const { return keys_; }
  /// Of the table.
  std::uint32_t records_per_person() const { return records_per_person_; }
  std::uint32_t sql_stability() const { return sql_stability_; }
  const std::optional<std::uint64_t>& public_rows() const { return public_rows_; }

  /// Throws `usage` when a promise is asked for to persons of fewer records than one person may have here.
  void require_bound(std::uint64_t asked) const;

 private:
  std::vector<GroupKey> keys_;
  std::vector<RankProfile> profiles_;
  std::uint32_t records_per_person_;
  std::uint32_t sql_stability_ = 1;
  std::optional<std::uint64_t> public_rows_ = {};
};

}  // namespace fractile
