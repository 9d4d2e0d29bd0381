// The part of a profile that one node of a recursion sees, and passes over it. Nothing is copied.
//
// Splits: between candidates and inside ties. Every candidate's cell is divided into `subcells` equal parts; split
// c * subcells + u lies in front of part u of cell c. A node spreads the e records that it has in a cell evenly over the
// parts that it has of that cell: floor(e (p - a) / (b - a)) of them lie below split p, a <= p <= b. So a tie of any size
// can be divided in any proportion, and one record more in the node is one record more in exactly one of the two sides of
// any split. Proof: docs/proofs/approximate_quantiles.md, lemma 2.
#pragma once

#include <cstdint>

#include "exact/majorant.hpp"
#include "fractile/ranks.hpp"

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

/// How many parts a cell has, from the lattice's size alone: 2^16, fewer when size * subcells would pass 2^62.
std::uint64_t subcells_for(std::uint64_t lattice_size);

/// All records and all splits.
RankSpan whole_span(const RankProfile& profile, std::uint64_t subcells);

/// Walks the records of a span in order of position.
class SpanEntries {
 public:
  SpanEntries(const RankProfile& profile, const RankSpan& span);
  /// The next position at which the span has records, and how many.
  bool next(Position& position, std::uint64_t& records);

 private:
  const RankProfile* profile_;
  std::uint64_t first_;
  std::uint64_t last_;
  std::size_t entry_;
};

/// Runs of splits with equally many records below; score |den * below - num * n|. Members are splits.
class SplitCursor {
 public:
  SplitCursor(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells, QuantileFraction alpha);
  bool next(Run& run);
  /// Records of the span below the run that next() gave last.
  std::uint64_t records_below() const { return run_below_; }

 private:
  bool open_cell(Position position, std::uint64_t records);
  bool emit(Run& run, Split end, std::uint64_t below);

  SpanEntries entries_;
  RankSpan span_;
  std::uint64_t subcells_;
  QuantileFraction alpha_;
  Split at_;
  std::uint64_t below_ = 0;
  std::uint64_t run_below_ = 0;
  // The cell whose records are being passed: `cell_records_` over `cell_width_` splits from `cell_start_`.
  std::uint64_t cell_records_ = 0;
  std::uint64_t cell_width_ = 0;
  std::uint64_t cell_offset_ = 0;
  Split cell_start_ = 0;
  bool in_cell_ = false;
  bool done_ = false;
};

/// Records of the span below `split`: those of the left side.
std::uint64_t records_below(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells, Split split);

/// Runs of candidates that see the same data, scored by interval_score. Members are candidates: those whose cells the
/// span's splits touch.
class CandidateCursor {
 public:
  CandidateCursor(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells, QuantileFraction alpha);
  bool next(Run& run);

 private:
  SpanEntries entries_;
  QuantileFraction alpha_;
  std::uint64_t records_;
  std::uint64_t at_;
  std::uint64_t end_;  // one past the last candidate
  std::uint64_t below_ = 0;
  std::uint64_t tied_ = 0;  // records on candidate tie_, when positive
  std::uint64_t tie_ = 0;
};

}  // namespace fractile
