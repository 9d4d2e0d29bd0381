#include "ranks/span.hpp"

#include <algorithm>

namespace fractile {

std::uint64_t subcells_for(std::uint64_t lattice_size) {
  constexpr std::uint64_t most = std::uint64_t{1} << 16;
  std::uint64_t subcells = most;
  while (subcells > 1 && lattice_size > Lattice::max_size / subcells) subcells /= 2;
  return subcells;
}

RankSpan whole_span(const RankProfile& profile, std::uint64_t subcells) {
  return {0, profile.records(), 0, profile.candidates() * subcells - 1};
}

SpanEntries::SpanEntries(const RankProfile& profile, const RankSpan& span)
    : profile_(&profile), first_(span.first_rank), last_(span.last_rank) {
  // The last entry that starts at or before the first rank; the search needs O(log distinct).
  std::size_t low = 0;
  std::size_t high = profile.distinct();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (profile.cumulative(middle + 1) <= first_) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  entry_ = low;
}

bool SpanEntries::next(Position& position, std::uint64_t& records) {
  if (first_ == last_ || entry_ == profile_->distinct() || profile_->cumulative(entry_) >= last_) return false;
  position = profile_->position(entry_);
  records = std::min(profile_->cumulative(entry_ + 1), last_) - std::max(profile_->cumulative(entry_), first_);
  ++entry_;
  return true;
}

SplitCursor::SplitCursor(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells,
                         QuantileFraction alpha)
    : entries_(profile, span), span_(span), subcells_(subcells), alpha_(alpha), at_(span.lowest) {}

/// The run of splits at_ .. end - 1.
bool SplitCursor::emit(Run& run, Split end, std::uint64_t below) {
  const std::uint64_t target = alpha_.numerator * span_.records();
  const std::uint64_t reached = alpha_.denominator * below;
  run = {at_, end - at_, reached > target ? reached - target : target - reached};
  run_below_ = below;
  at_ = end;
  return true;
}

/// False when no split of the span lies inside the cell: its records stay above all of them.
bool SplitCursor::open_cell(Position position, std::uint64_t records) {
  const Split cell = position / 2 * subcells_;
  cell_start_ = std::max(cell, span_.lowest);
  const Split cell_end = std::min(cell + subcells_, span_.highest);
  if (cell_start_ >= cell_end) return false;
  cell_records_ = records;
  cell_width_ = cell_end - cell_start_;
  cell_offset_ = 0;
  return true;
}

bool SplitCursor::next(Run& run) {
  while (!in_cell_) {
    Position position = 0;
    std::uint64_t records = 0;
    if (done_) return false;
    if (!entries_.next(position, records)) {
      done_ = true;
      return emit(run, span_.highest + 1, below_);
    }
    if (position % 2 == 1) {
      in_cell_ = open_cell(position, records);
      continue;
    }
    // Records between two candidates lie below the next candidate's first split.
    const Split boundary = position / 2 * subcells_;
    if (boundary > span_.highest) continue;
    const std::uint64_t below = below_;
    below_ += records;
    if (at_ < boundary) return emit(run, boundary, below);
  }
  const std::uint64_t passed = cell_records_ * cell_offset_ / cell_width_;
  const std::uint64_t next_offset = ((passed + 1) * cell_width_ + cell_records_ - 1) / cell_records_;
  cell_offset_ = std::min(next_offset, cell_width_);
  const std::uint64_t below = below_ + passed;
  if (cell_offset_ == cell_width_) {
    in_cell_ = false;
    below_ += cell_records_;
  }
  return emit(run, cell_start_ + cell_offset_, below);
}

std::uint64_t records_below(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells, Split split) {
  SplitCursor cursor(profile, span, subcells, {0, 1});
  for (Run run{}; cursor.next(run);) {
    if (split < run.start + run.length) break;
  }
  return cursor.records_below();
}

CandidateCursor::CandidateCursor(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells,
                                 QuantileFraction alpha)
    : entries_(profile, span),
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
