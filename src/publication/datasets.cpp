#include <algorithm>

#include "exact/lists.hpp"
#include "exact/shell_word.hpp"
#include "fractile/error.hpp"
#include "fractile/publication.hpp"
#include "libraries/fmt.hpp"
#include "report/text/shown_text.hpp"

namespace fractile {
LedgerDataset dataset_of(const Ledger& ledger, const Payment& payment) {
  const std::string path = shown_ledger(payment.ledger);
  const std::vector<LedgerDataset> datasets = ledger.datasets();
  const std::vector<std::string> names = mapped(datasets, &LedgerDataset::name);
  const std::string choice = fmt::format("choose one of {}", fmt::join(names, ", "));
  if (names.empty()) {
    throw Error(ErrorCode::usage, fmt::format("the ledger '{}' has no dataset", path),
                fmt::format("add one: fractile ledger init {} --dataset NAME --epsilon E", shell_path(path)));
  }
  if (payment.dataset.empty() && names.size() == 1) return datasets.front();
  const Field field("dataset");
  if (payment.dataset.empty()) {
    throw Error(ErrorCode::usage, {field, " is missing: the ledger '", path, "' has several"}, choice);
  }
  const auto at = std::ranges::find(datasets, payment.dataset, &LedgerDataset::name);
  if (at != datasets.end()) return *at;
  const std::string nearest = nearest_word(payment.dataset, names);
  throw Error(ErrorCode::usage, {field, fmt::format(": the ledger '{}' has no dataset '{}'", path, payment.dataset)},
              nearest.empty() ? choice : fmt::format("did you mean {}?", nearest));
}

}  // namespace fractile
