#include "publication/steps.hpp"

#include <filesystem>

#include "exact/workers.hpp"
#include "fractile/durable.hpp"

namespace fractile::publication_detail {

/// An epsilon of 20, at which the odds may change half a billion times over, and a rho as large as an exponential
/// mechanism of that epsilon has: 20^2 / 8.
void warn_of_weak_budgets(const Budget& budget, Attendant& attendant) {
  const bool pure = budget.measure() != Measure::zcdp;
  if (pure ? budget.epsilon().to_double() <= 20 : budget.rho() <= Rational(50)) return;
  attendant.warn(pure ? "an epsilon above 20 promises next to nothing" : "a rho above 50 promises next to nothing",
                 "one person's record can change the odds of a release at will");
}

void require_receipts_place(const std::string& receipt, bool is_paid) {
  const bool may_be_there = is_paid && std::filesystem::is_regular_file(receipt);  // from an earlier run
  if (!receipt.empty() && !may_be_there) require_writable(receipt);
}

std::size_t threads_of(const Source& source) {
  const std::uint32_t threads = source.options().threads;
  return threads == 0 ? threads_of_machine() : threads;
}

}  // namespace fractile::publication_detail
