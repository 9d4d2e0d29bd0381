#include "requests/datasets.hpp"

#include <fmt/core.h>

#include "fractile/error.hpp"
#include "requests/readings.hpp"
#include "requests/sources.hpp"
#include "requests/values.hpp"

namespace fractile::requests {

LedgerDataset dataset_to_add(const Typed& typed) {
  const Field field("dataset");
  if (!typed.has("dataset"))
    usage({field, " is missing"}, {"name what shares the budget, for example ", field.text("people")});
  LedgerDataset dataset{typed.one("dataset"), budget_of(typed), neighbors_of(typed), typed.one("unit", "person"),
                        typed.one("person")};
  if (typed.has("records_per_person")) {
    dataset.records_per_person =
        static_cast<std::uint32_t>(whole_number(typed, "records_per_person", {1, 1'000'000'000}));
  }
  dataset.source = source_to_pin(typed);
  dataset.reading = reading_to_declare(typed);
  if (typed.has("witness")) dataset.witness = canonical_new_file(typed.one("witness"));
  return dataset;
}

LedgerDataset dataset_of(const Ledger& ledger, const Typed& typed, const std::string& path) {
  const std::vector<LedgerDataset> datasets = ledger.datasets();
  std::vector<std::string> names;
  names.reserve(datasets.size());
  for (const LedgerDataset& dataset : datasets) names.push_back(dataset.name);
  if (names.empty()) {
    usage(fmt::format("the ledger '{}' has no dataset", path),
          fmt::format("add one: fractile ledger init {} --dataset NAME --epsilon E", path));
  }
  if (!typed.has("dataset") && names.size() == 1) return datasets.front();
  if (!typed.has("dataset")) {
    usage({Field("dataset"), " is missing: the ledger '", path, "' has several"}, "choose one of " + joined(names));
  }
  for (const LedgerDataset& dataset : datasets) {
    if (dataset.name == typed.one("dataset")) return dataset;
  }
  const std::string nearest = nearest_word(typed.one("dataset"), names);
  usage({Field("dataset"), fmt::format(": the ledger '{}' has no dataset '{}'", path, typed.one("dataset"))},
        nearest.empty() ? "choose one of " + joined(names) : fmt::format("did you mean {}?", nearest));
}

}  // namespace fractile::requests
