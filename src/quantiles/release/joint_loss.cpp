// Sums of products of positive numbers like those of JointForward, but from known ranks and with bounds in both directions. Nothing
// is subtracted, so the number of operations bounds the relative error of every sum.
#include "quantiles/release/joint_loss.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "exact/enclosure.hpp"
#include "ranks/span.hpp"

namespace fractile {
namespace {

/// Neighboring splits of one candidate, or of candidates without records, with equally many records below.
struct Atom {
  std::int64_t rank;
  double mass;          ///< of the base measure, which has total mass 1
  std::uint64_t below;  ///< with the next member: records below the candidate, and at or below it
  std::uint64_t upto;
};

/// Unnormalized probabilities: of all selections, and of those that count. For the loss "missed by more", selections that miss by
/// no more count; for missed records, each selection counts times the records that it misses.
struct Weight {
  double all = 0;
  double counted = 0;

  Weight& operator+=(const Weight& other) {
    all += other.all;
    counted += other.counted;
    return *this;
  }
  friend Weight operator+(Weight a, const Weight& b) { return a += b; }
  friend Weight operator*(double factor, const Weight& weight) {
    return {factor * weight.all, factor * weight.counted};
  }
};

/// exp(-rate k) for k = 0, 1, ..., until it underflows to 0.
class Powers {
 public:
  explicit Powers(const Exponent& rate) : rate_(rate.coefficient()) {
    constexpr double least_log = 745;
    const double base = of_share(1);
    const auto size = static_cast<std::size_t>(least_log / rate_.to_double()) + 2;
    powers_.reserve(size);
    for (double power = 1; powers_.size() < size; power *= base) powers_.push_back(power);
  }

  double at(std::int64_t k) const {
    return static_cast<std::size_t>(k) < powers_.size() ? powers_[static_cast<std::size_t>(k)] : 0;
  }
  /// exp(-rate share), correct up to its last bit.
  double of_share(const Rational& share) const { return exp_of_minus(rate_ * share).to_double(); }
  std::size_t size() const { return powers_.size(); }

 private:
  Rational rate_;
  std::vector<double> powers_;
};

/// exp(-rate |g - target|) for whole numbers g, where target = whole + share.
class Kernel {
 public:
  Kernel(const Powers& powers, std::uint64_t total, std::uint64_t weight, std::uint64_t denominator)
      : powers_(powers), whole_(static_cast<std::int64_t>(uint128{total} * weight / denominator)) {
    const auto rest = static_cast<std::int64_t>(uint128{total} * weight % denominator);
    const Rational share = Rational(rest) / Rational(denominator);
    up_to_ = powers.of_share(share);
    beyond_ = powers.of_share(Rational(1) - share);
  }

  std::int64_t whole() const { return whole_; }
  /// The factor of exp(-rate k) for g = whole - k, and for g = whole + 1 + k.
  double up_to() const { return up_to_; }
  double beyond() const { return beyond_; }
  double at(std::int64_t g) const {
    return g <= whole_ ? powers_.at(whole_ - g) * up_to_ : powers_.at(g - whole_ - 1) * beyond_;
  }

 private:
  const Powers& powers_;
  std::int64_t whole_;
  double up_to_;
  double beyond_;
};

/// Ranks from .. to.
struct RankRange {
  std::int64_t from;
  std::int64_t to;
  std::size_t size() const { return static_cast<std::size_t>(to - from + 1); }
};

/// For each rank b: the sum over lower ranks b' of a given weight times exp(-rate |b - b' - target|).
class GapSums {
 public:
  GapSums(const Powers& powers, const Kernel& kernel, const RankRange& ranks, const std::vector<Weight>& weights)
      : powers_(powers), kernel_(kernel), ranks_(ranks), wide_(ranks.size()), block_(kernel.whole()) {
    for (std::size_t i = 0; i < wide_.size(); ++i) {
      wide_[i] = i == 0 ? weights[i] : weights[i] + powers.at(1) * wide_[i - 1];
    }
    if (block_ == 0) return;
    to_block_end_ = weights;
    from_block_begin_ = weights;
    const auto block = static_cast<std::size_t>(block_);
    for (std::size_t i = weights.size() - 1; i-- > 0;) {
      if ((i + 1) % block != 0) to_block_end_[i] += powers.at(1) * to_block_end_[i + 1];
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (i % block != 0) {
        from_block_begin_[i] = from_block_begin_[i - 1] + powers.at(static_cast<std::int64_t>(i % block)) * weights[i];
      }
    }
  }

  Weight at(std::int64_t rank) const { return kernel_.beyond() * beyond(rank) + kernel_.up_to() * up_to(rank); }

 private:
  /// Gaps of more than the target.
  Weight beyond(std::int64_t rank) const {
    const std::int64_t last = rank - block_ - 1 - ranks_.from;
    if (last < 0) return {};
    const auto end = static_cast<std::int64_t>(wide_.size()) - 1;
    return last <= end ? wide_[static_cast<std::size_t>(last)] : powers_.at(last - end) * wide_.back();
  }

  /// Gaps of 1 .. the target's whole part: a window of as many ranks, which lies in at most two blocks.
  Weight up_to(std::int64_t rank) const {
    if (block_ == 0) return {};
    const std::int64_t begin = rank - block_ - ranks_.from;
    const std::int64_t first = std::max<std::int64_t>(begin, 0);
    const std::int64_t last = std::min<std::int64_t>(begin + block_ - 1, static_cast<std::int64_t>(wide_.size()) - 1);
    if (first > last) return {};
    const double factor = powers_.at(first - begin);
    const std::int64_t block = last / block_ * block_;
    if (first >= block) {
      const auto& sums = first == block ? from_block_begin_ : to_block_end_;
      return factor * sums[static_cast<std::size_t>(first == block ? last : first)];
    }
    return factor * (to_block_end_[static_cast<std::size_t>(first)] +
                     powers_.at(block - first) * from_block_begin_[static_cast<std::size_t>(last)]);
  }

  const Powers& powers_;
  const Kernel& kernel_;
  RankRange ranks_;
  std::vector<Weight> wide_;  ///< from the first rank on, times exp(-rate distance)
  std::int64_t block_;        ///< ranks
  std::vector<Weight> to_block_end_;
  std::vector<Weight> from_block_begin_;
};

class JointLoss {
 public:
  JointLoss(const JointProblem& problem, const std::vector<Rational>& quantiles, const ReleaseAnalyst& analyst)
      : problem_(problem),
        analyst_(analyst),
        powers_(problem.rate),
        rate_(problem.rate.coefficient().to_double()),
        records_(static_cast<std::int64_t>(problem.span.records())) {
    for (const Rational& quantile : quantiles) alphas_.push_back(QuantileFraction::of(quantile));
  }

  std::optional<LossBounds> bounds() {
    // Selections that cost more than reach_ / rate are left out. At one total, their weight is at most exp(-reach_) divided by the
    // number of permutations of the quantiles.
    const double quantiles = static_cast<double>(alphas_.size());
    reach_ = std::log(totals()) + quantiles * std::log(std::max(2.0, records() * std::min(rate_, 1.0))) + 30;
    for (int tries = 0; tries < 4; ++tries) {
      look_around();
      if (takes_long()) return {};
      const Weight near = sum_near();
      if (!(near.all > 1e-290)) return {};
      const double rest =
          far_ + 1.01 * dropped_ + (2 + quantiles) * totals() * std::exp(-reach_ - std::lgamma(quantiles + 1)) * 1.01;
      if (rest <= near.all * 1e-7) return bounds_from(near, rest);
      reach_ += std::log(rest / near.all) + 25;
    }
    return {};
  }

 private:
  double records() const { return static_cast<double>(records_); }
  double totals() const { return problem_.totals ? static_cast<double>(problem_.totals->last_index() + 1) : 1; }
  bool is_mean() const { return analyst_.loss == ReleaseAnalyst::Loss::missed_records; }

  // --- What is looked at ----------------------------------------------------------------------------------------------

  void look_around() {
    reach_ranks_ = static_cast<std::int64_t>(std::min(reach_ / rate_ * (1 + 1e-9) + 2, 0x1p50));
    const std::int64_t reach = std::min(reach_ranks_, records_ + 1);  // records_ + 1 reaches everywhere
    windows_.clear();
    for (const QuantileFraction& alpha : alphas_) {
      const auto at = static_cast<std::int64_t>(uint128{alpha.numerator} * problem_.span.records() / alpha.denominator);
      windows_.push_back({std::max<std::int64_t>(at - reach, 0), std::min(at + 1 + reach, records_)});
    }
    atoms_.clear();
    std::int64_t done = -1;  // ranks
    for (std::size_t i = 0; i < windows_.size();) {
      RankRange joined = windows_[i];
      for (; i < windows_.size() && windows_[i].from <= joined.to + 1; ++i)
        joined.to = std::max(joined.to, windows_[i].to);
      add_atoms({std::max(joined.from, done + 1), joined.to});
      done = joined.to;
    }
    parts_.clear();
    costs_.clear();
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      const auto first = std::ranges::lower_bound(atoms_, windows_[i].from, {}, &Atom::rank);
      const auto last = std::ranges::upper_bound(atoms_, windows_[i].to, {}, &Atom::rank);
      parts_.emplace_back(first - atoms_.begin(), last - atoms_.begin());
      costs_.emplace_back();
      for (auto atom = first; atom != last; ++atom) costs_.back().push_back(cost_of(i, *atom));
    }
  }

  /// Whether the computation would take more than seconds.
  bool takes_long() const {
    constexpr double most = 3e8;  // ranks and atoms, of all quantiles and totals
    double size = 0;
    for (std::size_t i = 0; i < windows_.size(); ++i) size += static_cast<double>(windows_[i].size() + size_of(i));
    const double near = problem_.totals ? 80 / (rate_ * static_cast<double>(problem_.totals->step)) + 60 : 1;
    return size * near > most;
  }

  /// The number of records that are missed; or, for the other loss, 0 if it is at most `than` and 1 otherwise.
  double cost_of(std::size_t quantile, const Atom& atom) const {
    const QuantileFraction& alpha = alphas_[quantile];
    const std::uint64_t score = interval_score(alpha, atom.below, atom.upto - atom.below, problem_.span.records());
    if (is_mean()) return static_cast<double>(score) / static_cast<double>(alpha.denominator);
    return uint128{score} > uint128{analyst_.tolerance} * alpha.denominator ? 1 : 0;
  }

  void add_atoms(const RankRange& ranks) {
    const Split end = problem_.span.highest + 1;
    std::int64_t rank = ranks.from;
    Split at = problem_.span.lowest;
    const std::int64_t first = std::max<std::int64_t>(ranks.from - 1, 0);
    ThresholdCursor thresholds(problem_.profile, static_cast<std::uint64_t>(first),
                               static_cast<std::uint64_t>(records_), problem_.subcells);
    Split threshold = 0;
    std::uint64_t passed = 0;
    if (ranks.from > 0) {
      thresholds.next(threshold, passed);
      at = threshold;
      rank = first + static_cast<std::int64_t>(passed);
    }
    while (rank <= ranks.to && at < end) {
      const bool is_more = thresholds.next(threshold, passed);
      const Split next = is_more ? std::min(threshold, end) : end;
      add_run(at, next, rank);
      if (!is_more) break;
      at = next;
      rank += static_cast<std::int64_t>(passed);
    }
  }

  /// Splits from .. to - 1, all with this many records below.
  void add_run(Split from, Split to, std::int64_t rank) {
    if (from >= to) return;
    const std::uint64_t first = from / problem_.subcells;
    const std::uint64_t last = (to - 1) / problem_.subcells;
    const auto border = [&](std::uint64_t candidate) { return candidate * problem_.subcells; };
    add_atom(from, std::min(to, border(first + 1)), rank, first);
    if (last > first + 1) {
      const auto below = static_cast<std::uint64_t>(rank);
      atoms_.push_back({rank, mass(border(first + 1), border(last)), below, below});
    }
    if (last > first) add_atom(border(last), to, rank, last);
  }
  void add_atom(Split from, Split to, std::int64_t rank, std::uint64_t candidate) {
    const std::uint64_t below = problem_.profile.below(candidate);
    atoms_.push_back({rank, mass(from, to), below, below + problem_.profile.equal(candidate)});
  }
  double mass(Split from, Split to) const {
    return static_cast<double>(problem_.base.mass(from, to)) / static_cast<double>(problem_.base.total());
  }

  // --- The sums ---------------------------------------------------------------------------------------------------------

  /// The weight with one more quantile, at an atom of its window.
  Weight placed(std::size_t quantile, std::size_t i, const Weight& before) const {
    const double mass = atoms_[parts_[quantile].first + i].mass;
    const double cost = costs_[quantile][i];
    if (is_mean()) return {mass * before.all, mass * (before.counted + before.all * cost)};
    return {mass * before.all, cost > 0 ? 0 : mass * before.counted};
  }

  std::size_t size_of(std::size_t quantile) const {
    return static_cast<std::size_t>(parts_[quantile].second - parts_[quantile].first);
  }

  /// Sums over all selections within the windows, at one total.
  Weight sum_at(std::uint64_t total) const {
    const JointTarget& target = problem_.target;
    const auto kernel = [&](std::size_t cell) {
      return Kernel(powers_, total, target.weights[cell], target.denominator);
    };
    // Indexed by the number of quantiles at an atom, and by atom; the current quantile is the last of these.
    std::vector<std::vector<Weight>> tied(1, std::vector<Weight>(size_of(0)));
    const Kernel begin = kernel(0);
    for (std::size_t i = 0; i < size_of(0); ++i) {
      const double here = begin.at(atoms_[parts_[0].first + i].rank);
      tied[0][i] = placed(0, i, {here, is_mean() ? 0 : here});
    }
    for (std::size_t quantile = 1; quantile < alphas_.size(); ++quantile) {
      tied = after(tied, quantile, kernel(quantile));
    }
    const Kernel last = kernel(alphas_.size());
    const std::size_t quantile = alphas_.size() - 1;
    Weight sum;
    for (std::size_t i = 0; i < size_of(quantile); ++i) {
      const double gap = last.at(records_ - atoms_[parts_[quantile].first + i].rank);
      for (const std::vector<Weight>& some : tied) sum += gap * some[i];
    }
    return sum;
  }

  std::vector<std::vector<Weight>> after(const std::vector<std::vector<Weight>>& tied, std::size_t quantile,
                                         const Kernel& kernel) const {
    const std::size_t before = quantile - 1;
    const std::size_t offset = parts_[before].first;
    std::vector<Weight> at_atom(size_of(before));
    std::vector<Weight> at_rank(windows_[before].size());
    for (std::size_t i = 0; i < at_atom.size(); ++i) {
      for (const std::vector<Weight>& some : tied) at_atom[i] += some[i];
      at_rank[static_cast<std::size_t>(atoms_[offset + i].rank - windows_[before].from)] += at_atom[i];
    }
    const GapSums gaps(powers_, kernel, windows_[before], at_rank);
    const double gap_of_none = kernel.at(0);
    const double no_gap = gap_of_none > std::exp(-reach_) ? gap_of_none : 0;  // left out, too
    const std::size_t most_tied = no_gap > 0 ? tied.size() + 1 : 1;
    std::vector<std::vector<Weight>> result(most_tied, std::vector<Weight>(size_of(quantile)));
    Weight from_below;
    Weight at_this_rank;  // sum over earlier atoms of the same rank
    std::int64_t rank = -1;
    for (std::size_t i = 0; i < size_of(quantile); ++i) {
      const std::size_t index = parts_[quantile].first + i;
      if (atoms_[index].rank != rank) {
        rank = atoms_[index].rank;
        from_below = gaps.at(rank);
        at_this_rank = {};
      }
      result[0][i] = placed(quantile, i, from_below + no_gap * at_this_rank);
      if (index < offset || index - offset >= at_atom.size()) continue;
      for (std::size_t many = 1; many < most_tied; ++many) {
        result[many][i] =
            placed(quantile, i, (no_gap / static_cast<double>(many + 1)) * tied[many - 1][index - offset]);
      }
      at_this_rank += at_atom[index - offset];
    }
    drop_seldom_tied(result);
    return result;
  }

  /// Drops numbers of quantiles at one atom that have negligible probability.
  void drop_seldom_tied(std::vector<std::vector<Weight>>& tied) const {
    while (tied.size() > 1) {
      double sum = 0;
      for (const Weight& weight : tied.back()) sum += weight.all;
      if (sum > seldom_) return;
      dropped_ += sum;
      tied.pop_back();
    }
  }

  /// Sums over the totals around the number of records, and sets far_ to at least the sum over all other totals within reach.
  Weight sum_near() {
    far_ = 0;
    dropped_ = 0;
    seldom_ = 0;
    if (!problem_.totals) return sum_at(problem_.span.records());
    const auto step = static_cast<std::int64_t>(problem_.totals->step);
    const auto last = static_cast<std::int64_t>(problem_.totals->last_index());
    const std::int64_t middle = std::min((records_ + step / 2) / step, last);
    Weight sum = sum_at(static_cast<std::uint64_t>(middle * step));
    seldom_ = sum.all * 1e-16;
    for (const std::int64_t direction : {1, -1}) {
      std::int64_t index = middle + direction;
      for (; index >= 0 && index <= last; index += direction) {
        const Weight here = sum_at(static_cast<std::uint64_t>(index * step));
        sum += here;
        if (here.all <= sum.all * 1e-12) break;
      }
      add_far(index + direction, direction);
    }
    return sum;
  }

  /// exp(-rate cost) at totals up to `apart` beyond an anchor is at most exp(rate apart) times that at the anchor.
  void add_far(std::int64_t index, std::int64_t direction) {
    constexpr double block_log = 6;
    const auto step = static_cast<std::int64_t>(problem_.totals->step);
    const auto last = static_cast<std::int64_t>(problem_.totals->last_index());
    const auto block = std::max<std::int64_t>(static_cast<std::int64_t>(block_log / rate_) / step, 1);
    const double factor = 1.01 * std::exp(rate_ * static_cast<double>(block * step)) * static_cast<double>(block);
    for (; index >= 0 && index <= last; index += direction * block) {
      if (std::abs(index * step - records_) > reach_ranks_) break;
      const double before = dropped_;
      const double here = sum_at(static_cast<std::uint64_t>(index * step)).all;
      far_ += factor * ((here + (dropped_ - before)) * 1.01 + std::exp(-reach_));
    }
  }

  LossBounds bounds_from(const Weight& near, double rest) const {
    std::size_t longest = powers_.size() / 4;
    for (std::size_t i = 0; i < windows_.size(); ++i) longest = std::max(longest, windows_[i].size() + size_of(i));
    const double operations = 16 * static_cast<double>(longest + 64) * static_cast<double>(alphas_.size() + 2);
    const double off = operations * std::numeric_limits<double>::epsilon();
    const double quantiles = static_cast<double>(alphas_.size());
    if (is_mean()) {
      const double lower = near.counted * (1 - off) / (near.all * (1 + off) + rest) / quantiles;
      const double upper = (near.counted * (1 + off) / quantiles + rest * records()) / (near.all * (1 - off));
      return {Rational::from_double(lower * (1 - 1e-15)), Rational::from_double(upper * (1 + 1e-15))};
    }
    const double least = near.counted * (1 - off) / (near.all * (1 + off) + rest);
    const double most = (near.counted * (1 + off) + rest) / (near.all * (1 - off) + rest);
    return {Rational::from_double(std::max(0.0, 1 - most - 1e-15)),
            Rational::from_double(std::min(1.0, 1 - least + 1e-15))};
  }

  const JointProblem& problem_;
  const ReleaseAnalyst& analyst_;
  std::vector<QuantileFraction> alphas_;
  Powers powers_;
  double rate_;
  std::int64_t records_;
  double reach_ = 0;              ///< largest cost times rate that is kept
  std::int64_t reach_ranks_ = 0;  ///< the same in records
  double far_ = 0;
  double seldom_ = 0;               ///< upper bound of the weight of all ties that are dropped at one total and level
  mutable double dropped_ = 0;      ///< weight of all ties that were dropped
  std::vector<RankRange> windows_;  ///< by quantile: ranks
  std::vector<Atom> atoms_;         ///< of all windows, in order
  std::vector<std::pair<std::size_t, std::size_t>> parts_;  ///< by quantile: atoms from .. to
  std::vector<std::vector<double>> costs_;                  ///< the same
};

}  // namespace

std::optional<LossBounds> joint_loss(const JointProblem& problem, const std::vector<Rational>& quantiles,
                                     const ReleaseAnalyst& analyst) {
  constexpr std::size_t most_quantiles = 24;  // products for more quantiles are too small for doubles
  if (problem.rate.is_log() || quantiles.size() > most_quantiles) return {};
  if (problem.span.records() >= std::uint64_t{1} << 40) return {};
  return JointLoss(problem, quantiles, analyst).bounds();
}

}  // namespace fractile
