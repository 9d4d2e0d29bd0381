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

/// leading * 2^exponent, leading a double of [1/2, 1), which a Real may have more bits than.
struct LeadingDouble {
  double leading;
  std::int64_t exponent;
};

template <class Real>
LeadingDouble leading_double(Real value) {
  if constexpr (std::is_same_v<Real, WideReal>) {
    return {value.leading(), value.exponent()};
  } else {
    int exponent = 0;
    const auto leading = static_cast<double>(std::frexp(value, &exponent));
    return {leading, exponent};
  }
}

/// At least share * 2^62, for any share that is at most the real number meant times 1 + 2^-48.
template <class Real>
std::uint64_t units(Real share) {
  return static_cast<std::uint64_t>(static_cast<double>(share * Real{1 + 0x1p-46} * Real{0x1p62})) + 1;
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

/// Runs of quantile `row` below `run`, and those from there on.
struct RowCut {
  std::size_t row;
  std::size_t run;
  std::uint64_t gap;  ///< how many ranks apart those are that it parts
};

/// Totals first .. last of the grid (by index), with the anchors of their cells. The bound of a total's mass falls from one
/// end, `from_last` or not, to the other: by `decay` nats a total.
template <class Real>
struct TotalBlock {
  std::uint64_t first;
  std::uint64_t last;
  TotalRange totals;
  bool from_last;
  double decay;
  Real mass;  ///< at least the sum over the block
  bool is_settled = false;
  int cuts = 0;                    ///< since its totals were halved
  std::optional<RowCut> cut = {};  ///< where halving it is most likely to help

  std::uint64_t size() const { return last - first + 1; }
};

/// The totals of a block from its larger end on, in slices over which the bound hardly falls; `visit` is given how many come
/// before a slice, how many it has, and the bound of each of them over the largest, rounded up; false ends it.
template <class Visit>
void visit_slices(std::uint64_t size, double decay, Visit&& visit) {
  constexpr std::uint64_t few = 1024;
  constexpr double deepest = 500;  // nats
  const double wide = 1 / (8 * std::max(decay, 0x1p-60));
  const std::uint64_t length = size <= few ? 1 : static_cast<std::uint64_t>(std::clamp(wide, 1.0, 0x1p40));
  for (std::uint64_t at = 0; at < size;) {
    const double fallen = decay * static_cast<double>(at);
    const std::uint64_t count = fallen > deepest ? size - at : std::min(length, size - at);
    if (!visit(at, count, exp_minus_upper(fallen * (1 - 0x1p-40)))) return;
    at += count;
  }
}

/// value * 2^twos.
template <class Real>
Real scaled(Real value, double twos) {
  if constexpr (std::is_same_v<Real, WideReal>) {
    return ldexp(value, static_cast<std::int64_t>(twos));
  } else {
    return std::ldexp(value, static_cast<int>(std::clamp(twos, -0x1p20, 0x1p20)));
  }
}

/// At least exp(nats), for nats of either sign that are at most a real number times 1 + 2^-45.
template <class Real>
Real exp_upper(double nats) {
  constexpr double log_2 = 0.6931471805599453;
  const double more = nats + std::abs(nats) * 0x1p-40;
  const double twos = std::ceil(more / log_2);
  const double over = std::max(0.0, twos * log_2 - more - std::abs(more) * 0x1p-45);
  return scaled<Real>(Real{exp_minus_upper(over)}, twos) * Real{1 + 0x1p-30};
}

/// A proposal, and how it came about.
struct Proposal {
  bool is_remote;  ///< from the part outside of all windows
  std::uint64_t total;
  std::uint64_t slice = 1;             ///< of so many equally likely totals
  std::vector<std::uint64_t> below;    ///< of the span
  std::vector<std::size_t> runs;       ///< unless remote
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
    if (fits_) list_blocks();
    if (fits_) finish_total();
  }

  /// False where the type's range or the plain listing of totals does not do: for all but the widest type.
  bool fits() const { return fits_; }
  /// Nothing when the tables were too large at some choice.
  std::optional<Proposal> propose(RandomBits& bits, bool verify);
  /// The proposal's probability under the mechanism's law over its probability here, times a constant at most 1.
  Enclosure acceptance(const Proposal& proposal, std::int64_t precision) const;
  JointWork work() const { return {tables_, forward_.work()}; }

 private:
  static constexpr bool is_widest = std::is_same_v<Real, WideReal>;

  std::uint64_t grid_last() const { return problem_.totals ? problem_.totals->last_index() : 0; }
  std::uint64_t total_at(std::uint64_t index) const {
    return problem_.totals ? index * problem_.totals->step : runs_.records();
  }
  std::uint64_t step() const { return problem_.totals ? problem_.totals->step : 0; }
  std::uint64_t half_width() const { return range_ / 2 + 1; }
  double log_mass(Real mass) const {
    using std::log;
    return static_cast<double>(log(mass));
  }
  void fill(const TotalRange& totals) {
    forward_.fill(totals, half_width());
    ++tables_;
  }
  TotalRange only(std::uint64_t index) const {
    return {total_at(index), total_at(index), std::vector(problem_.target.weights.size(), total_at(index))};
  }

  void set_range();
  void list_blocks();
  void list_side(std::uint64_t from, bool upwards);
  void bisect(std::uint64_t first, std::uint64_t last);
  TotalBlock<Real> block_with(std::uint64_t first, std::uint64_t last, std::vector<std::uint64_t> anchors,
                              std::vector<RunWindow> rows = {});
  TotalBlock<Real> block_by_signs(std::uint64_t first, std::uint64_t last, std::vector<RunWindow> rows);
  std::pair<TotalBlock<Real>, TotalBlock<Real>> parts_of(const TotalBlock<Real>& block);
  std::vector<Proposal> samples();
  double kept_share(const TotalBlock<Real>& block);
  std::size_t count_above(const std::vector<Proposal>& drawn, std::size_t j, std::uint64_t total,
                          std::optional<RowCut>& cut) const;
  Real slices_of(const TotalBlock<Real>& block) const;
  std::uint64_t block_length(double excess, double slope, double distance) const;
  void finish_total();

  bool choose_total(Proposal& proposal, RandomBits& bits, bool verify);
  bool choose_in(const TotalBlock<Real>& block, Proposal& proposal, RandomBits& bits, bool verify);
  bool choose_runs(Proposal& proposal, RandomBits& bits, bool verify);
  bool choose_sharing(Proposal& proposal, std::size_t j, Real& parent, std::size_t& first, RandomBits& bits,
                      bool verify);
  void draw_remote(Proposal& proposal, RandomBits& bits) const;
  bool holds(const std::vector<RunWindow>& rows, const std::vector<std::uint64_t>& below) const;
  bool is_remote(std::uint64_t total, const std::vector<std::uint64_t>& below) const;

  const JointProblem& problem_;
  const JointRuns& runs_;
  JointForward<Real> forward_;
  double rate_;              ///< at most the rate, by less than 2^-50 of it
  std::uint64_t range_ = 0;  ///< what is not in a window costs at least this much
  std::vector<TotalBlock<Real>> blocks_;
  Real total_ = 0;  ///< of all blocks and of what is remote: a double times a power of two
  Real remote_ = 0;
  std::uint64_t tables_ = 0;
  bool fits_ = true;
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
  fill(only(nearest));
  while (is_widest && !forward_.in_range() && half_width() < 2 * runs_.records()) {  // no run in some window
    range_ *= 8;
    fill(only(nearest));
  }
  fits_ = forward_.in_range();
  range_ = ranks(everything + 8 - log_mass(forward_.mass()));
}

/// The sum over a block of the totals' bounds, each over the largest.
template <class Real>
Real JointProposer<Real>::slices_of(const TotalBlock<Real>& block) const {
  Real sum = 0;
  visit_slices(block.size(), block.decay, [&](std::uint64_t, std::uint64_t count, double bound) {
    sum += Real{bound} * static_cast<Real>(static_cast<double>(count));
    return true;
  });
  return sum * Real{1 + 0x1p-30};
}

template <class Real>
TotalBlock<Real> JointProposer<Real>::block_with(std::uint64_t first, std::uint64_t last,
                                                 std::vector<std::uint64_t> anchors, std::vector<RunWindow> rows) {
  const std::uint64_t length = total_at(last) - total_at(first);
  std::uint64_t at_first = 0;  // the weight of the cells anchored there, whose bounds grow upwards
  for (std::size_t j = 0; j < anchors.size(); ++j) {
    if (anchors[j] == total_at(first)) at_first += problem_.target.weights[j];
  }
  const std::uint64_t at_last = problem_.target.denominator - at_first;
  const auto denominator = static_cast<double>(problem_.target.denominator);
  const bool from_last = at_first >= at_last;
  const auto more = static_cast<double>(std::max(at_first, at_last)) / denominator;
  const auto apart = static_cast<double>(std::max(at_first, at_last) - std::min(at_first, at_last)) / denominator;
  const double decay = rate_ * apart * static_cast<double>(step()) * (1 - 0x1p-45);
  TotalBlock<Real> block{first,     last,  {total_at(first), total_at(last), std::move(anchors), std::move(rows)},
                         from_last, decay, Real{0}};
  fill(block.totals);
  const Real growth = exp_upper<Real>(rate_ * more * static_cast<double>(length));
  block.mass = forward_.mass() * growth * slices_of(block) * Real{1 + 0x1p-30};
  block.is_settled = block.size() == 1;
  return block;
}

/// How many further totals one table may stand for: as many as keep the block's mass below 2^-10 of all so far. `excess`
/// is the log of (mass at the last anchor) / (all so far), `slope` how fast exp(rate * distance) * mass grows with it.
template <class Real>
std::uint64_t JointProposer<Real>::block_length(double excess, double slope, double distance) const {
  const double allowed = -10 * std::log(2.0) - excess + rate_ * distance - 1;
  const double most = std::min(allowed / slope, 500 / rate_) / distance;
  return most > 1 ? static_cast<std::uint64_t>(std::min(most, 0x1p32)) : 1;
}

/// Lists the totals on one side of the number of records, from index `from` outwards; a block's anchor is its far end.
template <class Real>
void JointProposer<Real>::list_side(std::uint64_t from, bool upwards) {
  constexpr std::size_t most_blocks = 400;
  const auto distance = static_cast<double>(step());
  const std::uint64_t end = upwards ? grid_last() : 0;
  double slope = rate_;
  double before = 0;
  for (std::uint64_t near = from, length = 1;;) {
    const std::uint64_t left = upwards ? end - near : near;
    length = std::min(length, left + 1);
    const std::uint64_t anchor = upwards ? near + length - 1 : near + 1 - length;
    TotalBlock<Real> block = block_with(std::min(near, anchor), std::max(near, anchor),
                                        std::vector(problem_.target.weights.size(), total_at(anchor)));
    const double log = log_mass(forward_.mass());
    if (length > 1 && block.mass > total_ * Real{0x1p-7}) {  // it grew faster than foreseen
      length = std::max<std::uint64_t>(1, length / 4);
      continue;
    }
    total_ += block.mass;
    blocks_.push_back(std::move(block));
    const std::uint64_t t = total_at(anchor);
    const std::uint64_t reached = t > runs_.records() ? t - runs_.records() : runs_.records() - t;
    if (anchor == end || reached >= range_) return;
    if (near != from)
      slope = std::clamp(rate_ + (log - before) / (distance * static_cast<double>(length)), rate_ * 1e-3, rate_ * 2);
    before = log;
    near = upwards ? anchor + 1 : anchor - 1;
    length = block_length(log - log_mass(total_), slope, distance);
    fits_ = blocks_.size() < most_blocks;
    if (!fits_) return;
  }
}

/// Some selections, as ranks, that the present tables propose. Only how fast a draw is hangs on them: the bits are no secret.
template <class Real>
std::vector<Proposal> JointProposer<Real>::samples() {
  constexpr int count = 7;
  RandomBits bits = RandomBits::unsafe_seeded(tables_);
  std::vector<Proposal> drawn;
  for (int i = 0; i < count; ++i) {
    Proposal proposal{};
    if (choose_runs(proposal, bits, false)) drawn.push_back(std::move(proposal));
  }
  return drawn;
}

/// How many of the samples have more records in cell j than its target at the total, and where those that have are best told
/// from those that have not: in the widest gap between ranks of either quantile beside the cell.
template <class Real>
std::size_t JointProposer<Real>::count_above(const std::vector<Proposal>& drawn, std::size_t j, std::uint64_t total,
                                             std::optional<RowCut>& cut) const {
  const JointTarget& target = problem_.target;
  const uint128 wanted = uint128{target.weights[j]} * total;
  std::size_t above = 0;
  for (const Proposal& each : drawn) {
    const std::uint64_t from = j > 0 ? each.below[j - 1] : 0;
    const std::uint64_t to = j < each.below.size() ? each.below[j] : runs_.records();
    above += uint128{to - from} * target.denominator > wanted ? 1 : 0;
  }
  if (above == 0 || above == drawn.size()) return above;
  std::uint64_t widest = 0;
  for (std::size_t row = j > 0 ? j - 1 : 0; row <= j && row < forward_.quantiles(); ++row) {
    std::vector<std::uint64_t> ranks;
    for (const Proposal& each : drawn) ranks.push_back(each.below[row]);
    std::ranges::sort(ranks);
    for (std::size_t i = 1; i < ranks.size(); ++i) {
      if (ranks[i] - ranks[i - 1] <= widest) continue;
      widest = ranks[i] - ranks[i - 1];
      cut = RowCut{row, runs_.first_from(static_cast<std::int64_t>(ranks[i] - widest / 2)), widest};
    }
  }
  return above;
}

/// Cells with too many records are anchored at the first total, those with too few at the last: exact for selections whose
/// cells are so at all totals of the block. When selections differ in that, a cut may tell them apart.
template <class Real>
TotalBlock<Real> JointProposer<Real>::block_by_signs(std::uint64_t first, std::uint64_t last,
                                                     std::vector<RunWindow> rows) {
  std::vector<std::uint64_t> anchors(problem_.target.weights.size(), total_at(first));
  if (first == last) return block_with(first, last, std::move(anchors), std::move(rows));
  TotalRange middle = only(first + (last - first) / 2);
  middle.rows = rows;
  fill(middle);
  std::vector<Proposal> drawn = samples();
  std::optional<RowCut> cut;
  for (std::size_t j = 0; j < anchors.size(); ++j) {
    const std::size_t above = count_above(drawn, j, middle.first, cut);
    anchors[j] = total_at(2 * above > drawn.size() ? first : last);
  }
  TotalBlock<Real> block = block_with(first, last, std::move(anchors), std::move(rows));
  block.is_settled = kept_share(block) > 0.3;
  if (block.is_settled) return block;
  for (Proposal& proposed : samples()) drawn.push_back(std::move(proposed));  // which the bound overrates
  std::uint64_t widest = 0;
  for (std::size_t j = 0; j < block.totals.anchors.size(); ++j) {
    std::optional<RowCut> here;
    count_above(drawn, j, middle.first, here);
    if (here && here->gap > widest) {
      widest = here->gap;
      block.cut = here;
    }
  }
  return block;
}

/// About which share of the proposals from the block, whose tables are the present ones, is kept.
template <class Real>
double JointProposer<Real>::kept_share(const TotalBlock<Real>& block) {
  const JointTarget& target = problem_.target;
  const std::vector<Proposal> drawn = samples();
  RandomBits bits = RandomBits::unsafe_seeded(tables_);
  double kept = 0;
  for (Proposal proposal : drawn) {
    if (!choose_in(block, proposal, bits, false)) continue;
    uint128 bound = 0;  // of the cost, plus `nearer`
    uint128 nearer = 0;
    std::uint64_t passed = 0;
    for (std::size_t j = 0; j < target.weights.size(); ++j) {
      const std::uint64_t reached = j < proposal.below.size() ? proposal.below[j] : runs_.records();
      const std::uint64_t anchor = block.totals.anchors[j];
      const uint128 found = uint128{reached - passed} * target.denominator;
      const uint128 wanted = uint128{target.weights[j]} * anchor;
      bound += found > wanted ? found - wanted : wanted - found;
      nearer +=
          uint128{target.weights[j]} * (anchor > proposal.total ? anchor - proposal.total : proposal.total - anchor);
      passed = reached;
    }
    const uint128 more = problem_.scaled_cost(proposal.total, proposal.below) + nearer - bound;
    kept += std::exp(-rate_ * static_cast<double>(more) / static_cast<double>(target.denominator));
  }
  return kept / static_cast<double>(std::max<std::size_t>(drawn.size(), 1));
}

/// The two parts of a block: by its cut, or else of half as many totals.
template <class Real>
std::pair<TotalBlock<Real>, TotalBlock<Real>> JointProposer<Real>::parts_of(const TotalBlock<Real>& block) {
  std::vector<RunWindow> lower_rows = block.totals.rows;
  std::vector<RunWindow> upper_rows = block.totals.rows;
  const std::uint64_t middle = block.first + (block.last - block.first) / 2;
  if (block.cut) {
    lower_rows[block.cut->row].end = upper_rows[block.cut->row].first = block.cut->run;
  }
  TotalBlock<Real> lower = block_by_signs(block.first, block.cut ? block.last : middle, std::move(lower_rows));
  TotalBlock<Real> upper = block_by_signs(block.cut ? block.first : middle + 1, block.last, std::move(upper_rows));
  constexpr int most_cuts = 6;  // then fewer totals must help
  lower.cuts = upper.cuts = block.cut ? block.cuts + 1 : 0;
  if (lower.cuts == most_cuts) {
    lower.cut.reset();
    upper.cut.reset();
  }
  return {std::move(lower), std::move(upper)};
}

/// Lists the totals first .. last, halving the largest blocks until most proposals from them are kept.
template <class Real>
void JointProposer<Real>::bisect(std::uint64_t first, std::uint64_t last) {
  constexpr std::uint64_t most_tables = 4000;
  blocks_.push_back(block_by_signs(first, last, std::vector(forward_.quantiles(), RunWindow{0, runs_.size()})));
  while (tables_ < most_tables) {
    Real sum = 0;
    std::size_t largest = blocks_.size();
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      sum += blocks_[i].mass;
      if (!blocks_[i].is_settled && (largest == blocks_.size() || blocks_[i].mass > blocks_[largest].mass)) largest = i;
    }
    total_ = sum * Real{1 + 0x1p-30};
    if (largest == blocks_.size() || blocks_[largest].mass * Real{64.0} < sum) return;
    auto [lower, upper] = parts_of(blocks_[largest]);
    blocks_[largest] = std::move(lower);
    blocks_.push_back(std::move(upper));
  }
  total_ = 0;
  for (const TotalBlock<Real>& block : blocks_) total_ += block.mass;
  total_ *= Real{1 + 0x1p-30};
}

template <class Real>
void JointProposer<Real>::list_blocks() {
  if (!problem_.totals) {
    blocks_.push_back(block_with(0, 0, only(0).anchors));
    total_ = blocks_.back().mass;
    return;
  }
  const std::uint64_t records = runs_.records();
  if constexpr (is_widest) {
    const std::uint64_t least = records > range_ ? records - range_ : 0;
    bisect(std::min(least / step(), grid_last()), std::min((records + range_) / step() + 1, grid_last()));
    return;
  }
  const std::uint64_t at = std::min(records / step(), grid_last());
  list_side(at, false);
  if (fits_ && at < grid_last()) list_side(at + 1, true);
}

template <class Real>
void JointProposer<Real>::finish_total() {
  const double cost = static_cast<double>(range_) * rate_ * (1 - 0x1p-40);
  const int quantiles = static_cast<int>(forward_.quantiles());
  Real mass = scaled<Real>(static_cast<Real>(static_cast<double>(grid_last() + 1)), quantiles * forward_.scale());
  for (int i = 2; i <= quantiles; ++i) mass /= static_cast<Real>(static_cast<double>(i));
  remote_ = mass * exp_upper<Real>(-cost) * Real{1 + 0x1p-20} + RealRange<Real>::least();
  // Nothing is remote when every rank is in every window and every total in a block.
  if (half_width() >= runs_.records() && range_ > std::uint64_t{1} << 33) remote_ = 0;
  total_ = (total_ + remote_) * Real{1 + 0x1p-24};
  const LeadingDouble parts = leading_double(total_);
  total_ = scaled<Real>(Real{parts.leading * (1 + 0x1p-50)}, static_cast<double>(parts.exponent));
}

template <class Real>
bool JointProposer<Real>::choose_total(Proposal& proposal, RandomBits& bits, bool verify) {
  UnitDraw draw(bits, verify);
  const TotalBlock<Real>* chosen = nullptr;
  for (const TotalBlock<Real>& block : blocks_) {
    if (draw.offers(units(block.mass / total_))) chosen = &block;
    if (draw.done()) break;
  }
  if (!draw.done() && remote_ > Real{0} && draw.offers(units(remote_ / total_))) proposal.is_remote = true;
  if (!draw.found()) return false;
  proposal.weights.push_back(draw.weight());
  if (proposal.is_remote) return true;
  if (!choose_in(*chosen, proposal, bits, verify)) return false;
  if (forward_.totals() != chosen->totals) fill(chosen->totals);
  return true;
}

/// A total of the block.
template <class Real>
bool JointProposer<Real>::choose_in(const TotalBlock<Real>& block, Proposal& proposal, RandomBits& bits, bool verify) {
  UnitDraw within(bits, verify);
  const Real weights = slices_of(block);
  std::uint64_t passed = 0;
  visit_slices(block.size(), block.decay, [&](std::uint64_t at, std::uint64_t count, double bound) {
    if (within.offers(units(Real{bound} * static_cast<Real>(static_cast<double>(count)) / weights))) {
      passed = at;
      proposal.slice = count;
    }
    return !within.done();
  });
  if (!within.found()) return false;
  if (proposal.slice > 1) passed += static_cast<std::uint64_t>(uniform_below(bits, proposal.slice));
  proposal.total = total_at(block.from_last ? block.last - passed : block.first + passed);
  proposal.weights.push_back(within.weight());
  return true;
}

template <class Real>
bool JointProposer<Real>::choose_runs(Proposal& proposal, RandomBits& bits, bool verify) {
  const std::size_t quantiles = forward_.quantiles();
  proposal.below.resize(quantiles);
  proposal.runs.resize(quantiles);
  auto rank = static_cast<std::int64_t>(runs_.records());  // of the quantile above
  std::size_t end = runs_.size();                          // runs from here on are above it
  Real parent = forward_.mass();                           // what the children's masses add up to at most
  std::size_t above = quantiles;                           // the quantile whose run was chosen last
  while (above > 0) {
    const std::size_t j = above - 1;
    const JointRow<Real>& row = forward_.row(j);
    UnitDraw choice(bits, verify);
    for (std::size_t i = std::min(row.end(), end); i-- > row.first && !choice.done();) {
      const Real mass = row.stay[i - row.first] * forward_.kernel(above, rank - runs_.rank(i));
      if (choice.offers(units(mass / parent))) proposal.runs[j] = i;
    }
    if (!choice.found()) return false;
    proposal.weights.push_back(choice.weight());
    end = proposal.runs[j];
    rank = runs_.rank(end);
    parent = row.stay[end - row.first];
    std::size_t first = j;
    if (!choose_sharing(proposal, j, parent, first, bits, verify)) return false;
    for (std::size_t i = first; i <= j; ++i) {
      proposal.runs[i] = end;
      proposal.below[i] = static_cast<std::uint64_t>(rank);
    }
    above = first;
  }
  return true;
}

/// How many quantiles, j and those below it down to `first`, share the run of j. `parent` becomes what their choice leaves.
template <class Real>
bool JointProposer<Real>::choose_sharing(Proposal& proposal, std::size_t j, Real& parent, std::size_t& first,
                                         RandomBits& bits, bool verify) {
  const std::size_t run = proposal.runs[j];
  UnitDraw sharing(bits, verify);
  Real factor = forward_.run_mass(run);
  Real entered = 0;
  for (std::size_t i = j + 1; i-- > 0 && !sharing.done();) {
    const JointRow<Real>& start = forward_.row(i);
    if (start.contains(run)) {
      const Real mass = start.enter[run - start.first];
      if (sharing.offers(units(mass * factor / parent))) {
        first = i;
        entered = mass;
      }
    }
    factor *= forward_.run_mass(run) * forward_.kernel(i, 0) / static_cast<Real>(static_cast<double>(j - i + 2));
  }
  if (!sharing.found()) return false;
  proposal.weights.push_back(sharing.weight());
  parent = entered;
  return true;
}

template <class Real>
void JointProposer<Real>::draw_remote(Proposal& proposal, RandomBits& bits) const {
  proposal.total = total_at(uniform_below(bits, grid_last() + 1));
  for (std::size_t j = 0; j < forward_.quantiles(); ++j) {
    proposal.splits.push_back(problem_.base.draw(problem_.span.lowest, problem_.span.highest + 1, bits));
  }
  std::ranges::sort(proposal.splits);
  for (const Split split : proposal.splits) proposal.below.push_back(runs_.rank_of(split));
}

/// Whether quantiles with so many records below them are in the rows.
template <class Real>
bool JointProposer<Real>::holds(const std::vector<RunWindow>& rows, const std::vector<std::uint64_t>& below) const {
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (!rows[j].contains(runs_.first_from(static_cast<std::int64_t>(below[j])))) return false;
  }
  return true;
}

template <class Real>
bool JointProposer<Real>::is_remote(std::uint64_t total, const std::vector<std::uint64_t>& below) const {
  for (const TotalBlock<Real>& block : blocks_) {
    if (total < block.totals.first || total > block.totals.last || !holds(block.totals.rows, below)) continue;
    for (std::size_t j = 0; j < below.size(); ++j) {
      if (!forward_.window(j, block.totals, half_width()).contains(below[j])) return true;
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
      const std::size_t run = proposal.runs[j];
      const Enclosure mass = Enclosure::of_whole(problem_.base.mass(runs_.start(run), runs_.start(run + 1)));
      arb_mul(result.arb(), result.arb(), mass.arb(), precision);
      arb_div(result.arb(), result.arb(), base.arb(), precision);
      arb_div_ui(result.arb(), result.arb(), sharing, precision);
    }
  }
  for (const std::uint64_t weight : proposal.weights) arb_div_ui(result.arb(), result.arb(), weight, precision);
  arb_mul_ui(result.arb(), result.arb(), proposal.slice, precision);
  const LeadingDouble parts = leading_double(total_);
  Enclosure total;
  arb_set_d(total.arb(), parts.leading);
  arb_div(result.arb(), result.arb(), total.arb(), precision);
  const auto scale = static_cast<slong>(quantiles) * forward_.scale() - static_cast<slong>(parts.exponent) +
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
  JointWork work() const {
    JointWork sum;
    const auto add = [&](const auto& made) {
      if (!made) return;
      sum.tables += made->work().tables;
      sum.entries += made->work().entries;
    };
    std::apply([&](const auto&... made) { (add(made), ...); }, proposers_);
    return sum;
  }

 private:
  const JointProblem& problem_;
  JointRuns runs_;
  std::tuple<std::unique_ptr<JointProposer<double>>, std::unique_ptr<JointProposer<long double>>,
             std::unique_ptr<JointProposer<WideReal>>>
      proposers_;
};

JointSelection::JointSelection(const JointProblem& problem)
    : problem_(problem), tables_(std::make_unique<JointTables>(problem)) {}

JointSelection::~JointSelection() = default;

JointWork JointSelection::work() const { return tables_->work(); }

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
  for (const std::size_t run : proposal.runs) {
    splits.push_back(problem.base.draw(runs.start(run), runs.start(run + 1), bits));
  }
  std::ranges::sort(splits);
  return splits;
}

}  // namespace

// Any number of rejected proposals leaves the law as it is, so a wider type may take over at any time.
JointChoice JointSelection::draw(RandomBits& bits, Filter filter) {
  constexpr int trials_of_a_type = 64;
  constexpr std::size_t narrow_quantiles = 24;
  JointTables& tables = *tables_;
  std::optional<Proposal> kept;
  const auto try_type = [&]<class Real>(int most) {
    if (!tables.proposer<Real>().fits()) return;
    for (int trial = 0; !kept && trial != most; ++trial) {
      ++trials_;
      kept = accepted(tables.proposer<Real>(), bits, filter);
    }
  };
  if (problem_.target.quantiles() <= narrow_quantiles) try_type.operator()<double>(trials_of_a_type);
  if (!kept) try_type.operator()<long double>(trials_of_a_type);
  if (!kept) try_type.operator()<WideReal>(-1);
  JointChoice choice{splits_of(*kept, problem_, tables.runs(), bits), kept->below, kept->total};
  for (std::uint64_t& below : choice.below) below += problem_.span.first_rank;
  return choice;
}

}  // namespace fractile
