#include <algorithm>
#include <utility>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"
#include "libraries/fmt.hpp"

namespace fractile {
namespace {

const Field bound_field("records_per_person");

void require_some(std::uint32_t records_per_person) {
  if (records_per_person > 0) return;
  throw Error(ErrorCode::usage, "a person has at least one record", {"write ", bound_field.number(1), " or more"},
              "records_per_person");
}

}  // namespace

CountedColumn::CountedColumn(RankProfile profile, std::uint32_t records_per_person)
    : records_per_person_(records_per_person) {
  require_some(records_per_person);
  profiles_.push_back(std::move(profile));
}

CountedColumn::CountedColumn(std::vector<GroupKey> keys, std::vector<RankProfile> profiles,
                             std::uint32_t records_per_person)
    : keys_(std::move(keys)), profiles_(std::move(profiles)), records_per_person_(records_per_person) {
  require_some(records_per_person);
  if (keys_.empty() || keys_.size() != profiles_.size()) {
    throw Error(ErrorCode::usage, "there must be as many profiles as keys, and at least one");
  }
  const auto has_other_columns = [&](const GroupKey& key) { return key.size() != keys_.front().size(); };
  if (std::ranges::any_of(keys_, has_other_columns)) {
    throw Error(ErrorCode::usage, "every group needs a key for each key column");
  }
  for (const RankProfile& profile : profiles_) profile.require_on(lattice());
}

CountedColumn CountedColumn::over_query(std::uint32_t stability) && {
  if (stability == 0) throw Error(ErrorCode::usage, "a query's stability is at least 1", "declare 1 or more");
  sql_stability_ = stability;
  return std::move(*this);
}

CountedColumn CountedColumn::weighted(RecordWeights weights) && {
  weights.validate();
  if (public_rows_) throw Error(ErrorCode::usage, "a public number of rows does not go with weights");
  weights_ = std::move(weights);
  return std::move(*this);
}

CountedColumn CountedColumn::with_public_rows(std::uint64_t rows) && {
  if (has_groups())
    throw Error(ErrorCode::usage, "a public number of rows is that of the whole table, and does not go with groups");
  if (rows > RankProfile::max_records) {
    throw Error(ErrorCode::usage, "a table has at most " + std::to_string(RankProfile::max_records) + " rows");
  }
  public_rows_ = rows;
  return std::move(*this);
}

namespace {

/// The sum of at least one profile, added up in pairs, so that each record is copied only a few times.
RankProfile sum_of(std::vector<RankProfile> profiles) {
  while (profiles.size() > 1) {
    std::vector<RankProfile> sums;
    sums.reserve(profiles.size() / 2 + 1);
    for (std::size_t i = 0; i + 1 < profiles.size(); i += 2)
      sums.push_back(RankProfile::merge(profiles[i], profiles[i + 1]));
    if (profiles.size() % 2 == 1) sums.push_back(std::move(profiles.back()));
    profiles = std::move(sums);
  }
  return std::move(profiles.front());
}

}  // namespace

CountedColumn CountedColumn::in_groups(std::vector<GroupKey> groups, std::span<const std::size_t> group_of) const {
  const std::size_t size = std::max(groups.size(), std::size_t{1});
  const auto is_none = [&](std::size_t place) { return place >= size; };
  if (group_of.size() != profiles_.size() || std::ranges::any_of(group_of, is_none)) {
    throw Error(ErrorCode::usage, "each group must be in one of the larger groups");
  }
  std::vector<std::vector<RankProfile>> parts(size);
  for (std::size_t i = 0; i < profiles_.size(); ++i) parts[group_of[i]].push_back(profiles_[i]);
  std::vector<RankProfile> sums;
  for (std::vector<RankProfile>& each : parts) {
    if (each.empty()) each.emplace_back(lattice(), std::vector<Position>{}, std::span<const std::uint64_t>{});
    sums.push_back(sum_of(std::move(each)));
  }
  CountedColumn counted = groups.empty() ? CountedColumn(std::move(sums.front()), records_per_person_)
                                         : CountedColumn(std::move(groups), std::move(sums), records_per_person_);
  counted.sql_stability_ = sql_stability_;
  counted.weights_ = weights_;
  return counted;
}

void CountedColumn::require_bound(std::uint64_t asked) const {
  if (asked >= records_per_person_) return;
  throw Error(ErrorCode::usage,
              {bound_field, fmt::format(": what was counted may hold {} records of one person", records_per_person_)},
              {"write ", bound_field.number(records_per_person_), " or more, or count again with a smaller bound"},
              "records_per_person");
}

}  // namespace fractile
