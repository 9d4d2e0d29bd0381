#include "quantiles/joint/joint_listed.hpp"

#include <algorithm>

#include "exact/exp_bounds.hpp"

namespace fractile {

namespace {

/// Visits the totals of a block from the end with the larger bound, in slices over which the bound hardly falls. `visit` is called
/// with the number of totals before a slice, the number in it, and their bound divided by the largest bound, rounded up. It ends
/// the visit by returning false.
template <class Real, class Visit>
void visit_slices(const TotalBlock<Real>& block, Visit&& visit) {
  constexpr std::uint64_t few = 64;
  constexpr double deepest = 60;  // nats
  const std::uint64_t size = block.size();
  const double fall = size <= few ? 0 : block.is_remote() ? 1 : 0.125;
  const auto length = static_cast<std::uint64_t>(std::clamp(fall / std::max(block.decay, 0x1p-60), 1.0, 0x1p48));
  const double a_slice = block.decay * static_cast<double>(length);
  const double step = exp_minus_upper(a_slice * (1 - 0x1p-40));  // reduced by more than the rounding of a product
  double bound = 1;
  for (std::uint64_t at = 0; at < size;) {
    const bool is_last = a_slice > 0 && block.decay * static_cast<double>(at) > deepest;
    const std::uint64_t count = is_last ? size - at : std::min(length, size - at);
    if (!visit(at, count, bound)) return;
    at += count;
    bound *= step;
  }
}

/// Calls visit(i) for first .. end - 1, beginning around the middle, where likely choices are. `visit` ends this by returning
/// false.
template <class Visit>
void visit_outwards(std::size_t first, std::size_t end, std::size_t middle, Visit&& visit) {
  std::size_t up = std::clamp(middle, first, end);
  for (std::size_t down = up; up < end || down > first;) {
    if (up < end && !visit(up++)) return;
    if (down > first && !visit(--down)) return;
  }
}

Enclosure fourth_of(const Exponent& rate) { return scaled(Enclosure::of(rate), -2); }

/// ln(k!). std::lgamma is not used because it writes a global variable.
double log_factorial(std::size_t k) {
  double sum = 0;
  for (std::size_t i = 2; i <= k; ++i) sum += std::log(static_cast<double>(i));
  return sum;
}

}  // namespace

std::int64_t unit_for(std::size_t quantiles, double rate, double lost) {
  const double a_rank = 2 * static_cast<double>(quantiles) * rate;
  return 2 * static_cast<std::int64_t>(std::min(lost / std::max(a_rank, 0x1p-60), 0x1p40)) + 1;
}

template <class Real>
ListedTotals<Real>::ListedTotals(const JointProblem& problem, JointRuns& runs, TableReach least)
    : problem_(problem),
      runs_(runs),
      least_(least),
      rate_(std::max(0.0, Enclosure::of(problem.rate).lower_double())),
      near_(problem, runs, Enclosure::of(problem.rate)),
      wide_runs_(problem.profile, problem.span, problem.subcells,
                 unit_for(problem.target.quantiles(), rate_ / 4, least.units)),
      wide_(problem, wide_runs_, fourth_of(problem.rate)) {
  list_wide();
  if (fits_) list_middle();
  if (fits_) finish_total();
}

template <class Real>
void ListedTotals<Real>::fill_wide() {
  const std::uint64_t n = runs_.records();
  wide_.fill({n, n, n}, about_half_, about_);
  ++filled_;
}

/// Lists the wide table. It is limited to a window of some nats around the targets, and to the totals outside of which little mass
/// lies.
template <class Real>
void ListedTotals<Real>::list_wide() {
  // A quantile needs about ln(rate * records) - 2 nats where records are spread as the base measure is; a bad guess costs a second table.
  constexpr double spared = 2;
  constexpr double fewest = 2;
  const std::size_t quantiles = problem_.target.quantiles();
  const double all = static_cast<double>(quantiles) * near_.scale() * std::log(2.0) - log_factorial(quantiles);
  const auto ranks_of = [&](double nats) {  // ranks outside the targets cost twice as much
    return static_cast<std::uint64_t>(std::clamp(nats / (rate_ / 2), 1.0, 0x1p50)) + 1;
  };
  const double a_quantile = std::log(std::max(1.0, rate_ * static_cast<double>(runs_.records()))) - spared;
  const double nats = std::max(fewest, a_quantile) * static_cast<double>(quantiles) + least_.anywhere;
  about_half_ = ranks_of(nats);
  fill_wide();
  const double missing = all - log_mass(about_.mass) + least_.anywhere;
  if (missing > nats + 1.5 && about_half_ < runs_.records()) {
    about_half_ = ranks_of(missing);
    fill_wide();
  }
  fits_ = JointForward<Real>::in_range(about_);
  if (about_half_ >= runs_.records()) return;  // the table has all ranks
  Real mass = scaled<Real>(Real{1}, static_cast<double>(quantiles) * near_.scale());
  for (std::size_t i = 2; i <= quantiles; ++i) mass /= static_cast<Real>(static_cast<double>(i));
  const double cost = static_cast<double>(about_half_) * rate_ / 2 * (1 - 0x1p-40);
  anywhere_ = mass * exp_upper<Real>(-cost) * Real{1 + 0x1p-20} + RealRange<Real>::least();
}

/// A selection that is farther than this from its targets, at a total of distance d, costs at least d + 2 (reach - d) / 3.
template <class Real>
std::uint64_t ListedTotals<Real>::half_width(const TotalRange& totals) const {
  const std::uint64_t n = runs_.records();
  const std::uint64_t least = totals.first > n ? totals.first - n : totals.last < n ? n - totals.last : 0;
  return reach_ > least ? (reach_ - least) / 3 + 1 : 0;
}

/// How far the tables must reach to make the remote mass small. `log_ratio`: the logarithm of the wide table's mass divided by the
/// first table's.
template <class Real>
std::uint64_t ListedTotals<Real>::reach_for(double log_ratio) const {
  double reach = 1;
  for (int i = 0; i < 3; ++i) {
    const double totals = problem_.totals ? 1 + (2 * reach + 4 / rate_) / static_cast<double>(step()) : 1;
    reach = std::clamp(2 / rate_ * std::max(0.0, std::log(totals) + log_ratio + least_.remote), 1.0, 0x1p50);
  }
  return static_cast<std::uint64_t>(reach) + 1;
}

/// About the logarithm of the remote mass.
template <class Real>
double ListedTotals<Real>::log_of_remote() const {
  const auto reach = static_cast<double>(reach_);
  const double totals = problem_.totals ? 1 + (2 * reach + 4 / rate_) / static_cast<double>(step()) : 1;
  return log_mass(about_.mass + anywhere_) + std::log(totals) - reach * rate_ / 2;
}

template <class Real>
typename ListedTotals<Real>::Table ListedTotals<Real>::table_of(std::uint64_t first, std::uint64_t last,
                                                                std::uint64_t anchor) {
  Table table{{total_at(first), total_at(last), total_at(anchor)}, {}};
  near_.fill(table.totals, half_width(table.totals), table.filled);
  ++filled_;
  return table;
}

/// The sum over a block of the totals' bounds, each divided by the largest bound.
template <class Real>
Real ListedTotals<Real>::slices_of(const TotalBlock<Real>& block) {
  Real sum = 0;
  visit_slices(block, [&](std::uint64_t, std::uint64_t count, double bound) {
    sum += Real{bound} * static_cast<Real>(static_cast<double>(count));
    return true;
  });
  return sum * Real{1 + 0x1p-30};
}

/// The block of the totals first .. last, which are on one side of the anchor, or begin with it.
template <class Real>
TotalBlock<Real> ListedTotals<Real>::block_of(std::uint64_t first, std::uint64_t last, std::uint64_t anchor,
                                              const Table& table) const {
  const double decay = rate_ * static_cast<double>(step()) * (1 - 0x1p-45);
  const bool falls_downwards = anchor <= first;
  TotalBlock<Real> block{first, last, falls_downwards, decay, tables_.size()};
  const std::uint64_t farthest =
      falls_downwards ? total_at(last) - total_at(anchor) : total_at(anchor) - total_at(first);
  const Real growth = exp_upper<Real>(rate_ * static_cast<double>(farthest));
  block.slices = slices_of(block);
  block.mass = table.filled.mass * growth * block.slices * Real{1 + 0x1p-30};
  return block;
}

template <class Real>
void ListedTotals<Real>::add(Table table, std::uint64_t first, std::uint64_t last, std::uint64_t anchor) {
  constexpr std::size_t most_kept = std::size_t{1} << 21;
  for (const auto& [from, to] : {std::pair{first, anchor}, std::pair{anchor + 1, last}}) {
    if (from > to) continue;
    blocks_.push_back(block_of(from, to, anchor, table));
    total_ += blocks_.back().mass;
  }
  plain_ +=
      std::exp(log_mass(table.filled.mass / (tables_.empty() ? table.filled.mass : tables_.front().filled.mass))) *
      static_cast<double>(last - first + 1);
  if (const std::size_t entries = table.filled.entries(); kept_ + entries > most_kept) {
    table.filled.drop();
  } else {
    kept_ += entries;
  }
  tables_.push_back(std::move(table));
}

/// Lists the runs that tables of totals within reach need. Such a table reaches from q t to q t + n - t, plus a third of the
/// remaining reach on either side.
template <class Real>
void ListedTotals<Real>::cover_within_reach() {
  const std::uint64_t n = runs_.records();
  if (!problem_.totals) return near_.cover({n, n, n}, half_width({n, n, n}));
  near_.cover({n - std::min(reach_, n), n + reach_, n}, reach_ / 6);
}

/// Lists the totals around the number of records, and then those on either side.
template <class Real>
void ListedTotals<Real>::list_middle() {
  constexpr double usual = 1.4;  // nats per quantile: at 1/4 of the rate, four times as many ranks are likely
  constexpr double enough = 3;   // nats in excess; then the cost is small
  constexpr double most = 4.5;   // times the first table's mass, for each total
  constexpr std::uint64_t longest = 8;
  const std::uint64_t end = grid_last();
  const std::uint64_t at = problem_.totals ? std::min(runs_.records() / step(), end) : 0;
  std::uint64_t beside = 0;
  if (problem_.totals) {
    double sum = 1;
    for (std::uint64_t i = 1; i <= longest; ++i) {
      sum += 2 * std::exp(std::min(100.0, rate_ * static_cast<double>(step() * i)));
      if (sum > most * static_cast<double>(2 * i + 1)) break;
      beside = i;
    }
  }
  const std::uint64_t first = at - std::min(beside, at);
  const std::uint64_t last = std::min(end, at + beside);
  const auto quantiles = static_cast<double>(problem_.target.quantiles());
  // Because of the wide table's units.
  const double lost = quantiles * static_cast<double>(wide_runs_.unit() / 2) * rate_ / 2;
  reach_ = reach_for(usual * quantiles + lost);
  cover_within_reach();
  Table middle = table_of(first, last, at);
  if (log_of_remote() - log_mass(middle.filled.mass) > enough - least_.remote) {
    reach_ = reach_for(log_mass(about_.mass + anywhere_) - log_mass(middle.filled.mass));
    cover_within_reach();
    middle = table_of(first, last, at);
  }
  fits_ = JointForward<Real>::in_range(middle.filled);
  add(std::move(middle), first, last, at);
  if (fits_ && first > 0) list_side(first - 1, at, false);
  if (fits_ && last < end) list_side(last + 1, at, true);
}

/// The number of further totals for which one table may stand without making their bounds too large. `excess` is the logarithm of
/// the mass at the nearest of them divided by all mass so far; `slope` is the number of nats by which the mass falls per total.
template <class Real>
std::uint64_t ListedTotals<Real>::block_length(double excess, double slope) const {
  constexpr double budget = 0.75;
  const double decay = rate_ * static_cast<double>(step());
  const double allowed = std::log(budget / 2 * -std::expm1(-decay)) - excess;
  if (allowed <= 0) return 1;
  const double most = std::min(2 * allowed / std::max(decay - slope, decay * 1e-3), 600 / decay);
  return 1 + static_cast<std::uint64_t>(std::min(most, 0x1p48));
}

/// Lists the totals on one side of the middle ones, from index `from` outwards. The anchor of a block is its middle.
template <class Real>
void ListedTotals<Real>::list_side(std::uint64_t from, std::uint64_t middle, bool upwards) {
  constexpr std::size_t most_tables = 400;
  constexpr std::uint64_t most_entries = 20'000'000;
  constexpr std::size_t trial = 24;  // tables; after this many, 1/64 of the way must be done
  constexpr double most_excess = 2;  // times all mass so far
  const std::uint64_t a_step = std::max<std::uint64_t>(1, step());
  const std::uint64_t end = upwards ? grid_last() : 0;
  const double center = log_mass(tables_.front().filled.mass);
  const double decay = rate_ * static_cast<double>(step());
  double slope = 0;
  double log = center;
  std::uint64_t before = middle;
  std::uint64_t most = grid_last();
  for (std::uint64_t near = from;;) {
    const auto gone = static_cast<double>(upwards ? near - before : before - near);
    const std::uint64_t left = upwards ? end - near : near;
    const std::uint64_t missing = reach_ > distance(near) ? (reach_ - distance(near) + a_step - 1) / a_step : 0;
    std::uint64_t length = block_length(log - slope * gone - center - std::log(plain_), slope);
    length = std::min({length, left + 1, missing + 1, most});
    const std::uint64_t far = upwards ? near + length - 1 : near - (length - 1);
    const std::uint64_t half = length / 2;
    const std::uint64_t anchor = upwards ? near + half : near - half;
    Table table = table_of(std::min(near, far), std::max(near, far), anchor);
    const double reached = log_mass(table.filled.mass);
    const double grown = decay * static_cast<double>(half) + std::log(2 / -std::expm1(-decay));
    if (length > 1 && reached + grown - center > std::log(most_excess * plain_)) {  // the mass fell less than expected
      most = std::max<std::uint64_t>(1, half);
      continue;
    }
    most = grid_last();
    add(std::move(table), std::min(near, far), std::max(near, far), anchor);
    if (far == end || distance(far) >= reach_) return;
    slope = std::clamp((log - reached) / static_cast<double>(upwards ? anchor - before : before - anchor), 0.0, decay);
    log = reached;
    before = anchor;
    near = upwards ? far + 1 : far - 1;
    const bool is_on_its_way = tables_.size() < trial || distance(far) > reach_ / 64;
    fits_ = tables_.size() < most_tables && near_.work() < most_entries && is_on_its_way;
    if (!fits_) return;
  }
}

/// Bounds by the wide table what no other table stands for: totals within reach, and totals farther out on either side.
template <class Real>
void ListedTotals<Real>::list_remote() {
  const Real all = (about_.mass + anywhere_) * Real{1 + 0x1p-30};
  const auto add = [&](TotalBlock<Real> block, std::uint64_t far) {
    const Real bound = all * exp_upper<Real>(-static_cast<double>(far) * rate_ / 2) + RealRange<Real>::least();
    block.slices = slices_of(block);
    block.mass = bound * block.slices * Real{1 + 0x1p-30};
    remote_.push_back(block);
  };
  const std::uint64_t n = runs_.records();
  if (!problem_.totals) {
    if (half_width({n, n, n}) < n) add({0, 0, true, 0, remote_table}, reach_);
    return;
  }
  const double decay = rate_ / 2 * static_cast<double>(step()) * (1 - 0x1p-45);
  const std::uint64_t from = n > reach_ ? (n - reach_ + step() - 1) / step() : 0;  // the first total within reach
  const std::uint64_t end = std::min((n + reach_) / step(), grid_last()) + 1;
  if (from < end) add({from, end - 1, true, 0, remote_table}, reach_);
  if (from > 0) add({0, from - 1, true, decay, remote_table}, distance(from - 1));
  if (end <= grid_last()) add({end, grid_last(), false, decay, remote_table}, distance(end));
}

template <class Real>
void ListedTotals<Real>::finish_total() {
  list_remote();
  for (const TotalBlock<Real>& block : remote_) total_ += block.mass;
  total_ = total_ * Real{1 + 0x1p-24};
  const LeadingDouble parts = leading_double(total_);
  total_ = scaled<Real>(Real{parts.leading * (1 + 0x1p-50)}, static_cast<double>(parts.exponent));
}

/// Chooses a block, which may be a remote one.
template <class Real>
const TotalBlock<Real>* ListedTotals<Real>::choose_block(Proposal& proposal, RandomBits& bits, bool verify) {
  UnitDraw draw(bits, verify);
  const TotalBlock<Real>* chosen = nullptr;
  for (const auto* blocks : {&blocks_, &remote_}) {
    for (const TotalBlock<Real>& block : *blocks) {
      if (draw.done()) break;
      if (draw.offers(units(block.mass / total_))) chosen = &block;
    }
  }
  return draw.found(proposal.weights) ? chosen : nullptr;
}

/// Chooses a total of the block.
template <class Real>
bool ListedTotals<Real>::choose_in(const TotalBlock<Real>& block, Proposal& proposal, RandomBits& bits, bool verify) {
  UnitDraw within(bits, verify);
  std::uint64_t passed = 0;
  visit_slices(block, [&](std::uint64_t at, std::uint64_t count, double bound) {
    if (within.offers(units(Real{bound} * static_cast<Real>(static_cast<double>(count)) / block.slices))) {
      passed = at;
      proposal.slice = count;
    }
    return !within.done();
  });
  if (!within.found(proposal.weights)) return false;
  if (proposal.slice > 1) passed += static_cast<std::uint64_t>(uniform_below(bits, proposal.slice));
  proposal.total = total_at(block.falls_downwards ? block.last - passed : block.first + passed);
  return true;
}

/// The table, filled again if its rows were not kept or the places of runs have changed.
template <class Real>
const JointTable<Real>& ListedTotals<Real>::filled(std::size_t table) {
  const Table& kept = tables_[table];
  if (!kept.filled.rows.empty() && near_.is_up_to_date(kept.filled)) return kept.filled;
  if (scratch_of_ != table || scratch_.rows.empty() || !near_.is_up_to_date(scratch_)) {
    near_.fill(kept.totals, half_width(kept.totals), scratch_);
    ++filled_;
    scratch_of_ = table;
  }
  return scratch_;
}

template <class Real>
bool ListedTotals<Real>::choose_runs(const JointForward<Real>& forward, const JointTable<Real>& table,
                                     Proposal& proposal, RandomBits& bits, bool verify) const {
  const std::size_t quantiles = table.rows.size();
  proposal.below.resize(quantiles);
  proposal.parts.resize(quantiles);
  const JointRuns& runs = forward.runs();
  auto rank = static_cast<std::int64_t>(runs.records());  // of the quantile above
  std::size_t end = runs.size();                          // runs from here on are above it
  Real parent = table.mass;                               // what the children's masses add up to at most
  std::size_t above = quantiles;                          // the quantile whose run was chosen last
  while (above > 0) {
    const std::size_t j = above - 1;
    const JointRow<Real>& row = table.rows[j];
    const JointKernel<Real>& kernel = table.kernels[above];
    const std::size_t last = std::min(row.end(), end);
    const std::int64_t likely = std::max<std::int64_t>(0, rank - kernel.corner) / runs.unit();
    std::size_t run = 0;
    UnitDraw choice(bits, verify);
    // An upper bound, including the roundings of this quotient and of a product.
    const Real share = Real{1 + 0x1p-50} / parent;
    visit_outwards(std::min(row.first, last), last, runs.first_from_unit(likely), [&](std::size_t i) {
      const Real mass = row.stay[i - row.first] * forward.kernel(kernel, rank - runs.rank(i));
      if (choice.offers(units(mass * share))) run = i;
      return !choice.done();
    });
    if (!choice.found(proposal.weights)) return false;
    end = run;
    rank = runs.rank(end);
    parent = row.stay[end - row.first];
    std::size_t first = j;
    if (!choose_sharing(forward, table, proposal, j, run, parent, first, bits, verify)) return false;
    for (std::size_t i = first; i <= j; ++i) {
      proposal.parts[i] = {runs.start(run), runs.end(run)};
      proposal.below[i] = static_cast<std::uint64_t>(rank);
    }
    above = first;
  }
  return true;
}

/// Chooses how many quantiles share the run of j: j and those below it, down to `first`. Sets `parent` to the mass that remains for
/// the other choices.
template <class Real>
bool ListedTotals<Real>::choose_sharing(const JointForward<Real>& forward, const JointTable<Real>& table,
                                        Proposal& proposal, std::size_t j, std::size_t run, Real& parent,
                                        std::size_t& first, RandomBits& bits, bool verify) const {
  UnitDraw sharing(bits, verify);
  Real factor = forward.run_mass(run);
  Real entered = 0;
  for (std::size_t i = j + 1; i-- > 0 && !sharing.done();) {
    const JointRow<Real>& start = table.rows[i];
    if (start.contains(run)) {
      const Real mass = start.enter[run - start.first];
      if (sharing.offers(units(mass * factor / parent))) {
        first = i;
        entered = mass;
      }
    }
    factor *=
        forward.run_mass(run) * forward.kernel(table.kernels[i], 0) / static_cast<Real>(static_cast<double>(j - i + 2));
  }
  if (!sharing.found(proposal.weights)) return false;
  parent = entered;
  return true;
}

/// Chooses runs by the wide table, or uniform splits.
template <class Real>
bool ListedTotals<Real>::choose_wide(Proposal& proposal, RandomBits& bits, bool verify) {
  if (!wide_.is_up_to_date(about_)) fill_wide();
  const Real all = (about_.mass + anywhere_) * Real{1 + 0x1p-30};
  UnitDraw draw(bits, verify);
  const bool is_near = draw.offers(units(about_.mass / all));
  const bool is_anywhere = !draw.done() && anywhere_ > Real{0} && draw.offers(units(anywhere_ / all));
  if (!draw.found(proposal.weights)) return false;
  if (is_near && !is_anywhere) {
    if (!choose_runs(wide_, about_, proposal, bits, verify)) return false;
    place(proposal, bits);
    return true;
  }
  proposal.parts.assign(problem_.target.quantiles(), {problem_.span.lowest, problem_.span.highest + 1});
  place(proposal, bits);
  return !are_within(wide_, about_.totals, about_half_, proposal.below);
}

/// Draws the splits where a part has several ranks.
template <class Real>
void ListedTotals<Real>::place(Proposal& proposal, RandomBits& bits) const {
  proposal.splits = splits_of(proposal, problem_, bits);
  proposal.below.clear();
  for (const Split split : proposal.splits) proposal.below.push_back(runs_.rank_of(split));
}

/// Whether each of these ranks is in the window of its quantile.
template <class Real>
bool ListedTotals<Real>::are_within(const JointForward<Real>& forward, const TotalRange& totals,
                                    std::uint64_t half_width, const std::vector<std::uint64_t>& below) const {
  for (std::size_t j = 0; j < below.size(); ++j) {
    if (!forward.window(j, totals, half_width).contains(below[j])) return false;
  }
  return true;
}

template <class Real>
bool ListedTotals<Real>::is_remote(std::uint64_t total, const std::vector<std::uint64_t>& below) const {
  for (const Table& table : tables_) {
    if (total < table.totals.first || total > table.totals.last) continue;
    return !are_within(near_, table.totals, half_width(table.totals), below);
  }
  return true;
}

template <class Real>
std::optional<Proposal> ListedTotals<Real>::propose(RandomBits& bits, bool verify) {
  Proposal proposal{};
  const TotalBlock<Real>* block = choose_block(proposal, bits, verify);
  if (!block || !choose_in(*block, proposal, bits, verify)) return {};
  if (block->is_remote()) {
    if (!choose_wide(proposal, bits, verify) || !is_remote(proposal.total, proposal.below)) return {};
    return proposal;
  }
  if (!choose_runs(near_, filled(block->table), proposal, bits, verify)) return {};
  if (runs_.unit() > 1) place(proposal, bits);
  return proposal;
}

template <class Real>
Enclosure ListedTotals<Real>::acceptance(const Proposal& proposal, std::int64_t precision) const {
  return fractile::acceptance(problem_, proposal, leading_double(total_), near_.scale(), precision);
}

template <class Real>
Bounds ListedTotals<Real>::acceptance_bounds(const Proposal& proposal) const {
  return fractile::acceptance_bounds(problem_, proposal, leading_double(total_), near_.scale());
}

template class ListedTotals<double>;
template class ListedTotals<long double>;

}  // namespace fractile
