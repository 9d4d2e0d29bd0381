// Binds publications: their files, and the published tables.
#include <nanobind/stl/map.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "attendant.hpp"
#include "counted.hpp"
#include "fractile/publication.hpp"
#include "fractile/receipts.hpp"
#include "interpreter.hpp"
#include "module.hpp"
#include "pages.hpp"
#include "report.hpp"
#include "report/release/page_receipt.hpp"
#include "requests/publications/publication_file.hpp"
#include "requests/publications/publishing.hpp"

namespace fractile::python {
namespace {

using requests::PublicationFile;

/// (name, kind, smallest and largest possible value, whether any cell that holds something counts). For dates and times, the values are
/// ticks.
using ReadColumn = std::tuple<std::string, std::string, Rational, Rational, bool>;

/// The columns that are counted, one per table, and the column of weights.
std::vector<ReadColumn> columns_of(const PublicationFile& file) {
  std::vector<ReadColumn> columns;
  for (const PublicationTable& table : file.publication.tables) {
    const Lattice& lattice = table.lattice;
    columns.emplace_back(table.column, to_string(lattice.kind()), lattice.at(0), lattice.at(lattice.size() - 1),
                         table.per_person == PerPerson::count);
  }
  if (const std::optional<RecordWeights>& weights = file.publication.weights) {
    columns.emplace_back(weights->column, to_string(ValueKind::number), weights->lower, weights->upper, false);
  }
  return columns;
}

/// The columns of persons and keys.
std::vector<std::string> names_of(const PublicationFile& file) {
  std::vector<std::string> names;
  if (!file.publication.person.empty()) names.push_back(file.publication.person);
  for (const PublicationTable& table : file.publication.tables)
    names.insert(names.end(), table.by.begin(), table.by.end());
  return names;
}

/// A caller that keeps the tables' folder, if there is one.
class TablesCaller final : public Caller {
 public:
  using Caller::Caller;

  void prepare_tables(const PublishedTables& tables) override {
    if (folder) folder->prepare(tables);
  }
  void reserve_room(std::uint64_t receipt_size) override {
    if (folder) folder->make_room(receipt_size);
  }
  void charged() override {
    if (folder) folder->keep();
  }

  std::optional<requests::TablesFolder> folder;
};

/// The tables, and the warnings that came while they were made.
struct Published {
  std::optional<PublishedTables> tables;
  Caller::Said warnings;
};

/// The records come from the source that the file names or, with `frame`, from source_of(). `cancel` is as in SignalWatch.
std::unique_ptr<Published> publish_file(const PublicationFile& file, Arguments words, Frame* frame, nb::handle counter,
                                        nb::handle cancel) {
  auto published = std::make_unique<Published>();
  TablesCaller caller(cancel);
  attended(caller, [&] {
    requests::Publishing asked = requests::Publishing::of(typed_of(std::move(words), {file.name}), file);
    caller.folder = std::move(asked.folder);
    published->tables = requests::with_words_of_file([&] {
      Source source =
          frame == nullptr ? asked.input.source() : source_of(std::move(*frame), counter, std::move(asked.input.read));
      return publish(std::move(source), asked.request, asked.payment, caller);
    });
    caller.folder->write(published->tables->status);
  });
  published->warnings = std::move(caller.warnings);
  return published;
}

const PublishedLevel& level_at(const PublishedTables& tables, std::size_t number) {
  return *levels_of(tables).at(number);
}

/// (table, columns of its cells, whether a ledger held the level) for each level.
std::vector<std::tuple<std::string, std::vector<std::string>, bool>> named_levels_of(const PublishedTables& tables) {
  std::vector<std::tuple<std::string, std::vector<std::string>, bool>> levels;
  for (const PublishedLevel* const level : levels_of(tables)) {
    const PublicationTable& table = tables.publication.tables[level->table];
    std::vector<std::string> columns;
    for (const std::size_t place : table.levels[level->level]) columns.push_back(table.by[place]);
    levels.emplace_back(table.name, std::move(columns), level->stored.has_value());
  }
  return levels;
}

/// (column, keys, labels) for each key column, as the publication lists them.
std::vector<std::tuple<std::string, std::vector<std::string>, std::vector<std::string>>> key_columns_of(
    const PublishedTables& tables) {
  std::vector<std::tuple<std::string, std::vector<std::string>, std::vector<std::string>>> keys;
  for (const KeyColumn& column : tables.publication.keys) keys.emplace_back(column.column, column.keys, column.labels);
  return keys;
}

/// The statistics of each cell of a level, in the form of Release.statistics(); empty if the table asks for no statistics.
nb::list statistics_in(const PublishedTables& tables, std::size_t number) {
  const PublishedLevel& level = level_at(tables, number);
  const std::optional<StatisticsTerms>& of_level = level.release.statistics;
  const std::optional<StatisticsTerms> terms = of_level ? of_level : statistics_terms(tables, level.table);
  nb::list list;
  for (const Statistics& each : statistics_of(tables, level))
    list.append(in_tuples(terms.value(), each, level.release.source));
  return list;
}

void bind_files(nb::module_& module) {
  nb::class_<PublicationFile>(module, "PublicationFile")
      .def_ro("name", &PublicationFile::name)
      .def_prop_ro("columns", &columns_of)
      .def_prop_ro("names", &names_of)
      .def_prop_ro("names_records", [](const PublicationFile& file) { return file.input.names_records(); })
      .def_prop_ro("refuses_unreadable",
                   [](const PublicationFile& file) { return file.input.read.unreadable == Unreadable::error; })
      .def("require_no_records", &PublicationFile::require_no_records);
  bind_texts<PublicationPlan>(module, "PublicationPlan");
  module.def(
      "read_publication",
      [](std::string path, Arguments words) {
        return requests::publication_asked(typed_of(std::move(words), {std::move(path)}));
      },
      nb::arg("path"), nb::arg("words"), nb::call_guard<Unlocked>());
  module.def(
      "plan_publication",
      [](const PublicationFile& file) {
        return interruptible([&](SignalWatch&) { return requests::plan_publication(file); });
      },
      nb::arg("file"));
}

}  // namespace

void bind_publications(nb::module_& module) {
  bind_files(module);
  nb::class_<PublishedTables>(module, "PublishedTables")
      .def_ro("receipt", &PublishedTables::receipt)
      .def_ro("account", &PublishedTables::account)
      .def_prop_ro("title", [](const PublishedTables& tables) { return tables.publication.title; })
      .def_prop_ro("cost", [](const PublishedTables& tables) { return tables.cost().to_string(); })
      .def_prop_ro("keys", &key_columns_of)
      .def_prop_ro("levels", &named_levels_of)
      .def(
          "release", [](const PublishedTables& tables, std::size_t level) { return level_at(tables, level).release; },
          nb::arg("level"))
      .def("statistics", &statistics_in, nb::arg("level"),
           nb::sig("def statistics(self, level: int) -> list[typing.Any]"))
      .def(
          "explain",
          [](const PublishedTables& tables, bool in_markdown) {
            return explain(tables, in_markdown ? Prose::markdown : Prose::text);
          },
          nb::arg("markdown"))
      .def(
          "page",
          [](const PublishedTables& tables, const Texts& about, bool is_public) {
            return in_pair(to_html(tables, {about_of(about), is_public}));
          },
          nb::arg("about"), nb::arg("public"))
      .def(
          "registry",
          [](const PublishedTables& tables, const Texts& about) { return to_registry(tables, about_of(about)); },
          nb::arg("about"))
      .def("csv", [](const PublishedTables& tables) { return to_csv(tables); })
      .def("table", [](const PublishedTables& tables) { return to_table(tables); });
  nb::class_<Published>(module, "Published")
      .def_prop_ro(
          "tables", [](const Published& published) -> const PublishedTables& { return *published.tables; },
          nb::rv_policy::reference_internal)
      .def_ro("warnings", &Published::warnings);
  module.def("publish", &publish_file, nb::arg("file"), nb::arg("words"), nb::arg("frame").none(),
             nb::arg("counter") = nb::none(), nb::arg("cancel") = nb::none());
  module.def("read_publication_receipt", &read_publication_receipt, nb::arg("text"), nb::arg("name"));
  module.def(
      "altered_parts_of_tables",
      [](const std::string& text, const PublishedTables& tables) {
        return receipt_of_page(text).empty() ? std::vector<std::string>() : altered_parts(text, to_html(tables, {}));
      },
      nb::arg("text"), nb::arg("tables"));
}

}  // namespace fractile::python
