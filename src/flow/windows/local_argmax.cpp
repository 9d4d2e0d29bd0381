#include "flow/windows/local_argmax.hpp"

#include <utility>
#include <vector>

#include "exact/workers.hpp"
#include "flow/algebra/bernstein_ellipse.hpp"
#include "flow/pipeline/noise.hpp"
#include "flow/windows/listed_loss.hpp"

namespace fractile::flow {
namespace {

/// |1 + sign z|.
Enclosure modulus_of_one_and(const ComplexBox& z, int sign) {
  ComplexBox value;
  acb_mul_si(value.get(), z.get(), sign, chebyshev_bits);
  acb_add_ui(value.get(), value.get(), 1, chebyshev_bits);
  return value.modulus();
}

/// An upper bound for all odds in the box.
Enclosure geometric_modulus(std::size_t participants, const ComplexBox& odds) {
  ComplexBox a;
  acb_inv(a.get(), odds.get(), chebyshev_bits);
  const Enclosure one = whole<Enclosure>(1);
  const Enclosure modulus = a.modulus();
  const Enclosure inner = modulus_of_one_and(a, -1);
  const Enclosure outer = modulus_of_one_and(a, 1);
  const Enclosure highest =  // highest power of a
      Enclosure::power(Enclosure::larger(modulus, one, chebyshev_bits), participants, chebyshev_bits);
  Enclosure all = whole<Enclosure>(2);
  arb_addmul_ui(all.arb(), inner.arb(), participants, chebyshev_bits);
  Enclosure bound = all * highest / outer;
  const Enclosure left = one - modulus;
  if (left.is_positive()) {
    const Enclosure series = inner * (one + modulus) / (outer * left);
    bound = tighter_bound(bound, series);
  }
  return bound;
}

/// For odds : 1 : .. : 1.
Enclosure response_modulus(std::size_t participants, const ComplexBox& odds) {
  const Enclosure others = whole<Enclosure>(static_cast<std::int64_t>(participants));
  ComplexBox all;
  acb_add_ui(all.get(), odds.get(), participants, chebyshev_bits);
  return (odds.modulus() + others) / all.modulus();
}

/// The loss is lower the more often the guess is right.
LocalPolynomial loss_of(const std::vector<std::vector<Guesses>>& at_nodes, std::size_t shown,
                        Enclosure Guesses::*guess) {
  return through_nodes([&](std::size_t i) { return -(at_nodes[i][shown].*guess); });
}

}  // namespace

Enclosure largest_modulus_of_heights(const Pipeline& pipeline, const Cell& cell) {
  const bool is_geometric = noise_of(pipeline.perturber).family == Family::geometric;
  return largest_on_ellipse(cell, [&](const ComplexBox& odds) {
    return (is_geometric ? geometric_modulus : response_modulus)(pipeline.participants, odds);
  });
}

std::unique_ptr<LocalLoss> local_argmax(const GuessedMode& guessed, const Cell& cell) {
  const Pipeline& pipeline = guessed.pipeline();
  if (!is_right_of_zero(cell)) return nullptr;
  Enclosure modulus = largest_modulus_of_heights(pipeline, cell);
  arb_pow_ui(modulus.arb(), modulus.arb(), pipeline.values.size(), chebyshev_bits);  // all bars
  if (!(modulus.upper_double() <= largest_modulus)) return nullptr;
  const std::vector<Enclosure> odds = odds_at_nodes(cell);
  std::vector<std::vector<Guesses>> at_nodes(odds.size());
  share_among_threads(threads_of_machine(), odds.size(),
                      [&](std::size_t i) { at_nodes[i] = mode_guesses(pipeline, odds[i]); });
  std::vector<ListedObservation> list;
  const std::size_t bars = pipeline.values.size();
  for (std::size_t shown = 0; shown < bars; ++shown) {
    ListedObservation& here = list.emplace_back();
    const auto add = [&](std::size_t bar, Enclosure Guesses::*guess) {
      here.actions.push_back(bar);
      InterpolatedLoss loss(loss_of(at_nodes, shown, guess), modulus);
      here.losses.push_back(std::move(loss.value));
      here.slopes.push_back(std::move(loss.slope));
    };
    add(shown, &Guesses::shown);
    if (shown > 0) add(0, &Guesses::first);
    if (shown + 1 < bars) add(shown + 1, &Guesses::next);
  }
  return std::make_unique<ListedLoss>(std::move(list), whole<Enclosure>(1));
}

}  // namespace fractile::flow
