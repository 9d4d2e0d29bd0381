// The part of a profile that one node of a recursion sees, and cursors that pass over it. Nothing is copied.
//
// Splits: between candidates and inside ties. Every candidate's cell is divided into `subcells` equal parts (a power of two); split
// c * subcells + u lies in front of part u of cell c. TieOrder assigns the records of a tie to parts. So every record has one first
// split above it, and a node's records are an interval of ranks.
// Proof: docs/proofs/approximate_quantiles.md, lemma 2.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "exact/majorant.hpp"
#include "fractile/ranks.hpp"
#include "ranks/scores.hpp"
#include "ranks/tie_order.hpp"

namespace fractile {

using Split = std::uint64_t;

/// Records first_rank <= rank < last_rank (in sorted order), splits lowest .. highest (both included).
struct RankSpan {
  std::uint64_t first_rank;
  std::uint64_t last_rank;
  Split lowest;
  Split highest;

  std::uint64_t records() const { return last_rank - first_rank; }
  friend auto operator<=>(const RankSpan&, const RankSpan&) = default;
};

/// The first of the entries low .. high - 1 for which `enough` holds, or high. If it holds for an entry, it holds for all later
/// ones.
template <std::integral Index, class Predicate>
Index first_entry(std::type_identity_t<Index> low, Index high, Predicate enough) {
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (enough(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// The same, searched for from `near` on, one of these entries: in steps that double, so that a good guess reads few entries.
template <std::integral Index, class Predicate>
Index first_entry_near(std::type_identity_t<Index> near, std::type_identity_t<Index> low, Index high,
                       Predicate enough) {
  Index step = 1;
  if (enough(near)) {
    for (high = near; low < high; step *= 2) {
      const Index before = high - std::min<Index>(step, high - low);
      if (!enough(before)) return first_entry(before + 1, high, enough);
      high = before;
    }
    return low;
  }
  for (low = near + 1; low < high; step *= 2) {
    const Index after = low + std::min<Index>(step, high - low) - 1;
    if (enough(after)) return first_entry(low, after, enough);
    low = after + 1;
  }
  return high;
}

/// The number of parts of a cell, a function of the lattice's size alone: 2^32, or fewer when size * subcells would exceed 2^62. Up
/// to 2^30 candidates, no two of fewer than 2^32 records share a part.
std::uint64_t subcells_for(std::uint64_t lattice_size);

/// All records and all splits.
RankSpan whole_span(const RankProfile& profile, std::uint64_t subcells);

/// Walks ranks first .. last - 1 in order of position.
class SpanEntries {
 public:
  SpanEntries(const RankProfile& profile, std::uint64_t first, std::uint64_t last);
  /// Sets the next position that has such records, and their number.
  bool next(Position& position, std::uint64_t& records);
  /// The records at the position that next() set last: all of them, and how many come before rank `first`.
  std::uint64_t tied() const { return profile_->count(entry_ - 1); }
  std::uint64_t skipped() const;

 private:
  const RankProfile* profile_;
  std::uint64_t first_;
  std::uint64_t last_;
  std::size_t entry_;
};

/// Walks ranks first .. last - 1 in the order of the first splits above them.
class ThresholdCursor {
 public:
  ThresholdCursor(const RankProfile& profile, std::uint64_t first, std::uint64_t last, std::uint64_t subcells);
  /// Sets the next split that is the first one above some of the records, and their number. The split may lie beyond all splits of
  /// the span.
  bool next(Split& threshold, std::uint64_t& records);

 private:
  void open_cell(Position position, std::uint64_t records);
  void next_in_cell(Split& threshold, std::uint64_t& records);

  SpanEntries entries_;
  TieOrder order_;
  // The cell whose records are being walked.
  Split cell_ = 0;
  std::uint64_t tied_ = 0;    // all records in the cell
  std::uint64_t left_ = 0;    // records in the cell that remain to be walked
  std::uint64_t part_ = 0;    // the next part
  std::uint64_t stride_ = 1;  // between parts that can hold records
  std::uint64_t skip_ = 0;    // records of part_ that are outside the ranks
};

/// A stretch of a pass: members at .. end - 1, the records between them, and what has been counted before.
struct PassPart {
  std::uint64_t first_rank;  ///< of the records between the first and the last member
  std::uint64_t last_rank;
  std::uint64_t at;
  std::uint64_t end;
  std::uint64_t below;    ///< records of the pass below the first member
  std::uint64_t records;  ///< of the whole pass
};

/// Runs of splits with equally many records below; score |den * below - num * n|. Members are splits.
class SplitCursor {
 public:
  SplitCursor(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells, QuantileFraction alpha);
  SplitCursor(const RankProfile& profile, const PassPart& part, std::uint64_t subcells, QuantileFraction alpha);
  bool next(Run& run);

 private:
  ThresholdCursor thresholds_;
  Split at_;
  Split end_;  // one past the highest split
  uint128 target_;
  std::uint64_t denominator_;
  std::uint64_t below_;
};

/// All records of the profile below `split`.
std::uint64_t records_below(const RankProfile& profile, std::uint64_t subcells, Split split);
/// The same, if `entry` is the profile's first entry on the split's candidate or above it.
std::uint64_t records_below(const RankProfile& profile, std::uint64_t subcells, Split split, std::size_t entry);

/// Runs of candidates that no record separates, scored by interval_score. Members are the candidates whose cells the span's splits
/// touch.
class CandidateCursor {
 public:
  CandidateCursor(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells, QuantileFraction alpha);
  CandidateCursor(const RankProfile& profile, const PassPart& part, QuantileFraction alpha);
  bool next(Run& run);

 private:
  SpanEntries entries_;
  QuantileFraction alpha_;
  std::uint64_t records_;
  std::uint64_t at_;
  std::uint64_t end_;  // one past the last candidate
  std::uint64_t below_;
  std::uint64_t tied_ = 0;  // records on candidate tie_; 0: no tie
  std::uint64_t tie_ = 0;
};

// The passes are in the header because they are short, and take most of a selection's time.

inline bool SpanEntries::next(Position& position, std::uint64_t& records) {
  if (first_ == last_ || entry_ == profile_->distinct() || profile_->cumulative(entry_) >= last_) return false;
  position = profile_->position(entry_);
  records = std::min(profile_->cumulative(entry_ + 1), last_) - std::max(profile_->cumulative(entry_), first_);
  ++entry_;
  return true;
}

inline bool ThresholdCursor::next(Split& threshold, std::uint64_t& records) {
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
  next_in_cell(threshold, records);
  return true;
}

inline bool SplitCursor::next(Run& run) {
  const Split start = at_;
  if (start == end_) return false;
  uint128 reached = 0;
  while (at_ == start) {
    Split threshold = end_;
    std::uint64_t records = 0;
    reached = uint128{denominator_} * below_;
    const bool more = thresholds_.next(threshold, records);
    at_ = more ? std::clamp(threshold, start, end_) : end_;
    below_ += records;
  }
  run = {start, at_ - start, saturated_distance(reached, target_)};
  return true;
}

inline bool CandidateCursor::next(Run& run) {
  if (tied_ > 0) {
    run = {tie_, 1, saturated_interval_score(alpha_, below_, tied_, records_)};
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
      run = {at_, candidate - at_, saturated_interval_score(alpha_, below, 0, records_)};
      at_ = candidate;
      return true;
    }
    if (tied_ > 0) return next(run);
  }
  if (at_ == end_) return false;
  run = {at_, end_ - at_, saturated_interval_score(alpha_, below_, 0, records_)};
  at_ = end_;
  return true;
}

}  // namespace fractile
