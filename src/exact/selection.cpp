#include "fractile/selection.hpp"

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

}  // namespace

namespace {

/// Proposes an index with probability W_k / sum W, W by unit_majorant.hpp.
class UnitProposals {
 public:
  UnitProposals(std::span<const std::uint64_t> scores, std::uint64_t flip, const RateBounds& bounds)
      : scores_(scores), flip_(flip), best_(least_score(scores, flip)), majorant_(bounds.bits_per_unit()) {
    blocks_.reserve(scores.size() / block_size + 1);
    for (std::size_t first = 0; first < scores.size(); first += block_size) {
      blocks_.push_back(
          unit_mass(majorant_, scores.subspan(first, std::min(block_size, scores.size() - first)), flip, best_));
      total_ += blocks_.back();
    }
  }

  std::size_t draw(RandomBits& bits) const {
    uint128 target = uniform_below(bits, total_);
    std::size_t block = 0;
    for (; target >= blocks_[block]; ++block) target -= blocks_[block];
    std::size_t index = block * block_size;
    for (auto left = static_cast<std::uint64_t>(target); left >= mass(index); ++index) left -= mass(index);
    return index;
  }

  std::uint64_t gap(std::size_t index) const { return (scores_[index] ^ flip_) - best_; }
  std::uint64_t mass(std::size_t index) const { return majorant_(gap(index)); }

 private:
  static constexpr std::size_t block_size = 512;

  std::span<const std::uint64_t> scores_;
  std::uint64_t flip_;
  std::uint64_t best_;
  UnitMajorant majorant_;
  std::vector<std::uint64_t> blocks_;
  uint128 total_ = 0;
};

}  // namespace

std::size_t select_softmax(std::span<const std::uint64_t> scores, const Exponent& rate, RandomBits& bits,
                           Optimize optimize, Filter filter, SelectionCost* cost) {
  if (scores.empty()) throw Error(ErrorCode::usage, "nothing to select from");
  const RateBounds bounds(rate);
  const UnitProposals proposals(scores, optimize == Optimize::maximize ? ~std::uint64_t{0} : 0, bounds);
  for (;;) {
    if (cost != nullptr) ++cost->trials;
    const std::size_t index = proposals.draw(bits);
    // accept() speaks in units of 2^53.
    const uint128 majorant = uint128{proposals.mass(index)} << (53 - UnitMajorant::unit_bits);
    if (accept(bounds, rate, proposals.gap(index), {index, 1, 0}, majorant, bits, filter, cost)) return index;
  }
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
