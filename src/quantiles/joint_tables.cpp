#include "quantiles/joint_tables.hpp"

#include <algorithm>
#include <numeric>

#include "exact/exp_bounds.hpp"

namespace fractile {

JointRuns::JointRuns(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells) {
  const Split end = span.highest + 1;
  starts_.reserve(span.records() + 2);
  starts_.push_back(span.lowest);
  ThresholdCursor cursor(profile, span.first_rank, span.last_rank, subcells);
  Split threshold = 0;
  for (std::uint64_t records = 0; cursor.next(threshold, records);) {
    starts_.insert(starts_.end(), records, std::clamp(threshold, span.lowest, end));
  }
  starts_.push_back(end);
}

namespace {

template <class Real>
std::vector<Real> upper_run_masses(const JointProblem& problem, const JointRuns& runs, int scale) {
  const Real unit = std::ldexp(Real{1}, scale) / static_cast<Real>(problem.base.total()) * (1 + Real{0x1p-48});
  std::vector<Real> masses(runs.records() + 1);
  for (std::uint64_t b = 0; b <= runs.records(); ++b) {
    masses[b] = static_cast<Real>(problem.base.mass(runs.start(b), runs.start(b + 1))) * unit;
  }
  return masses;
}

/// 1, step, step^2, ... up to `count` of them, or until they are below `least`.
template <class Real>
std::vector<Real> powers_of(Real step, std::int64_t count, Real least) {
  std::vector<Real> powers{1};
  while (static_cast<std::int64_t>(powers.size()) < count && powers.back() >= least) {
    powers.push_back(powers.back() * step);
  }
  return powers;
}

}  // namespace

template <class Real>
JointForward<Real>::JointForward(const JointProblem& problem, const JointRuns& runs)
    : problem_(problem), records_(static_cast<std::int64_t>(runs.records())) {
  const Enclosure rate = Enclosure::of(problem.rate);
  const int quantiles = static_cast<int>(problem.target.quantiles());
  rate_ = std::max(0.0, rate.lower_double());
  scale_ = std::min(60, RealRange<Real>::up / quantiles);
  inflation_ = 1 + Real{0x1p-34} + static_cast<Real>(records_ + 1000) * Real{0x1p-48};
  least_ = std::ldexp(Real{1}, -RealRange<Real>::down);
  one_step_ = static_cast<Real>((Enclosure::of(Rational(0)) - rate).exp().upper_double());
  run_mass_ = upper_run_masses<Real>(problem, runs, scale_);
  powers_ = powers_of<Real>(one_step_, records_ + 2, least_);
  kernels_.resize(problem.target.weights.size());
  rows_.resize(problem.target.quantiles());
}

template <class Real>
RankWindow JointForward<Real>::window(std::size_t j, std::uint64_t t, std::uint64_t half_width) const {
  uint128 weight = 0;
  for (std::size_t i = 0; i <= j; ++i) weight += problem_.target.weights[i];
  const uint128 scaled = weight * t;
  const auto below = static_cast<std::int64_t>(scaled / problem_.target.denominator);
  const auto above = below + (scaled % problem_.target.denominator == 0 ? 0 : 1);
  const auto width = static_cast<std::int64_t>(half_width) + std::abs(records_ - static_cast<std::int64_t>(t));
  return {std::max<std::int64_t>(0, below - width), std::min(records_, above + width)};
}

template <class Real>
void JointForward<Real>::set_kernels() {
  for (std::size_t j = 0; j < kernels_.size(); ++j) {
    const uint128 scaled = uint128{problem_.target.weights[j]} * total_;
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
void JointForward<Real>::fill(std::uint64_t t, std::uint64_t half_width) {
  total_ = t;
  set_kernels();
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    const RankWindow ranks = window(j, t, half_width);
    rows_[j].first = ranks.first;
    rows_[j].enter.resize(static_cast<std::size_t>(ranks.last - ranks.first + 1));
    rows_[j].stay.resize(rows_[j].enter.size());
    if (j == 0) {
      enter_first(rows_[j]);
    } else {
      enter_from(rows_[j - 1], j, rows_[j]);
    }
    stay(j);
  }
  Real sum = 0;
  const JointRow<Real>& last = rows_.back();
  for (std::int64_t b = last.first; b <= last.last(); ++b) {
    sum += last.stay[static_cast<std::size_t>(b - last.first)] * kernel(rows_.size(), records_ - b);
  }
  mass_ = sum * inflation_ + least_;
}

template <class Real>
void JointForward<Real>::enter_first(JointRow<Real>& row) const {
  for (std::int64_t b = row.first; b <= row.last(); ++b) {
    row.enter[static_cast<std::size_t>(b - row.first)] = kernel(0, b) * inflation_;
  }
}

// enter(b) = sum over b' < b of before.stay(b') * kernel(b - b'). With c the kernel's corner, the b' from b - c to b - 1
// are a window that slides along, taken in blocks of c so that nothing is ever subtracted: what a window has of its first
// block is a sum from the right, what it has of the second a sum from the left. All b' before that are one geometric sum.
template <class Real>
void JointForward<Real>::enter_from(const JointRow<Real>& before, std::size_t j, JointRow<Real>& row) {
  const JointKernel<Real>& k = kernels_[j];
  const std::int64_t corner = k.corner;
  const auto size = static_cast<std::int64_t>(row.enter.size());
  const std::int64_t origin = row.first - corner;  // padded_[i] is before.stay(origin + i)
  padded_.assign(static_cast<std::size_t>(size + corner), Real{0});
  Real earlier = 0;  // the b' <= row.first - corner - 1
  Real sum = 0;
  for (std::int64_t b = before.first; b <= before.last(); ++b) {
    const Real mass = before.stay[static_cast<std::size_t>(b - before.first)];
    sum += mass;
    if (b < origin) earlier = earlier * one_step_ + mass;
    if (b >= origin && b < row.last()) padded_[static_cast<std::size_t>(b - origin)] = mass;
  }
  if (before.last() < origin - 1) earlier *= power(origin - 1 - before.last());
  // What the last power, standing for all further ones, may add.
  const Real extra = sum * (static_cast<std::int64_t>(powers_.size()) < records_ + 2 ? 2 * powers_.back() : Real{0});

  windowed_.assign(static_cast<std::size_t>(size), Real{0});
  for (std::int64_t start = 0; corner > 0 && start < size; start += corner) {
    Real suffix = 0;
    for (std::int64_t i = start + corner - 1; i >= start; --i) {
      suffix = padded_[static_cast<std::size_t>(i)] + one_step_ * suffix;
      if (i < size) windowed_[static_cast<std::size_t>(i)] = suffix;
    }
    Real prefix = 0;
    for (std::int64_t i = start + 1; i < std::min(start + corner, size); ++i) {
      prefix += padded_[static_cast<std::size_t>(i + corner - 1)] * power(i - start - 1);
      windowed_[static_cast<std::size_t>(i)] += power(corner - (i - start)) * prefix;
    }
  }
  for (std::int64_t i = 0; i < size; ++i) {
    if (i > 0) earlier = earlier * one_step_ + padded_[static_cast<std::size_t>(i - 1)];
    row.enter[static_cast<std::size_t>(i)] =
        (k.at_corner * windowed_[static_cast<std::size_t>(i)] + k.beyond * earlier) * inflation_ + extra + least_;
  }
}

// stay(b) = sum over r of enter_(j-r+1)(b) * run_mass(b)^r / r! * the kernels of the r - 1 empty cells at 0, by Horner.
template <class Real>
void JointForward<Real>::stay(std::size_t j) {
  JointRow<Real>& row = rows_[j];
  const Real* mass = run_mass_.data() + row.first;
  Real* sum = row.stay.data();
  std::fill(row.stay.begin(), row.stay.end(), Real{0});
  for (std::size_t i = 0; i <= j; ++i) {
    const Real factor = kernel(i, 0) / static_cast<Real>(j - i + 2);
    const JointRow<Real>& entered = rows_[i];
    if (i > 0) {
      for (std::size_t b = 0; b < row.stay.size(); ++b) sum[b] *= mass[b] * factor;
    }
    const std::int64_t from = std::max(row.first, entered.first);
    const std::int64_t to = std::min(row.last(), entered.last());
    for (std::int64_t b = from; b <= to; ++b)
      sum[b - row.first] += entered.enter[static_cast<std::size_t>(b - entered.first)];
  }
  for (std::size_t b = 0; b < row.stay.size(); ++b) {
    sum[b] = mass[b] > 0 ? sum[b] * mass[b] * inflation_ + least_ : Real{0};
  }
}

template class JointForward<double>;
template class JointForward<long double>;

}  // namespace fractile
