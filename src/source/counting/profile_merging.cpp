#include "source/counting/profile_merging.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "fractile/error.hpp"

namespace fractile {
namespace source_detail {
namespace {

void require_same(bool same, const char* what, const Words& hint) {
  if (!same) throw Error(ErrorCode::usage, std::string("profiles of different ") + what + " cannot merge", hint);
}

std::uint32_t bound_of(const ProfileHeader& a, const ProfileHeader& b, Persons persons) {
  if (persons == Persons::are_disjoint) return std::max(a.records_per_person, b.records_per_person);
  if (a.records_per_person > std::numeric_limits<std::uint32_t>::max() - b.records_per_person) {
    throw Error(ErrorCode::usage, "together a person may have more than 4294967295 records",
                "merge fewer, or declare that no person is in two of them");
  }
  return a.records_per_person + b.records_per_person;
}

bool are_equal_in_any_order(std::vector<std::string> a, std::vector<std::string> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

void append(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void sort_once_each(std::vector<std::string>& texts) {
  std::ranges::sort(texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

/// Appends the texts that are not in the list yet. Most files have the same ones.
void append_new(std::vector<std::string>& all, const std::vector<std::string>& more) {
  if (all == more) return;
  append(all, more);
  sort_once_each(all);
}

}  // namespace

void HeaderSum::add(const ProfileHeader& header) {
  if (!sum_) {
    sum_ = header;
    return;
  }
  ProfileHeader& sum = *sum_;
  require_same(sum.lattice == header.lattice, "lattices", "count them with the same bounds and step, or candidates");
  require_same(sum.column == header.column, "columns", "count columns of the same name");
  require_same(sum.null_policy == header.null_policy, "null policies", {"count them with the same ", Field("null")});
  require_same(sum.person == header.person, "columns of persons", {"count them with the same ", Field("person")});
  require_same(sum.per_person == header.per_person, "values of persons",
               {"count them with the same ", Field("per_person")});
  require_same(sum.one_row_a_person == header.one_row_a_person, "queries", {"count them with the same ", Field("sql")});
  if ((sum.per_person || sum.one_row_a_person) && persons_ == Persons::may_overlap) {
    throw Error(ErrorCode::usage, "a person's value cannot be computed from the values in two tables",
                {"merge only tables that have no person in common, and say so: ", Field("disjoint_persons")});
  }
  require_same(sum.by == header.by && sum.keys == header.keys, "groups",
               {"count them with the same ", Field("by"), " and ", Field("keys"), ", in one order"});
  require_same(
      sum.weights == header.weights, "weights",
      {"count them with the same ", Field("weight"), ", ", Field("weight_bounds"), " and ", Field("weight_step")});
  require_same(sum.sql == header.sql, "queries", {"count them with the same ", Field("sql")});
  require_same(are_equal_in_any_order(sum.missing, header.missing), "declarations of what is missing",
               {"count them with the same ", Field("missing")});
  require_same(sum.unreadable == header.unreadable, "treatment of cells that are not numbers",
               {"count them with the same ", Field("unreadable")});
  // The number of a cell does not depend on the reader, but results of SQL functions may.
  require_same(sum.sql.empty() || are_equal_in_any_order(sum.readers, header.readers), "engines",
               "count results of queries with the same versions of DuckDB and of fractile");
  sum.records_per_person = bound_of(sum, header, persons_);
  sum.disjoint_persons = sum.disjoint_persons || header.disjoint_persons || persons_ == Persons::are_disjoint;
  append(sum.sources, header.sources);
  append(sum.samplers, header.samplers);
  append_new(sum.readers, header.readers);
  sum.missing = std::min(sum.missing, header.missing);  // the same set, perhaps in two orders
}

ProfileHeader HeaderSum::finish() {
  std::ranges::sort(sum_->sources);
  sort_once_each(sum_->samplers);
  sort_once_each(sum_->readers);
  sum_->validate();
  return std::move(*sum_);
}

ProfileSum::Part ProfileSum::part_of(std::vector<RankProfile> profiles) {
  std::size_t size = 1;
  for (const RankProfile& profile : profiles) size += profile.distinct() + 1;
  return {std::move(profiles), size};
}

void ProfileSum::join_last() {
  const Part last = std::move(parts_.back());
  parts_.pop_back();
  std::vector<RankProfile> sum;
  sum.reserve(last.profiles.size());
  for (std::size_t i = 0; i < last.profiles.size(); ++i)
    sum.push_back(RankProfile::merge(parts_.back().profiles.at(i), last.profiles[i]));
  parts_.back() = part_of(std::move(sum));
}

void ProfileSum::add(std::vector<RankProfile> profiles) {
  parts_.push_back(part_of(std::move(profiles)));
  while (parts_.size() > 1 && parts_[parts_.size() - 2].size < 2 * parts_.back().size) join_last();
}

std::vector<RankProfile> ProfileSum::finish() {
  while (parts_.size() > 1) join_last();
  return std::move(parts_.front().profiles);
}

}  // namespace source_detail

ProfileHeader merged(const ProfileHeader& a, const ProfileHeader& b, Persons persons) {
  source_detail::HeaderSum sum(persons);
  sum.add(a);
  sum.add(b);
  return sum.finish();
}

CountedProfiles merged(const CountedProfiles& a, const CountedProfiles& b, Persons persons) {
  CountedProfiles result{merged(a.header, b.header, persons), {}};
  for (std::size_t i = 0; i < a.profiles.size(); ++i) {
    // The lattices are equal. From here on, profiles share one of them, so lists are not compared for every key.
    const RankProfile& other = b.profiles.at(i);
    other.require_on(b.header.lattice);
    result.profiles.push_back(RankProfile::merge(a.profiles[i], relabeled(other, a.header.lattice)));
  }
  return result;
}

}  // namespace fractile
