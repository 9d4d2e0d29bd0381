#include "quantiles/joint/joint_tables.hpp"

#include <bit>

#include "exact/checkpoint.hpp"
#include "exact/lists.hpp"

namespace fractile {

JointRuns::JointRuns(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells, std::int64_t unit)
    : profile_(profile),
      span_(span),
      subcells_(subcells),
      unit_(unit),
      by_unit_(static_cast<std::uint64_t>(std::max<std::int64_t>(2, unit))) {}

RankWindow JointRuns::whole_units(const RankWindow& window) const {
  const std::int64_t first = std::max<std::int64_t>(0, window.first);
  const std::int64_t last = std::min(static_cast<std::int64_t>(records()), window.last);
  return {first - first % unit_, last - last % unit_ + unit_ - 1};
}

bool JointRuns::covers(const RankWindow& window) const {
  return std::ranges::any_of(
      windows_, [&](const RankWindow& listed) { return listed.first <= window.first && window.last <= listed.last; });
}

/// Windows after the first list are widened on both sides, so that windows which move a little are not listed again.
void JointRuns::add_windows(const std::vector<RankWindow>& windows) {
  const bool are_first = windows_.empty();
  for (const RankWindow& window : windows) {
    const std::int64_t more = are_first ? 0 : (window.last - window.first + 1) / 8;
    windows_.push_back(whole_units({window.first - more, window.last + more}));
  }
  std::ranges::sort(windows_, {}, &RankWindow::first);
  std::size_t kept = 0;
  for (const RankWindow& window : windows_) {
    if (kept > 0 && window.first <= windows_[kept - 1].last + 1) {
      windows_[kept - 1].last = std::max(windows_[kept - 1].last, window.last);
    } else {
      windows_[kept++] = window;
    }
  }
  windows_.resize(kept);
}

bool JointRuns::cover(const std::vector<RankWindow>& windows) {
  constexpr std::int64_t most_at_once = 1 << 14;  // runs: there may be far fewer than units
  if (std::ranges::all_of(windows, [&](const RankWindow& window) { return covers(window); })) return false;
  add_windows(windows);
  units_.clear();
  splits_.clear();
  std::int64_t most = 0;
  for (const RankWindow& window : windows_) most += (window.last - window.first) / unit_ + 1;
  const auto at_once = static_cast<std::size_t>(std::min(most, most_at_once));
  units_.reserve(at_once);
  splits_.reserve(at_once);
  for (const RankWindow& window : windows_) list(window);
  ++listings_;
  return true;
}

/// The first split of the span with at least `rank` of its records below it.
Split JointRuns::first_split(std::int64_t rank) const {
  if (rank == 0) return span_.lowest;
  const std::uint64_t last = span_.first_rank + static_cast<std::uint64_t>(rank);
  ThresholdCursor cursor(profile_, last - 1, last, subcells_);
  Split threshold = 0;
  std::uint64_t records = 0;
  cursor.next(threshold, records);
  return std::max(span_.lowest, threshold);
}

void JointRuns::list(const RankWindow& window) {
  constexpr std::int64_t few_ranks = 12;
  const Split end = span_.highest + 1;
  Split at = first_split(window.first);
  if (at >= end) return;
  auto below = static_cast<std::int64_t>(rank_of(at));
  if (unit_ > few_ranks) {  // it is faster to search for the end of a unit
    while (at < end && below <= window.last) {
      const std::int64_t unit = below / unit_;
      const std::int64_t first_above = (unit + 1) * unit_;
      const bool is_last = first_above > static_cast<std::int64_t>(records());
      const Split next = is_last ? end : std::min(first_split(first_above), end);
      units_.push_back(unit);
      splits_.push_back({at, next});
      at = next;
      if (at < end) below = static_cast<std::int64_t>(rank_of(at));
    }
    return;
  }
  ThresholdCursor cursor(profile_, span_.first_rank + static_cast<std::uint64_t>(below), span_.last_rank, subcells_);
  while (at < end && below <= window.last) {
    Split threshold = end;
    std::uint64_t records = 0;
    const Split next = cursor.next(threshold, records) ? std::min(threshold, end) : end;
    if (next > at) {
      // A division would take as long as everything else.
      const std::int64_t unit =
          unit_ == 1 ? below : static_cast<std::int64_t>(by_unit_.into(static_cast<std::uint64_t>(below)));
      if (units_.empty() || units_.back() != unit) {
        units_.push_back(unit);
        splits_.push_back({at, next});
      }
      splits_.back().end = next;
      at = next;
    }
    below += static_cast<std::int64_t>(records);
  }
}

namespace {

/// The masses of the runs, times `unit`. `Mass`: as wide as the mass of all runs.
template <class Mass, class Real>
std::vector<Real> run_masses(const BaseMeasure& base, const JointRuns& runs, Real unit) {
  const auto number = [](Mass mass) {  // 128 bits would be converted by a function of the compiler's library
    return static_cast<Real>(mass >> 63 == 0 ? static_cast<double>(static_cast<std::int64_t>(mass))
                                             : static_cast<double>(mass));
  };
  std::vector<Real> masses;
  masses.reserve(runs.size());
  RunWeights<Mass> weights(base);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    masses.push_back(number(weights.mass(runs.start(i), runs.end(i))) * unit);
  }
  return masses;
}

/// `slack`: at least exp(2 rate d), where d is the largest distance of a rank from the middle of its unit.
template <class Real>
std::vector<Real> upper_run_masses(const JointProblem& problem, const JointRuns& runs, int scale, double slack) {
  const uint128 total = problem.base.total();
  const Real unit =
      std::ldexp(Real{1}, scale) / static_cast<Real>(static_cast<double>(total)) * Real{1 + 0x1p-48} * Real{slack};
  const bool is_wide = total >> 64 != 0;
  return is_wide ? run_masses<uint128>(problem.base, runs, unit) : run_masses<std::uint64_t>(problem.base, runs, unit);
}

/// 1, step, step^2, ..., `count` powers, or as many as are not below the floor. Each is computed from the power four places before
/// it, so four are computed at once.
template <class Real>
std::vector<Real> powers_of(Real step, std::uint64_t count) {
  const Real square = step * step;
  std::vector<Real> powers{Real{1}, step, square, square * step};
  powers.resize(std::max<std::size_t>(4, count));
  const Real four = square * square;
  for (std::size_t i = 4; i < powers.size(); ++i) powers[i] = powers[i - 4] * four;
  powers.resize(count);
  const auto end =
      std::ranges::partition_point(powers, [](const Real& power) { return power >= RealRange<Real>::floor(); });
  powers.erase(std::max(end, powers.begin() + 1), powers.end());
  return powers;
}

template <class Real>
Real sum_of(std::span<const Real> terms) {
  std::array<Real, 4> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= terms.size(); i += sums.size()) {
    for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += terms[i + lane];
  }
  for (; i < terms.size(); ++i) sums[0] += terms[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// sums[i] = terms[i] + step * sums[i - 1], computed four at once from sums of two, then of four, terms. `pairs` is scratch for
/// these.
template <class Real>
void sum_from_left(std::span<const Real> terms, Real step, std::vector<Real>& pairs, std::vector<Real>& sums) {
  const std::size_t size = terms.size();
  const Real two = step * step;
  const Real four = two * two;
  pairs.resize(size);
  sums.resize(size);
  const Real* a = terms.data();
  Real* y = pairs.data();
  Real* x = sums.data();
  y[0] = a[0];
  for (std::size_t i = 1; i < size; ++i) y[i] = a[i] + step * a[i - 1];
  for (std::size_t i = 0; i < std::min<std::size_t>(2, size); ++i) x[i] = y[i];
  for (std::size_t i = 2; i < size; ++i) x[i] = y[i] + two * y[i - 2];
  for (std::size_t i = 4; i < size; ++i) x[i] += four * x[i - 4];
}

/// sums[i] = terms[i] + step * sums[i + 1].
template <class Real>
void sum_from_right(std::span<const Real> terms, Real step, std::vector<Real>& pairs, std::vector<Real>& sums) {
  const std::size_t size = terms.size();
  const Real two = step * step;
  const Real four = two * two;
  pairs.resize(size);
  sums.resize(size);
  const Real* a = terms.data();
  Real* y = pairs.data();
  Real* x = sums.data();
  for (std::size_t i = 0; i + 1 < size; ++i) y[i] = a[i] + step * a[i + 1];
  y[size - 1] = a[size - 1];
  for (std::size_t i = 0; i + 2 < size; ++i) x[i] = y[i] + two * y[i + 2];
  for (std::size_t i = size < 2 ? 0 : size - 2; i < size; ++i) x[i] = y[i];
  for (std::size_t i = size < 4 ? 0 : size - 4; i-- > 0;) x[i] += four * x[i + 4];
}

}  // namespace

template <class Real>
JointPowers<Real>::JointPowers(Real step, std::uint64_t largest) {
  near_ = powers_of<Real>(step, std::min<std::uint64_t>(largest + 1, base));
  const std::vector<Real>* before = &near_;
  distant_.reserve(3);
  for (std::uint64_t left = largest >> digits; left > 0 && before->size() == base; left >>= digits) {
    distant_.push_back(powers_of<Real>(before->back() * (*before)[1], base));
    before = &distant_.back();
  }
}

template <class Real>
std::shared_ptr<const JointPowers<Real>> JointPowers<Real>::of(Real step, std::uint64_t largest) {
  struct Kept {
    Real step = 0;
    std::uint64_t largest = 0;
    std::shared_ptr<const JointPowers> powers = {};
  };
  thread_local std::array<Kept, 4> kept;
  thread_local std::size_t next = 0;
  for (const Kept& each : kept) {
    if (each.powers && each.step == step && largest <= each.largest) return each.powers;
  }
  next = (next + 1) % kept.size();
  constexpr std::uint64_t most = std::uint64_t{1} << 48;
  const std::uint64_t rounded =
      std::max(largest, std::min(std::bit_ceil(largest), most));  // the next selections may have more records
  kept[next] = {step, rounded, std::make_shared<const JointPowers>(step, rounded)};
  return kept[next].powers;
}

/// A list that ends early ends where powers reach the floor: powers that it does not have are below the floor.
template <class Real>
Real JointPowers<Real>::far(std::size_t k) const {
  const Real floor = RealRange<Real>::floor();
  if (near_.size() < base) return floor;
  Real power = near_[k % base];
  std::size_t left = k / base;
  for (const std::vector<Real>& list : distant_) {
    const std::size_t digit = list.size() < base ? left : left % base;
    if (digit >= list.size()) return floor;
    power *= list[digit];
    left /= base;
    if (left == 0) break;
  }
  return power < floor ? floor : power;
}

namespace {

/// An upper bound of all exponents.
std::uint64_t largest_power(const JointRuns& runs) {
  return runs.records() + 2 * static_cast<std::uint64_t>(runs.unit());
}

}  // namespace

template <class Real>
JointForward<Real>::JointForward(const JointProblem& problem, JointRuns& runs, const Enclosure& rate)
    : problem_(problem),
      runs_(runs),
      records_(static_cast<std::int64_t>(runs.records())),
      quantiles_(problem.target.quantiles()),
      rate_(std::max(0.0, rate.lower_double())),
      scale_(std::min(60, RealRange<Real>::up / static_cast<int>(quantiles_))),
      one_step_((Enclosure::of(Rational(0)) - rate).exp().upper_double()),
      powers_(JointPowers<Real>::of(one_step_, largest_power(runs))),
      power_(*powers_),
      reach_floor_(power_.reach_floor(largest_power(runs))) {}

/// The window before it is cut at 0 and at the number of records.
template <class Real>
RankWindow JointForward<Real>::uncut_window(std::size_t j, const TotalRange& totals, std::uint64_t half_width) const {
  uint128 weight = 0;
  for (std::size_t i = 0; i <= j; ++i) weight += problem_.target.weights[i];
  const std::uint64_t all = problem_.target.denominator;
  const uint128 rest = all - weight;
  const auto down = [&](uint128 share, std::uint64_t t) { return static_cast<std::int64_t>(share * t / all); };
  const auto up = [&](uint128 share, std::uint64_t t) {
    return static_cast<std::int64_t>((share * t + all - 1) / all);
  };
  const auto width = static_cast<std::int64_t>(half_width);
  return {std::min(down(weight, totals.first), records_ - up(rest, totals.last)) - width,
          std::max(up(weight, totals.last), records_ - down(rest, totals.first)) + width};
}

template <class Real>
RankWindow JointForward<Real>::window(std::size_t j, const TotalRange& totals, std::uint64_t half_width) const {
  return runs_.whole_units(uncut_window(j, totals, half_width));
}

template <class Real>
std::vector<RankWindow> JointForward<Real>::windows(const TotalRange& totals, std::uint64_t half_width) const {
  return tabulated(quantiles_, [&](std::size_t j) { return window(j, totals, half_width); });
}

/// Two ranks of neighboring windows differ by no more from their cell's target than the windows have ranks together, and no power
/// has an exponent above the number of records. A row has no more runs than that either.
template <class Real>
void JointForward<Real>::set_inflation(const TotalRange& totals, std::uint64_t half_width) {
  std::int64_t widest = 0;
  for (std::size_t j = 0; j < quantiles_; ++j) {
    const RankWindow uncut = uncut_window(j, totals, half_width);
    widest = std::max(widest, uncut.last - uncut.first + 1 + 2 * runs_.unit());
  }
  const std::int64_t most = std::min(records_ + 2 * runs_.unit(), 2 * widest + 2);
  inflation_ = 1 + 0x1p-34 + static_cast<double>(most + 1000) * static_cast<double>(quantiles_ + 16) * 0x1p-51;
}

template <class Real>
std::vector<JointKernel<Real>> JointForward<Real>::kernels_of(std::uint64_t anchor) const {
  const std::int64_t most = records_ + runs_.unit();  // an upper bound of all runs' ranks
  std::vector<JointKernel<Real>> kernels;
  kernels.reserve(quantiles_ + 1);
  for (std::size_t j = 0; j <= quantiles_; ++j) {
    const std::uint64_t weight = problem_.target.weights[j];
    if (j > 0 && weight == problem_.target.weights[j - 1]) {
      kernels.push_back(kernels.back());
      continue;
    }
    const uint128 scaled = uint128{weight} * anchor;
    const auto denominator = static_cast<double>(problem_.target.denominator);
    const std::int64_t corner = std::min(static_cast<std::int64_t>(scaled / problem_.target.denominator), most);
    const uint128 rest = scaled - uint128{static_cast<std::uint64_t>(corner)} * problem_.target.denominator;
    // Lower bounds of t w - corner and corner + 1 - t w. The latter is used only when it is positive.
    const double past = static_cast<double>(rest) / denominator * (1 - 0x1p-50);
    const double missing = rest >= problem_.target.denominator
                               ? 0
                               : static_cast<double>(problem_.target.denominator - rest) / denominator * (1 - 0x1p-50);
    kernels.push_back({corner, static_cast<Real>(exp_minus_upper(rate_ * past * (1 - 0x1p-50))),
                       static_cast<Real>(exp_minus_upper(rate_ * missing * (1 - 0x1p-50)))});
  }
  return kernels;
}

template <class Real>
void JointForward<Real>::fill(const TotalRange& totals, std::uint64_t half_width, JointTable<Real>& table) {
  table.totals = totals;
  table.kernels = kernels_of(totals.anchor);
  set_inflation(totals, half_width);
  const std::vector<RankWindow> windows = this->windows(totals, half_width);
  runs_.cover(windows);
  if (listing_ != runs_.listings()) {
    const std::int64_t farthest = runs_.unit() / 2;
    const double off = 2 * rate_ * static_cast<double>(farthest);
    run_mass_ = upper_run_masses<Real>(problem_, runs_, scale_, off > 0 ? exp_upper<double>(off) : 1);
  }
  table.listing = listing_ = runs_.listings();
  table.rows.resize(quantiles_);
  std::size_t entries = 0;
  for (const RankWindow& ranks : windows) entries += runs_.end_of(ranks) - runs_.first_of(ranks);
  work_ += entries;
  Real* at = table.room.of(2 * entries);
  for (std::size_t j = 0; j < quantiles_; ++j) {
    checkpoint();
    JointRow<Real>& row = table.rows[j];
    row.first = runs_.first_of(windows[j]);
    const std::size_t size = runs_.end_of(windows[j]) - row.first;
    row.enter = {at, size};
    row.stay = {at + size, size};
    at += 2 * size;
    if (j == 0) {
      enter_first(table.kernels[0], row);
    } else {
      enter_from(table.rows[j - 1], table.kernels[j], row);
    }
    stay(j, table);
  }
  Real sum = 0;
  const JointRow<Real>& last = table.rows.back();
  for (std::size_t i = last.first; i < last.end(); ++i) {
    sum += last.stay[i - last.first] * kernel(table.kernels.back(), records_ - runs_.rank(i));
  }
  table.mass = sum * inflation_ + RealRange<Real>::least();
}

template <class Real>
void JointForward<Real>::enter_first(const JointKernel<Real>& k, JointRow<Real>& row) const {
  for (std::size_t i = row.first; i < row.end(); ++i) {
    row.enter[i - row.first] = kernel(k, runs_.rank(i)) * inflation_ + RealRange<Real>::least();
  }
}

// enter(b) = sum over b' < b of before.stay(b') * kernel(b - b'). Products of powers may lie below the floor; choices then use the
// floor in their place. Adding four times the floor for everything before the row covers this.
template <class Real>
void JointForward<Real>::enter_from(const JointRow<Real>& before, const JointKernel<Real>& k, JointRow<Real>& row) {
  if (row.stay.empty()) return;
  if (before.stay.empty()) {
    std::ranges::fill(row.enter, RealRange<Real>::least());
    return;
  }
  Real more = RealRange<Real>::least();
  if (reach_floor_) {
    more += sum_of<Real>(before.stay) * Real{4} * RealRange<Real>::floor();
  }
  const bool is_above = runs_.units_below(before.end() - 1) < runs_.units_below(row.first);
  const bool overlaps_little = rate_ * static_cast<double>(k.corner) > std::log(4.0 * static_cast<double>(quantiles_));
  if (is_above || overlaps_little) {
    enter_shifted(before, k, more, row);
  } else if (is_dense(before, k.corner, row)) {
    enter_by_units(before, k, more, row);
  } else {
    enter_by_runs(before, k, more, row);
  }
}

// Sums over all b', including b' >= b, as if cells could have a negative number of records. Where the row lies above the row
// before, there are no such b'; elsewhere they weigh little. Let c be the kernel's corner. The b' from b - c on are a sum from the
// right, those below a sum from the left.
template <class Real>
void JointForward<Real>::enter_shifted(const JointRow<Real>& before, const JointKernel<Real>& k, Real more,
                                       JointRow<Real>& row) {
  const std::int64_t unit = runs_.unit();
  const std::int64_t corner = k.corner / unit;
  const Real near = k.at_corner * power_(k.corner - corner * unit);
  const Real beyond = k.beyond * power_((corner + 1) * unit - k.corner - 1);
  const Real step = unit == 1 ? one_step_ : power_(unit);
  const std::size_t size = before.stay.size();
  const auto units = [&](std::size_t i) { return runs_.units_below(before.first + i); };
  if (has_all_units(before) && has_all_units(row)) {
    sum_from_left<Real>(before.stay, step, windowed_, prefixes_);
    sum_from_right<Real>(before.stay, step, windowed_, suffixes_);
    const std::int64_t ahead =
        runs_.units_below(row.first) - corner - units(0);  // how far b - c is ahead of the row before
    const auto last = static_cast<std::int64_t>(size) - 1;
    const auto entries = static_cast<std::int64_t>(row.enter.size());
    const std::int64_t below = std::clamp<std::int64_t>(1 - ahead, 0, entries);
    const std::int64_t above = std::clamp<std::int64_t>(last + 1 - ahead, below, entries);
    Real* const enter = row.enter.data();
    const Real of_all = near * suffixes_[0] * inflation_;
    const Real after_all = beyond * prefixes_[size - 1] * inflation_;
    const Real near_more = near * inflation_;
    const Real beyond_more = beyond * inflation_;
    for (std::int64_t i = 0; i < below; ++i) enter[i] = of_all * power_((-ahead - i) * unit) + more;
    const Real* const suffix = suffixes_.data();
    const Real* const prefix = prefixes_.data();
    for (std::int64_t i = below; i < above; ++i) {
      enter[i] = near_more * suffix[i + ahead] + beyond_more * prefix[i + ahead - 1] + more;
    }
    for (std::int64_t i = above; i < entries; ++i) enter[i] = after_all * power_((i + ahead - last - 1) * unit) + more;
    return;
  }
  prefixes_.resize(size);
  suffixes_.resize(size);
  Real prefix = before.stay[0];
  Real suffix = before.stay[size - 1];
  prefixes_[0] = prefix;
  suffixes_[size - 1] = suffix;
  for (std::size_t i = 1; i < size; ++i) {
    const std::size_t j = size - 1 - i;
    prefixes_[i] = prefix = prefix * power_((units(i) - units(i - 1)) * unit) + before.stay[i];
    suffixes_[j] = suffix = suffix * power_((units(j + 1) - units(j)) * unit) + before.stay[j];
  }
  std::size_t from = 0;  // the first run that is not below b - c
  for (std::size_t at = row.first; at < row.end(); ++at) {
    const std::int64_t least = runs_.units_below(at) - corner;
    while (from < size && units(from) < least) ++from;
    Real entered = 0;
    if (from < size) entered = near * suffixes_[from] * power_((units(from) - least) * unit);
    if (from > 0) entered += beyond * prefixes_[from - 1] * power_((least - 1 - units(from - 1)) * unit);
    row.enter[at - row.first] = entered * inflation_ + more;
  }
}

/// Whether units, including those without splits, are so few that passing them one by one is faster than passing gaps.
template <class Real>
bool JointForward<Real>::is_dense(const JointRow<Real>& before, std::int64_t corner, const JointRow<Real>& row) const {
  const std::int64_t units =
      runs_.units_below(row.end() - 1) - runs_.units_below(row.first) + 1 + corner / runs_.unit();
  return units <= 2 * static_cast<std::int64_t>(before.stay.size() + row.stay.size());
}

// Passes units; units without splits have no mass. Let c be the kernel's corner. The b' from b - c to b - 1 are a sliding window.
// It is taken in blocks of c, so nothing is ever subtracted: the part of the window in its first block is a sum from the right, and
// the part in its second block a sum from the left. All earlier b' are one geometric sum.
template <class Real>
void JointForward<Real>::enter_by_units(const JointRow<Real>& before, const JointKernel<Real>& k, Real more,
                                        JointRow<Real>& row) {
  const std::int64_t unit = runs_.unit();
  const std::int64_t corner = k.corner / unit;
  const Real near = k.at_corner * power_(k.corner - corner * unit);
  const Real beyond = k.beyond * power_((corner + 1) * unit - k.corner - 1);
  const Real step = power_(unit);
  const std::int64_t first = runs_.units_below(row.first);
  const std::int64_t size = runs_.units_below(row.end() - 1) - first + 1;
  const std::int64_t origin = first - corner;  // padded_[i] is the stay at unit origin + i
  const std::size_t middle = std::clamp(runs_.first_from_unit(origin), before.first, before.end());
  const std::size_t end = std::clamp(runs_.first_from_unit(origin + size + corner), before.first, before.end());
  Real earlier = 0;  // sum over b' < origin, relative to the last of these
  for (std::size_t i = before.first; i < middle; ++i) {
    const std::int64_t gap = i == before.first ? 0 : runs_.units_below(i) - runs_.units_below(i - 1);
    earlier = earlier * (gap == 1 ? step : power_(gap * unit)) + before.stay[i - before.first];
  }
  if (middle > before.first) earlier *= power_((origin - 1 - runs_.units_below(middle - 1)) * unit);
  padded_.assign(static_cast<std::size_t>(size + corner), Real{0});
  for (std::size_t i = middle; i < end; ++i) {
    padded_[static_cast<std::size_t>(runs_.units_below(i) - origin)] = before.stay[i - before.first];
  }
  sum_windows(corner, size);
  for (std::size_t i = 0; i < windowed_.size(); ++i) {
    windowed_[i] = near * windowed_[i] + beyond * earlier;
    earlier = earlier * step + padded_[i];
  }
  for (std::size_t at = row.first; at < row.end(); ++at) {
    row.enter[at - row.first] = windowed_[static_cast<std::size_t>(runs_.units_below(at) - first)] * inflation_ + more;
  }
}

/// windowed_[i] = sum of padded_[i .. i + corner - 1], where the first term has factor 1, and each further term one more power of a
/// unit.
template <class Real>
void JointForward<Real>::sum_windows(std::int64_t corner, std::int64_t size) {
  const std::int64_t unit = runs_.unit();
  const Real step = power_(unit);
  windowed_.resize(static_cast<std::size_t>(size));
  if (corner == 0) std::ranges::fill(windowed_, Real{0});
  for (std::int64_t start = 0; corner > 0 && start < size; start += corner) {
    Real suffix = 0;
    for (std::int64_t i = start + corner - 1; i >= start; --i) {
      suffix = padded_[static_cast<std::size_t>(i)] + step * suffix;
      if (i < size) windowed_[static_cast<std::size_t>(i)] = suffix;
    }
    Real prefix = 0;
    for (std::int64_t i = start + 1; i < std::min(start + corner, size); ++i) {
      prefix += padded_[static_cast<std::size_t>(i + corner - 1)] * power_((i - start - 1) * unit);
      windowed_[static_cast<std::size_t>(i)] += power_((corner - (i - start)) * unit) * prefix;
    }
  }
}

// Passes runs and the gaps between them. With c as above, the b' from b - c to b - 1 are a sliding window. Its part below `middle`
// is a sum from the right, which is computed anew when the window has passed it; its part from `middle` on is a sum from the left.
template <class Real>
void JointForward<Real>::enter_by_runs(const JointRow<Real>& before, const JointKernel<Real>& k, Real more,
                                       JointRow<Real>& row) {
  const std::int64_t corner = k.corner;
  const auto stay_at = [&](std::size_t i) { return before.stay[i - before.first]; };
  suffixes_.resize(before.stay.size());
  std::size_t oldest = before.first;  // of the window
  std::size_t next = before.first;    // the first run that is not yet in the window
  std::size_t middle = before.first;
  Real prefix = 0;  // sum from middle on, relative to middle
  Real earlier = 0;
  std::int64_t earlier_rank = 0;  // the rank to which `earlier` is relative
  for (std::size_t at = row.first; at < row.end(); ++at) {
    const std::int64_t b = runs_.rank(at);
    for (; next < before.end() && runs_.rank(next) < b; ++next) {
      prefix += stay_at(next) * power_(runs_.rank(next) - runs_.rank(middle));
    }
    for (; oldest < next && runs_.rank(oldest) < b - corner; ++oldest) {
      earlier = earlier * power_(runs_.rank(oldest) - earlier_rank) + stay_at(oldest);
      earlier_rank = runs_.rank(oldest);
    }
    if (oldest >= middle && oldest < next) {
      Real suffix = 0;
      for (std::size_t i = next; i-- > oldest;) {
        const std::int64_t gap = i + 1 < next ? runs_.rank(i + 1) - runs_.rank(i) : 0;
        suffix = stay_at(i) + suffix * power_(gap);
        suffixes_[i - before.first] = suffix;
      }
      middle = next;
      prefix = 0;
    }
    if (oldest == next) {
      middle = next;
      prefix = 0;
    }
    Real entered = 0;
    if (oldest < middle) entered = power_(runs_.rank(oldest) - (b - corner)) * suffixes_[oldest - before.first];
    if (middle < next) entered += power_(runs_.rank(middle) - (b - corner)) * prefix;
    entered = k.at_corner * entered;
    if (oldest > before.first) entered += k.beyond * earlier * power_(b - corner - 1 - earlier_rank);
    row.enter[at - row.first] = entered * inflation_ + more;
  }
}

// stay(b) = sum over r of enter_(j-r+1)(b) * run_mass(b)^r / r! * (the kernels of the r - 1 empty cells at 0), by Horner's scheme.
template <class Real>
void JointForward<Real>::stay(std::size_t j, JointTable<Real>& table) const {
  JointRow<Real>& row = table.rows[j];
  const Real* mass = run_mass_.data() + row.first;
  Real* sum = row.stay.data();
  std::ranges::fill(row.stay, Real{0});
  bool has_some = false;
  for (std::size_t i = 0; i <= j; ++i) {
    const JointRow<Real>& entered = table.rows[i];
    if (has_some) {
      const Real factor = kernel(table.kernels[i], 0) / static_cast<Real>(static_cast<double>(j - i + 2));
      for (std::size_t b = 0; b < row.stay.size(); ++b) sum[b] *= mass[b] * factor;
    }
    const std::size_t from = std::max(row.first, entered.first);
    const std::size_t to = std::min(row.end(), entered.end());
    has_some = has_some || from < to;
    for (std::size_t b = from; b < to; ++b) sum[b - row.first] += entered.enter[b - entered.first];
  }
  for (std::size_t b = 0; b < row.stay.size(); ++b) {
    sum[b] = sum[b] * mass[b] * inflation_ + RealRange<Real>::least();
  }
}

template class JointPowers<double>;
template class JointPowers<long double>;
template class JointForward<double>;
template class JointForward<long double>;

}  // namespace fractile
