#include "quantiles/joint/joint_tables.hpp"

#include <algorithm>
#include <numeric>

#include "exact/exp_bounds.hpp"

namespace fractile {

JointRuns::JointRuns(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells)
    : profile_(profile), span_(span), subcells_(subcells) {}

bool JointRuns::covers(const RankWindow& window) const {
  return std::ranges::any_of(
      windows_, [&](const RankWindow& listed) { return listed.first <= window.first && window.last <= listed.last; });
}

/// Each with as much again on either side, so that windows which grow step by step are listed a few times only.
void JointRuns::add_windows(const std::vector<RankWindow>& windows) {
  const auto records = static_cast<std::int64_t>(this->records());
  for (const RankWindow& window : windows) {
    const std::int64_t more = window.last - window.first + 1;
    windows_.push_back({std::max<std::int64_t>(0, window.first - more), std::min(records, window.last + more)});
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
  if (std::ranges::all_of(windows, [&](const RankWindow& window) { return covers(window); })) return false;
  add_windows(windows);
  ranks_.clear();
  splits_.clear();
  for (const RankWindow& window : windows_) list(window);
  ++listings_;
  return true;
}

/// The first split of the span with at least so many of its records below it.
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
  const Split end = span_.highest + 1;
  Split at = first_split(window.first);
  if (at >= end) return;
  auto below = static_cast<std::int64_t>(rank_of(at));
  ThresholdCursor cursor(profile_, span_.first_rank + static_cast<std::uint64_t>(below), span_.last_rank, subcells_);
  while (at < end && below <= window.last) {
    Split threshold = end;
    std::uint64_t records = 0;
    const Split next = cursor.next(threshold, records) ? std::min(threshold, end) : end;
    if (next > at) {
      ranks_.push_back(below);
      splits_.push_back({at, next});
      at = next;
    }
    below += static_cast<std::int64_t>(records);
  }
}

namespace {

template <class Real>
std::vector<Real> upper_run_masses(const JointProblem& problem, const JointRuns& runs, int scale) {
  const Real unit =
      std::ldexp(Real{1}, scale) / static_cast<Real>(static_cast<double>(problem.base.total())) * Real{1 + 0x1p-48};
  std::vector<Real> masses;
  masses.reserve(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    masses.push_back(static_cast<Real>(static_cast<double>(problem.base.mass(runs.start(i), runs.end(i)))) * unit);
  }
  return masses;
}

/// 1, step, step^2, ..., `count` of them, or as many as are not below the floor.
template <class Real>
std::vector<Real> powers_of(Real step, std::uint64_t count) {
  std::vector<Real> powers{Real{1}};
  while (powers.size() < count) {
    const Real next = powers.back() * step;
    if (next < RealRange<Real>::floor()) break;
    powers.push_back(next);
  }
  return powers;
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
  reach_floor_ = (*this)(static_cast<std::int64_t>(largest)) < RealRange<Real>::floor() * Real{2.0};
}

/// A list that ends early ends where powers reach the floor: what it does not have, and all that is farther, lies below.
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

template <class Real>
JointForward<Real>::JointForward(const JointProblem& problem, JointRuns& runs)
    : problem_(problem),
      runs_(runs),
      records_(static_cast<std::int64_t>(runs.records())),
      rate_(std::max(0.0, Enclosure::of(problem.rate).lower_double())),
      scale_(std::min(60, RealRange<Real>::up / static_cast<int>(problem.target.quantiles()))),
      one_step_((Enclosure::of(Rational(0)) - Enclosure::of(problem.rate)).exp().upper_double()),
      power_(one_step_, runs.records() + 1),
      kernels_(problem.target.weights.size()),
      rows_(problem.target.quantiles()) {}

template <class Real>
RankWindow JointForward<Real>::uncut_window(std::size_t j, const TotalRange& totals, std::uint64_t half_width) const {
  uint128 weight = 0;
  for (std::size_t i = 0; i <= j; ++i) weight += problem_.target.weights[i];
  const std::uint64_t all = problem_.target.denominator;
  const auto below = static_cast<std::int64_t>(weight * totals.first / all);
  const auto above = static_cast<std::int64_t>((weight * totals.last + all - 1) / all);
  const auto off = [&](std::uint64_t t) { return std::abs(records_ - static_cast<std::int64_t>(t)); };
  const auto width = static_cast<std::int64_t>(half_width) + std::max(off(totals.first), off(totals.last));
  return {below - width, above + width};
}

template <class Real>
RankWindow JointForward<Real>::window(std::size_t j, const TotalRange& totals, std::uint64_t half_width) const {
  const RankWindow uncut = uncut_window(j, totals, half_width);
  return {std::max<std::int64_t>(0, uncut.first), std::min(records_, uncut.last)};
}

/// Two ranks of neighbouring windows differ by no more from their cell's target than the windows have ranks together, and no power
/// has an exponent above the number of records. A row has no more runs than that either.
template <class Real>
void JointForward<Real>::set_inflation(const TotalRange& totals, std::uint64_t half_width) {
  std::int64_t widest = 0;
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    const RankWindow uncut = uncut_window(j, totals, half_width);
    widest = std::max(widest, uncut.last - uncut.first + 1);
  }
  const std::int64_t most = std::min(records_, 2 * widest + 2);
  inflation_ =
      1 + 0x1p-34 + static_cast<double>(most + 1000) * static_cast<double>(problem_.target.quantiles() + 16) * 0x1p-51;
}

template <class Real>
bool JointForward<Real>::in_range() const {
  return RealRange<Real>::floor() * Real{0x1p100} < mass_;
}

template <class Real>
void JointForward<Real>::set_kernels() {
  for (std::size_t j = 0; j < kernels_.size(); ++j) {
    const uint128 scaled = uint128{problem_.target.weights[j]} * totals_.anchor;
    const auto denominator = static_cast<double>(problem_.target.denominator);
    const std::int64_t corner = std::min(static_cast<std::int64_t>(scaled / problem_.target.denominator), records_);
    const uint128 rest = scaled - uint128{static_cast<std::uint64_t>(corner)} * problem_.target.denominator;
    // Lower bounds of t w - corner and corner + 1 - t w, the latter only of use when it is positive.
    const double past = static_cast<double>(rest) / denominator * (1 - 0x1p-50);
    const double missing = rest >= problem_.target.denominator
                               ? 0
                               : static_cast<double>(problem_.target.denominator - rest) / denominator * (1 - 0x1p-50);
    kernels_[j] = {corner, static_cast<Real>(exp_minus_upper(rate_ * past * (1 - 0x1p-50))),
                   static_cast<Real>(exp_minus_upper(rate_ * missing * (1 - 0x1p-50)))};
  }
}

template <class Real>
void JointForward<Real>::fill(const TotalRange& totals, std::uint64_t half_width) {
  totals_ = totals;
  set_kernels();
  set_inflation(totals, half_width);
  std::vector<RankWindow> windows;
  for (std::size_t j = 0; j < rows_.size(); ++j) windows.push_back(window(j, totals, half_width));
  runs_.cover(windows);
  if (listing_ != runs_.listings()) run_mass_ = upper_run_masses<Real>(problem_, runs_, scale_);
  listing_ = runs_.listings();
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    const RankWindow ranks = windows[j];
    rows_[j].first = runs_.first_from(ranks.first);
    rows_[j].enter.resize(runs_.first_from(ranks.last + 1) - rows_[j].first);
    rows_[j].stay.resize(rows_[j].enter.size());
    work_ += rows_[j].stay.size();
    if (j == 0) {
      enter_first(rows_[j]);
    } else {
      enter_from(rows_[j - 1], j, rows_[j]);
    }
    stay(j);
  }
  Real sum = 0;
  const JointRow<Real>& last = rows_.back();
  for (std::size_t i = last.first; i < last.end(); ++i) {
    sum += last.stay[i - last.first] * kernel(rows_.size(), records_ - runs_.rank(i));
  }
  mass_ = sum * inflation_ + RealRange<Real>::least();
}

template <class Real>
void JointForward<Real>::enter_first(JointRow<Real>& row) const {
  for (std::size_t i = row.first; i < row.end(); ++i) {
    row.enter[i - row.first] = kernel(0, runs_.rank(i)) * inflation_ + RealRange<Real>::least();
  }
}

// enter(b) = sum over b' < b of before.stay(b') * kernel(b - b'). Products of powers may lie below the floor, which stands for
// them when choices are made: four times the floor for all that is before the row covers that.
template <class Real>
void JointForward<Real>::enter_from(const JointRow<Real>& before, std::size_t j, JointRow<Real>& row) {
  if (row.stay.empty()) return;
  Real more = RealRange<Real>::least();
  if (power_.reach_floor()) {
    Real all = 0;
    for (const Real& mass : before.stay) all += mass;
    more += all * Real{4} * RealRange<Real>::floor();
  }
  if (is_dense(before, kernels_[j].corner, row)) {
    enter_by_ranks(before, kernels_[j], more, row);
  } else {
    enter_by_runs(before, kernels_[j], more, row);
  }
}

/// Whether ranks, with those that have no splits, are few enough to be passed one by one: quicker than by gaps.
template <class Real>
bool JointForward<Real>::is_dense(const JointRow<Real>& before, std::int64_t corner, const JointRow<Real>& row) const {
  const std::int64_t ranks = runs_.rank(row.end() - 1) - runs_.rank(row.first) + 1 + corner;
  return ranks <= 2 * static_cast<std::int64_t>(before.stay.size() + row.stay.size());
}

// By ranks, those without splits having no mass. With c the kernel's corner, the b' from b - c to b - 1 are a window that slides
// along, taken in blocks of c so that nothing is ever subtracted: what a window has of its first block is a sum from the
// right, what it has of the second a sum from the left. All b' before that are one geometric sum.
template <class Real>
void JointForward<Real>::enter_by_ranks(const JointRow<Real>& before, const JointKernel<Real>& k, Real more,
                                        JointRow<Real>& row) {
  const std::int64_t corner = k.corner;
  const std::int64_t first_rank = runs_.rank(row.first);
  const std::int64_t size = runs_.rank(row.end() - 1) - first_rank + 1;
  const std::int64_t origin = first_rank - corner;  // padded_[i] is the stay at rank origin + i
  const std::size_t middle = std::clamp(runs_.first_from(origin), before.first, before.end());
  const std::size_t end = std::clamp(runs_.first_from(origin + size + corner), before.first, before.end());
  Real earlier = 0;  // the b' < origin, as seen from the last of them
  for (std::size_t i = before.first; i < middle; ++i) {
    const std::int64_t gap = i == before.first ? 0 : runs_.rank(i) - runs_.rank(i - 1);
    earlier = earlier * (gap == 1 ? one_step_ : power_(gap)) + before.stay[i - before.first];
  }
  if (middle > before.first) earlier *= power_(origin - 1 - runs_.rank(middle - 1));
  padded_.assign(static_cast<std::size_t>(size + corner), Real{0});
  for (std::size_t i = middle; i < end; ++i) {
    padded_[static_cast<std::size_t>(runs_.rank(i) - origin)] = before.stay[i - before.first];
  }
  sum_windows(corner, size);
  for (std::size_t i = 0; i < windowed_.size(); ++i) {
    windowed_[i] = k.at_corner * windowed_[i] + k.beyond * earlier;
    earlier = earlier * one_step_ + padded_[i];
  }
  for (std::size_t at = row.first; at < row.end(); ++at) {
    row.enter[at - row.first] = windowed_[static_cast<std::size_t>(runs_.rank(at) - first_rank)] * inflation_ + more;
  }
}

/// windowed_[i] = sum of padded_[i .. i + corner - 1], the first with factor 1, each after it with one power more.
template <class Real>
void JointForward<Real>::sum_windows(std::int64_t corner, std::int64_t size) {
  windowed_.resize(static_cast<std::size_t>(size));
  if (corner == 0) std::ranges::fill(windowed_, Real{0});
  for (std::int64_t start = 0; corner > 0 && start < size; start += corner) {
    Real suffix = 0;
    for (std::int64_t i = start + corner - 1; i >= start; --i) {
      suffix = padded_[static_cast<std::size_t>(i)] + one_step_ * suffix;
      if (i < size) windowed_[static_cast<std::size_t>(i)] = suffix;
    }
    Real prefix = 0;
    for (std::int64_t i = start + 1; i < std::min(start + corner, size); ++i) {
      prefix += padded_[static_cast<std::size_t>(i + corner - 1)] * power_(i - start - 1);
      windowed_[static_cast<std::size_t>(i)] += power_(corner - (i - start)) * prefix;
    }
  }
}

// By runs and the gaps between them. With c as above, the b' from b - c to b - 1 are a window that slides along; what it has of
// the runs below `middle` is a sum from the right, made anew when the window has passed them, what it has of those from
// `middle` on is a sum from the left.
template <class Real>
void JointForward<Real>::enter_by_runs(const JointRow<Real>& before, const JointKernel<Real>& k, Real more,
                                       JointRow<Real>& row) {
  const std::int64_t corner = k.corner;
  const auto stay_at = [&](std::size_t i) { return before.stay[i - before.first]; };
  suffixes_.resize(before.stay.size());
  std::size_t oldest = before.first;  // of the window
  std::size_t next = before.first;    // the first that is not yet in it
  std::size_t middle = before.first;
  Real prefix = 0;  // from middle on, as seen from there
  Real earlier = 0;
  std::int64_t earlier_rank = 0;  // from where `earlier` is seen
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

// stay(b) = sum over r of enter_(j-r+1)(b) * run_mass(b)^r / r! * the kernels of the r - 1 empty cells at 0, by Horner.
template <class Real>
void JointForward<Real>::stay(std::size_t j) {
  JointRow<Real>& row = rows_[j];
  const Real* mass = run_mass_.data() + row.first;
  Real* sum = row.stay.data();
  std::ranges::fill(row.stay, Real{0});
  for (std::size_t i = 0; i <= j; ++i) {
    const Real factor = kernel(i, 0) / static_cast<Real>(static_cast<double>(j - i + 2));
    const JointRow<Real>& entered = rows_[i];
    if (i > 0) {
      for (std::size_t b = 0; b < row.stay.size(); ++b) sum[b] *= mass[b] * factor;
    }
    const std::size_t from = std::max(row.first, entered.first);
    const std::size_t to = std::min(row.end(), entered.end());
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
