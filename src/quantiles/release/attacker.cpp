#include "quantiles/release/attacker.hpp"

#include <algorithm>
#include <map>

namespace fractile {
namespace {

constexpr int negligible_log = 200;  // of 2

/// exp(-rate score), cached by score: few scores matter, and most are far away.
class Weights {
 public:
  explicit Weights(const Exponent& rate) : rate_(Enclosure::of(rate, guess_bits)), rough_(rate_.lower_double()) {}

  /// Whether the weight is below 2^-200.
  bool is_negligible(std::uint64_t score) const { return static_cast<double>(score) * rough_ > negligible_log; }

  const Enclosure& of(std::uint64_t score) {
    const auto [at, is_new] = known_.try_emplace(score);
    if (is_new) {
      arb_mul_ui(at->second.arb(), rate_.arb(), score, guess_bits);
      arb_neg(at->second.arb(), at->second.arb());
      arb_exp(at->second.arb(), at->second.arb(), guess_bits);
    }
    return at->second;
  }

 private:
  Enclosure rate_;
  double rough_;
  std::map<std::uint64_t, Enclosure> known_;
};

}  // namespace

KnownTable known_table(const RankProfile& reference, std::uint64_t rows) {
  KnownTable table{{}, {}, {}, {}, reference.candidates()};
  const uint128 all = reference.records();
  // The i-th of rows - 1 others lies at the reference's quantile (i - 1/2) / (rows - 1).
  const auto others_below = [&](std::uint64_t records) {
    return static_cast<std::uint64_t>((uint128{2} * records * (rows - 1) + all) / (2 * all));
  };
  for (std::size_t k = 0; k < reference.distinct(); ++k) {
    table.positions.push_back(reference.position(k));
    table.others.push_back(others_below(reference.cumulative(k + 1)) - others_below(reference.cumulative(k)));
    table.priors.emplace_back(static_cast<std::int64_t>(reference.count(k)),
                              static_cast<std::int64_t>(reference.records()));
    table.chances.push_back(enclosed(table.priors.back()));
  }
  return table;
}

Attacker::Attacker(const KnownTable& table, const OneSelection& selection, PersonGuess::About about,
                   std::vector<bool> above)
    : table_(table), is_first_(std::move(above)), is_presence_(about == PersonGuess::About::presence) {
  if (about != PersonGuess::About::above) is_first_.assign(table.priors.size(), true);
  add_cells(table, selection);
  add_totals();
}

void Attacker::add_cells(const KnownTable& table, const OneSelection& selection) {
  const std::uint64_t others = table.records();
  Weights weights(selection.rate);
  uint128 far_away = 0;
  visit_cells(table, [&](const KnownCell& cell) {
    const uint128 mass = selection.weights.mass(cell.from, cell.to);
    const std::uint64_t below = cell.below;
    const std::uint64_t equal = cell.equal;
    const auto score = [&](std::uint64_t b, std::uint64_t e, std::uint64_t n) {
      return interval_score(selection.alpha, b, e, n);
    };
    const std::uint64_t scores[] = {score(below + 1, equal, others + 1), score(below, equal + 1, others + 1),
                                    score(below, equal, others + 1), score(below, equal, others)};
    if (std::ranges::all_of(scores, [&](std::uint64_t one) { return weights.is_negligible(one); })) {
      far_away += mass;
      return;
    }
    const Enclosure all = Enclosure::of_whole(mass);
    cells_.push_back({cell.place, cell.is_at, all * weights.of(scores[0]), all * weights.of(scores[1]),
                      all * weights.of(scores[2]), all * weights.of(scores[3])});
  });
  rest_ = hull(Enclosure(), scaled(Enclosure::of_whole(far_away), -negligible_log));
}

void Attacker::add_totals() {
  Enclosure above = rest_;  // weights of the cells below the position, which the person's record is above
  Enclosure below;
  for (const Cell& cell : cells_) below += cell.below;
  Enclosure absent = rest_;
  for (const Cell& cell : cells_) absent += cell.absent;
  absent_share_ = enclosed(Rational(1, 2)) / absent;
  shares_.reserve(table_.chances.size());
  Enclosure one_over = enclosed(1) / (above + below);
  auto cell = cells_.begin();
  for (std::size_t place = 0; place < table_.chances.size(); ++place) {
    const bool moves = cell != cells_.end() && cell->place <= place;
    for (; cell != cells_.end() && cell->place <= place; ++cell) {
      below -= cell->below;
      if (cell->is_at) shares_.push_back(table_.chances[place] / (above + cell->at + below));
      above += cell->above;
    }
    if (moves) one_over = enclosed(1) / (above + below);
    if (shares_.size() == place) shares_.push_back(table_.chances[place] * one_over);
  }
}

/// The contribution of the negligible candidates if no possibility weighs more than `most`.
Enclosure Attacker::right_elsewhere(const Enclosure& most) const { return rest_ * most; }

Enclosure Attacker::right_about_value() const {
  std::vector<Enclosure> most_from(shares_.size() + 1);  // the largest share among the positions from here on
  for (std::size_t place = shares_.size(); place-- > 0;) {
    most_from[place] = most_from[place + 1];
    most_from[place].raise_to(shares_[place]);
  }
  Enclosure most_below;
  std::size_t place = 0;
  Enclosure right = right_elsewhere(most_from.front());
  for (const Cell& cell : cells_) {
    for (; place < cell.place; ++place) most_below.raise_to(shares_[place]);
    Enclosure here = most_below * cell.below;
    here.raise_to(most_from[cell.place + (cell.is_at ? 1 : 0)] * cell.above);
    if (cell.is_at) here.raise_to(shares_[cell.place] * cell.at);
    right += here;
  }
  return right;
}

Enclosure Attacker::right_about_two() const {
  const Enclosure half = enclosed(is_presence_ ? Rational(1, 2) : Rational(1));
  struct Sums {
    Enclosure below;
    Enclosure above;
  };
  Sums sums[2];
  for (std::size_t place = 0; place < shares_.size(); ++place) sums[is_first_[place] ? 0 : 1].above += shares_[place];
  std::size_t place = 0;
  Enclosure right = right_elsewhere(sums[0].above + sums[1].above + absent_share_);
  for (const Cell& cell : cells_) {
    for (; place < cell.place; ++place) {
      Sums& sum = sums[is_first_[place] ? 0 : 1];
      sum.below += shares_[place];
      sum.above -= shares_[place];
    }
    Enclosure joint[2];
    for (int which = 0; which < 2; ++which) {
      joint[which] = sums[which].below * cell.below + sums[which].above * cell.above;
    }
    if (cell.is_at) {
      Enclosure& own = joint[is_first_[cell.place] ? 0 : 1];
      own += shares_[cell.place] * (cell.at - cell.above);
    }
    Enclosure here = joint[0] * half;
    here.raise_to(is_presence_ ? absent_share_ * cell.absent : joint[1]);
    right += here;
  }
  return right;
}

}  // namespace fractile
