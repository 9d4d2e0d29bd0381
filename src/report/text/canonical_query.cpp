#include "report/text/canonical_query.hpp"

#include <algorithm>
#include <utility>

#include "libraries/rapidjson.hpp"
#include "report/text/shown_text.hpp"

namespace fractile {
namespace {

/// One JSON object on one line. Its values are texts, lists of texts, or lists of such lists. Empty values are left out, so that new
/// members do not change older texts.
class Line {
 public:
  Line() { json_.StartObject(); }

  void add(const char* name, const std::string& value) {
    if (value.empty()) return;
    json_.Key(name);
    write(value);
  }

  template <class Item>
  void add_list(const char* name, std::uint64_t size, Item&& item) {
    json_.Key(name);
    json_.StartArray();
    for (std::uint64_t i = 0; i < size; ++i) write(item(i));
    json_.EndArray();
  }

  template <class Items>
  void add_lists(const char* name, std::size_t size, Items&& items) {
    json_.Key(name);
    json_.StartArray();
    for (std::size_t i = 0; i < size; ++i) {
      json_.StartArray();
      for (const std::string& each : items(i)) write(each);
      json_.EndArray();
    }
    json_.EndArray();
  }

  std::string text() {
    json_.EndObject();
    return {buffer_.GetString(), buffer_.GetSize()};
  }

 private:
  void write(const std::string& value) {
    const std::string utf8 = utf8_text(value);
    json_.String(utf8.data(), static_cast<rapidjson::SizeType>(utf8.size()));
  }

  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> json_{buffer_};
};

void add_weights(Line& line, const RecordWeights& weights) {
  line.add("weight", weights.column);
  line.add("weight_lower", weights.lower.to_string());
  line.add("weight_upper", weights.upper.to_string());
  line.add("weight_step", weights.step.to_string());
  if (weights.stability) line.add("weight_stability", std::to_string(*weights.stability));
  if (weights.mean) line.add("expected_weight", weights.mean->to_string());
}

/// One key column is a text. With several, each key is a list, since joined texts would not distinguish all keys.
void add_groups(Line& line, const KeyColumns& by, const GroupKeys& keys) {
  if (by.size() > 1) {
    line.add_list("by", by.size(), [&](std::uint64_t i) { return by[i]; });
    return line.add_lists("keys", keys.size(), [&](std::size_t i) { return keys[i].texts(); });
  }
  line.add("by", by.empty() ? "" : by[0]);
  if (!keys.empty()) line.add_list("keys", keys.size(), [&](std::uint64_t i) { return keys.list(0)[i]; });
}

/// A text for each key column.
void add_others(Line& line, const char* name, const std::vector<std::string>& others) {
  if (!others.empty()) line.add_list(name, others.size(), [&](std::uint64_t i) { return others[i]; });
}

/// Texts whose order decides nothing.
void add_set(Line& line, const char* name, std::vector<std::string> texts, bool is_as_typed) {
  if (texts.empty()) return;
  if (!is_as_typed) std::ranges::sort(texts);
  line.add_list(name, texts.size(), [&](std::uint64_t i) { return texts[i]; });
}

void add_source(Line& line, const SourceDescription& source, const ReleaseDetails& details) {
  line.add("column", source.column);
  const bool is_declared = !details.source.empty() && !details.source.starts_with('/');
  if (is_declared) line.add("source", name_text(details.source));
  if (!is_declared) line.add("file", name_text(details.source.empty() ? source.file : details.source));
  line.add("sql", source.sql);
  std::vector<std::string> tables;
  for (const NamedTable& table : details.tables.empty() ? source.tables : details.tables) {
    tables.push_back(table.name + "=" + name_text(table.file));
  }
  add_set(line, "tables", std::move(tables), details.is_as_typed);
  if (source.sql_stability) line.add("sql_stability", std::to_string(*source.sql_stability));
  line.add("null", to_string(source.null_policy));
  add_set(line, "missing", source.missing, details.is_as_typed);
  if (details.unreadable) line.add("unreadable", to_string(*details.unreadable));
  line.add("input_format", details.input_format);
  line.add("delimiter", details.delimiter);
  if (details.single_line_records) line.add("single_line_records", "yes");
  if (details.numbers.decimal != ".") line.add("decimal", details.numbers.decimal);
  line.add("thousands", details.numbers.thousands);
  line.add("encoding", details.encoding);
  line.add("person", source.person);
  if (source.whole_records) line.add("sample", "whole records");
  if (details.sampled_records) line.add("sampled_records", std::to_string(*details.sampled_records));
  if (source.per_person) line.add("per_person", to_string(*source.per_person));
  if (source.weights) add_weights(line, source.weights->declared);
  add_groups(line, source.by, details.keys);
  add_others(line, "other", source.others);
  if (!source.margin_of) return;
  const MarginOf& margin = *source.margin_of;
  line.add_list("margin_by", margin.by.size(), [&](std::uint64_t i) { return margin.by[i]; });
  line.add("margin_cells", margin.cells_sha256);
  add_others(line, "margin_other", margin.others);
}

void add_lattice(Line& line, const Lattice& lattice) {
  if (!lattice.is_regular()) {
    line.add_list("candidates", lattice.size(), [&](std::uint64_t i) { return lattice.text(i); });
    return;
  }
  line.add("lower", lattice.text(0));
  line.add("upper", lattice.text(lattice.size() - 1));
  line.add("step", distance_text(lattice.kind(), lattice.step()));
}

void add_budget(Line& line, const Budget& budget) {
  if (budget.measure() == Measure::zcdp) {
    line.add("rho", budget.rho().to_string());
    return;
  }
  line.add("epsilon", budget.epsilon().to_string());
  if (budget.measure() == Measure::approximate) line.add("delta", budget.delta().to_string());
}

std::string name_of(Base base) {
  switch (base) {
    case Base::by_mechanism:
      return {};
    case Base::uniform:
      return "uniform";
    case Base::adaptive:
      return "adaptive";
  }
  return {};
}

void add_mechanism(Line& line, const QuantileQuery& query) {
  line.add("mechanism", to_string(query.mechanism));
  line.add("rates", to_string(query.rates));
  line.add("base", name_of(query.base));
  if (query.expected_rows) line.add("expected_rows", std::to_string(*query.expected_rows));
  if (!query.interpolate) line.add("interpolate", "no");
  if (!query.intervals) return;
  line.add("intervals", query.intervals->level.to_string());
  line.add("intervals_of", to_string(query.intervals->subject));
  if (query.intervals->is_simultaneous) line.add("intervals_together", "yes");
}

void add_statistics(Line& line, const StatisticsRequest& statistics, ValueKind kind) {
  line.add("statistics_share", statistics.share.to_string());
  if (!statistics.below.empty()) {
    line.add_list("below", statistics.below.size(),
                  [&](std::uint64_t i) { return value_text(kind, statistics.below[i]); });
  }
  if (statistics.mean) line.add("mean", "yes");
}

}  // namespace

std::string canonical_query(const QuantileQuery& query, const Lattice& lattice, const SourceDescription& source,
                            const ReleaseDetails& details) {
  Line line;
  add_source(line, source, details);
  line.add_list("quantiles", query.quantiles.size(), [&](std::uint64_t i) { return query.quantiles[i].to_string(); });
  details.has_any_cost ? line.add("measure", to_string(query.budget.measure())) : add_budget(line, query.budget);
  line.add("neighbors", to_string(query.neighbors));
  line.add("records_per_person", std::to_string(query.records_per_person));
  add_lattice(line, lattice);
  if (details.bounds_share) line.add("bounds_share", details.bounds_share->to_string());
  add_mechanism(line, query);
  if (details.statistics) add_statistics(line, *details.statistics, lattice.kind());
  if (details.public_rows) line.add("public_rows", "yes");
  return line.text();
}

}  // namespace fractile
