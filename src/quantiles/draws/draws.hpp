// The only way to random bits inside a release: every draw is charged to the release's odometer, at the rate that it uses, and
// only then made by a source. A source draws at random, or follows a script, so that the same release can be sampled and its exact
// law be enumerated.
// Proof: docs/proofs/odometer.md
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "exact/filter.hpp"
#include "exact/majorant.hpp"
#include "exact/tiled_selection.hpp"
#include "fractile/exact.hpp"
#include "quantiles/draws/odometer.hpp"
#include "ranks/span.hpp"

namespace fractile {

struct JointProblem;
class CountTreeNoise;

/// A rate as selections use it.
struct PreparedRate {
  Exponent rate;
  RateBounds bounds;
  explicit PreparedRate(const Exponent& r) : rate(r), bounds(RateBounds::of(r)) {}
};

/// A selection of a member with probability proportional to exp(-rate * score), for whatever source draws it.
class Selection {
 public:
  Selection() = default;
  Selection(const Selection&) = delete;
  Selection& operator=(const Selection&) = delete;
  virtual ~Selection() = default;

  /// All members, in runs of one score: whatever member of a run is drawn, the release goes on with the same law.
  virtual std::vector<Run> outcomes() const = 0;

 private:
  friend class RandomSource;
  virtual std::uint64_t draw(const PreparedRate& rate, RandomBits& bits, Filter filter) const = 0;
};

/// One member per score, or as many as `lengths` has.
class ScoredSelection : public Selection {
 public:
  explicit ScoredSelection(std::vector<std::uint64_t> scores, std::vector<std::uint64_t> lengths = {})
      : scores_(std::move(scores)), lengths_(std::move(lengths)) {}
  std::vector<Run> outcomes() const override;

 private:
  std::uint64_t draw(const PreparedRate& rate, RandomBits& bits, Filter filter) const override;

  std::vector<std::uint64_t> scores_;
  std::vector<std::uint64_t> lengths_;
};

/// Few runs, passed one by one. `Outcomes` tells them to a script: a function without arguments.
template <RunCursor Cursor, class Outcomes>
class ListedSelection : public Selection {
 public:
  ListedSelection(Cursor cursor, ListedRuns& runs, Outcomes outcomes)
      : cursor_(std::move(cursor)), runs_(runs), outcomes_(std::move(outcomes)) {}
  std::vector<Run> outcomes() const override { return outcomes_(); }

 private:
  std::uint64_t draw(const PreparedRate& rate, RandomBits& bits, Filter filter) const override {
    runs_.list(cursor_);
    return runs_.draw(rate.rate, rate.bounds, bits, filter);
  }

  Cursor cursor_;
  ListedRuns& runs_;  // to be used again and again
  Outcomes outcomes_;
};

/// Many runs, a tile at a time.
template <RunTiles Tiles, class Outcomes>
class TileSelection : public Selection {
 public:
  TileSelection(Tiles tiles, Outcomes outcomes) : tiles_(std::move(tiles)), outcomes_(std::move(outcomes)) {}
  std::vector<Run> outcomes() const override { return outcomes_(); }

 private:
  std::uint64_t draw(const PreparedRate& rate, RandomBits& bits, Filter filter) const override {
    return TiledSelection<Tiles>(tiles_, rate.rate, rate.bounds).draw(bits, filter);
  }

  Tiles tiles_;
  Outcomes outcomes_;
};

/// Several splits at once.
class JointSplits {
 public:
  JointSplits() = default;
  JointSplits(const JointSplits&) = delete;
  JointSplits& operator=(const JointSplits&) = delete;
  virtual ~JointSplits() = default;

  virtual const JointProblem& problem() const = 0;
  /// Splits with which the release goes on with the same law.
  virtual std::vector<Split> alike(std::vector<Split> splits) const = 0;
};

/// Makes draws, for Draws alone.
class DrawSource {
 public:
  DrawSource() = default;
  DrawSource(const DrawSource&) = delete;
  DrawSource& operator=(const DrawSource&) = delete;
  virtual ~DrawSource() = default;

  /// Sources of their own for this many pieces of work, with independent draws that threads may make at once; none where draws follow one
  /// another, as those of a script do.
  virtual std::vector<std::unique_ptr<DrawSource>> split(std::size_t /*pieces*/) { return {}; }

 private:
  friend class PaidPart;
  virtual std::uint64_t select(const Selection& selection, const PreparedRate& rate) = 0;
  virtual std::vector<Split> select(const JointSplits& splits) = 0;
  /// Adds noise of its own to every count; the sums are clamped to +-2^61.
  virtual void add_noise(const CountTreeNoise& noise, std::span<std::int64_t> counts) = 0;
  /// How many of the increasing borders the count reaches when it has noise.
  virtual std::size_t reached_borders(std::int64_t count, const CountTreeNoise& noise,
                                      const std::vector<std::int64_t>& borders) = 0;
};

/// Draws from random bits.
class RandomSource : public DrawSource {
 public:
  explicit RandomSource(RandomBits& bits, Filter filter = {}) : bits_(bits), filter_(filter) {}
  std::vector<std::unique_ptr<DrawSource>> split(std::size_t pieces) override;

 private:
  std::uint64_t select(const Selection& selection, const PreparedRate& rate) override;
  std::vector<Split> select(const JointSplits& splits) override;
  void add_noise(const CountTreeNoise& noise, std::span<std::int64_t> counts) override;
  std::size_t reached_borders(std::int64_t count, const CountTreeNoise& noise,
                              const std::vector<std::int64_t>& borders) override;

  RandomBits& bits_;
  Filter filter_;
};

/// A rate with what a draw at that rate costs: made by the part that is to be charged.
class PricedRate {
 private:
  friend class PaidPart;
  PricedRate(const Exponent& rate, Quote quote) : rate_(rate), quote_(std::move(quote)) {}

  PreparedRate rate_;
  Quote quote_;
};

/// A part of a release: draws that are paid for, with its share of the budget.
class PaidPart {
 public:
  PricedRate priced(const SelectionPrice& price) { return {price.rate, odometer_->quote(price)}; }

  /// After all other draws of the part. Each throws `internal` instead of a draw that is not covered.
  std::uint64_t select(const Selection& selection, const SelectionPrice& price);
  /// Beside all other draws of the part.
  std::uint64_t select_beside(const Selection& selection, const PricedRate& priced);
  /// The problem's rate must be that of the price.
  std::vector<Split> select_beside(const JointSplits& splits, const SelectionPrice& price);
  /// Noise for the counts of levels of this many nodes each: every record is in one node of a level.
  void add_noise(const CountTreeNoise& noise, const std::vector<std::size_t>& levels, std::span<std::int64_t> counts);
  /// How many of the increasing borders a count reaches when it has noise; a record moves the count by at most 1. After all other draws
  /// of the part.
  std::size_t reached_borders(std::int64_t count, const CountTreeNoise& noise,
                              const std::vector<std::int64_t>& borders);

 private:
  friend class Draws;
  PaidPart(DrawSource& source, Odometer& odometer, std::size_t part)
      : source_(&source), odometer_(&odometer), part_(part) {}

  DrawSource* source_;
  Odometer* odometer_;
  std::size_t part_;
};

/// What a release draws with.
class Draws {
 public:
  Draws(DrawSource& source, Odometer& odometer) : source_(source), odometer_(odometer) {}

  PaidPart begin(std::string on, Share share) {
    return {source_, odometer_, odometer_.begin(std::move(on), std::move(share))};
  }
  /// For this many selections, which are fixed beforehand.
  PaidPart begin_composition(std::string on, Share share, std::size_t selections) {
    return {source_, odometer_, odometer_.begin_composition(std::move(on), std::move(share), selections)};
  }

 private:
  DrawSource& source_;
  Odometer& odometer_;
};

}  // namespace fractile
