#include "quantiles/joint.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "exact/coin.hpp"
#include "exact/exp_bounds.hpp"
#include "fractile/error.hpp"
#include "quantiles/joint_tables.hpp"

namespace fractile {

Exponent largest_joint_rate() { return Rational(64); }

uint128 JointProblem::scaled_cost(std::uint64_t total, const std::vector<std::uint64_t>& below) const {
  uint128 cost = 0;
  std::uint64_t passed = 0;
  for (std::size_t j = 0; j < target.weights.size(); ++j) {
    const std::uint64_t reached = j < below.size() ? below[j] : span.records();
    const uint128 found = uint128{reached - passed} * target.denominator;
    const uint128 wanted = uint128{target.weights[j]} * total;
    cost += found > wanted ? found - wanted : wanted - found;
    passed = reached;
  }
  return cost;
}

namespace {

constexpr int unit_bits = 62;  // proposals are made with probabilities that are multiples of 2^-62

/// At least share * 2^62, for any share that is at most the real number meant times 1 + 2^-48.
template <class Real>
std::uint64_t units(Real share) {
  return static_cast<std::uint64_t>(share * (1 + Real{0x1p-46}) * Real{0x1p62}) + 1;
}

/// One choice among children, child i with probability weight(i) / 2^62; what is missing from 2^62 chooses none. With
/// `verify` all weights are added up, which a caller with room for more than 2^62 does not survive.
class UnitDraw {
 public:
  UnitDraw(RandomBits& bits, bool verify) : target_(bits.next64() >> (64 - unit_bits)), verify_(verify) {}

  /// True when this child is chosen; ask for each child once, in any order.
  bool offers(std::uint64_t weight) {
    sum_ += weight;
    if (sum_ > std::uint64_t{1} << unit_bits) throw Error(ErrorCode::internal, "a table entry is below its parts");
    if (found_ || target_ >= sum_) return false;
    found_ = true;
    weight_ = weight;
    return true;
  }
  bool done() const { return found_ && !verify_; }
  bool found() const { return found_; }
  std::uint64_t weight() const { return weight_; }

 private:
  std::uint64_t target_;
  bool verify_;
  std::uint64_t sum_ = 0;
  std::uint64_t weight_ = 0;
  bool found_ = false;
};

/// Totals first .. last of the grid (by index), for which the tables of the one that is furthest from the number of
/// records stand: the others' masses are at most exp(rate * distance) as large.
template <class Real>
struct TotalBlock {
  std::uint64_t first;
  std::uint64_t last;
  std::uint64_t anchor;  ///< first or last
  Real mass;             ///< at least the sum over the block
};

/// A proposal, and how it came about.
struct Proposal {
  bool is_remote;  ///< from the part outside of all windows
  std::uint64_t total;
  std::vector<std::uint64_t> below;    ///< of the span
  std::vector<Split> splits;           ///< only when remote
  std::vector<std::uint64_t> weights;  ///< of all choices made, in units of 2^-62
};

}  // namespace

/// Proposes selections, for one floating-point type.
template <class Real>
class JointProposer {
 public:
  JointProposer(const JointProblem& problem, const JointRuns& runs)
      : problem_(problem),
        runs_(runs),
        forward_(problem, runs),
        rate_(std::max(0.0, Enclosure::of(problem.rate).lower_double())) {
    set_range();
    list_blocks();
    finish_total();
  }

  /// Nothing when the tables were too large at some choice.
  std::optional<Proposal> propose(RandomBits& bits, bool verify);
  /// The proposal's probability under the mechanism's law over its probability here, times a constant at most 1.
  Enclosure acceptance(const Proposal& proposal, std::int64_t precision) const;

 private:
  std::uint64_t grid_last() const { return problem_.totals ? problem_.totals->last_index() : 0; }
  std::uint64_t total_at(std::uint64_t index) const {
    return problem_.totals ? index * problem_.totals->step : runs_.records();
  }
  std::uint64_t step() const { return problem_.totals ? problem_.totals->step : 0; }
  std::uint64_t half_width() const { return range_ / 2 + 1; }
  double log_mass(Real mass) const { return static_cast<double>(std::log(mass)); }

  void set_range();
  void list_blocks();
  void list_side(std::uint64_t from, bool upwards);
  TotalBlock<Real> block_of(std::uint64_t first, std::uint64_t last, std::uint64_t anchor, double& log_anchor);
  std::uint64_t block_length(double excess, double slope, double distance) const;
  Real block_weight(std::uint64_t from_near_end) const {
    return static_cast<Real>(exp_minus_upper(rate_ * (1 - 0x1p-40) * static_cast<double>(from_near_end * step())));
  }
  void finish_total();

  bool choose_total(Proposal& proposal, RandomBits& bits, bool verify);
  bool choose_runs(Proposal& proposal, RandomBits& bits, bool verify);
  void draw_remote(Proposal& proposal, RandomBits& bits) const;
  bool is_remote(std::uint64_t total, const std::vector<std::uint64_t>& below) const;

  const JointProblem& problem_;
  const JointRuns& runs_;
  JointForward<Real> forward_;
  double rate_;              ///< at most the rate
  std::uint64_t range_ = 0;  ///< what is not in a window costs at least this much
  std::vector<TotalBlock<Real>> blocks_;
  Real total_ = 0;  ///< of all blocks and of what is remote: a double times a power of two
  Real remote_ = 0;
};

/// Everything that lies outside has mass at most (totals) (2^scale)^k / k! exp(-rate range): range is chosen to make that
/// 2^-12 of the mass near the number of records.
template <class Real>
void JointProposer<Real>::set_range() {
  const auto quantiles = static_cast<double>(forward_.quantiles());
  double log_factorial = 0;  // std::lgamma writes a global variable, from all threads
  for (std::size_t i = 2; i <= forward_.quantiles(); ++i) log_factorial += std::log(static_cast<double>(i));
  const double everything =
      std::log(static_cast<double>(grid_last() + 1)) + quantiles * forward_.scale() * std::log(2.0) - log_factorial;
  const auto ranks = [&](double nats) {
    constexpr double most = 0x1p34;
    return static_cast<std::uint64_t>(std::clamp(nats / rate_, 1.0, most)) + 1;
  };
  range_ = ranks(everything + 8);
  const std::uint64_t nearest = step() == 0 ? 0 : std::min(grid_last(), runs_.records() / step());
  forward_.fill(total_at(nearest), half_width());
  range_ = ranks(everything + 8 - log_mass(forward_.mass()));
}

/// The block, with the log of the mass at its anchor in `log_anchor`.
template <class Real>
TotalBlock<Real> JointProposer<Real>::block_of(std::uint64_t first, std::uint64_t last, std::uint64_t anchor,
                                               double& log_anchor) {
  forward_.fill(total_at(anchor), half_width());
  log_anchor = log_mass(forward_.mass());
  Real weights = 0;
  for (std::uint64_t i = 0; i <= last - first; ++i) weights += block_weight(i);
  // exp(rate * (anchor - near end)) at most, with room for the rounding of the exponential's lower bound.
  const Real growth = (1 + Real{0x1p-30}) / block_weight(last - first);
  return {first, last, anchor, forward_.mass() * growth * weights * (1 + Real{0x1p-30})};
}

/// How many further totals one table may stand for: as many as keep the block's mass below 2^-10 of all so far. `excess`
/// is the log of (mass at the last anchor) / (all so far), `slope` how fast exp(rate * distance) * mass grows with it.
template <class Real>
std::uint64_t JointProposer<Real>::block_length(double excess, double slope, double distance) const {
  const double allowed = -10 * std::log(2.0) - excess + rate_ * distance - 1;
  const double most = std::min(allowed / slope, 500 / rate_) / distance;
  return most > 1 ? static_cast<std::uint64_t>(std::min(most, 0x1p32)) : 1;
}

/// Lists the totals on one side of the number of records, from index `from` outwards.
template <class Real>
void JointProposer<Real>::list_side(std::uint64_t from, bool upwards) {
  const auto distance = static_cast<double>(step());
  const std::uint64_t end = upwards ? grid_last() : 0;
  double slope = rate_;
  double before = 0;
  for (std::uint64_t near = from, length = 1;;) {
    const std::uint64_t left = upwards ? end - near : near;
    length = std::min(length, left + 1);
    const std::uint64_t anchor = upwards ? near + length - 1 : near + 1 - length;
    double log = 0;
    const TotalBlock<Real> block = block_of(std::min(near, anchor), std::max(near, anchor), anchor, log);
    if (length > 1 && block.mass > total_ * Real{0x1p-7}) {  // it grew faster than foreseen
      length = std::max<std::uint64_t>(1, length / 4);
      continue;
    }
    blocks_.push_back(block);
    total_ += block.mass;
    const std::uint64_t t = total_at(anchor);
    const std::uint64_t reached = t > runs_.records() ? t - runs_.records() : runs_.records() - t;
    if (anchor == end || reached >= range_) return;
    if (near != from)
      slope = std::clamp(rate_ + (log - before) / (distance * static_cast<double>(length)), rate_ * 1e-3, rate_ * 2);
    before = log;
    near = upwards ? anchor + 1 : anchor - 1;
    length = block_length(log - log_mass(total_), slope, distance);
  }
}

template <class Real>
void JointProposer<Real>::list_blocks() {
  if (!problem_.totals) {
    double log = 0;
    blocks_.push_back(block_of(0, 0, 0, log));
    total_ = blocks_.back().mass;
    return;
  }
  const std::uint64_t at = std::min(runs_.records() / step(), grid_last());
  list_side(at, false);
  if (at < grid_last()) list_side(at + 1, true);
}

template <class Real>
void JointProposer<Real>::finish_total() {
  const double cost = static_cast<double>(range_) * rate_ * (1 - 0x1p-40);
  const int quantiles = static_cast<int>(forward_.quantiles());
  // exp(-cost) in steps that stay in range.
  Real mass = std::ldexp(static_cast<Real>(grid_last() + 1), quantiles * forward_.scale());
  for (int i = 2; i <= quantiles; ++i) mass /= static_cast<Real>(i);
  const auto steps = static_cast<std::int64_t>(cost / 512) + 1;
  const auto step = static_cast<Real>(exp_minus_upper(cost / static_cast<double>(steps) * (1 - 0x1p-50)));
  for (std::int64_t i = 0; i < steps; ++i) mass *= step;
  remote_ = mass * (1 + Real{0x1p-20}) + std::ldexp(Real{1}, -RealRange<Real>::down);
  // Nothing is remote when every rank is in every window and every total in a block.
  if (half_width() >= runs_.records() && range_ > std::uint64_t{1} << 33) remote_ = 0;
  total_ = (total_ + remote_) * (1 + Real{0x1p-24});
  int exponent = 0;
  const auto leading = static_cast<double>(std::frexp(total_, &exponent));
  total_ = std::ldexp(static_cast<Real>(leading) * (1 + Real{0x1p-50}), exponent);
  total_ = std::ldexp(static_cast<Real>(static_cast<double>(std::frexp(total_, &exponent))), exponent);
}

template <class Real>
bool JointProposer<Real>::choose_total(Proposal& proposal, RandomBits& bits, bool verify) {
  UnitDraw draw(bits, verify);
  const TotalBlock<Real>* chosen = nullptr;
  for (const TotalBlock<Real>& block : blocks_) {
    if (draw.offers(units(block.mass / total_))) chosen = &block;
    if (draw.done()) break;
  }
  if (!draw.done() && remote_ > 0 && draw.offers(units(remote_ / total_))) proposal.is_remote = true;
  if (!draw.found()) return false;
  proposal.weights.push_back(draw.weight());
  if (proposal.is_remote) return true;

  UnitDraw within(bits, verify);
  Real weights = 0;
  for (std::uint64_t i = 0; i <= chosen->last - chosen->first; ++i) weights += block_weight(i);
  weights *= 1 + Real{0x1p-30};
  for (std::uint64_t i = 0; i <= chosen->last - chosen->first && !within.done(); ++i) {
    if (!within.offers(units(block_weight(i) / weights))) continue;
    proposal.total = total_at(chosen->anchor == chosen->last ? chosen->first + i : chosen->last - i);
  }
  if (!within.found()) return false;
  proposal.weights.push_back(within.weight());
  if (forward_.total() != total_at(chosen->anchor)) forward_.fill(total_at(chosen->anchor), half_width());
  return true;
}

template <class Real>
bool JointProposer<Real>::choose_runs(Proposal& proposal, RandomBits& bits, bool verify) {
  const std::size_t quantiles = forward_.quantiles();
  const auto records = static_cast<std::int64_t>(runs_.records());
  proposal.below.resize(quantiles);
  std::int64_t run = records;     // of the quantile above
  Real parent = forward_.mass();  // what the children's masses add up to at most
  std::size_t above = quantiles;  // the quantile whose run was chosen last
  while (above > 0) {
    const std::size_t j = above - 1;
    const JointRow<Real>& row = forward_.row(j);
    UnitDraw choice(bits, verify);
    const std::int64_t last = std::min(row.last(), above == quantiles ? records : run - 1);
    for (std::int64_t b = last; b >= row.first && !choice.done(); --b) {
      const Real mass = row.stay[static_cast<std::size_t>(b - row.first)];
      if (mass == 0) continue;  // a run without splits
      if (choice.offers(units(mass * forward_.kernel(above, run - b) / parent))) {
        proposal.below[j] = static_cast<std::uint64_t>(b);
      }
    }
    if (!choice.found()) return false;
    proposal.weights.push_back(choice.weight());
    run = static_cast<std::int64_t>(proposal.below[j]);
    parent = row.stay[static_cast<std::size_t>(run - row.first)];

    // How many quantiles, j and those below it, share the run.
    UnitDraw sharing(bits, verify);
    Real factor = forward_.run_mass(run);
    std::size_t first = j;
    Real entered = 0;
    for (std::size_t i = j + 1; i-- > 0 && !sharing.done();) {
      const JointRow<Real>& start = forward_.row(i);
      const bool inside = run >= start.first && run <= start.last();
      const Real mass = inside ? start.enter[static_cast<std::size_t>(run - start.first)] : Real{0};
      if (inside && sharing.offers(units(mass * factor / parent))) {
        first = i;
        entered = mass;
      }
      factor *= forward_.run_mass(run) * forward_.kernel(i, 0) / static_cast<Real>(j - i + 2);
    }
    if (!sharing.found()) return false;
    proposal.weights.push_back(sharing.weight());
    for (std::size_t i = first; i < j; ++i) proposal.below[i] = proposal.below[j];
    parent = entered;
    above = first;
  }
  return true;
}

template <class Real>
void JointProposer<Real>::draw_remote(Proposal& proposal, RandomBits& bits) const {
  proposal.total = total_at(uniform_below(bits, grid_last() + 1));
  for (std::size_t j = 0; j < forward_.quantiles(); ++j) {
    proposal.splits.push_back(problem_.base.draw(problem_.span.lowest, problem_.span.highest + 1, bits));
  }
  std::ranges::sort(proposal.splits);
  for (const Split split : proposal.splits) proposal.below.push_back(runs_.run_of(split));
}

template <class Real>
bool JointProposer<Real>::is_remote(std::uint64_t total, const std::vector<std::uint64_t>& below) const {
  for (const TotalBlock<Real>& block : blocks_) {
    if (total < total_at(block.first) || total > total_at(block.last)) continue;
    for (std::size_t j = 0; j < below.size(); ++j) {
      if (!forward_.window(j, total_at(block.anchor), half_width()).contains(below[j])) return true;
    }
    return false;
  }
  return true;
}

template <class Real>
std::optional<Proposal> JointProposer<Real>::propose(RandomBits& bits, bool verify) {
  Proposal proposal{};
  if (!choose_total(proposal, bits, verify)) return {};
  if (!proposal.is_remote) {
    if (!choose_runs(proposal, bits, verify)) return {};
    return proposal;
  }
  draw_remote(proposal, bits);
  if (!is_remote(proposal.total, proposal.below)) return {};
  return proposal;
}

template <class Real>
Enclosure JointProposer<Real>::acceptance(const Proposal& proposal, std::int64_t precision) const {
  Enclosure exponent = Enclosure::of_whole(problem_.scaled_cost(proposal.total, proposal.below));
  arb_div_ui(exponent.arb(), exponent.arb(), problem_.target.denominator, precision);
  const Enclosure rate = Enclosure::of(problem_.rate, precision);
  arb_mul(exponent.arb(), exponent.arb(), rate.arb(), precision);
  arb_neg(exponent.arb(), exponent.arb());
  Enclosure result;
  arb_exp(result.arb(), exponent.arb(), precision);

  const std::size_t quantiles = proposal.below.size();
  if (proposal.is_remote) {
    arb_mul_ui(result.arb(), result.arb(), grid_last() + 1, precision);
    for (std::size_t i = 2; i <= quantiles; ++i) arb_div_ui(result.arb(), result.arb(), i, precision);
  } else {
    const Enclosure base = Enclosure::of_whole(problem_.base.total());
    std::uint64_t sharing = 0;
    for (std::size_t j = 0; j < quantiles; ++j) {
      const std::uint64_t b = proposal.below[j];
      sharing = j > 0 && proposal.below[j - 1] == b ? sharing + 1 : 1;
      const Enclosure mass = Enclosure::of_whole(problem_.base.mass(runs_.start(b), runs_.start(b + 1)));
      arb_mul(result.arb(), result.arb(), mass.arb(), precision);
      arb_div(result.arb(), result.arb(), base.arb(), precision);
      arb_div_ui(result.arb(), result.arb(), sharing, precision);
    }
  }
  for (const std::uint64_t weight : proposal.weights) arb_div_ui(result.arb(), result.arb(), weight, precision);
  int exponent_of_total = 0;
  const auto leading = static_cast<double>(std::frexp(total_, &exponent_of_total));
  Enclosure total;
  arb_set_d(total.arb(), leading);
  arb_div(result.arb(), result.arb(), total.arb(), precision);
  const auto scale = static_cast<slong>(quantiles) * forward_.scale() - exponent_of_total +
                     static_cast<slong>(unit_bits * proposal.weights.size());
  arb_mul_2exp_si(result.arb(), result.arb(), scale);
  return result;
}

/// The runs, and the proposer of either floating-point type, made when needed.
class JointTables {
 public:
  explicit JointTables(const JointProblem& problem)
      : problem_(problem), runs_(problem.profile, problem.span, problem.subcells) {}

  template <class Real>
  JointProposer<Real>& proposer() {
    auto& made = std::get<std::unique_ptr<JointProposer<Real>>>(proposers_);
    if (!made) made = std::make_unique<JointProposer<Real>>(problem_, runs_);
    return *made;
  }
  const JointRuns& runs() const { return runs_; }

 private:
  const JointProblem& problem_;
  JointRuns runs_;
  std::tuple<std::unique_ptr<JointProposer<double>>, std::unique_ptr<JointProposer<long double>>> proposers_;
};

JointSelection::JointSelection(const JointProblem& problem)
    : problem_(problem), tables_(std::make_unique<JointTables>(problem)) {}

JointSelection::~JointSelection() = default;

namespace {

/// One proposal, kept or not. Keeping has probability acceptance, exactly.
template <class Real>
std::optional<Proposal> accepted(JointProposer<Real>& proposer, RandomBits& bits, Filter filter) {
  const bool verify = filter.prefix_bits < 64;
  std::optional<Proposal> proposal = proposer.propose(bits, verify);
  if (!proposal) return {};
  const Enclosure first = proposer.acceptance(*proposal, 80);
  const Enclose enclose = [&](std::int64_t precision) { return proposer.acceptance(*proposal, precision + 64); };
  const Bounds bounds{std::max(0.0, first.lower_double()), first.upper_double()};
  if (bounds.lower > 1) throw Error(ErrorCode::internal, "a proposal is likelier than its bound");
  if (!lazy_coin(bits, bounds, enclose, filter)) return {};
  return proposal;
}

/// The splits of a proposal: within a run, as many independent draws as quantiles share it, in order.
std::vector<Split> splits_of(const Proposal& proposal, const JointProblem& problem, const JointRuns& runs,
                             RandomBits& bits) {
  if (proposal.is_remote) return proposal.splits;
  std::vector<Split> splits;
  for (const std::uint64_t b : proposal.below) {
    splits.push_back(problem.base.draw(runs.start(b), runs.start(b + 1), bits));
  }
  std::ranges::sort(splits);
  return splits;
}

}  // namespace

// Any number of rejected proposals leaves the law as it is, so the wider type may take over at any time.
JointChoice JointSelection::draw(RandomBits& bits, Filter filter) {
  constexpr std::uint64_t narrow_trials = 64;
  constexpr std::size_t narrow_quantiles = 24;
  const bool narrow = problem_.target.quantiles() <= narrow_quantiles;
  for (std::uint64_t trial = 0;; ++trial) {
    ++trials_;
    const std::optional<Proposal> kept = narrow && trial < narrow_trials
                                             ? accepted(tables_->proposer<double>(), bits, filter)
                                             : accepted(tables_->proposer<long double>(), bits, filter);
    if (!kept) continue;
    JointChoice choice{splits_of(*kept, problem_, tables_->runs(), bits), kept->below, kept->total};
    for (std::uint64_t& below : choice.below) below += problem_.span.first_rank;
    return choice;
  }
}

}  // namespace fractile
