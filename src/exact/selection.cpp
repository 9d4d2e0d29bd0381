#include "exact/selection.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "exact/coin.hpp"
#include "exact/gaps.hpp"
#include "exact/majorant.hpp"
#include "exact/own_environment.hpp"
#include "exact/run_majorant.hpp"
#include "exact/uncopied.hpp"
#include "exact/uniform.hpp"
#include "exact/unit_majorant.hpp"
#include "fractile/error.hpp"

namespace fractile {
namespace {

void require_lengths(std::span<const std::uint64_t> scores, std::span<const std::uint64_t> lengths) {
  if (scores.size() != lengths.size()) throw Error(ErrorCode::usage, "there must be one length for each score");
  std::uint64_t all_bits = 0;
  for (const std::uint64_t length : lengths) all_bits |= length;
  if (all_bits == 0) throw Error(ErrorCode::usage, "nothing to select from");
  // Less than 2^bit_width(n) lengths below 2^bit_width(all_bits) add up to less than 2^63.
  if (std::bit_width(all_bits) + std::bit_width(lengths.size()) <= 63) return;
  std::uint64_t total = 0;
  for (const std::uint64_t length : lengths) {
    total += length;
    if (length >= std::uint64_t{1} << 63 || total >= std::uint64_t{1} << 63) {
      throw Error(ErrorCode::usage, "the lengths add up to 2^63 or more");
    }
  }
}

/// The index k with mass 0 + .. + mass (k-1) <= target < mass 0 + .. + mass k. Without branches: lists are short.
std::size_t holder(std::span<const std::uint64_t> masses, std::uint64_t target) {
  std::size_t index = 0;
  std::uint64_t passed = 0;
  for (const std::uint64_t mass : masses) {
    passed += mass;
    index += target >= passed ? 1 : 0;
  }
  return index;
}

constexpr std::size_t row_size = 64;  // the number of scores whose masses are stored at once

/// A proposed index: its members' common gap, and its mass as accept() takes it, in units of 2^-53.
struct Proposal {
  std::size_t index;
  std::uint64_t gap;
  std::uint64_t length;
  uint128 majorant;
  double at_least;  // lower bound of the acceptance probability
};

/// Scores of one member each, with the masses of unit_majorant.hpp. `flip` turns scores into ones to be minimized: all bits are set to
/// maximize, none to minimize (flip_for()).
class UnitScores {
 public:
  UnitScores(std::span<const std::uint64_t> scores, std::uint64_t flip, double bits_per_unit)
      : scores_(scores), flip_(flip), majorant_(bits_per_unit) {}

  std::size_t size() const { return scores_.size(); }
  void find_best() { best_ = least_score(scores_, flip_); }
  std::uint64_t find_best_and_write(std::uint64_t* masses) {
    const UnitRow row = unit_row(majorant_, scores_, flip_, masses);
    best_ = row.best;
    return row.total;
  }
  std::uint64_t mass(std::size_t first, std::size_t count) const {
    return unit_mass(majorant_, scores_.subspan(first, count), flip_, best_);
  }
  void write(std::size_t first, std::size_t count, std::uint64_t* masses) const {
    unit_masses(majorant_, scores_.subspan(first, count), flip_, best_, masses);
  }
  Proposal proposal(std::size_t index, std::uint64_t mass) const {
    return {index, (scores_[index] ^ flip_) - best_, 1, uint128{mass} << (53 - UnitMajorant::unit_bits),
            least_acceptance(mass)};
  }

 private:
  std::span<const std::uint64_t> scores_;
  std::uint64_t flip_;
  UnitMajorant majorant_;
  std::uint64_t best_ = 0;
};

/// Scores of several members each, with the masses of run_majorant.hpp.
class RunScores {
 public:
  RunScores(const RunSpan& runs, double bits_per_unit) : runs_(runs), majorant_(bits_per_unit) {}

  std::size_t size() const { return runs_.scores.size(); }
  void find_best() {
    best_ = least_score(runs_);
    majorant_.fit(largest_weight(majorant_, runs_, best_));
  }
  std::uint64_t find_best_and_write(std::uint64_t* masses) {
    find_best();
    return run_masses(majorant_, runs_, best_, masses);
  }
  std::uint64_t mass(std::size_t first, std::size_t count) const {
    return run_mass(majorant_, part(first, count), best_);
  }
  void write(std::size_t first, std::size_t count, std::uint64_t* masses) const {
    run_masses(majorant_, part(first, count), best_, masses);
  }
  Proposal proposal(std::size_t index, std::uint64_t mass) const {
    return {index, (runs_.scores[index] ^ runs_.flip) - best_, runs_.lengths[index],
            uint128{mass} << (53 - majorant_.unit_bits()), least_acceptance(mass)};
  }

 private:
  RunSpan part(std::size_t first, std::size_t count) const {
    return {runs_.scores.subspan(first, count), runs_.lengths.subspan(first, count), runs_.flip};
  }

  RunSpan runs_;
  RunMajorant majorant_;
  std::uint64_t best_ = 0;
};

/// Proposes an index with probability W_k / sum W, among at most row_size indices.
template <class Scores>
class FewProposals : Uncopied {
 public:
  explicit FewProposals(Scores& scores) : scores_(scores), total_(scores.find_best_and_write(masses_.data())) {}

  Proposal draw(RandomBits& bits) const {
    const std::size_t index = holder(std::span(masses_).first(scores_.size()), uniform_below(bits, total_));
    return scores_.proposal(index, masses_[index]);
  }

 private:
  const Scores& scores_;
  std::array<std::uint64_t, row_size> masses_;
  std::uint64_t total_;
};

/// The same among any number of indices: computes the sums of blocks, then those of the drawn block's rows, then one row's masses.
template <class Scores>
class ManyProposals : Uncopied {
 public:
  explicit ManyProposals(Scores& scores) : scores_(scores) {
    scores.find_best();
    const std::size_t blocks = (scores.size() + block_size - 1) / block_size;
    if (blocks > few_.size()) many_.resize(blocks);
    blocks_ = blocks > few_.size() ? std::span(many_) : std::span(few_).first(blocks);
    for (std::size_t i = 0; i < blocks; ++i) {
      blocks_[i] = scores.mass(i * block_size, count(i * block_size, block_size));
      total_ += blocks_[i];
    }
  }

  Proposal draw(RandomBits& bits) const {
    uint128 target = uniform_below(bits, total_);
    std::size_t block = 0;
    for (; target >= blocks_[block]; ++block) target -= blocks_[block];
    auto left = static_cast<std::uint64_t>(target);
    std::size_t first = block * block_size;
    for (std::uint64_t mass = row_mass(first); left >= mass; mass = row_mass(first)) {
      left -= mass;
      first += row_size;
    }
    std::array<std::uint64_t, row_size> masses;
    const std::size_t in_row = count(first, row_size);
    scores_.write(first, in_row, masses.data());
    const std::size_t index = holder(std::span(masses).first(in_row), left);
    return scores_.proposal(first + index, masses[index]);
  }

 private:
  static constexpr std::size_t block_size = 512;

  std::size_t count(std::size_t first, std::size_t most) const { return std::min(most, scores_.size() - first); }
  std::uint64_t row_mass(std::size_t first) const { return scores_.mass(first, count(first, row_size)); }

  const Scores& scores_;
  std::array<std::uint64_t, 64> few_;
  std::vector<std::uint64_t> many_;
  std::span<std::uint64_t> blocks_;
  uint128 total_ = 0;
};

template <class Proposals>
std::size_t select_from(const Proposals& proposals, const RateBounds& bounds, const Exponent& rate, RandomBits& bits,
                        Filter filter, SelectionCost* cost) {
  for (;;) {
    if (cost != nullptr) ++cost->trials;
    const Proposal p = proposals.draw(bits);
    if (accept(bounds, rate, p.gap, p.length, p.majorant, p.at_least, bits, filter, cost)) return p.index;
  }
}

/// `scores` is a reference, since a copy of what was just written by parts makes the processor wait.
template <class Scores>
std::size_t select_index(Scores&& scores, const RateBounds& bounds, const Exponent& rate, RandomBits& bits,
                         Filter filter, SelectionCost* cost) {
  return scores.size() <= row_size ? select_from(FewProposals(scores), bounds, rate, bits, filter, cost)
                                   : select_from(ManyProposals(scores), bounds, rate, bits, filter, cost);
}

/// Complemented scores turn maximization into minimization, gap for gap.
std::uint64_t flip_for(Optimize optimize) { return optimize == Optimize::maximize ? ~std::uint64_t{0} : 0; }

/// For scores too far apart for 64 bits: proposes uniformly, and keeps with probability exp(-rate * gap). The best is always kept.
std::size_t select_by_uniform_proposals(std::span<const Rational> gaps, const Exponent& rate, RandomBits& bits,
                                        Filter filter, SelectionCost* cost) {
  for (;;) {
    if (cost != nullptr) ++cost->trials;
    const auto k = static_cast<std::size_t>(uniform_below(bits, std::uint64_t{gaps.size()}));
    if (bernoulli_exp(bits, rate * gaps[k], filter)) return k;
  }
}

}  // namespace

std::size_t detail::select_softmax(std::span<const std::uint64_t> scores, const Exponent& rate, RandomBits& bits,
                                   Optimize optimize, Filter filter, SelectionCost* cost) {
  if (scores.empty()) throw Error(ErrorCode::usage, "nothing to select from");
  const RateBounds bounds = RateBounds::of(rate);
  return select_index(UnitScores(scores, flip_for(optimize), bounds.bits_per_unit()), bounds, rate, bits, filter, cost);
}

std::size_t detail::select_softmax(std::span<const std::uint64_t> scores, std::span<const std::uint64_t> lengths,
                                   const Exponent& rate, RandomBits& bits, Optimize optimize, Filter filter,
                                   SelectionCost* cost) {
  require_lengths(scores, lengths);
  const RateBounds bounds = RateBounds::of(rate);
  const RunSpan runs{scores, lengths, flip_for(optimize)};
  return select_index(RunScores(runs, bounds.bits_per_unit()), bounds, rate, bits, filter, cost);
}

std::size_t detail::select_softmax(std::span<const Rational> scores, const Exponent& rate, RandomBits& bits,
                                   Optimize optimize, Filter filter, SelectionCost* cost) {
  const std::vector<Rational> gaps = gaps_of(scores, optimize);
  const std::optional<ScaledGaps> whole = scaled(gaps);
  if (!whole) return select_by_uniform_proposals(gaps, rate, bits, filter, cost);
  return detail::select_softmax(whole->gaps, rate / whole->scale, bits, Optimize::minimize, filter, cost);
}

std::size_t select_softmax(std::span<const std::uint64_t> scores, const Exponent& rate, RandomBits& bits,
                           Optimize optimize) {
  const OwnEnvironment own;
  return detail::select_softmax(scores, rate, bits, optimize, {});
}

std::size_t select_softmax(std::span<const std::uint64_t> scores, std::span<const std::uint64_t> lengths,
                           const Exponent& rate, RandomBits& bits, Optimize optimize) {
  const OwnEnvironment own;
  return detail::select_softmax(scores, lengths, rate, bits, optimize, {});
}

std::size_t select_softmax(std::span<const Rational> scores, const Exponent& rate, RandomBits& bits,
                           Optimize optimize) {
  const OwnEnvironment own;
  return detail::select_softmax(scores, rate, bits, optimize, {});
}

}  // namespace fractile
