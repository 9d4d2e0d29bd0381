// The receipt of a publication: its description, and the receipts of its levels, each byte for byte.
#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/publication.hpp"
#include "fractile/receipts.hpp"
#include "libraries/fmt.hpp"
#include "libraries/rapidjson.hpp"
#include "publication/margins.hpp"
#include "publication/tables.hpp"
#include "report/release/declarations.hpp"
#include "report/text/json_fault.hpp"
#include "report/text/json_writer.hpp"
#include "report/text/receipt_digest.hpp"
#include "report/text/release_members.hpp"

namespace fractile {

using namespace report_detail;

namespace {

using Json = rapidjson::Value;

void write_keys(Writer& json, const Publication& publication) {
  objects(json, "keys", publication.keys, [&](const KeyColumn& column) {
    member(json, "column", column.column);
    list(json, "keys", column.keys);
    if (!column.labels.empty()) list(json, "labels", column.labels);
  });
}

void write_level(Writer& json, const PublicationTable& table, const PublishedLevel& level) {
  json.StartObject();
  list(json, "by", publication_detail::columns_of(table, table.levels[level.level]).names());
  json.Key("release");
  const std::string& receipt = level.release.receipt;
  const std::size_t size = receipt.find_last_not_of('\n') + 1;
  json.RawValue(receipt.data(), size, rapidjson::kObjectType);
  json.EndObject();
}

/// Writes the columns of totals that draw nothing.
void write_sums(Writer& json, const PublishedTables& tables, std::size_t table) {
  const PublicationTable& each = tables.publication.tables[table];
  if (each.drawn_levels() == each.levels.size()) return;
  json.Key("sums");
  json.StartArray();
  for (std::size_t level = each.drawn_levels(); level < each.levels.size(); ++level) {
    const KeyColumns columns = publication_detail::columns_of(each, each.levels[level]);
    list(json, columns.names(), [&](const std::string& column) { report_detail::text(json, column); });
  }
  json.EndArray();
}

void write_table(Writer& json, const PublishedTables& tables, std::size_t table) {
  const PublicationTable& each = tables.publication.tables[table];
  member(json, "name", each.name);
  list(json, "by", each.by);
  json.Key("levels");
  json.StartArray();
  for (const PublishedLevel& level : tables.levels) {
    if (level.table == table) write_level(json, each, level);
  }
  json.EndArray();
  write_sums(json, tables, table);
}

void write_marks(Writer& json, const PublicationMarks& marks) {
  if (!marks.unreliable && !marks.hidden) return;
  object(json, "marks", [&] {
    if (marks.unreliable) member(json, "unreliable", marks.unreliable->to_string());
    if (marks.hidden) member(json, "hidden", *marks.hidden);
  });
}

constexpr unsigned flags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;

/// Finds the receipts of levels: the objects called "release" in a level of a table.
class ReceiptPlaces : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, ReceiptPlaces> {
 public:
  explicit ReceiptPlaces(const std::string& text) : text_(text), stream_(text.data(), text.size()) {
    rapidjson::Reader reader;
    reader.Parse<flags>(stream_, *this);
  }

  bool Default() { return true; }
  bool Key(const char* name, rapidjson::SizeType size, bool /*copy*/) {
    is_next_ = depth_ == depth_of_levels && std::string_view(name, size) == "release";
    return true;
  }
  bool StartObject() {
    if (is_next_) begin_ = stream_.Tell();  // the reader calls this before it takes the brace
    is_next_ = false;
    ++depth_;
    return true;
  }
  bool EndObject(rapidjson::SizeType /*members*/) {
    --depth_;
    if (depth_ != depth_of_levels || !begin_) return true;
    receipts.push_back(text_.substr(*begin_, stream_.Tell() + 1 - *begin_) + "\n");
    begin_.reset();
    return true;
  }
  bool StartArray() {
    ++depth_;
    return true;
  }
  bool EndArray(rapidjson::SizeType /*items*/) {
    --depth_;
    return true;
  }

  std::vector<std::string> receipts;

 private:
  static constexpr int depth_of_levels = 5;  // {, tables [, {, levels [, {
  const std::string& text_;
  rapidjson::MemoryStream stream_;
  int depth_ = 0;
  bool is_next_ = false;
  std::optional<std::size_t> begin_ = {};
};

[[noreturn]] void refuse(const std::string& name, const Words& what) {
  throw Error(ErrorCode::data, {"'", name, "' is not a receipt of a publication: ", what},
              "name a file that fractile publish wrote");
}

[[noreturn]] void malformed(const std::string& why) { throw Error(ErrorCode::data, why, ""); }

std::string text_of(const Json& object, const char* member) {
  if (!object.IsObject() || !object.HasMember(member) || !object[member].IsString())
    malformed(fmt::format("it has no '{}'", member));
  return {object[member].GetString(), object[member].GetStringLength()};
}

const Json& list_of(const Json& object, const char* member) {
  if (!object.IsObject() || !object.HasMember(member) || !object[member].IsArray())
    malformed(fmt::format("it has no list '{}'", member));
  return object[member];
}

/// `trouble`: what is wrong if one of the list is not text.
std::vector<std::string> all_texts(const Json& list, const std::string& trouble) {
  std::vector<std::string> texts;
  for (const Json& each : list.GetArray()) {
    if (!each.IsString()) malformed(trouble);
    texts.emplace_back(each.GetString(), each.GetStringLength());
  }
  return texts;
}

std::vector<std::string> texts_of(const Json& object, const char* member) {
  return all_texts(list_of(object, member), fmt::format("'{}' holds something other than text", member));
}

KeyLevel level_of(const PublicationTable& table, const std::vector<std::string>& columns) {
  KeyLevel level;
  for (const std::string& column : columns) {
    const auto place = std::ranges::find(table.by, column);
    if (place == table.by.end()) malformed("a level has cells by a column that its table does not have");
    level.push_back(static_cast<std::size_t>(place - table.by.begin()));
  }
  return level;
}

PublicationMarks marks_of(const Json& json) {
  PublicationMarks marks;
  if (!json.HasMember("marks")) return marks;
  const Json& written = json["marks"];
  if (written.IsObject() && written.HasMember("unreliable"))
    marks.unreliable = Rational::parse(text_of(written, "unreliable"));
  if (written.IsObject() && written.HasMember("hidden"))
    marks.hidden = Rational::parse(text_of(written, "hidden")).to_uint64();
  return marks;
}

/// Reads the columns of totals that draw nothing, and adds them after the drawn levels.
void read_sums(const Json& json, PublicationTable& table) {
  if (!json.HasMember("sums")) return;
  if (!table.quantiles.empty() || !table.adds_up() || table.levels.size() != 1) {
    malformed("a total of quantiles, or of persons' values, is not a sum");
  }
  for (const Json& sum : list_of(json, "sums").GetArray()) {
    if (!sum.IsArray()) malformed("a sum has no columns");
    KeyLevel level = level_of(table, all_texts(sum, "a sum's column is not text"));
    if (std::ranges::adjacent_find(level, std::ranges::greater_equal()) != level.end() ||
        std::ranges::find(table.levels, level) != table.levels.end()) {
      malformed("a sum names its columns twice or out of order");
    }
    table.levels.push_back(std::move(level));
  }
}

/// Adds a table as its levels describe it, as far as a receipt does.
void add_table(PublishedTables& tables, const Json& json, std::vector<std::string>& receipts, std::size_t& next,
               const std::string& name) {
  PublicationTable table{text_of(json, "name"), {}, Lattice::numbers(2), {}};
  table.by = texts_of(json, "by");
  table.levels.clear();
  const std::size_t place = tables.publication.tables.size();
  for (const Json& each : list_of(json, "levels").GetArray()) {
    if (next == receipts.size()) malformed("a level has no receipt");
    Release release = read_receipt(receipts[next++], name);
    if (table.levels.empty()) {
      table.column = release.source.column;
      table.lattice = release.lattice;
      table.quantiles = release.query.quantiles;
      table.quantile_names = release.query.names;
      table.per_person = release.source.per_person;
      table.others = release.source.others;
      table.count = release.statistics.has_value();
      if (release.statistics) table.below = release.statistics->request.below;
      table.mean = release.statistics && release.statistics->request.mean;
      table.intervals = release.query.intervals;
    }
    table.levels.push_back(level_of(table, texts_of(each, "by")));
    tables.levels.push_back({place, table.levels.size() - 1, std::move(release)});
  }
  if (!table.levels.empty()) read_sums(json, table);
  tables.publication.tables.push_back(std::move(table));
}

/// Requires that a level has its table's column and quantiles, that the finest level is the first, and that each cell has a key for each
/// column.
void require_one_table(const PublishedTables& tables, const PublishedLevel& level, const PublishedLevel& finest) {
  const PublicationTable& table = tables.publication.tables[level.table];
  const KeyLevel& columns = table.levels[level.level];
  const Release& release = level.release;
  if (std::ranges::adjacent_find(columns, std::ranges::greater_equal()) != columns.end())
    malformed("a level names its columns twice or out of order");
  if (&level == &finest && columns.size() != table.by.size()) malformed("a table's finest level is not the first");
  for (const Release::Group& group : release.groups) {
    if (group.key.size() != columns.size()) malformed("a cell's keys are not those of its level");
  }
  std::set<std::vector<std::string>> keys;
  for (const Release::Group& group : finest.release.groups) {
    std::vector<std::string> of_level;
    for (const std::size_t column : columns) of_level.push_back(group.key[column]);
    keys.insert(std::move(of_level));
  }
  for (const Release::Group& group : release.groups) {
    if (!keys.contains(group.key.texts())) malformed("a total has a cell that its finest level does not have");
  }
  const Release& first = finest.release;
  const bool has_intervals = release.query.intervals.has_value();
  if (release.source.column != first.source.column || release.lattice != first.lattice ||
      release.source.per_person != first.source.per_person || release.query.quantiles != first.query.quantiles ||
      has_intervals != first.query.intervals.has_value()) {
    malformed("a level is of another column, of other values or quantiles than its table");
  }
}

std::optional<RecordWeights> weights_of(const Release& release) {
  if (!release.source.weights) return {};
  return release.source.weights->declared;
}

/// Whether the release and the publication promise the same to the same people. If a person has only one value in the release, any bound on
/// records will do.
bool promises_alike(const Release& release, const PublishedTables& tables) {
  const Release& first = tables.levels.front().release;
  const bool has_only_value = release.source.per_person && !release.is_grouped();
  const std::uint32_t records =
      has_only_value ? tables.publication.records_per_person : report_detail::records_per_person(release);
  return release.query.neighbors == first.query.neighbors && release.source.person == first.source.person &&
         weights_of(release) == weights_of(first) && records == tables.publication.records_per_person;
}

/// Requires that all levels promise the same, and that they cost no more than the receipt says.
void require_one_promise(const PublishedTables& tables) {
  const PublishedLevel* finest = nullptr;
  for (const PublishedLevel& level : tables.levels) {
    if (level.level == 0) finest = &level;
    require_one_table(tables, level, *finest);
    if (!promises_alike(level.release, tables)) {
      malformed("not all of its levels promise the same to the same persons");
    }
  }
  if (!tables.cost().is_within(tables.publication.budget)) malformed("its levels cost more than it says");
  for (const KeyColumn& column : tables.publication.keys) {
    if (!column.labels.empty() && column.labels.size() != column.keys.size())
      malformed("a column has not one label for each key");
  }
}

PublishedTables tables_of(const Json& json, std::vector<std::string> receipts, const std::string& name) {
  const Json& privacy = json["privacy"];
  const Budget budget = privacy.HasMember("rho") ? Budget::zcdp(Rational::parse(text_of(privacy, "rho")))
                                                 : Budget::pure(Exponent::parse(text_of(privacy, "epsilon")));
  PublishedTables tables{Publication{text_of(json, "title"), budget}, {}};
  Publication& publication = tables.publication;
  for (const Json& each : list_of(json, "keys").GetArray()) {
    publication.keys.push_back({text_of(each, "column"), texts_of(each, "keys"),
                                each.HasMember("labels") ? texts_of(each, "labels") : std::vector<std::string>()});
  }
  publication.marks = marks_of(json);
  std::size_t next = 0;
  for (const Json& each : list_of(json, "tables").GetArray()) add_table(tables, each, receipts, next, name);
  if (tables.levels.empty()) malformed("it has no levels");
  const Release& first = tables.levels.front().release;
  publication.neighbors = first.query.neighbors;
  publication.person = first.source.person;
  publication.weights = weights_of(first);
  publication.records_per_person = 1;
  for (const PublishedLevel& level : tables.levels) {
    std::uint32_t& most = publication.records_per_person;
    most = std::max(most, report_detail::records_per_person(level.release));
  }
  require_one_promise(tables);
  publication_detail::add_sums(tables);
  publication.null_policy = first.source.null_policy;
  return tables;
}

}  // namespace

std::string receipt_of(const PublishedTables& tables) {
  const Publication& publication = tables.publication;
  Document document;
  Writer& json = document.json();
  member(json, "title", publication.title);
  object(json, "privacy", [&] { write_cost(json, publication.budget); });
  write_keys(json, publication);
  write_marks(json, publication.marks);
  objects(json, "tables", publication.tables.size(), [&](std::size_t i) { write_table(json, tables, i); });
  return with_digest(document);
}

bool is_publication_receipt(const std::string& text) {
  const OwnEnvironment own;
  if (fault_of(text)) return false;
  rapidjson::Document json;
  json.Parse<flags>(text.data(), text.size());
  return json.IsObject() && json.HasMember("tables") && json.HasMember("title");
}

PublishedTables read_publication_receipt(const std::string& text, const std::string& name) {
  const OwnEnvironment own;
  if (const std::optional<JsonFault> fault = fault_of(text)) {
    refuse(name, fmt::format("{} at byte {}", fault->what, fault->offset));
  }
  if (intact_digest(text).empty()) {
    throw Error(ErrorCode::data, fmt::format("'{}' is not as it was written: its hash does not match", name),
                "it was changed or damaged; use the original, or publish again from the ledger, which costs nothing");
  }
  rapidjson::Document json;
  json.Parse<flags | rapidjson::kParseNumbersAsStringsFlag>(text.data(), text.size());
  if (json.IsObject() && !json.HasMember("tables") && json.HasMember("lattice")) {
    throw Error(ErrorCode::data, fmt::format("'{}' is the receipt of a single release, not of a publication", name),
                "read it as a release");
  }
  try {
    if (!json.IsObject() || !json.HasMember("privacy") || !json["privacy"].IsObject()) {
      malformed("it does not say what it cost");
    }
    PublishedTables tables = tables_of(json, ReceiptPlaces(text).receipts, name);
    tables.receipt = text;
    return tables;
  } catch (const Error& error) {
    refuse(name, error.what_words());
  }
}

}  // namespace fractile
