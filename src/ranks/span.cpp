#include "ranks/span.hpp"

#include <algorithm>

namespace fractile {

std::uint64_t subcells_for(std::uint64_t lattice_size) {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  std::uint64_t subcells = most;
  while (subcells > 1 && lattice_size > Lattice::max_size / subcells) subcells /= 2;
  return subcells;
}

RankSpan whole_span(const RankProfile& profile, std::uint64_t subcells) {
  return {0, profile.records(), 0, profile.candidates() * subcells - 1};
}

namespace {

/// The first entry of which `enough` holds; entries of which it holds come last.
template <class Predicate>
std::size_t first_entry(const RankProfile& profile, Predicate enough) {
  std::size_t low = 0;
  std::size_t high = profile.distinct();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (enough(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

TieOrder order_of(std::uint64_t subcells) { return TieOrder(std::countr_zero(subcells)); }

}  // namespace

SpanEntries::SpanEntries(const RankProfile& profile, std::uint64_t first, std::uint64_t last)
    : profile_(&profile),
      first_(first),
      last_(last),
      entry_(first_entry(profile, [&](std::size_t k) { return profile.cumulative(k + 1) > first; })) {}

bool SpanEntries::next(Position& position, std::uint64_t& records) {
  if (first_ == last_ || entry_ == profile_->distinct() || profile_->cumulative(entry_) >= last_) return false;
  position = profile_->position(entry_);
  records = std::min(profile_->cumulative(entry_ + 1), last_) - std::max(profile_->cumulative(entry_), first_);
  ++entry_;
  return true;
}

std::uint64_t SpanEntries::skipped() const {
  const std::uint64_t before = profile_->cumulative(entry_ - 1);
  return first_ > before ? first_ - before : 0;
}

ThresholdCursor::ThresholdCursor(const RankProfile& profile, std::uint64_t first, std::uint64_t last,
                                 std::uint64_t subcells)
    : entries_(profile, first, last), order_(order_of(subcells)) {}

void ThresholdCursor::open_cell(Position position, std::uint64_t records) {
  cell_ = position / 2 * order_.parts();
  left_ = records;
  tied_ = entries_.tied();
  stride_ = order_.stride(tied_);
  part_ = 0;
  const std::uint64_t skipped = entries_.skipped();
  if (skipped == 0) return;
  part_ = order_.part_of(tied_, skipped);
  skip_ = skipped - order_.below(tied_, part_);
}

bool ThresholdCursor::next(Split& threshold, std::uint64_t& records) {
  if (left_ == 0) {
    Position position = 0;
    if (!entries_.next(position, records)) return false;
    if (position % 2 == 0) {  // between two candidates: below the next one's first split
      threshold = position / 2 * order_.parts();
      return true;
    }
    if (entries_.tied() == 1) {
      threshold = position / 2 * order_.parts() + order_.parts() / 2 + 1;
      return true;
    }
    open_cell(position, records);
  }
  while ((records = order_.in_part(tied_, part_)) == 0) part_ += stride_;
  records = std::min(records - skip_, left_);
  skip_ = 0;
  left_ -= records;
  threshold = cell_ + part_ + 1;
  part_ += stride_;
  return true;
}

SplitCursor::SplitCursor(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells,
                         QuantileFraction alpha)
    : thresholds_(profile, span.first_rank, span.last_rank, subcells),
      at_(span.lowest),
      end_(span.highest + 1),
      target_(alpha.numerator * span.records()),
      denominator_(alpha.denominator) {}

bool SplitCursor::next(Run& run) {
  const Split start = at_;
  if (start == end_) return false;
  std::uint64_t reached = 0;
  while (at_ == start) {
    Split threshold = end_;
    std::uint64_t records = 0;
    reached = denominator_ * below_;
    const bool more = thresholds_.next(threshold, records);
    at_ = more ? std::clamp(threshold, start, end_) : end_;
    below_ += records;
  }
  run = {start, at_ - start, reached > target_ ? reached - target_ : target_ - reached};
  return true;
}

std::uint64_t records_below(const RankProfile& profile, std::uint64_t subcells, Split split) {
  const TieOrder order = order_of(subcells);
  const Position position = split / subcells * 2;  // records before this candidate lie below, those on it in part
  const std::size_t entry = first_entry(profile, [&](std::size_t k) { return profile.position(k) > position; });
  std::uint64_t below = profile.cumulative(entry);
  if (entry < profile.distinct() && profile.position(entry) == position + 1) {
    below += order.below(profile.count(entry), split % subcells);
  }
  return below;
}

CandidateCursor::CandidateCursor(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells,
                                 QuantileFraction alpha)
    : entries_(profile, span.first_rank, span.last_rank),
      alpha_(alpha),
      records_(span.records()),
      at_(span.lowest / subcells),
      end_(span.highest / subcells + 1) {}

bool CandidateCursor::next(Run& run) {
  if (tied_ > 0) {
    run = {tie_, 1, interval_score(alpha_, below_, tied_, records_)};
    below_ += tied_;
    tied_ = 0;
    at_ = tie_ + 1;
    return true;
  }
  Position position = 0;
  std::uint64_t records = 0;
  while (entries_.next(position, records)) {
    const std::uint64_t candidate = std::min(position / 2, end_);
    const std::uint64_t below = below_;
    if (position % 2 == 1) {
      tie_ = candidate;
      tied_ = records;
    } else {
      below_ += records;
    }
    if (at_ < candidate) {
      run = {at_, candidate - at_, interval_score(alpha_, below, 0, records_)};
      at_ = candidate;
      return true;
    }
    if (tied_ > 0) return next(run);
  }
  if (at_ == end_) return false;
  run = {at_, end_ - at_, interval_score(alpha_, below_, 0, records_)};
  at_ = end_;
  return true;
}

}  // namespace fractile
