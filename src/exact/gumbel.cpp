// The paper's own sampler: argmax over k of mu_k - ln(-ln U_k), where U_k is uniform and its bits are drawn as needed.
// Source: gumbel-max 2023, section 1 equation (4) and the function of section 2. Proof: docs/proofs/selection.md.
#include <optional>

#include "exact/coin.hpp"
#include "exact/enclosure.hpp"
#include "exact/own_environment.hpp"
#include "exact/selection.hpp"
#include "fractile/error.hpp"

namespace fractile {
namespace {

/// A Gumbel variable centered at `shift`, known as well as the bits drawn so far allow.
class GumbelVariable {
 public:
  GumbelVariable(std::size_t index, std::function<Enclosure(std::int64_t)> shift, RandomBits& bits, Filter filter)
      : index_(index), shift_(std::move(shift)), uniform_(bits, filter.prefix_bits) {
    enclose();
  }

  std::size_t index() const { return index_; }
  const Enclosure& value() const { return value_; }

  void refine(RandomBits& bits) {
    uniform_.extend(bits);
    enclose();
  }

 private:
  void enclose() {
    const std::int64_t precision = uniform_.length() + 64;
    const Enclosure zero = Enclosure::of(Rational(0), precision);
    value_ = shift_(precision) - (zero - (zero + uniform_.cell()).log()).log();
  }

  std::size_t index_;
  std::function<Enclosure(std::int64_t)> shift_;
  LazyUniform uniform_;
  Enclosure value_;
};

/// Draws bits of both until their order is certain; true when `a` is the larger.
bool greater_than(GumbelVariable& a, GumbelVariable& b, RandomBits& bits) {
  for (;;) {
    if (certainly_less(b.value(), a.value())) return true;
    if (certainly_less(a.value(), b.value())) return false;
    a.refine(bits);
    b.refine(bits);
  }
}

/// +-rate * score + ln(length).
Enclosure centre(std::uint64_t score, std::uint64_t length, const Exponent& rate, Optimize optimize,
                 std::int64_t precision) {
  Enclosure shift = Enclosure::of(rate, precision) * score;
  if (optimize == Optimize::minimize) shift = -shift;
  Enclosure logarithm = Enclosure::of(Rational(0), precision);
  arb_log_ui(logarithm.arb(), length, precision);
  return shift + logarithm;
}

}  // namespace

std::size_t detail::select_gumbel(std::span<const std::uint64_t> scores, std::span<const std::uint64_t> lengths,
                                  const Exponent& rate, RandomBits& bits, Optimize optimize, Filter filter) {
  if (!lengths.empty() && lengths.size() != scores.size()) {
    throw Error(ErrorCode::usage, "there must be one length for each score");
  }
  std::optional<GumbelVariable> best;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const std::uint64_t length = lengths.empty() ? 1 : lengths[k];
    if (length == 0) continue;
    const auto shift = [&, k, length](std::int64_t precision) {
      return centre(scores[k], length, rate, optimize, precision);
    };
    GumbelVariable challenger(k, shift, bits, filter);
    if (!best || greater_than(challenger, *best, bits)) best.emplace(std::move(challenger));
  }
  if (!best) throw Error(ErrorCode::usage, "nothing to select from");
  return best->index();
}

std::size_t select_gumbel(std::span<const std::uint64_t> scores, std::span<const std::uint64_t> lengths,
                          const Exponent& rate, RandomBits& bits, Optimize optimize) {
  const OwnEnvironment own;
  return detail::select_gumbel(scores, lengths, rate, bits, optimize, {});
}

}  // namespace fractile
