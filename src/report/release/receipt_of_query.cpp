// Checks whether a receipt belongs to a query in a ledger. What both state must be equal.
#include <algorithm>
#include <filesystem>
#include <optional>

#include "exact/lists.hpp"
#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/ledger.hpp"
#include "fractile/receipts.hpp"
#include "libraries/fmt.hpp"
#include "libraries/rapidjson.hpp"
#include "report/release/declarations.hpp"
#include "report/text/json_texts.hpp"

namespace fractile {

using namespace report_detail;

namespace {

/// One key column is a text. Several are a list of texts.
KeyColumns columns_at(const Json& query) {
  std::vector<std::string> names = texts_at(query, "by");
  return names.empty() ? KeyColumns(text_at(query, "by")) : KeyColumns(std::move(names));
}

/// For a margin, the columns of the cells that it adds up, the hash of these cells, and their other keys; otherwise empty.
std::vector<std::string> margin_asked(const Json& query) {
  std::vector<std::string> margin = texts_at(query, "margin_by");
  if (margin.empty()) return margin;
  margin.push_back(text_at(query, "margin_cells"));
  for (const std::string& other : texts_at(query, "margin_other")) margin.push_back(other);
  return margin;
}

std::vector<std::string> margin_in(const SourceDescription& source) {
  if (!source.margin_of) return {};
  std::vector<std::string> margin = source.margin_of->by.names();
  margin.push_back(source.margin_of->cells_sha256);
  margin.insert(margin.end(), source.margin_of->others.begin(), source.margin_of->others.end());
  return margin;
}

/// One key per group: a text, or with several key columns a list of texts.
std::vector<GroupKey> keys_at(const Json& query) {
  std::vector<GroupKey> keys;
  const auto at = query.FindMember("keys");
  if (at == query.MemberEnd() || !at->value.IsArray()) return keys;
  for (const Json& each : at->value.GetArray()) {
    keys.push_back(each.IsArray() ? GroupKey(texts_in(each)) : GroupKey(text_in(each)));
  }
  return keys;
}

/// The possible values in the words of lattice_in_words().
std::string lattice_asked(const Json& query) {
  if (!query.HasMember("candidates")) {
    return fmt::format("{} to {} in steps of {}", text_at(query, "lower"), text_at(query, "upper"),
                       text_at(query, "step"));
  }
  return fmt::to_string(fmt::join(texts_at(query, "candidates"), ", "));
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

/// NAME=FILE without folders, since a receipt names files as they were typed.
std::vector<std::string> tables_asked(const Json& query) {
  std::vector<std::string> tables = texts_at(query, "tables");
  for (std::string& table : tables) {
    const std::size_t file = table.find('=') + 1;
    table = table.substr(0, file) + file_name(table.substr(file));
  }
  return tables;
}

std::vector<std::string> tables_asked(const SourceDescription& source) {
  return mapped(source.tables, [](const NamedTable& table) { return table.name + "=" + file_name(table.file); });
}

/// Texts whose order decides nothing.
std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  return texts;
}

std::vector<std::string> quantiles_asked(const Release& release) {
  return mapped(release.query.quantiles, [](const Rational& each) { return each.to_string(); });
}

/// The text that a query has for a value; empty if there is no value.
template <class Value>
std::string text_of(const std::optional<Value>& value) {
  return value ? fmt::format("{}", *value) : "";
}

/// Whether the costs agree. The query of a publication's level states only its measure.
bool has_cost(const Json& query, const Budget& cost) {
  if (query.HasMember("measure")) return text_at(query, "measure") == to_string(cost.measure());
  if (cost.measure() == Measure::zcdp) return text_at(query, "rho") == cost.rho().to_string();
  const std::string delta = cost.measure() == Measure::approximate ? cost.delta().to_string() : "";
  return text_at(query, "epsilon") == cost.epsilon().to_string() && text_at(query, "delta") == delta;
}

/// The first that is not the same; "" if there is none.
std::string first_difference(std::initializer_list<std::pair<const char*, bool>> all) {
  for (const auto& [what, is_same] : all) {
    if (!is_same) return what;
  }
  return {};
}

/// The first difference in what both state in the same words, apart from the names of files; "" if there is none.
std::string plain_difference(const Json& query, const Release& release) {
  return first_difference({
      {"the column", release.source.column == text_at(query, "column")},
      {"the quantiles", quantiles_asked(release) == texts_at(query, "quantiles")},
      {"the cost", has_cost(query, release.cost())},
      {"the neighbors", to_string(release.query.neighbors) == text_at(query, "neighbors")},
  });
}

/// Whether the counts, shares and means agree, and their share of the budget.
bool has_statistics(const Json& query, const Release& release) {
  if (!release.statistics) return !query.HasMember("statistics_share");
  const StatisticsRequest& asked = release.statistics->request;
  const auto text_of = [&](const Rational& value) { return value_text(release.lattice.kind(), value); };
  return text_at(query, "statistics_share") == asked.share.to_string() &&
         texts_at(query, "below") == mapped(asked.below, text_of) && query.HasMember("mean") == asked.mean;
}

/// Whether the weights agree: their column, their grid, and what was declared about them.
bool has_weights(const Json& query, const Release& release) {
  if (!release.source.weights) return !query.HasMember("weight");
  const RecordWeights& declared = release.source.weights->declared;
  return text_at(query, "weight") == declared.column && text_at(query, "weight_lower") == declared.lower.to_string() &&
         text_at(query, "weight_upper") == declared.upper.to_string() &&
         text_at(query, "weight_step") == declared.step.to_string() &&
         text_at(query, "weight_stability") == text_of(declared.stability) &&
         text_at(query, "expected_weight") == (declared.mean ? declared.mean->to_string() : "");
}

/// The first thing in which the query and the release differ; "" if there is none.
std::string difference(const Json& query, const Release& release) {
  const SourceDescription& source = release.source;
  const std::optional<IntervalRequest>& intervals = release.query.intervals;
  const bool finds_bounds = query.HasMember("bounds_share");
  const bool names_a_file = query.HasMember("file");
  const std::string plain = plain_difference(query, release);
  if (!plain.empty()) return plain;
  return first_difference({
      {"the file",
       !names_a_file || !source.files.empty() || file_name(source.file) == file_name(text_at(query, "file"))},
      {"the SQL", source.sql == text_at(query, "sql")},
      {"the tables of the SQL", sorted(tables_asked(source)) == sorted(tables_asked(query))},
      {"the declared stability", text_of(source.sql_stability) == text_at(query, "sql_stability")},
      {"what is done with missing values", to_string(source.null_policy) == text_at(query, "null")},
      {"what counts as missing", sorted(source.missing) == sorted(texts_at(query, "missing"))},
      {"what is done with cells that are not numbers",
       !query.HasMember("unreadable") ||
           (source.unreadable && to_string(*source.unreadable) == text_at(query, "unreadable"))},
      {"the column of persons", source.person == text_at(query, "person")},
      {"the sample of persons' records", source.whole_records == query.HasMember("sample")},
      {"the value of each person",
       (source.per_person ? to_string(*source.per_person) : "") == text_at(query, "per_person")},
      {"the weights", has_weights(query, release)},
      {"the column of groups", source.by == columns_at(query)},
      {"the keys", release.keys() == keys_at(query)},
      {"the records per person",
       std::to_string(release.query.records_per_person) == text_at(query, "records_per_person")},
      {"the share of bounds",
       (release.bounds ? release.bounds->share.to_string() : "") == text_at(query, "bounds_share")},
      {"the counts, shares and means", has_statistics(query, release)},
      {"the possible values", finds_bounds || lattice_in_words(release.lattice) == lattice_asked(query)},
      {"the level of intervals", (intervals ? intervals->level.to_string() : "") == text_at(query, "intervals")},
      {"the question of intervals", (intervals ? to_string(intervals->subject) : "") == text_at(query, "intervals_of")},
      {"what the intervals' level is of",
       (intervals && intervals->is_simultaneous) == query.HasMember("intervals_together")},
      {"what becomes of other keys", source.others == texts_at(query, "other")},
      {"the cells of a margin", margin_in(source) == margin_asked(query)},
      {"the number of records", release.public_rows.has_value() == query.HasMember("public_rows")},
      {"the random bits", !release.unsafe_seed},
  });
}

/// Whether canonical_query() wrote this query.
bool is_release(const rapidjson::Document& query) {
  return !query.HasParseError() && query.IsObject() && query.HasMember("quantiles");
}

rapidjson::Document parsed(const std::string& query) {
  rapidjson::Document asked;
  asked.Parse<rapidjson::kParseIterativeFlag>(query.data(), query.size());
  return asked;
}

void require_same(const std::string& difference, const std::string& name) {
  if (difference.empty()) return;
  throw Error(ErrorCode::usage, fmt::format("'{}' is not the receipt of this entry: {} differs", name, difference),
              "name the receipt that this entry's release wrote");
}

/// Whether the charge is the entry's. Receipts of version 1 do not name the dataset.
bool is_of(const std::optional<Charge>& charge, const LedgerEntry& entry) {
  return charge && charge->token == entry.token && charge->entry == entry.id &&
         (charge->dataset.empty() || charge->dataset == entry.request.dataset);
}

}  // namespace

void require_receipt_of(const std::string& query, const Release& release, const std::string& name) {
  const OwnEnvironment own;
  const rapidjson::Document asked = parsed(query);
  require_same(is_release(asked) ? difference(asked, release) : "the query", name);
}

void require_own_receipt(const LedgerEntry& entry, const Release& release, const std::string& name) {
  const OwnEnvironment own;
  const rapidjson::Document asked = parsed(entry.request.query);
  require_same(is_release(asked) ? plain_difference(asked, release) : "the query", name);
  if (release.cost().to_string() != entry.request.cost.to_string()) require_same("the cost", name);
  const std::optional<Charge>& charge = release.charge;
  if (entry.token.empty() || is_of(charge, entry)) return;
  throw Error(ErrorCode::usage,
              !charge
                  ? fmt::format("'{}' names no entry of a ledger, so it is not the receipt of entry {}", name, entry.id)
                  : fmt::format("'{}' is not the receipt of entry {}: it names entry {} with the token {}", name,
                                entry.id, charge->entry, charge->token),
              "name the receipt that this entry's release wrote");
}

void require_own_receipts(const LedgerStatement& statement) {
  const OwnEnvironment own;
  for (const LedgerEntry& entry : statement.entries) {
    if (entry.state != EntryState::committed || entry.token.empty()) continue;
    if (!is_release(parsed(entry.request.query))) continue;
    const std::string name = fmt::format("the receipt of entry {}", entry.id);
    try {
      require_own_receipt(entry, read_receipt(entry.receipt, name), name);
    } catch (const Error& error) {
      throw Error(ErrorCode::ledger, {"the ledger is damaged: ", error.what_words()},
                  "restore it from a copy, and charge again what was released since");
    }
  }
}

}  // namespace fractile
