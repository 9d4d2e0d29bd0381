#include "ranks/span.hpp"

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

TieOrder order_of(std::uint64_t subcells) { return TieOrder(std::countr_zero(subcells)); }

}  // namespace

SpanEntries::SpanEntries(const RankProfile& profile, std::uint64_t first, std::uint64_t last)
    : profile_(&profile),
      first_(first),
      last_(last),
      entry_(first_entry(0, profile.distinct(), [&](std::size_t k) { return profile.cumulative(k + 1) > first; })) {}

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

void ThresholdCursor::next_in_cell(Split& threshold, std::uint64_t& records) {
  while ((records = order_.in_part(tied_, part_)) == 0) part_ += stride_;
  records = std::min(records - skip_, left_);
  skip_ = 0;
  left_ -= records;
  threshold = cell_ + part_ + 1;
  part_ += stride_;
}

SplitCursor::SplitCursor(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells,
                         QuantileFraction alpha)
    : SplitCursor(profile, {span.first_rank, span.last_rank, span.lowest, span.highest + 1, 0, span.records()},
                  subcells, alpha) {}

SplitCursor::SplitCursor(const RankProfile& profile, const PassPart& part, std::uint64_t subcells,
                         QuantileFraction alpha)
    : thresholds_(profile, part.first_rank, part.last_rank, subcells),
      at_(part.at),
      end_(part.end),
      target_(uint128{alpha.numerator} * part.records),
      denominator_(alpha.denominator),
      below_(part.below) {}

std::uint64_t records_below(const RankProfile& profile, std::uint64_t subcells, Split split) {
  // Records before this candidate lie below the split, and some of those on it.
  const Position position = split / subcells * 2;
  const auto above = [&](std::size_t k) { return profile.position(k) > position; };
  return records_below(profile, subcells, split, first_entry(0, profile.distinct(), above));
}

std::uint64_t records_below(const RankProfile& profile, std::uint64_t subcells, Split split, std::size_t entry) {
  const std::uint64_t below = profile.cumulative(entry);
  if (entry == profile.distinct() || profile.position(entry) != split / subcells * 2 + 1) return below;
  return below + order_of(subcells).below(profile.count(entry), split % subcells);
}

CandidateCursor::CandidateCursor(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells,
                                 QuantileFraction alpha)
    : CandidateCursor(
          profile,
          {span.first_rank, span.last_rank, span.lowest / subcells, span.highest / subcells + 1, 0, span.records()},
          alpha) {}

CandidateCursor::CandidateCursor(const RankProfile& profile, const PassPart& part, QuantileFraction alpha)
    : entries_(profile, part.first_rank, part.last_rank),
      alpha_(alpha),
      records_(part.records),
      at_(part.at),
      end_(part.end),
      below_(part.below) {}

}  // namespace fractile
