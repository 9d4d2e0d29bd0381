// Publications: their plans, their tables, and all that shows them.
#include <memory>
#include <optional>
#include <utility>

#include "fractile/publication.hpp"
#include "fractile/receipts.hpp"
#include "fractile/source.hpp"
#include "host/entry_groups.hpp"

namespace fractile::host_test {
namespace {

/// A table by one key column, with its total, counts and means.
Publication publication() {
  Publication publication{"Pay", Budget::pure(Rational(4))};
  publication.keys = {{"k", {"a", "b"}, {"Ann", "Bob"}}};
  PublicationTable table{"pay", "x", Lattice::regular(0, 16, Rational(1, 4)), {Rational(1, 2)}};
  table.by = {"k"};
  table.levels = {{0}, {}};
  table.count = true;
  table.mean = true;
  table.expected_rows = {20, 40};
  publication.tables = {table};
  return publication;
}

std::string split() {
  std::string all;
  for (const PublicationPart& part : parts(publication())) all += part.share.to_string() + part.cost.to_string() + " ";
  for (const LevelCells& each : {cells_of(publication(), publication().tables[0], {0})}) {
    all += std::to_string(each.cells.size());
  }
  return all;
}

std::string split_for_targets() {
  Publication asked = publication();
  asked.tables[0].count = asked.tables[0].mean = false;
  asked.tables[0].target = PublicationTarget{PublicationTarget::Quantity::share, Rational(1, 4)};
  least_parts(asked);
  return asked.budget.to_string();
}

std::string planned() {
  const PublicationPlan plan = plan_publication(publication(), parts(publication()));
  return to_json(plan) + to_csv(plan) + to_table(plan);
}

PublicationRequest publication_request() {
  PublicationRequest asked{publication()};
  asked.unsafe_seed = seed;
  return asked;
}

PublishedTables published() { return publish(Source::frame(people()), publication_request()); }

std::string shown(const PublishedTables& tables) {
  PageOptions options;
  options.about = {"Wages", "Office", "Planning", "Norway", "2026-05-01"};
  options.about.curator_type = "Government";
  return to_csv(tables) + to_table(tables) + explain(tables, Prose::text) + to_registry(tables, options.about) +
         to_html(tables, options).html + tables.cost().to_string();
}

std::string read_back(const std::string& receipt) {
  const PublishedTables tables = read_publication_receipt(receipt, "receipt");
  std::string all = receipt_of(tables);
  for (const PublishedLevel* level : levels_of(tables)) {
    for (const Statistics& each : statistics_of(tables, *level)) all += std::to_string(each.count.value) + " ";
  }
  return all;
}

}  // namespace

std::vector<Entry> entries_of_publications() {
  PublishedTables made = published();
  for (PublishedLevel& level : made.levels) level.release.unsafe_seed = {};  // as a registry wants it
  const auto tables = std::make_shared<const PublishedTables>(std::move(made));
  return {{"parts of a budget", split},
          {"parts for targets", split_for_targets},
          {"plan of tables", planned},
          {"tables by keys", [] { return receipt_of(published()); }},
          {"tables, shown", [tables] { return shown(*tables); }},
          {"tables, read", [tables] { return read_back(tables->receipt); }}};
}

}  // namespace fractile::host_test
