#include "quantiles/joint/joint_box_table.hpp"

#include <algorithm>

namespace fractile {

namespace {

/// Covers the rounding errors of an entry's fewer than 2^30 operations.
constexpr double table_inflation = 1 + 0x1p-20;

std::size_t index_of(int sign) { return static_cast<unsigned>(sign + 1); }

}  // namespace

/// The factor of the last cell if v_k lies in the group and the cell has this sign.
WideReal BoxTable::above(const SplitGroups& groups, std::size_t i, int sign) const {
  const Entry& entry = rows_.back()[i];
  const std::size_t s = index_of(sign);
  const int known = sign_above(groups, i);
  if (known != 0 && known != sign) return {};
  return (known == 0 ? entry.keep[s] : entry.leave[s]) * cells_.back().at_end[s] * groups.all_records(sign);
}

void BoxTable::fill(const SplitGroups& groups, std::vector<BoxCell> cells) {
  cells_ = std::move(cells);
  rows_.resize(quantiles());
  shared_.resize(quantiles());
  for (std::size_t j = 0; j < quantiles(); ++j) {
    rows_[j].assign(groups.size(), {});
    for (std::size_t i = 0; i < groups.size(); ++i) {
      rows_[j][i].within = cells_[j].sign(0, groups.highest(i) - groups.lowest(i));
    }
    if (j == 0) {
      enter_first(groups);
    } else {
      enter(groups, j);
      share(groups, j);
    }
    leave(groups, j);
  }
  mass_ = {};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const int sign : {-1, 0, 1}) mass_ += above(groups, i, sign);
  }
  mass_ *= table_inflation;
}

void BoxTable::enter_first(const SplitGroups& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const int sign = sign_below(groups, i);
    if (sign == 0) {
      rows_[0][i].open = 1;
    } else {
      rows_[0][i].enter[index_of(sign)] = cells_[0].at_end[index_of(sign)];
    }
  }
}

// Groups far below leave cell j too many records, and groups nearby too few. As the group moves up, so do both borders.
void BoxTable::enter(const SplitGroups& groups, std::size_t j) {
  Row& row = rows_[j];
  const BoxCell& cell = cells_[j];
  const Row& before = rows_[j - 1];
  std::array<SlidingSum, 3> between{SlidingSum(before.size()), SlidingSum(before.size()), SlidingSum(before.size())};
  SlidingSum near(before.size());
  WideReal far;
  std::size_t some = 0;  // groups below have sign 1
  std::size_t few = 0;   // groups from here on have sign -1
  for (std::size_t i = 0; i < row.size(); ++i) {
    while (few < i && groups.highest(i) - groups.lowest(few) > cell.too_few) ++few;
    const auto is_far = [&](std::size_t l) {
      return cell.usual > 0 || groups.lowest(i) - groups.highest(l) >= cell.too_many;
    };
    for (; some < few && is_far(some); ++some) far += before[some].leave[2];
    const std::size_t close = cell.usual < 0 ? some : few;
    for (std::size_t s = 0; s < 3; ++s) {
      row[i].enter[s] = between[s].sum(some, close, [&](std::size_t l) { return before[l].keep[s]; });
    }
    row[i].enter[0] += near.sum(close, i, [&](std::size_t l) { return before[l].leave[0]; });
    row[i].enter[2] += far;
    for (std::size_t s = 0; s < 3; ++s) row[i].enter[s] *= cell.at_end[s] * table_inflation;
  }
}

/// v_1 lies in the group, and the first cell, whose sign is not certain, takes the sign of the second.
WideReal BoxTable::opened(const SplitGroups& groups, std::size_t j, std::size_t i, int sign) const {
  return j == 0 ? rows_[0][i].open * groups.mass(i) * cells_[0].at_end[index_of(sign)] : WideReal();
}

/// v_j is the second quantile in the group, and the cell below the first has the sign `sign`.
WideReal BoxTable::first_sharing(const SplitGroups& groups, std::size_t j, std::size_t i, int sign) const {
  const int within = rows_[j][i].within;
  WideReal first = rows_[j - 1][i].enter[index_of(sign)] * groups.mass(i) * groups.factor(i, sign, within);
  if (sign == within) first += opened(groups, j - 1, i, sign);
  return first * cells_[j].at_end[index_of(within)] * groups.mass(i) * 0.5;
}

void BoxTable::share(const SplitGroups& groups, std::size_t j) {
  shared_[j].resize(groups.size() * j);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const int within = rows_[j][i].within;
    const WideReal joining = groups.factor(i, rows_[j - 1][i].within, within) * cells_[j].at_end[index_of(within)] *
                             groups.mass(i) * table_inflation;
    WideReal* shares = shared_[j].data() + i * j;
    WideReal second;
    for (const int sign : {-1, 0, 1}) second += first_sharing(groups, j, i, sign);
    shares[0] = second * table_inflation;
    for (std::size_t r = 3; r <= j + 1; ++r) {
      shares[r - 2] = shared(j - 1, i, r - 1) * joining * (1 / static_cast<double>(r));
    }
  }
}

void BoxTable::leave(const SplitGroups& groups, std::size_t j) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Entry& entry = rows_[j][i];
    WideReal all_shared;
    for (std::size_t r = 2; r <= j + 1; ++r) all_shared += shared(j, i, r);
    for (const int leaving : {-1, 0, 1}) {
      const std::size_t s = index_of(leaving);
      const WideReal alone = entry.enter[s] * groups.mass(i) + opened(groups, j, i, leaving);
      WideReal sum = all_shared * groups.factor(i, entry.within, leaving) + alone;
      for (const int sign : {-1, 0, 1}) {
        const WideReal& entered = entry.enter[index_of(sign)];
        if (sign != leaving && !entered.is_zero()) sum += entered * groups.mass(i) * groups.factor(i, sign, leaving);
      }
      entry.leave[s] = sum * table_inflation;
      entry.keep[s] = (entry.within == leaving ? alone + all_shared : alone) * table_inflation;
    }
    if (j == 0) {  // two cells whose signs are both uncertain have sign 0
      for (const int sign : {-1, 1})
        entry.keep[index_of(sign)] = entry.enter[index_of(sign)] * groups.mass(i) * table_inflation;
    }
  }
}

bool BoxTable::choose(const SplitGroups& groups, BoxChoice& choice, RandomBits& bits, bool verify) const {
  choice.groups.assign(quantiles(), 0);
  choice.signs.assign(quantiles() + 1, 0);
  choice.weights.clear();
  Place place{quantiles() - 1, 0, 0, false, 1};
  if (!choose_last(groups, place, choice, bits, verify)) return false;
  while (true) {
    place.r = 1;
    if (!choose_sharing(groups, place, choice.signs[place.j + 1], choice, bits, verify)) return false;
    choice.groups[place.j] = place.group;
    for (; place.r > 1; --place.r) {
      choice.signs[place.j] = rows_[place.j][place.group].within;
      if (place.r == 2 && !choose_second(groups, place, choice, bits, verify)) return false;
      choice.groups[--place.j] = place.group;
    }
    choice.signs[place.j] = place.sign;
    if (place.j == 0) return true;
    if (!choose_lower(groups, place, choice, bits, verify)) return false;
    --place.j;
  }
}

/// Chooses the group of the last quantile, and the sign of the last cell.
bool BoxTable::choose_last(const SplitGroups& groups, Place& place, BoxChoice& choice, RandomBits& bits,
                           bool verify) const {
  UnitDraw draw(bits, verify);
  for (std::size_t i = 0; i < groups.size() && !draw.done(); ++i) {
    for (const int sign : {-1, 0, 1}) {
      const WideReal mass = above(groups, i, sign);
      if (mass.is_zero() || draw.done() || !draw.offers(units(mass / mass_))) continue;
      place.group = i;
      place.is_kept = sign_above(groups, i) == 0;
      choice.signs.back() = sign;
    }
  }
  return draw.found(choice.weights);
}

/// Chooses whether v_j is the first in its group, and then the sign below it; or else its number in the group.
bool BoxTable::choose_sharing(const SplitGroups& groups, Place& place, int leaving, BoxChoice& choice, RandomBits& bits,
                              bool verify) const {
  const Entry& entry = rows_[place.j][place.group];
  const WideReal& parent = (place.is_kept ? entry.keep : entry.leave)[index_of(leaving)];
  UnitDraw draw(bits, verify);
  const auto offer = [&](const WideReal& mass) {
    return !mass.is_zero() && !draw.done() && draw.offers(units(mass / parent));
  };
  for (const int sign : {-1, 0, 1}) {
    if (place.is_kept && sign != leaving) continue;
    const WideReal mass =
        entry.enter[index_of(sign)] * groups.mass(place.group) * groups.factor(place.group, sign, leaving);
    if (offer(mass)) place.sign = sign;
  }
  if (!place.is_kept || leaving == 0 || place.j > 0) {
    if (offer(opened(groups, place.j, place.group, leaving))) place.sign = leaving;
  }
  for (std::size_t r = 2; r <= place.j + 1 && !draw.done(); ++r) {
    if (place.is_kept && entry.within != leaving) break;
    if (offer(shared(place.j, place.group, r) * groups.factor(place.group, entry.within, leaving))) place.r = r;
  }
  return draw.found(choice.weights);
}

/// If v_j is the second in its group: chooses the sign below v_(j-1), which is the first.
bool BoxTable::choose_second(const SplitGroups& groups, Place& place, BoxChoice& choice, RandomBits& bits,
                             bool verify) const {
  UnitDraw draw(bits, verify);
  for (const int sign : {-1, 0, 1}) {
    const WideReal mass = first_sharing(groups, place.j, place.group, sign);
    if (mass.is_zero() || draw.done()) continue;
    if (draw.offers(units(mass / shared(place.j, place.group, 2)))) place.sign = sign;
  }
  return draw.found(choice.weights);
}

/// If v_j is the first in its group: chooses the group of v_(j-1).
bool BoxTable::choose_lower(const SplitGroups& groups, Place& place, BoxChoice& choice, RandomBits& bits,
                            bool verify) const {
  const std::size_t s = index_of(place.sign);
  const std::size_t upper = place.group;
  const WideReal& parent = rows_[place.j][upper].enter[s];
  UnitDraw draw(bits, verify);
  for (std::size_t i = upper; i-- > 0 && !draw.done();) {
    const int known = sign_between(groups, place.j, i, upper);
    if (known != 0 && known != place.sign) continue;
    const Entry& entry = rows_[place.j - 1][i];
    const WideReal mass = (known == 0 ? entry.keep : entry.leave)[s] * cells_[place.j].at_end[s];
    if (mass.is_zero() || !draw.offers(units(mass / parent))) continue;
    place.group = i;
    place.is_kept = known == 0;
  }
  return draw.found(choice.weights);
}

}  // namespace fractile
