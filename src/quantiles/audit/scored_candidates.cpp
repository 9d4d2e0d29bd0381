#include "quantiles/audit/scored_candidates.hpp"

namespace fractile {
namespace {

std::vector<std::int64_t> numbers_below(std::uint64_t values) {
  std::vector<std::int64_t> numbers(values);
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<std::int64_t>(k);
  return numbers;
}

Rows<std::int64_t> rows_domain(std::uint64_t records, Neighbors neighbors) {
  Rows<std::int64_t> rows{AtomDomain<std::int64_t>::non_null()};
  if (neighbors == Neighbors::change_one) rows.size = static_cast<std::size_t>(records);
  return rows;
}

/// The records, each by its value's index.
std::vector<std::int64_t> records_of(const RankProfile& profile) {
  std::vector<std::int64_t> rows;
  for (std::size_t k = 0; k < profile.distinct(); ++k) {
    rows.insert(rows.end(), profile.count(k), static_cast<std::int64_t>(profile.position(k) / 2));
  }
  return rows;
}

}  // namespace

ScoredCandidates::ScoredCandidates(std::uint64_t values, std::uint64_t records, Neighbors neighbors,
                                   const Rational& quantile, const Exponent& epsilon)
    : scores_(make_quantile_score_candidates(rows_domain(records, neighbors), SymmetricDistance{},
                                             numbers_below(values), quantile)) {
  const Rational range = Rational(2) * scores_.map(neighbors == Neighbors::change_one ? 2 : 1);
  rate_ = epsilon / range;
}

std::vector<Run> ScoredCandidates::runs(const RankProfile& profile) const {
  std::vector<Run> runs;
  for (const std::uint64_t score : scores_.invoke(records_of(profile))) runs.push_back({runs.size(), 1, score});
  return runs;
}

}  // namespace fractile
