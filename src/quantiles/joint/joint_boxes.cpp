#include "quantiles/joint/joint_boxes.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "exact/uniform.hpp"

namespace fractile {

namespace {

constexpr double proposal_inflation = 1 + 0x1p-30;
constexpr double worth_telling = 20;  // nats; larger losses count as this one

}  // namespace

JointBoxes::JointBoxes(const JointProblem& problem)
    : problem_(problem),
      rate_(Enclosure::of(problem.rate).to_double()),
      powers_(problem.rate),
      guesses_(RandomBits::unsafe_seeded(1)) {
  list();
  refine();
}

/// The first boxes separate the totals near the number of records from the others, and the first groups the splits at the targets.
void JointBoxes::list() {
  const std::uint64_t records = problem_.span.records();
  std::vector<std::int64_t> ranks;
  uint128 weight = 0;
  for (std::size_t j = 0; j + 1 < problem_.target.weights.size(); ++j) {
    weight += problem_.target.weights[j];
    ranks.push_back(static_cast<std::int64_t>(weight * records / problem_.target.denominator));
  }
  SplitGroups groups(problem_, powers_, scale_);
  groups.cut(0, ranks);
  groups_ = std::make_shared<const SplitGroups>(std::move(groups));
  const std::vector<int> none(problem_.target.weights.size());
  if (!problem_.totals) {
    boxes_.push_back(box_of(0, 0, none));
    return;
  }
  const std::uint64_t last = problem_.totals->last_index();
  std::uint64_t first = 0;
  for (const std::uint64_t total : {records / 2, records, records + records / 2, 4 * records + 64}) {
    const std::uint64_t end = std::min(total / problem_.totals->step, last);
    if (end < first) continue;
    boxes_.push_back(box_of(first, end, none));
    first = end + 1;
  }
  if (first <= last) boxes_.push_back(box_of(first, last, none));
}

std::vector<BoxCell> JointBoxes::cells_of(const Box& box, std::uint64_t end) const {
  const JointTarget& target = problem_.target;
  std::vector<BoxCell> cells;
  for (std::size_t j = 0; j < target.weights.size(); ++j) {
    const auto wanted = [&](std::uint64_t index) { return uint128{target.weights[j]} * total_at(index); };
    const uint128 few = wanted(box.first) / target.denominator;
    const uint128 many = (wanted(box.last) + target.denominator - 1) / target.denominator;
    BoxCell cell{static_cast<std::int64_t>(many), static_cast<std::int64_t>(few), box.signs[j], {}};
    if (j > 0 && target.weights[j] == target.weights[j - 1]) {
      cell.at_end = cells.back().at_end;
    } else {
      const auto whole = static_cast<std::uint64_t>(wanted(end) / target.denominator);
      const auto rest = static_cast<std::uint64_t>(wanted(end) % target.denominator);
      cell.at_end = {powers_.down(whole, rest, target.denominator), 1, powers_.up(whole, rest, target.denominator)};
    }
    cells.push_back(cell);
  }
  return cells;
}

/// The signs that nearly all cells of the samples have.
std::vector<int> JointBoxes::signs_of(const std::vector<Sample>& drawn) const {
  std::vector<int> signs;
  for (std::size_t j = 0; j < problem_.target.weights.size(); ++j) {
    const auto above = static_cast<std::size_t>(std::ranges::count_if(
        drawn, [&](const Sample& each) { return difference(j, records_in(each, j), each.total) > 0; }));
    const std::size_t few = drawn.size() / 8;
    signs.push_back(above <= few ? -1 : above + few >= drawn.size() ? 1 : 0);
  }
  return signs;
}

/// Totals first .. last, with the signs that are usual for the middle one alone.
JointBoxes::Box JointBoxes::box_of(std::uint64_t first, std::uint64_t last, const std::vector<int>& signs) {
  const std::uint64_t middle = first + (last - first) / 2;
  Box box{middle, middle, groups_, signs};
  fill(box);
  box = Box{first, last, groups_, signs_of(samples(box))};
  fill(box);
  return box;
}

/// Takes other signs where they make the bound much smaller.
bool JointBoxes::change_signs(Box& box, const std::vector<Sample>& drawn) {
  Box other{box.first, box.last, box.groups, signs_of(drawn)};
  if (other.signs == box.signs) return false;
  fill(other);
  if (!(other.mass * 8.0 < box.mass)) return false;
  box = std::move(other);
  return true;
}

void JointBoxes::fill(Box& box) {
  if (box.filled != 0 && filled_ == box.filled) return;
  if (box.filled == 0) box.filled = ++fillings_;
  filled_ = box.filled;
  ends_ = box.first == box.last ? 1 : 2;
  WideReal sum;
  for (std::size_t end = 0; end < ends_; ++end) {
    tables_[end].fill(*box.groups, cells_of(box, end == 0 ? box.first : box.last));
    sum += tables_[end].mass();
    ++work_.tables;
    work_.entries += tables_[end].entries();
  }
  box.mass = sum * static_cast<double>(box.size()) * proposal_inflation;
}

void JointBoxes::set_total() {
  total_ = {};
  for (const Box& box : boxes_) total_ += box.mass;
  total_ *= proposal_inflation;
}

bool JointBoxes::is_enough() const {
  WideReal sum;
  WideReal kept;
  for (const Box& box : boxes_) {
    sum += box.mass;
    kept += box.mass * box.kept;
  }
  return !(kept * goal_ < sum);
}

void JointBoxes::refine() {
  constexpr JointWork most{10'000, 20'000'000};
  const JointWork end{work_.tables + most.tables, work_.entries + most.entries};
  while (work_.tables < end.tables && work_.entries < end.entries && !is_enough()) {
    std::size_t largest = boxes_.size();
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (boxes_[i].is_settled) continue;
      if (largest == boxes_.size() || boxes_[i].mass > boxes_[largest].mass) largest = i;
    }
    if (largest == boxes_.size()) break;
    improve(largest);
  }
  for (Box& box : boxes_) {
    if (box.filled == 0) fill(box);  // its groups were cut since
    box.is_settled = false;
  }
  goal_ = std::max(2.0, goal_ / 2);
  set_total();
}

/// Cuts the box, or the groups that its selections are told by.
void JointBoxes::improve(std::size_t index) {
  Box& box = boxes_[index];
  fill(box);
  const std::vector<Sample> drawn = samples(box);
  const std::vector<BoxCell> cells = cells_of(box, box.first);
  Loss loss;
  double kept = 0;
  for (const Sample& sample : drawn) {
    const Loss each = loss_of(sample, cells, box);
    if (lies_at(sample.end, sample.choice.signs)) kept += std::exp(-std::max(0.0, each.totals + each.groups));
    loss.totals += std::min(each.totals, worth_telling);
    loss.groups += std::min(each.groups, worth_telling);
  }
  box.kept = kept / static_cast<double>(std::max<std::size_t>(drawn.size(), 1));
  box.is_settled = box.kept * goal_ > 2;
  if (box.is_settled || change_signs(box, drawn)) return;
  const bool by_totals = box.size() > 1 && loss.totals >= loss.groups;
  if (!by_totals && cut_groups(drawn, box)) return;
  if (box.size() > 1) {
    halve(index, middle_of(drawn, box));
  } else {
    box.is_settled = true;
  }
}

std::vector<JointBoxes::Sample> JointBoxes::samples(const Box& box) {
  const std::size_t count = 24 + box.groups->size() / 32;
  std::vector<Sample> drawn;
  for (std::size_t i = 0; i < count; ++i) {
    Sample sample{};
    if (ends_ == 2) {
      const double first = static_cast<double>(tables_[0].mass() / (tables_[0].mass() + tables_[1].mass()));
      sample.end = std::ldexp(static_cast<double>(guesses_.next64() >> 11), -53) < first ? 0 : 1;
    }
    if (!tables_[sample.end].choose(*box.groups, sample.choice, guesses_, false)) continue;
    sample.total = total_at(box.first + static_cast<std::uint64_t>(uniform_below(guesses_, box.size())));
    Proposal placed;
    place(sample.choice, *box.groups, placed, guesses_);
    sample.below = std::move(placed.below);
    drawn.push_back(std::move(sample));
  }
  return drawn;
}

/// Draws splits in the groups that were chosen.
void JointBoxes::place(const BoxChoice& choice, const SplitGroups& groups, Proposal& proposal, RandomBits& bits) const {
  for (const std::size_t group : choice.groups) proposal.parts.push_back(groups.part(group));
  proposal.splits = splits_of(proposal, problem_, bits);
  for (const Split split : proposal.splits) proposal.below.push_back(groups.rank_of(split));
}

/// Whether a selection with these signs is proposed from this end of the box: from that at which sum of s_j (g_j - t w_j) is
/// least, or from the first.
bool JointBoxes::lies_at(std::size_t end, const std::vector<int>& signs) const {
  if (ends_ == 1) return true;
  uint128 too_many = 0;
  uint128 too_few = 0;
  for (std::size_t j = 0; j < signs.size(); ++j) {
    if (signs[j] > 0) too_many += problem_.target.weights[j];
    if (signs[j] < 0) too_few += problem_.target.weights[j];
  }
  return end == (too_many <= too_few ? 0u : 1u);
}

std::int64_t JointBoxes::records_in(const Sample& sample, std::size_t j) const {
  const std::int64_t to = j < sample.below.size() ? static_cast<std::int64_t>(sample.below[j])
                                                  : static_cast<std::int64_t>(problem_.span.records());
  return to - (j > 0 ? static_cast<std::int64_t>(sample.below[j - 1]) : 0);
}

/// records - total * weight.
double JointBoxes::difference(std::size_t j, std::int64_t records, std::uint64_t total) const {
  return static_cast<double>(records) - static_cast<double>(problem_.target.weights[j]) * static_cast<double>(total) /
                                            static_cast<double>(problem_.target.denominator);
}

/// How much is lost as v_j may lie anywhere in its group.
double JointBoxes::lost_in_group(const Sample& sample, const SplitGroups& groups, std::size_t j) const {
  const int more = sample.choice.signs[j] - sample.choice.signs[j + 1];
  const std::size_t group = sample.choice.groups[j];
  const auto at = static_cast<std::int64_t>(sample.below[j]);
  const std::int64_t off = more > 0 ? at - groups.lowest(group) : groups.highest(group) - at;
  return rate_ * std::abs(more) * static_cast<double>(off);
}

/// How much is lost as the sign of cell j is not that which its records have.
double JointBoxes::lost_by_sign(const Sample& sample, const std::vector<BoxCell>& cells, std::size_t j,
                                std::uint64_t end) const {
  const std::int64_t records = records_in(sample, j);
  const int right = cells[j].sign(records, records);
  return right == 0 ? 0 : rate_ * (right - sample.choice.signs[j]) * difference(j, records, end);
}

/// Divides the whole loss into its parts by means of the bound that the quantiles' ranks would have.
JointBoxes::Loss JointBoxes::loss_of(const Sample& sample, const std::vector<BoxCell>& cells, const Box& box) const {
  const std::uint64_t at[2] = {total_at(box.first), total_at(box.last)};
  double cost = 0;
  double told[2] = {0, 0};  // by ranks, at either end
  double lost = 0;
  for (std::size_t j = 0; j < cells.size(); ++j) {
    const std::int64_t records = records_in(sample, j);
    const int known = cells[j].sign(records, records);
    const double here = rate_ * std::abs(difference(j, records, sample.total));
    cost += here;
    for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
      told[end] += rate_ * (known == 0 ? sample.choice.signs[j] : known) * difference(j, records, at[end]);
    }
    lost += here - rate_ * sample.choice.signs[j] * difference(j, records, at[sample.end]);
    if (j < sample.below.size()) lost += lost_in_group(sample, *box.groups, j);
  }
  const double totals = cost - std::min(told[0], told[1]);
  return {totals, lost - totals};
}

/// Takes the latest groups, or cuts those that lose most of the samples' bounds; false when there is none to cut.
bool JointBoxes::cut_groups(const std::vector<Sample>& drawn, Box& box) {
  if (box.groups != groups_) {
    box.groups = groups_;
    box.filled = 0;
    return true;
  }
  std::map<std::size_t, std::vector<std::int64_t>, std::greater<>> cuts;
  const auto ranks = [&](std::size_t group) { return box.groups->highest(group) - box.groups->lowest(group); };
  // Nats; with this loss in each cell, all cells together are distinguished well enough.
  const double telling = 0.25 / static_cast<double>(problem_.target.weights.size());
  for (const Sample& sample : drawn) {
    const std::vector<std::size_t>& chosen = sample.choice.groups;
    const std::uint64_t end = sample.end == 0 ? box.first : box.last;
    const std::vector<BoxCell> cells = cells_of(box, end);
    for (std::size_t j = 0; j < cells.size(); ++j) {
      if (j < chosen.size() && lost_in_group(sample, *box.groups, j) > telling) {
        const std::int64_t low = box.groups->lowest(chosen[j]);
        const std::int64_t high = box.groups->highest(chosen[j]);
        // Totals farther from the larger end weigh little compared with it.
        const auto depth =
            static_cast<std::int64_t>(std::ceil((std::log1p(static_cast<double>(high - low) * rate_) + 3) / rate_));
        std::int64_t at = low + (high - low + 1) / 2;
        if (high - low > 4 * depth)
          at = sample.choice.signs[j] > sample.choice.signs[j + 1] ? low + depth + 1 : high - depth;
        cuts[chosen[j]].push_back(at);
      }
      if (std::abs(lost_by_sign(sample, cells, j, total_at(end))) > telling) {
        std::size_t widest = j > 0 ? chosen[j - 1] : chosen[j];
        if (j < chosen.size() && ranks(chosen[j]) > ranks(widest)) widest = chosen[j];
        if (ranks(widest) > 0) cuts[widest].push_back(box.groups->lowest(widest) + (ranks(widest) + 1) / 2);
      }
    }
  }
  bool is_cut = false;
  SplitGroups finer = *box.groups;
  for (auto& [group, at] : cuts) {  // from the last group down, since cutting moves the groups above
    std::ranges::sort(at);
    is_cut = finer.cut(group, at) || is_cut;
  }
  if (!is_cut) return false;
  groups_ = box.groups = std::make_shared<const SplitGroups>(std::move(finer));
  box.filled = 0;
  return true;
}

/// The index at which the box's upper part begins.
std::uint64_t JointBoxes::middle_of(const std::vector<Sample>& drawn, const Box& box) const {
  const std::uint64_t step = problem_.totals->step;
  std::vector<std::uint64_t> turns;  // totals at which a cell stops having too many
  for (const Sample& sample : drawn) {
    for (std::size_t j = 0; j < problem_.target.weights.size(); ++j) {
      const std::int64_t records = records_in(sample, j);
      if (difference(j, records, total_at(box.first)) < 0 || difference(j, records, total_at(box.last)) > 0) continue;
      if (problem_.target.weights[j] == 0) continue;
      const uint128 turn =
          uint128{static_cast<std::uint64_t>(records)} * problem_.target.denominator / problem_.target.weights[j];
      turns.push_back(static_cast<std::uint64_t>(turn) / step);
    }
  }
  std::uint64_t middle = box.first + box.size() / 2;
  if (!turns.empty()) {
    std::ranges::nth_element(turns, turns.begin() + static_cast<std::ptrdiff_t>(turns.size() / 2));
    middle = turns[turns.size() / 2] + 1;
  }
  return std::clamp(middle, box.first + 1, box.last);
}

void JointBoxes::halve(std::size_t index, std::uint64_t middle) {
  const Box whole = std::move(boxes_[index]);
  boxes_[index] = box_of(whole.first, middle - 1, whole.signs);
  boxes_.push_back(box_of(middle, whole.last, whole.signs));
}

std::optional<Proposal> JointBoxes::propose(RandomBits& bits, bool verify) {
  Proposal proposal;
  UnitDraw draw(bits, verify);
  Box* chosen = nullptr;
  for (Box& box : boxes_) {
    if (draw.offers(units(box.mass / total_))) chosen = &box;
    if (draw.done()) break;
  }
  if (!draw.found(proposal.weights) || chosen == nullptr) return {};
  Box& box = *chosen;
  fill(box);
  std::size_t end = 0;
  UnitDraw side(bits, verify);
  for (std::size_t i = 0; i < ends_ && !side.done(); ++i) {
    if (side.offers(units(tables_[i].mass() * static_cast<double>(box.size()) / box.mass))) end = i;
  }
  if (!side.found(proposal.weights)) return {};
  BoxChoice choice;
  if (!tables_[end].choose(*box.groups, choice, bits, verify)) return {};
  proposal.weights.insert(proposal.weights.end(), choice.weights.begin(), choice.weights.end());
  proposal.slice = box.size();
  proposal.total = total_at(box.first + static_cast<std::uint64_t>(uniform_below(bits, box.size())));
  place(choice, *box.groups, proposal, bits);
  if (!lies_at(end, choice.signs)) return {};
  return proposal;
}

Enclosure JointBoxes::acceptance(const Proposal& proposal, std::int64_t precision) const {
  return fractile::acceptance(problem_, proposal, leading_double(total_), scale_, precision);
}

Bounds JointBoxes::acceptance_bounds(const Proposal& proposal) const {
  return fractile::acceptance_bounds(problem_, proposal, leading_double(total_), scale_);
}

}  // namespace fractile
