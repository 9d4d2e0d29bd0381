// The only access to random bits inside a release: every draw is charged to the release's odometer, at the rate that it uses, and
// only then made by a source. A source draws at random or follows a script. So the same code can be sampled, and its exact law can
// be enumerated.
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
#include "exact/uncopied.hpp"
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

/// A selection of a member with probability proportional to exp(-rate * score), independent of the source that draws it.
class Selection : Uncopied {
 public:
  virtual ~Selection() = default;

  /// All members, in runs of one score. Whichever member of a run is drawn, the rest of the release has the same law.
  virtual std::vector<Run> outcomes() const = 0;

 private:
  friend class RandomSource;
  virtual std::uint64_t draw(const PreparedRate& rate, RandomBits& bits, Filter filter) const = 0;
};

/// One member per score, or as many as `lengths` says.
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

/// Few runs, passed one by one. `Outcomes` is a function without arguments that lists them for a script.
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
  ListedRuns& runs_;  // reused by later selections
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
class JointSplits : Uncopied {
 public:
  virtual ~JointSplits() = default;

  virtual const JointProblem& problem() const = 0;
  /// Splits after which the rest of the release has the same law as after these.
  virtual std::vector<Split> alike(std::vector<Split> splits) const = 0;
};

/// Makes draws. Only Draws calls it.
class DrawSource : Uncopied {
 public:
  virtual ~DrawSource() = default;

  /// One separate source for each of this many pieces of work. Their draws are independent, and threads may make them at once.
  /// Empty where draws must come one after the other, as in a script.
  virtual std::vector<std::unique_ptr<DrawSource>> split(std::size_t /*pieces*/) { return {}; }

 private:
  friend class PaidPart;
  virtual std::uint64_t select(const Selection& selection, const PreparedRate& rate) = 0;
  virtual std::vector<Split> select(const JointSplits& splits) = 0;
  /// Adds independent noise to every count; the sums are clamped to +-2^61.
  virtual void add_noise(const CountTreeNoise& noise, std::span<std::int64_t> counts) = 0;
  /// How many of the increasing borders the count plus noise reaches.
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

/// A rate with the cost of a draw at that rate. The part that will be charged makes it.
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

  /// These draws come after all earlier draws of the part. Each throws `internal` before a draw that the part's share does not
  /// cover.
  std::uint64_t select(const Selection& selection, const SelectionPrice& price);
  /// In parallel with all other draws of the part: every record is in one of them.
  std::uint64_t select_beside(const Selection& selection, const PricedRate& priced);
  /// The rate of the problem must be that of the price.
  std::vector<Split> select_beside(const JointSplits& splits, const SelectionPrice& price);
  /// Adds noise to the counts of levels that have these numbers of nodes. Every record is in one node of each level.
  void add_noise(const CountTreeNoise& noise, const std::vector<std::size_t>& levels, std::span<std::int64_t> counts);
  /// How many of the increasing borders the count plus noise reaches; a record moves the count by at most 1. This draw comes after
  /// all other draws of the part.
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

/// The draws of a release, and their odometer.
class Draws {
 public:
  Draws(DrawSource& source, Odometer& odometer) : source_(source), odometer_(odometer) {}

  PaidPart begin(std::string on, Share share) {
    return {source_, odometer_, odometer_.begin(std::move(on), std::move(share))};
  }
  /// Begins a part with a number of selections that is fixed beforehand.
  PaidPart begin_composition(std::string on, Share share, std::size_t selections) {
    return {source_, odometer_, odometer_.begin_composition(std::move(on), std::move(share), selections)};
  }

 private:
  DrawSource& source_;
  Odometer& odometer_;
};

}  // namespace fractile
