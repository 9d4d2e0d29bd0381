// For tests: pipelines whose windows are enclosed.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "flow/windows/cell_losses.hpp"
#include "flow/windows/enclose.hpp"
#include "flow/windows/isolate.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {

/// A pipeline that counts answers of a target and of known others. histogram[i] of the others have the value i.
inline Pipeline counting_among(const Perturber& perturber, const std::vector<std::uint64_t>& histogram,
                               std::vector<std::size_t> counted) {
  std::size_t participants = 1;
  for (const std::uint64_t people : histogram) participants += people;
  Pipeline pipeline = pipeline_of(participants, perturber, counting(std::move(counted)));
  pipeline.secret = Secret::target_among(histogram, participants);
  return pipeline;
}

inline Pipeline adding_among(const Perturber& perturber, const std::vector<std::uint64_t>& histogram,
                             const std::vector<Rational>& values) {
  Pipeline pipeline = counting_among(perturber, histogram, {});
  pipeline.post = summing();
  pipeline.values = values;
  return pipeline;
}

/// The known values are skewed, so that only few of the many totals are likely.
inline Pipeline skewed(std::size_t participants) {
  return adding_among(Perturber::randomized_response(3), {participants - 1 - participants / 4, participants / 4, 0},
                      {0, 1, 5});
}

inline Analyst with_losses(const Matrix& losses) {
  Analyst analyst;
  analyst.goal = Analyst::Goal::matrix;
  analyst.losses = losses;
  return analyst;
}

/// An analyst with a prior in proportion to these weights, and with losses by value and action.
inline Analyst with_weights(const std::vector<int>& prior, const Matrix& losses) {
  Analyst analyst = with_losses(losses);
  int sum = 0;
  for (const int weight : prior) sum += weight;
  std::vector<Rational> shares;
  shares.reserve(prior.size());
  for (const int weight : prior) shares.emplace_back(weight, sum);
  analyst.prior = Prior(shares);
  return analyst;
}

struct Case {
  Pipeline pipeline;
  Analyst analyst;
};

/// Draws test cases, never values that are released.
class Draws {
 public:
  explicit Draws(std::uint32_t seed) : engine_(seed) {}
  unsigned operator()(unsigned from, unsigned to) { return from + static_cast<unsigned>(engine_() % (to - from + 1)); }

 private:
  std::mt19937 engine_;
};

/// One value is much likelier than the others, so that the best action is often the same after all likely observations.
struct Skewed {
  std::vector<std::uint64_t> histogram;
  Perturber perturber;
  Analyst analyst;

  std::size_t values() const { return histogram.size(); }
};
inline Skewed drawn_skewed(Draws& draw, unsigned fewest, unsigned most) {
  const unsigned values = draw(2, 4);
  std::vector<std::uint64_t> histogram(values);
  std::vector<int> prior(values);
  std::vector<std::vector<Rational>> losses(values);
  for (std::size_t x = 0; x < values; ++x) {
    histogram[x] = draw(0, 2);
    prior[x] = static_cast<int>(draw(1, 4));
    for (std::size_t w = 0; w < values; ++w) losses[x].emplace_back(static_cast<std::int64_t>(draw(0, 30)));
  }
  histogram[draw(0, values - 1)] = draw(fewest, most);
  prior[draw(0, values - 1)] = static_cast<int>(draw(10, 80));
  const Perturber perturber = draw(0, 3) > 0 ? Perturber::geometric(values) : Perturber::randomized_response(values);
  return {histogram, perturber, with_weights(prior, Matrix::of(losses))};
}

/// All windows, isolated or enclosed, even where find_windows() would choose the other way.
inline std::vector<UnstableWindow> isolate(const Pipeline& pipeline, const Analyst& analyst, const Rational& from,
                                           const Rational& to) {
  return isolated_windows(LossModel(pipeline, analyst), from, to);
}
inline Windows enclose(const Pipeline& pipeline, const Analyst& analyst, const Rational& from, const Rational& to) {
  const LossModel model(pipeline, analyst);
  return enclosed_windows(model, cell_losses(model).value(), from, to);
}

inline Rational width_of(const std::vector<RealBounds>& ranges) {
  Rational sum;
  for (const RealBounds& range : ranges) sum += range.upper - range.lower;
  return sum;
}

/// How enclosed windows differ from isolated windows, outside what is undecided; "" if they do not differ. At most a hundredth of the
/// range may be undecided.
inline std::string difference_of(const Windows& enclosed, const std::vector<UnstableWindow>& exact,
                                 const Rational& from, const Rational& to) {
  if (width_of(enclosed.undecided) * 100 > to - from) return "too much is undecided";
  const auto in_undecided = [&](const RealBounds& end) {
    return std::ranges::any_of(enclosed.undecided, [&](const RealBounds& range) {
      return range.lower <= end.lower && end.upper <= range.upper;
    });
  };
  std::size_t found = 0;
  for (const UnstableWindow& window : exact) {
    const auto same = std::ranges::find_if(enclosed.windows, [&](const UnstableWindow& other) {
      return other.from.lower <= window.from.upper && window.from.lower <= other.from.upper;
    });
    if (same == enclosed.windows.end()) {
      if (!in_undecided(window.from) || !in_undecided(window.to)) return "a window is missing";
      continue;
    }
    ++found;
    if (window.to.upper < same->to.lower || same->to.upper < window.to.lower) return "a window ends elsewhere";
    if (!same->proof) return "a window has no proof";
  }
  return found == enclosed.windows.size() ? "" : "a window is none";
}

/// For use within RapidCheck or without it. A case proves nothing if too much of it is undecided, for example because the loss is
/// constant. Then RapidCheck draws another case, and gives up if this happens to nearly all cases.
inline void expect_the_same(const Pipeline& pipeline, const Analyst& analyst, const Rational& from,
                            const Rational& to) {
  const std::string difference =
      difference_of(enclose(pipeline, analyst, from, to), isolate(pipeline, analyst, from, to), from, to);
  if (difference == "too much is undecided") RC_DISCARD(difference);
  RC_ASSERT(difference == "");
}

}  // namespace fractile::flow
