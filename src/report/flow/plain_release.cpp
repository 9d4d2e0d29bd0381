// Follows docs/proofs/single_quantile.md, approximate_quantiles.md and constructors.md.
#include "report/flow/plain_release.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "exact/lists.hpp"
#include "flow/pipeline/pipeline_rows.hpp"

namespace fractile::report_detail {
namespace {

using CountsByCandidate = std::vector<std::size_t>;

constexpr std::uint64_t parts_of_a_cell = std::uint64_t{1} << 32;

std::uint64_t records_before(const CountsByCandidate& table, std::size_t end) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < end; ++k) sum += table[k];
  return sum;
}

/// The part of its cell in which the i-th of the tied records lies: i with its bits in reverse order.
std::uint64_t part_of_tied(std::uint64_t i) {
  std::uint64_t part = 0;
  for (int bit = 0; bit < 32; ++bit) part |= ((i >> bit) & 1) << (31 - bit);
  return part;
}

/// How many splits of a cell have 0, 1, ... of the cell's tied records below them. A record lies below the splits after its part.
std::vector<std::uint64_t> splits_by_records(std::size_t tied) {
  std::vector<std::uint64_t> ends;
  ends.reserve(tied + 1);
  for (std::size_t i = 1; i <= tied; ++i) ends.push_back(part_of_tied(i) + 1);
  std::ranges::sort(ends);
  ends.push_back(parts_of_a_cell);
  std::vector<std::uint64_t> counts;
  counts.reserve(ends.size());
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends) counts.push_back(end - std::exchange(begin, end));
  return counts;
}

}  // namespace

std::optional<PlainRelease> PlainRelease::at(const flow::CentralMechanism& release, const Rational& odds) {
  PlainRelease plain(release, odds);
  if (!plain.base_) return {};
  return plain;
}

PlainRelease::PlainRelease(const flow::CentralMechanism& release, const Rational& odds)
    : release_(release), middle_((release.quantiles.size() + 1) / 2 - 1) {
  const Rational& middle = release.quantiles[middle_];
  for (std::size_t i = 0; i < release.quantiles.size(); ++i) {
    const Rational& quantile = release.quantiles[i];
    if (i < middle_) selections_.push_back({quantile / middle, false});
    if (i == middle_) selections_.push_back({quantile, true});
    if (i > middle_) selections_.push_back({(quantile - middle) / (Rational(1) - middle), false});
  }
  Rational degree = 1;  // missed_by() is a multiple of 1/denominator of the share
  for (const Selection& selection : selections_) {
    degree *= (degree * rate_of(selection) / selection.share.denominator()).denominator();
  }
  degree_ = degree.to_int64();
  base_ = flow::exact_root(odds, degree_);
  if (base_ && base_->pow(degree_) != odds) base_.reset();
}

/// The rate per missed record, as a part of epsilon. A selection costs its rate times the largest distance between the changes of any two
/// scores. This distance is twice the larger share for a record more or less, 2 for a replaced record, and 4 for a replaced record under
/// gumbel-max. If the quantile is an end of the range, a record only makes scores worse, or only better, and the distance is 1.
Rational PlainRelease::rate_of(const Selection& selection) const {
  const bool is_replaced = release_.neighbors == Neighbors::change_one;
  const Rational& share = selection.share;
  Rational one_more = Rational(2) * std::max(share, Rational(1) - share);
  Rational replaced = 2;
  if (release_.kind == flow::CentralMechanism::Kind::gumbel_max) {
    return Rational(1) / (is_replaced ? Rational(2) * replaced : one_more);
  }
  if (share == Rational(0) || share == Rational(1)) one_more = replaced = 1;
  const Rational level(1, std::bit_width(release_.quantiles.size()));
  if (!is_replaced) return level / one_more;
  const Rational within = level / replaced;
  return selection.is_whole ? within : std::min(within, level / Rational(2) / one_more);  // another part spends half
}

std::int64_t PlainRelease::exponent(const Rational& missed, const Selection& selection) const {
  return (missed * rate_of(selection) * Rational(degree_)).to_int64();
}

Rational PlainRelease::weight(const Rational& missed, const Selection& selection) const {
  return base_->pow(-exponent(missed, selection));
}

Rational PlainRelease::missed_by(const CountsByCandidate& table, std::size_t candidate,
                                 const Selection& selection) const {
  const std::uint64_t records = records_before(table, table.size());
  const std::uint64_t below = records_before(table, candidate);
  const std::uint64_t upto = below + table[candidate];
  const Rational target = selection.share * Rational(records);
  if (release_.kind == flow::CentralMechanism::Kind::gumbel_max) {
    const Rational score =
        (Rational(1) - selection.share) * Rational(below) - selection.share * Rational(records - upto);
    return std::max(score, Rational(0) - score);
  }
  const Rational beyond = Rational(below) - target;
  const Rational short_of = target - Rational(upto);
  return std::max(std::max(beyond, short_of), Rational(0));
}

PlainRelease::Law PlainRelease::candidates(const CountsByCandidate& table, std::size_t from, std::size_t to,
                                           const Selection& selection) const {
  Law law;
  Rational all = 0;
  for (std::size_t k = from; k < to; ++k) {
    all += law.emplace(k, weight(missed_by(table, k, selection), selection)).first->second;
  }
  for (auto& [k, p] : law) p /= all;
  return law;
}

std::optional<std::vector<std::int64_t>> PlainRelease::exponents(const CountsByCandidate& table) const {
  if (selections_.size() > 1) return {};
  return tabulated(table.size(), [&](std::size_t k) {
    return exponent(missed_by(table, k, selections_.front()), selections_.front());
  });
}

std::map<CountsByCandidate, Rational> PlainRelease::law(const CountsByCandidate& table) const {
  const std::size_t size = table.size();
  std::map<CountsByCandidate, Rational> law;
  if (selections_.size() == 1) {
    for (auto& [k, p] : candidates(table, 0, size, selections_.front()))
      law.emplace(CountsByCandidate{k}, std::move(p));
    return law;
  }
  const Selection& first = selections_[middle_];
  const Rational target = first.share * Rational(records_before(table, size));
  Rational all = 0;
  for (std::size_t cell = 0; cell < size; ++cell) {
    const std::vector<std::uint64_t> splits = splits_by_records(table[cell]);
    for (std::size_t tied = 0; tied < splits.size(); ++tied) {
      const Rational missed = Rational(records_before(table, cell) + tied) - target;
      const Rational mass = Rational(splits[tied]) * weight(std::max(missed, Rational(0) - missed), first);
      all += mass;
      CountsByCandidate below = table;
      CountsByCandidate above = table;
      std::fill(below.begin() + static_cast<std::ptrdiff_t>(cell), below.end(), 0);
      std::fill(above.begin(), above.begin() + static_cast<std::ptrdiff_t>(cell), 0);
      below[cell] = tied;
      above[cell] -= tied;
      std::map<CountsByCandidate, Rational> outputs{{{cell}, mass}};
      if (middle_ > 0) {
        std::map<CountsByCandidate, Rational> longer;
        for (const auto& [k, p] : candidates(below, 0, cell + 1, selections_.front())) longer[{k, cell}] = mass * p;
        outputs = std::move(longer);
      }
      if (middle_ + 1 < selections_.size()) {
        std::map<CountsByCandidate, Rational> longer;
        for (const auto& [k, p] : candidates(above, cell, size, selections_.back())) {
          for (const auto& [begun, q] : outputs) {
            CountsByCandidate output = begun;
            output.push_back(k);
            longer[std::move(output)] = p * q;
          }
        }
        outputs = std::move(longer);
      }
      for (const auto& [output, p] : outputs) law[output] += p;
    }
  }
  for (auto& [output, p] : law) p /= all;
  return law;
}

std::size_t PlainRelease::work(std::size_t records, std::size_t candidates) const {
  std::size_t products = candidates;
  if (selections_.size() > 1) products *= records + candidates;
  if (selections_.size() > 2) products *= candidates;
  return products;
}

}  // namespace fractile::report_detail
