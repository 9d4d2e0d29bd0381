#include "fractile/selection.hpp"

#include <array>

#include "exact/coin.hpp"
#include "exact/gaps.hpp"
#include "exact/majorant.hpp"
#include "exact/uniform.hpp"
#include "exact/unit_majorant.hpp"
#include "fractile/error.hpp"

namespace fractile {
namespace {

/// Runs of lengths[k], one per index; complemented scores turn maximization into minimization, gap for gap.
class SpanCursor {
 public:
  SpanCursor(std::span<const std::uint64_t> scores, std::span<const std::uint64_t> lengths, Optimize optimize)
      : scores_(scores), lengths_(lengths), flip_(optimize == Optimize::maximize ? ~std::uint64_t{0} : 0) {}

  bool next(Run& run) {
    if (index_ == scores_.size()) return false;
    run = {base_, lengths_[index_], scores_[index_] ^ flip_};
    base_ += run.length;
    ++index_;
    return true;
  }

 private:
  std::span<const std::uint64_t> scores_;
  std::span<const std::uint64_t> lengths_;
  std::uint64_t flip_;
  std::uint64_t base_ = 0;
  std::size_t index_ = 0;
};

void require_lengths(std::span<const std::uint64_t> scores, std::span<const std::uint64_t> lengths) {
  if (scores.size() != lengths.size()) throw Error(ErrorCode::usage, "as many lengths as scores are needed");
  std::uint64_t total = 0;
  for (const std::uint64_t length : lengths) {
    total += length;
    if (length >= std::uint64_t{1} << 63 || total >= std::uint64_t{1} << 63) {
      throw Error(ErrorCode::usage, "the lengths add up to 2^63 or more");
    }
  }
}

/// The index whose members reach up to `member`.
std::size_t index_of(std::span<const std::uint64_t> lengths, std::uint64_t member) {
  std::size_t index = 0;
  for (; member >= lengths[index]; ++index) member -= lengths[index];
  return index;
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

struct UnitProposal {
  std::size_t index;
  std::uint64_t gap;
  std::uint64_t mass;
};

constexpr std::size_t row_size = 64;  // scores whose masses are written down

/// Proposes an index with probability W_k / sum W, W by unit_majorant.hpp: among at most row_size.
class FewProposals {
 public:
  FewProposals(std::span<const std::uint64_t> scores, std::uint64_t flip, const UnitMajorant& majorant)
      : scores_(scores), flip_(flip), row_(unit_row(majorant, scores, flip, masses_.data())) {}
  FewProposals(const FewProposals&) = delete;
  FewProposals& operator=(const FewProposals&) = delete;
  ~FewProposals() = default;

  UnitProposal draw(RandomBits& bits) const {
    const std::size_t index = holder(std::span(masses_).first(scores_.size()), uniform_below(bits, row_.total));
    return {index, (scores_[index] ^ flip_) - row_.best, masses_[index]};
  }

 private:
  std::span<const std::uint64_t> scores_;
  std::uint64_t flip_;
  std::array<std::uint64_t, row_size> masses_;
  UnitRow row_;
};

/// The same among any number: sums of blocks, then of the drawn block's rows, then one row's masses.
class ManyProposals {
 public:
  ManyProposals(std::span<const std::uint64_t> scores, std::uint64_t flip, const UnitMajorant& majorant)
      : scores_(scores), flip_(flip), majorant_(majorant), best_(least_score(scores, flip)) {
    const std::size_t blocks = (scores.size() + block_size - 1) / block_size;
    if (blocks > few_.size()) many_.resize(blocks);
    blocks_ = blocks > few_.size() ? std::span(many_) : std::span(few_).first(blocks);
    for (std::size_t i = 0; i < blocks; ++i) {
      blocks_[i] = unit_mass(majorant_, part(i * block_size, block_size), flip_, best_);
      total_ += blocks_[i];
    }
  }
  ManyProposals(const ManyProposals&) = delete;
  ManyProposals& operator=(const ManyProposals&) = delete;
  ~ManyProposals() = default;

  UnitProposal draw(RandomBits& bits) const {
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
    const auto row = part(first, row_size);
    unit_masses(majorant_, row, flip_, best_, masses.data());
    const std::size_t index = holder(std::span(masses).first(row.size()), left);
    return {first + index, (row[index] ^ flip_) - best_, masses[index]};
  }

 private:
  static constexpr std::size_t block_size = 512;

  std::span<const std::uint64_t> part(std::size_t first, std::size_t most) const {
    return scores_.subspan(first, std::min(most, scores_.size() - first));
  }
  std::uint64_t row_mass(std::size_t first) const { return unit_mass(majorant_, part(first, row_size), flip_, best_); }

  std::span<const std::uint64_t> scores_;
  std::uint64_t flip_;
  UnitMajorant majorant_;
  std::uint64_t best_;
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
    const UnitProposal proposal = proposals.draw(bits);
    // accept() speaks in units of 2^53.
    const uint128 majorant = uint128{proposal.mass} << (53 - UnitMajorant::unit_bits);
    const double at_least = least_acceptance(proposal.mass);
    if (accept(bounds, rate, proposal.gap, 1, majorant, at_least, bits, filter, cost)) return proposal.index;
  }
}

}  // namespace

std::size_t select_softmax(std::span<const std::uint64_t> scores, const Exponent& rate, RandomBits& bits,
                           Optimize optimize, Filter filter, SelectionCost* cost) {
  if (scores.empty()) throw Error(ErrorCode::usage, "nothing to select from");
  const RateBounds bounds = RateBounds::of(rate);
  const UnitMajorant majorant(bounds.bits_per_unit());
  const std::uint64_t flip = optimize == Optimize::maximize ? ~std::uint64_t{0} : 0;
  return scores.size() <= row_size
             ? select_from(FewProposals(scores, flip, majorant), bounds, rate, bits, filter, cost)
             : select_from(ManyProposals(scores, flip, majorant), bounds, rate, bits, filter, cost);
}

std::size_t select_softmax(std::span<const std::uint64_t> scores, std::span<const std::uint64_t> lengths,
                           const Exponent& rate, RandomBits& bits, Optimize optimize, Filter filter,
                           SelectionCost* cost) {
  require_lengths(scores, lengths);
  return index_of(lengths, select_member(SpanCursor(scores, lengths, optimize), rate, bits, filter, cost));
}

/// Scores too far apart for 64 bits: propose uniformly, keep with probability exp(-rate * gap). The best is always kept.
static std::size_t select_by_uniform_proposals(std::span<const Rational> gaps, const Exponent& rate, RandomBits& bits,
                                               Filter filter, SelectionCost* cost) {
  for (;;) {
    if (cost != nullptr) ++cost->trials;
    const auto k = static_cast<std::size_t>(uniform_below(bits, std::uint64_t{gaps.size()}));
    if (bernoulli_exp(bits, rate * gaps[k], filter)) return k;
  }
}

std::size_t select_softmax(std::span<const Rational> scores, const Exponent& rate, RandomBits& bits, Optimize optimize,
                           Filter filter, SelectionCost* cost) {
  const std::vector<Rational> gaps = gaps_of(scores, optimize);
  const std::optional<ScaledGaps> whole = scaled(gaps);
  if (!whole) return select_by_uniform_proposals(gaps, rate, bits, filter, cost);
  return select_softmax(whole->gaps, rate / whole->scale, bits, Optimize::minimize, filter, cost);
}

}  // namespace fractile
