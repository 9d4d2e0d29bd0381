#include "flow/windows/cell_losses.hpp"

#include "flow/pipeline/pipeline_rows.hpp"
#include "flow/windows/local_argmax.hpp"
#include "flow/windows/local_count.hpp"
#include "flow/windows/local_sum.hpp"

namespace fractile::flow {
namespace {

struct Losses {
  using Answer = std::optional<CellLosses>;

  double degree;  // degree of the polynomials whose roots would be isolated

  Answer operator()(const TargetTotal& target) const {
    constexpr double most_of_isolated_counts =
        60;  // higher degrees take a second and soon minutes; enclosing takes a second for thousands of participants
    constexpr double most_of_isolated_sums = 1500;
    if (target.is_count()) {
      return CellLosses{[&target](const Cell& cell) { return local_count(target, cell); },
                        degree > most_of_isolated_counts, true};
    }
    if (!has_listable_totals(target)) return {};
    return CellLosses{[&target](const Cell& cell) { return local_sum(target, cell); },
                      static_cast<double>(target.last_total()) * degree > most_of_isolated_sums, true};
  }

  Answer operator()(const GuessedMode& guessed) const {
    constexpr double most_coefficients = 2e6;
    const Pipeline& pipeline = guessed.pipeline();
    const double polynomials = secret_count(pipeline).to_double() * static_cast<double>(pipeline.values.size());
    return CellLosses{[&guessed](const Cell& cell) { return local_argmax(guessed, cell); },
                      polynomials * degree > most_coefficients, false};
  }

  Answer operator()(const DenseLoss& /*dense*/) const { return {}; }
};

}  // namespace

std::optional<CellLosses> cell_losses(const LossModel& model) {
  return model.visit(Losses{symbolic_degree(model.pipeline())});
}

}  // namespace fractile::flow
