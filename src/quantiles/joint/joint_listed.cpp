#include "quantiles/joint/joint_listed.hpp"

#include <algorithm>

#include "exact/exp_bounds.hpp"

namespace fractile {

namespace {

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
  return std::ldexp(value, static_cast<int>(std::clamp(twos, -0x1p20, 0x1p20)));
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

}  // namespace

/// Everything that lies outside has mass at most (totals) (2^scale)^k / k! exp(-rate range): range is chosen to make that
/// 2^-12 of the mass near the number of records.
template <class Real>
void ListedTotals<Real>::set_range() {
  const auto quantiles = static_cast<double>(forward_.quantiles());
  double log_factorial = 0;  // std::lgamma writes a global variable, from all threads
  for (std::size_t i = 2; i <= forward_.quantiles(); ++i) log_factorial += std::log(static_cast<double>(i));
  const double everything =
      std::log(static_cast<double>(grid_last() + 1)) + quantiles * forward_.scale() * std::log(2.0) - log_factorial;
  const auto ranks = [&](double nats) {
    constexpr double most = 0x1p50;
    return static_cast<std::uint64_t>(std::clamp(nats / rate_, 1.0, most)) + 1;
  };
  range_ = ranks(everything + 8);
  const std::uint64_t nearest = step() == 0 ? 0 : std::min(grid_last(), runs_.records() / step());
  fill(only(nearest));
  fits_ = forward_.in_range();
  range_ = ranks(everything + 8 - log_mass(forward_.mass()));
}

/// The sum over a block of the totals' bounds, each over the largest.
template <class Real>
Real ListedTotals<Real>::slices_of(const TotalBlock<Real>& block) const {
  Real sum = 0;
  visit_slices(block.size(), block.decay, [&](std::uint64_t, std::uint64_t count, double bound) {
    sum += Real{bound} * static_cast<Real>(static_cast<double>(count));
    return true;
  });
  return sum * Real{1 + 0x1p-30};
}

template <class Real>
TotalBlock<Real> ListedTotals<Real>::block_of(std::uint64_t first, std::uint64_t last, std::uint64_t anchor) {
  const std::uint64_t length = total_at(last) - total_at(first);
  const double decay = rate_ * static_cast<double>(step()) * (1 - 0x1p-45);
  TotalBlock<Real> block{first, last, {total_at(first), total_at(last), total_at(anchor)}, decay, Real{0}};
  fill(block.totals);
  const Real growth = exp_upper<Real>(rate_ * static_cast<double>(length));
  block.mass = forward_.mass() * growth * slices_of(block) * Real{1 + 0x1p-30};
  return block;
}

/// How many further totals one table may stand for: as many as keep the block's mass below 2^-10 of all so far. `excess`
/// is the log of (mass at the last anchor) / (all so far), `slope` how fast exp(rate * distance) * mass grows with it.
template <class Real>
std::uint64_t ListedTotals<Real>::block_length(double excess, double slope, double distance) const {
  const double allowed = -10 * std::log(2.0) - excess + rate_ * distance - 1;
  const double most = std::min(allowed / slope, 500 / rate_) / distance;
  return most > 1 ? static_cast<std::uint64_t>(std::min(most, 0x1p48)) : 1;
}

/// Lists the totals on one side of the number of records, from index `from` outwards; a block's anchor is its far end.
template <class Real>
void ListedTotals<Real>::list_side(std::uint64_t from, bool upwards) {
  constexpr std::size_t most_blocks = 400;
  constexpr std::uint64_t most_entries = 20'000'000;
  const auto distance = static_cast<double>(step());
  const std::uint64_t end = upwards ? grid_last() : 0;
  double slope = rate_;
  double before = 0;
  for (std::uint64_t near = from, length = 1;;) {
    const std::uint64_t left = upwards ? end - near : near;
    length = std::min(length, left + 1);
    const std::uint64_t anchor = upwards ? near + length - 1 : near + 1 - length;
    TotalBlock<Real> block = block_of(std::min(near, anchor), std::max(near, anchor), anchor);
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
    fits_ = blocks_.size() < most_blocks && forward_.work() < most_entries;
    if (!fits_) return;
  }
}

template <class Real>
void ListedTotals<Real>::list_blocks() {
  if (!problem_.totals) {
    blocks_.push_back(block_of(0, 0, 0));
    total_ = blocks_.back().mass;
    return;
  }
  const std::uint64_t at = std::min(runs_.records() / step(), grid_last());
  list_side(at, false);
  if (fits_ && at < grid_last()) list_side(at + 1, true);
}

template <class Real>
void ListedTotals<Real>::finish_total() {
  const double cost = static_cast<double>(range_) * rate_ * (1 - 0x1p-40);
  const int quantiles = static_cast<int>(forward_.quantiles());
  Real mass = scaled<Real>(static_cast<Real>(static_cast<double>(grid_last() + 1)), quantiles * forward_.scale());
  for (int i = 2; i <= quantiles; ++i) mass /= static_cast<Real>(static_cast<double>(i));
  remote_ = mass * exp_upper<Real>(-cost) * Real{1 + 0x1p-20} + RealRange<Real>::least();
  // Nothing is remote when every rank is in every window and every total in a block.
  if (half_width() >= runs_.records() && range_ > std::uint64_t{1} << 49) remote_ = 0;
  total_ = (total_ + remote_) * Real{1 + 0x1p-24};
  const LeadingDouble parts = leading_double(total_);
  total_ = scaled<Real>(Real{parts.leading * (1 + 0x1p-50)}, static_cast<double>(parts.exponent));
}

template <class Real>
bool ListedTotals<Real>::choose_total(Proposal& proposal, RandomBits& bits, bool verify) {
  UnitDraw draw(bits, verify);
  const TotalBlock<Real>* chosen = nullptr;
  for (const TotalBlock<Real>& block : blocks_) {
    if (draw.offers(units(block.mass / total_))) chosen = &block;
    if (draw.done()) break;
  }
  if (!draw.done() && remote_ > Real{0} && draw.offers(units(remote_ / total_))) proposal.is_remote = true;
  if (!draw.found()) return false;
  proposal.weights.push_back(draw.weight());
  if (!chosen) return true;  // it is remote
  if (!choose_in(*chosen, proposal, bits, verify)) return false;
  if (!forward_.is_filled_for(chosen->totals)) fill(chosen->totals);
  return true;
}

/// A total of the block.
template <class Real>
bool ListedTotals<Real>::choose_in(const TotalBlock<Real>& block, Proposal& proposal, RandomBits& bits, bool verify) {
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
  proposal.total = total_at(block.falls_downwards() ? block.last - passed : block.first + passed);
  proposal.weights.push_back(within.weight());
  return true;
}

template <class Real>
bool ListedTotals<Real>::choose_runs(Proposal& proposal, RandomBits& bits, bool verify) {
  const std::size_t quantiles = forward_.quantiles();
  proposal.below.resize(quantiles);
  proposal.parts.resize(quantiles);
  auto rank = static_cast<std::int64_t>(runs_.records());  // of the quantile above
  std::size_t end = runs_.size();                          // runs from here on are above it
  Real parent = forward_.mass();                           // what the children's masses add up to at most
  std::size_t above = quantiles;                           // the quantile whose run was chosen last
  while (above > 0) {
    const std::size_t j = above - 1;
    const JointRow<Real>& row = forward_.row(j);
    std::size_t run = 0;
    UnitDraw choice(bits, verify);
    for (std::size_t i = std::min(row.end(), end); i-- > row.first && !choice.done();) {
      const Real mass = row.stay[i - row.first] * forward_.kernel(above, rank - runs_.rank(i));
      if (choice.offers(units(mass / parent))) run = i;
    }
    if (!choice.found()) return false;
    proposal.weights.push_back(choice.weight());
    end = run;
    rank = runs_.rank(end);
    parent = row.stay[end - row.first];
    std::size_t first = j;
    if (!choose_sharing(proposal, j, run, parent, first, bits, verify)) return false;
    for (std::size_t i = first; i <= j; ++i) {
      proposal.parts[i] = {runs_.start(run), runs_.end(run)};
      proposal.below[i] = static_cast<std::uint64_t>(rank);
    }
    above = first;
  }
  return true;
}

/// How many quantiles, j and those below it down to `first`, share the run of j. `parent` becomes what their choice leaves.
template <class Real>
bool ListedTotals<Real>::choose_sharing(Proposal& proposal, std::size_t j, std::size_t run, Real& parent,
                                        std::size_t& first, RandomBits& bits, bool verify) {
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
void ListedTotals<Real>::draw_remote(Proposal& proposal, RandomBits& bits) const {
  proposal.total = total_at(uniform_below(bits, grid_last() + 1));
  for (std::size_t j = 0; j < forward_.quantiles(); ++j) {
    proposal.splits.push_back(problem_.base.draw(problem_.span.lowest, problem_.span.highest + 1, bits));
  }
  std::ranges::sort(proposal.splits);
  for (const Split split : proposal.splits) proposal.below.push_back(runs_.rank_of(split));
}

template <class Real>
bool ListedTotals<Real>::is_remote(std::uint64_t total, const std::vector<std::uint64_t>& below) const {
  for (const TotalBlock<Real>& block : blocks_) {
    if (total < block.totals.first || total > block.totals.last) continue;
    for (std::size_t j = 0; j < below.size(); ++j) {
      if (!forward_.window(j, block.totals, half_width()).contains(below[j])) return true;
    }
    return false;
  }
  return true;
}

template <class Real>
std::optional<Proposal> ListedTotals<Real>::propose(RandomBits& bits, bool verify) {
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
Enclosure ListedTotals<Real>::acceptance(const Proposal& proposal, std::int64_t precision) const {
  return fractile::acceptance(problem_, proposal, leading_double(total_), forward_.scale(), precision);
}

template class ListedTotals<double>;
template class ListedTotals<long double>;

}  // namespace fractile
