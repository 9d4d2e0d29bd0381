#include "requests/datasets.hpp"

#include "fractile/error.hpp"
#include "report/text/durable.hpp"
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
  dataset.records_per_person = records_per_person_of(typed);
  dataset.source = source_to_pin(typed);
  dataset.reading = reading_to_declare(typed);
  if (typed.has("witness")) {
    require_named(typed.one("witness"), "witness");
    dataset.witness = canonical_new_file(typed.one("witness"));
  }
  return dataset;
}

void keep_dataset(LedgerStatement& statement, const std::string& name) {
  std::erase_if(statement.accounts, [&](const LedgerAccount& account) { return account.dataset.name != name; });
  std::erase_if(statement.entries, [&](const LedgerEntry& entry) { return entry.request.dataset != name; });
  std::erase_if(statement.sources, [&](const LedgerSource& source) { return source.dataset != name; });
}

}  // namespace fractile::requests
