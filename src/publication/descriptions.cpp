#include "publication/descriptions.hpp"

#include <algorithm>

#include "exact/digest.hpp"
#include "fractile/error.hpp"
#include "fractile/receipts.hpp"
#include "libraries/fmt.hpp"
#include "libraries/rapidjson.hpp"
#include "publication/readings.hpp"
#include "report/text/canonical_query.hpp"

namespace fractile::publication_detail {
namespace {

/// What is done with cells that are not numbers; nothing if the options do not say and it is an error.
std::optional<Unreadable> unreadable_of(const TableOptions& read, bool is_paid) {
  const bool is_profile = read.format == "profile";
  const bool is_row_wise = !is_profile && !read.sql.empty() && !read.sql_stability;
  const Unreadable otherwise = is_profile ? Unreadable::error : unsaid(is_paid);
  if (is_row_wise || read.unreadable.value_or(otherwise) == Unreadable::missing) return Unreadable::missing;
  return read.unreadable;
}

/// The names of a table's several files, in the same order however they were typed.
std::string typed_names(const TableOptions& read) {
  std::vector<std::string> names{read.file};
  names.insert(names.end(), read.more_files.begin(), read.more_files.end());
  std::ranges::sort(names);
  return fmt::to_string(fmt::join(names, ","));
}

}  // namespace

SourceDescription described(const Source& source, const ReleaseRequest& request, bool is_paid, const Records& records) {
  const TableOptions& read = source.options();
  const ColumnToCount& column = request.column;
  SourceDescription description{read.file,
                                read.sql,
                                column.column,
                                column.null_policy,
                                records.engine(),
                                column.selection.person,
                                column.selection.by,
                                read.tables,
                                read.sql_stability,
                                source.has_disjoint_persons(),
                                read.missing,
                                unreadable_of(read, is_paid),
                                {},
                                column.selection.per_person,
                                !records.person_of_rows().empty()};
  description.files = records.files();
  if (!read.more_files.empty()) description.file = typed_names(read);
  description.whole_records = column.selection.whole_records;
  description.others = column.selection.others;
  if (const std::optional<RecordWeights>& weights = column.selection.weights) {
    const std::uint64_t of_person = std::max(request.query.records_per_person, column.selection.records_per_person);
    description.weights =
        WeightsDescription{*weights, static_cast<std::uint32_t>(of_person * read.sql_stability.value_or(1))};
  }
  return description;
}

std::string canonical_text(const Source& source, const ReleaseRequest& request, const SourceDescription& description,
                           const std::string& name, const std::vector<NamedTable>& tables, Costs costs, Form form) {
  const TableOptions& read = source.options();
  ReleaseDetails details{form == Form::as_typed ? read.format : told_format(read), read.delimiter,
                         read.single_line_records, request.column.public_rows, request.column.selection.keys};
  if (request.bounds) details.bounds_share = request.bounds->share;
  details.statistics = request.statistics;
  const RecordSelection& selection = request.column.selection;
  if (!selection.person.empty() && selection.records_per_person < request.query.records_per_person)
    details.sampled_records = selection.records_per_person;
  details.unreadable = read.unreadable;
  details.numbers = read.numbers;
  details.encoding = read.encoding;
  details.source = name;
  details.tables = tables;
  details.has_any_cost = costs == Costs::any;
  details.is_as_typed = form == Form::as_typed;
  return canonical_query(request.over_counted(read.sql_stability.value_or(1)), request.column.lattice, description,
                         details);
}

std::optional<MarginOf> margin_of(const RecordSelection& finest, const RecordSelection& level) {
  if (finest.by.empty() || finest.by == level.by) return {};
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> json(buffer);
  json.StartArray();
  for (const GroupKey& cell : finest.keys.all()) {
    json.StartArray();
    for (const std::string& text : cell.texts())
      json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    json.EndArray();
  }
  json.EndArray();
  return MarginOf{finest.by, finest.keys.size(), sha256({buffer.GetString(), buffer.GetSize()}), finest.others};
}

std::uint64_t largest_receipt(const ReleaseRequest& request, const SourceDescription& description,
                              const std::string& dataset) {
  constexpr std::uint64_t escaped = 6;  // the most bytes per byte: \u0000
  std::uint64_t size = 8'000;           // everything that stands in it once, except what was typed
  for (const std::string* typed :
       {&description.file, &description.sql, &description.column, &description.person, &description.engine, &dataset}) {
    size += escaped * typed->size();
  }
  if (description.weights) size += 500 + escaped * description.weights->declared.column.size();
  for (const std::string& file : description.files) size += 20 + escaped * file.size();
  for (const NamedTable& table : description.tables) size += 60 + escaped * (table.name.size() + table.file.size());
  const Lattice& lattice = request.column.lattice;
  const std::uint64_t last = lattice.size() - 1;
  const std::uint64_t digits =
      std::max(lattice.text(0).size(), lattice.text(last).size()) + 40;  // more for the digits of the steps between
  if (!lattice.is_regular()) size += lattice.size() * (digits + 20);
  std::uint64_t each = 3'000;  // for the mechanism that ran, and what it spent
  const QuantileQuery& query = request.query;
  for (std::size_t i = 0; i < query.quantiles.size(); ++i)
    each += 320 + query.quantiles[i].to_string().size() + query.name(i).size() + 5 * digits;
  if (request.query.intervals) each += request.query.quantiles.size() * 300;
  if (request.statistics) each += 1'000 + request.statistics->below.size() * (500 + 3 * digits);
  for (const std::string& name : description.by.names()) {
    size += escaped * name.size() + 20;
    if (description.by.size() > 1) each += escaped * name.size() + 60;  // a group names its keys by column
  }
  const auto add_names = [&](const std::vector<std::string>& names) {
    for (const std::string& name : names) size += escaped * name.size() + 20;
  };
  add_names(description.others);
  if (const std::optional<MarginOf>& margin = description.margin_of) {
    add_names(margin->by.names());
    add_names(margin->others);
    if (!margin->others.empty()) add_names(margin->by.names());
  }
  if (!description.others.empty()) add_names(description.by.names());
  const GroupKeys& keys = request.column.selection.keys;
  for (std::size_t group = 0; group < keys.size(); ++group) {
    size += each;
    for (std::size_t column = 0; column < keys.columns(); ++column) {
      size += escaped * keys.list(column)[keys.number(group, column)].size();
    }
  }
  return keys.empty() ? size + each : size;
}

void require_readable(std::uint64_t size) {
  if (size <= most_receipt_bytes) return;
  throw Error(ErrorCode::usage,
              fmt::format("the receipt could have up to {} bytes, and no receipt of more than {} can be read back",
                          size, most_receipt_bytes),
              "ask for fewer groups or quantiles at once");
}

}  // namespace fractile::publication_detail
