#include "quantiles/audit/enumerated_draws.hpp"

#include <cmath>
#include <map>

#include "exact/checkpoint.hpp"
#include "exact/law.hpp"
#include "exact/lists.hpp"
#include "fractile/error.hpp"
#include "quantiles/joint/joint_law.hpp"
#include "quantiles/stages/count_tree.hpp"

namespace fractile {

void EnumeratedDraws::run(const std::function<void()>& release,
                          const std::function<void(const Enclosure&, const std::vector<CountedNoise>&)>& visit) {
  way_.clear();
  do {
    checkpoint();
    at_ = 0;
    noises_.clear();
    release();
    if (at_ != way_.size()) throw Error(ErrorCode::internal, "a release that draws differently after the same draws");
    visit(way_.empty() ? Enclosure::of(Rational(1)) : way_.back().probability, noises_);
  } while (advance());
}

std::uint64_t EnumeratedDraws::select(const Selection& selection, const PreparedRate& rate) {
  return next([&] {
           const std::vector<Run> runs = selection.outcomes();
           const std::vector<Enclosure> masses = softmax_law(runs, rate.rate);
           return tabulated(runs.size(), [&](std::size_t k) { return Option{{runs[k].start}, masses[k]}; });
         })
      .front();
}

std::vector<Split> EnumeratedDraws::select(const JointSplits& splits) {
  return next([&] {
    std::map<std::vector<Split>, Enclosure> merged;
    for (const auto& [each, p] : joint_splits_law(splits.problem())) {
      const auto [at, fresh] = merged.try_emplace(splits.alike(each), p);
      if (!fresh) at->second += p;
    }
    return std::vector<Option>(merged.begin(), merged.end());
  });
}

void EnumeratedDraws::add_noise(const CountTreeNoise& noise, std::span<std::int64_t> counts) {
  noises_.push_back({noise.price(), {counts.begin(), counts.end()}});
}

namespace {

/// The probability that a count's noise is at least this much.
class NoiseTail {
 public:
  explicit NoiseTail(const CountTreeNoise& noise) : noise_(noise) {
    if (noise.measure() == Measure::zcdp) add_weights();
  }

  Enclosure operator()(std::int64_t least) const {
    const Enclosure one = Enclosure::of(Rational(1));
    if (least < 1) return one - (*this)(1 - least);  // by symmetry
    return noise_.measure() == Measure::pure ? of_laplace(least) : of_gaussian(least);
  }

 private:
  /// p^least / (1 + p), where p = exp(-rate).
  Enclosure of_laplace(std::int64_t least) const {
    const Enclosure p = exp_of_minus(noise_.rate());
    return exp_of_minus(noise_.rate() * Rational(least)) / (Enclosure::of(Rational(1)) + p);
  }

  /// Weights exp(-k^2 / (2 sigma^2)) from k = 0 to twenty deviations, and the weight beyond: it is less than the next weight
  /// divided by one minus the ratio of two successive weights.
  void add_weights() {
    const auto last = static_cast<std::int64_t>(20 * std::sqrt(noise_.sigma_squared().to_double())) + 20;
    const Rational twice = Rational(2) * noise_.sigma_squared();
    const auto weight = [&](std::int64_t k) { return exp_of_minus(Rational(k) * Rational(k) / twice); };
    for (std::int64_t k = 0; k <= last; ++k) weights_.push_back(weight(k));
    const Enclosure ratio = exp_of_minus(Rational(2 * last + 1) / twice);
    beyond_ = weight(last + 1) / (Enclosure::of(Rational(1)) - ratio);
  }

  Enclosure of_gaussian(std::int64_t least) const {
    Enclosure tail = Enclosure::of(Rational(0));
    Enclosure all = tail;
    for (std::size_t k = weights_.size(); k-- > 1;) {
      all += weights_[k];
      if (static_cast<std::int64_t>(k) >= least) tail += weights_[k];
    }
    arb_add_error(tail.arb(), beyond_.arb());
    arb_add_error(all.arb(), beyond_.arb());
    return tail / (all + all + weights_.front());
  }

  const CountTreeNoise& noise_;
  std::vector<Enclosure> weights_;
  Enclosure beyond_;
};

}  // namespace

std::size_t EnumeratedDraws::reached_borders(std::int64_t count, const CountTreeNoise& noise,
                                             const std::vector<std::int64_t>& borders) {
  return next([&] {
           const NoiseTail at_least(noise);
           std::vector<Option> options;
           Enclosure left = Enclosure::of(Rational(1));
           for (std::size_t i = 0; i < borders.size(); ++i) {
             const Enclosure further = at_least(borders[i] - count);
             options.push_back({{i}, left - further});
             left = further;
           }
           options.push_back({{borders.size()}, left});
           return options;
         })
      .front();
}

const std::vector<std::uint64_t>& EnumeratedDraws::next(const std::function<std::vector<Option>()>& options) {
  if (at_ == way_.size()) {
    way_.push_back({options(), 0, {}});
    take(at_, 0);
  }
  const Step& step = way_[at_++];
  return step.options[step.taken].first;
}

void EnumeratedDraws::take(std::size_t step, std::size_t option) {
  way_[step].taken = option;
  way_[step].probability = way_[step].options[option].second;
  if (step > 0) way_[step].probability *= way_[step - 1].probability;
}

/// Goes to the next course; false when all were taken.
bool EnumeratedDraws::advance() {
  while (!way_.empty() && way_.back().taken + 1 == way_.back().options.size()) way_.pop_back();
  if (way_.empty()) return false;
  take(way_.size() - 1, way_.back().taken + 1);
  return true;
}

}  // namespace fractile
