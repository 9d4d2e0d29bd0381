#include "flow/windows/rise.hpp"

#include "flow/algebra/real_roots.hpp"

namespace fractile::flow {
namespace {

/// For more participants, each exact loss takes seconds.
constexpr std::size_t most_people_exactly = 1000;

/// A rise between points near the ends of a range; nothing when the losses do not decide.
template <class LossAt>
std::optional<Rise> rise_near(const Rational& from, const Rational& to, std::int64_t part, std::int64_t degree,
                              const LossAt& loss_at) {
  const Rational middle_of_both = (from + to) / 2;
  const Rational reach = (to - from) / part;
  const Rational low = short_rational(from, from, middle_of_both, reach).pow(degree);
  const Rational high = short_rational(to, middle_of_both, to, reach).pow(degree);
  Rise rise{low, high, loss_at(low), loss_at(high)};
  if (rise.loss_from.upper >= rise.loss_to.lower) return {};
  return rise;
}

}  // namespace

std::optional<Rise> rise_between(const LossModel& model, const Rational& from, const Rational& to) {
  const auto enclosed = [&](const Rational& odds) { return model.loss_bounds(Exponent::log(odds)); };
  const auto exact = [&](const Rational& odds) {
    if (!model.is_soon_exact(odds)) return enclosed(odds);
    const Rational loss = model.exact_loss(odds);
    return RealBounds{loss, loss};
  };
  const std::int64_t degree = model.pipeline().perturber.root_degree();
  std::optional<Rise> rise;
  if (model.pipeline().participants > most_people_exactly) {
    for (std::int64_t part = 4; part <= 4096 && !rise; part *= 4) rise = rise_near(from, to, part, degree, enclosed);
  }
  for (std::int64_t part = 4; part <= 4096 && !rise; part *= 4) rise = rise_near(from, to, part, degree, exact);
  return rise;
}

}  // namespace fractile::flow
