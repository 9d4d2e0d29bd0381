// Bisection on the pieces between windows, on which the loss never rises or never falls. Proof: docs/proofs/choosing.md
#include <algorithm>
#include <utility>

#include "exact/checkpoint.hpp"
#include "exact/own_environment.hpp"
#include "flow/algebra/real_roots.hpp"
#include "flow/loss/loss_model.hpp"
#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {
namespace {

using enum ServedRange::Answer;

/// Ranges in order; neighbors with equal answers are merged.
class Ranges {
 public:
  void add(const Rational& from, const Rational& to, ServedRange::Answer answer) {
    if (from >= to) return;
    if (!list_.empty() && list_.back().answer == answer) {
      list_.back().to = to;
    } else {
      list_.push_back({from, to, answer});
    }
  }
  std::vector<ServedRange> taken() && { return std::move(list_); }

 private:
  std::vector<ServedRange> list_;
};

/// Compares the loss at single odds, and throughout ranges of odds, with the target.
class Comparison {
 public:
  Comparison(const LossModel& model, const Rational& most, const std::function<bool()>& stop)
      : model_(model), most_(most), stop_(stop) {}

  ServedRange::Answer at(const Rational& odds) const {
    if (is_stopped()) return unknown;
    const ServedRange::Answer enclosed = of(model_.loss(Enclosure::of(odds, enclosure_bits)));
    if (enclosed != unknown || !is_soon_exact(odds)) return enclosed;
    return model_.exact_loss(odds) <= most_ ? served : not_served;
  }

  /// Useful only for narrow ranges, since enclosures on others are too wide.
  ServedRange::Answer throughout(const Rational& from, const Rational& to) const {
    if (is_stopped()) return unknown;
    return of(model_.loss(hull(Enclosure::of(from, enclosure_bits), Enclosure::of(to, enclosure_bits))));
  }

  bool is_stopped() const { return stop_ && stop_(); }

 private:
  ServedRange::Answer of(const Enclosure& loss) const {
    if (!loss.is_finite()) return unknown;
    const RealBounds bounds = bounds_of(loss);
    if (bounds.upper <= most_) return served;
    return bounds.lower > most_ ? not_served : unknown;
  }
  bool is_soon_exact(const Rational& odds) const {
    constexpr std::size_t most_people = 100;
    const Pipeline& pipeline = model_.pipeline();
    return pipeline.participants <= most_people && is_exact_at(pipeline, Odds(odds)) && model_.is_soon_exact(odds);
  }

  const LossModel& model_;
  const Rational& most_;
  const std::function<bool()>& stop_;
};

/// Narrows the pair around the place where `is_low` ceases to hold; it holds at `low` and not at `high`.
template <class IsLow>
void bisect(Rational& low, Rational& high, const IsLow& is_low) {
  while (high - low > low * ServedRange::narrow()) {
    checkpoint();
    const Rational middle = short_rational((low + high) / 2, low, high, (high - low) / 8);
    (is_low(middle) ? low : high) = middle;
  }
}

/// Adds a range on which the loss does not rise, or does not fall: first the answer is `before`, then perhaps unknown, then the
/// other answer.
void add_monotone(Ranges& ranges, const Comparison& compare, const Rational& from, const Rational& to,
                  ServedRange::Answer before) {
  const ServedRange::Answer after = before == served ? not_served : served;
  const ServedRange::Answer first = compare.at(from);
  const ServedRange::Answer last = compare.at(to);
  if (last == before) return ranges.add(from, to, before);
  if (first == after) return ranges.add(from, to, after);
  Rational before_until = from;
  Rational other = to;
  if (first == before) {
    bisect(before_until, other, [&](const Rational& odds) { return compare.at(odds) == before; });
    ranges.add(from, before_until, before);
  }
  Rational after_from = to;
  if (last == after) {
    if (first == before && compare.at(other) == after) {
      after_from = other;
    } else {
      Rational low = before_until;
      bisect(low, after_from, [&](const Rational& odds) { return compare.at(odds) != after; });
    }
  }
  ranges.add(before_until, after_from, unknown);
  if (last == after) ranges.add(after_from, to, after);
}

/// Adds a range on which it is unknown whether the loss rises: encloses the loss on its parts, as far as possible.
void add_any(Ranges& ranges, const Comparison& compare, const Rational& from, const Rational& to) {
  static const Rational widest(1, 1'000'000);
  if (from >= to) return;
  ranges.add(from, to, to - from <= from * widest ? compare.throughout(from, to) : unknown);
}

/// A part of the range on which the loss rises, or on which nothing is known. Elsewhere the loss never rises.
struct Stretch {
  Rational from;
  Rational to;
  bool rises;
};

std::vector<Stretch> stretches_of(const Windows& windows) {
  std::vector<Stretch> parts;
  for (const UnstableWindow& window : windows.windows) {
    parts.push_back({window.from.lower, window.from.upper, false});
    parts.push_back({window.from.upper, window.to.lower, true});
    parts.push_back({window.to.lower, window.to.upper, false});
  }
  for (const RealBounds& range : windows.undecided) parts.push_back({range.lower, range.upper, false});
  std::ranges::stable_sort(parts, {}, &Stretch::from);
  return parts;
}

/// Throws `usage` unless all lists cover the same range without a gap.
void require_one_range(const std::vector<std::vector<ServedRange>>& each) {
  for (const std::vector<ServedRange>& one : each) {
    bool is_whole =
        !one.empty() && one.front().from == each.front().front().from && one.back().to == each.front().back().to;
    for (std::size_t i = 0; i < one.size() && is_whole; ++i) {
      is_whole = one[i].from < one[i].to && (i == 0 || one[i - 1].to == one[i].from);
    }
    if (!is_whole) {
      throw Error(ErrorCode::usage, "the analysts' ranges do not cover the same odds",
                  "give what served_ranges() returns for each of them, over one range");
    }
  }
}

}  // namespace

const Rational& ServedRange::narrow() {
  static const Rational share(1, 1'000'000'000'000);
  return share;
}

const char* to_string(ServedRange::Answer answer) {
  switch (answer) {
    case served:
      return "served";
    case not_served:
      return "not-served";
    case unknown:
      break;
  }
  return "unknown";
}

std::vector<ServedRange> served_ranges(const Pipeline& pipeline, const Analyst& analyst, const Wanted& wanted,
                                       const OddsRange& range, const std::function<bool()>& stop) {
  const OwnEnvironment own;
  const auto& [from, to] = range;
  if (from < 1 || to <= from) throw Error(ErrorCode::usage, "a range of odds begins at 1 or more and increases");
  const LossModel model(pipeline, analyst);
  const Comparison compare(model, wanted.most_loss, stop);
  Ranges ranges;
  if (!pipeline.perturber.depends_on_epsilon()) {
    ranges.add(from, to, compare.at(Rational(1)));
    return std::move(ranges).taken();
  }
  const RealBounds without = loss_without_release(pipeline, analyst);
  if (without.upper <= wanted.most_loss) {  // no release makes an analyst lose more
    ranges.add(from, to, served);
    return std::move(ranges).taken();
  }
  if (!wanted.windows.are_all()) {
    add_any(ranges, compare, from, to);
    return std::move(ranges).taken();
  }
  Rational done = from;
  for (const Stretch& part : stretches_of(wanted.windows)) {
    const Rational begin = std::clamp(part.from, done, to);
    const Rational end = std::clamp(part.to, done, to);
    if (done < begin) add_monotone(ranges, compare, done, begin, not_served);
    if (part.rises && begin < end) {
      add_monotone(ranges, compare, begin, end, served);
    } else {
      add_any(ranges, compare, begin, end);
    }
    done = end;
  }
  if (done < to) add_monotone(ranges, compare, done, to, not_served);
  return std::move(ranges).taken();
}

std::vector<ServedRange> served_together(const std::vector<std::vector<ServedRange>>& each) {
  require_one_range(each);
  std::vector<Rational> ends;
  for (const std::vector<ServedRange>& one : each) {
    for (const ServedRange& range : one) {
      ends.push_back(range.from);
      ends.push_back(range.to);
    }
  }
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  Ranges ranges;
  std::vector<std::size_t> at(each.size());
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    ServedRange::Answer answer = served;
    for (std::size_t k = 0; k < each.size(); ++k) {
      while (at[k] + 1 < each[k].size() && each[k][at[k]].to <= ends[i]) ++at[k];
      const ServedRange::Answer here = each[k][at[k]].answer;
      if (answer == not_served || here == served) continue;
      answer = here;
    }
    ranges.add(ends[i], ends[i + 1], answer);
  }
  return std::move(ranges).taken();
}

}  // namespace fractile::flow
