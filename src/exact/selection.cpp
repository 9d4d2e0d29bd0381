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

/// What is common to all proposals from scores of multiplicity one.
struct UnitScores {
  UnitScores(std::span<const std::uint64_t> all, Optimize optimize, const RateBounds& bounds)
      : scores(all),
        flip(optimize == Optimize::maximize ? ~std::uint64_t{0} : 0),
        best(least_score(all, flip)),
        majorant(bounds.bits_per_unit()) {}

  std::uint64_t gap(std::size_t index) const { return (scores[index] ^ flip) - best; }
  std::uint64_t mass(std::size_t first, std::size_t count) const {
    return unit_mass(majorant, scores.subspan(first, count), flip, best);
  }
  /// Writes the masses of so many scores.
  std::span<const std::uint64_t> masses(std::size_t first, std::size_t count, std::uint64_t* to) const {
    unit_masses(majorant, scores.subspan(first, count), flip, best, to);
    return {to, count};
  }

  std::span<const std::uint64_t> scores;
  std::uint64_t flip;
  std::uint64_t best;
  UnitMajorant majorant;
};

struct UnitProposal {
  std::size_t index;
  std::uint64_t mass;
};

constexpr std::size_t row_size = 64;  // scores whose masses are written down

/// Proposes an index with probability W_k / sum W, W by unit_majorant.hpp: among at most row_size.
class FewProposals {
 public:
  explicit FewProposals(const UnitScores& scores) : masses_(scores.masses(0, scores.scores.size(), row_.data())) {
    for (const std::uint64_t mass : masses_) total_ += mass;
  }
  UnitProposal draw(RandomBits& bits) const {
    const std::size_t index = holder(masses_, uniform_below(bits, total_));
    return {index, masses_[index]};
  }

 private:
  std::array<std::uint64_t, row_size> row_;  // NOLINT(cppcoreguidelines-pro-type-member-init): written by masses()
  std::span<const std::uint64_t> masses_;
  std::uint64_t total_ = 0;
};

/// The same among any number: sums of blocks, then of the drawn block's rows, then one row's masses.
class ManyProposals {
 public:
  explicit ManyProposals(const UnitScores& scores) : scores_(scores) {
    const std::size_t count = scores.scores.size();
    const std::size_t blocks = (count + block_size - 1) / block_size;
    if (blocks > few_.size()) many_.resize(blocks);
    blocks_ = blocks > few_.size() ? std::span(many_) : std::span(few_).first(blocks);
    for (std::size_t i = 0; i < blocks; ++i) {
      blocks_[i] = scores.mass(i * block_size, std::min(block_size, count - i * block_size));
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
    std::array<std::uint64_t, row_size> row;  // NOLINT(cppcoreguidelines-pro-type-member-init): written next
    const auto masses = scores_.masses(first, row_length(first), row.data());
    const std::size_t index = holder(masses, left);
    return {first + index, masses[index]};
  }

 private:
  static constexpr std::size_t block_size = 512;

  std::size_t row_length(std::size_t first) const { return std::min(row_size, scores_.scores.size() - first); }
  std::uint64_t row_mass(std::size_t first) const { return scores_.mass(first, row_length(first)); }

  const UnitScores& scores_;
  std::array<std::uint64_t, 64> few_;  // NOLINT(cppcoreguidelines-pro-type-member-init): as far as blocks_ reaches
  std::vector<std::uint64_t> many_;
  std::span<std::uint64_t> blocks_;
  uint128 total_ = 0;
};

template <class Proposals>
std::size_t select_from(const Proposals& proposals, const UnitScores& scores, const RateBounds& bounds,
                        const Exponent& rate, RandomBits& bits, Filter filter, SelectionCost* cost) {
  for (;;) {
    if (cost != nullptr) ++cost->trials;
    const UnitProposal proposal = proposals.draw(bits);
    // accept() speaks in units of 2^53.
    const uint128 majorant = uint128{proposal.mass} << (53 - UnitMajorant::unit_bits);
    const double at_least = least_acceptance(proposal.mass);
    if (accept(bounds, rate, scores.gap(proposal.index), 1, majorant, at_least, bits, filter, cost)) {
      return proposal.index;
    }
  }
}

}  // namespace

std::size_t select_softmax(std::span<const std::uint64_t> scores, const Exponent& rate, RandomBits& bits,
                           Optimize optimize, Filter filter, SelectionCost* cost) {
  if (scores.empty()) throw Error(ErrorCode::usage, "nothing to select from");
  const RateBounds bounds = RateBounds::of(rate);
  const UnitScores unit(scores, optimize, bounds);
  if (scores.size() <= row_size) return select_from(FewProposals(unit), unit, bounds, rate, bits, filter, cost);
  return select_from(ManyProposals(unit), unit, bounds, rate, bits, filter, cost);
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
