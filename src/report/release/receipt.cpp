// Reads receipts.
#include <algorithm>
#include <optional>
#include <string_view>

#include "exact/lists.hpp"
#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/receipts.hpp"
#include "libraries/fmt.hpp"
#include "libraries/rapidjson.hpp"
#include "ranks/span.hpp"
#include "report/release/receipt_schema.hpp"
#include "report/text/json_fault.hpp"
#include "report/text/json_texts.hpp"
#include "report/text/receipt_digest.hpp"

namespace fractile {

using namespace report_detail;

namespace {

[[noreturn]] void refuse(const std::string& name, const Words& what) {
  throw Error(ErrorCode::data, {"'", name, "' is not a receipt: ", what},
              {"name a file that a release wrote as its ", Field("receipt")});
}

constexpr unsigned flags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;

void parse(rapidjson::Document& document, const std::string& text, const std::string& name) {
  if (text.size() > most_receipt_bytes) refuse(name, fmt::format("it is larger than {} MiB", most_receipt_bytes >> 20));
  if (const std::optional<JsonFault> fault = fault_of(text)) {
    refuse(name, fmt::format("{} at byte {}", fault->what, fault->offset));
  }
  document.Parse<flags>(text.data(), text.size());
}

rapidjson::SchemaDocument compiled(const char* text) {
  rapidjson::Document schema;
  schema.Parse(text);
  return rapidjson::SchemaDocument(schema);
}

/// Whether a document is of version 1, whose members have other names. Any other document is of version 2, or the schema refuses it.
bool is_first_version(const rapidjson::Document& document) {
  if (!document.IsObject() || !document.HasMember("schema_version")) return false;
  const Json& version = document["schema_version"];
  return version.IsUint() && version.GetUint() == 1;
}

std::string pointer_text(const rapidjson::Pointer& pointer) {
  rapidjson::StringBuffer buffer;
  pointer.Stringify(buffer);
  return {buffer.GetString(), buffer.GetSize()};
}

/// RapidJSON's validator hashes numbers by a conversion to 64 bits, which overflows for larger numbers. This validator clamps them, since
/// no rule of the schema distinguishes numbers beyond 2^62.
class ReceiptValidator : public rapidjson::SchemaValidator {
 public:
  using rapidjson::SchemaValidator::SchemaValidator;

  /// Document::Accept calls this function in place of SchemaValidator's.
  bool Double(double value) { return rapidjson::SchemaValidator::Double(std::clamp(value, -0x1p62, 0x1p62)); }
};

void require_schema(const rapidjson::Document& document, const std::string& name) {
  if (document.IsObject() && document.HasMember("tables")) {
    throw Error(ErrorCode::data, fmt::format("'{}' is the receipt of a publication, not of a single release", name),
                "read it as a publication, by read_publication_receipt(); in Python by PublishedTables.read()");
  }
  static const rapidjson::SchemaDocument first = compiled(receipt_schema_1);
  static const rapidjson::SchemaDocument schema = compiled(receipt_schema);
  ReceiptValidator validator(is_first_version(document) ? first : schema);
  if (document.Accept(validator)) return;
  const std::string where = pointer_text(validator.GetInvalidDocumentPointer());
  refuse(name, fmt::format("{} breaks the schema's rule '{}'", where.empty() ? "it" : where,
                           validator.GetInvalidSchemaKeyword()));
}

/// Gives a member its name of version 2. A member that has that name already is removed, since version 1 has no such member.
void rename(Json& object, const char* from, const char* to) {
  object.RemoveMember(to);
  if (object.HasMember(from)) object.FindMember(from)->name.SetString(rapidjson::StringRef(to));
}

void rename_in(Json& object, const char* name, const char* from, const char* to) {
  if (object.HasMember(name)) rename(object[name], from, to);
}

/// Renames what ran, in a receipt or a group of version 1.
void upgrade_run(Json& run) {
  rename_in(run, "options", "counted_rows", "branch_rows");
  if (!run.HasMember("spent")) return;
  for (Json& part : run["spent"].GetArray()) rename(part, "on", "part");
}

/// Renames the members of a receipt of version 1 as in version 2 (docs/receipt.md lists both).
void upgrade(Json& receipt) {
  upgrade_run(receipt);
  if (receipt.HasMember("groups")) {
    for (Json& group : receipt["groups"].GetArray()) upgrade_run(group);
  }
  rename_in(receipt, "worst_case", "together", "simultaneous");
  rename_in(receipt, "worst_case", "rounded", "rounding");
  rename_in(receipt, "worst_case", "without", "reason");
  rename_in(receipt, "intervals", "of", "subject");
  rename_in(receipt, "intervals", "together", "simultaneous");
  rename_in(receipt, "source", "null", "null_policy");
  rename(receipt, "ledger", "charge");
  rename(receipt, "public_records", "public_rows");
}

/// The member's text as parsed by `read`; nothing if there is no text.
template <class Read>
auto read(const Json& object, const char* key, Read read) -> std::optional<decltype(read(std::string()))> {
  const std::string text = text_at(object, key);
  if (text.empty()) return {};
  return read(text);
}

/// Numbers were parsed as texts, which hold all their digits.
Rational number_of(const Json& json, const char* key) { return Rational::parse(text_at(json, key)); }

std::optional<Rational> optional_number(const Json& json, const char* key) {
  return read(json, key, [](const std::string& text) { return Rational::parse(text); });
}

std::optional<std::uint64_t> count_of(const Json& object, const char* key) {
  return read(object, key, [](const std::string& text) { return Rational::parse(text).to_uint64(); });
}

std::optional<std::uint32_t> small_count_of(const Json& object, const char* key) {
  const std::optional<std::uint64_t> count = count_of(object, key);
  if (count && *count > ~std::uint32_t{0}) throw Error(ErrorCode::data, std::string(key) + " is above 4294967295", "");
  return count;
}

/// The choice whose name is this text.
template <class Choice>
Choice choice_of(const std::string& text, std::initializer_list<Choice> choices) {
  const auto at = std::ranges::find_if(choices, [&](Choice each) { return to_string(each) == text; });
  if (at == choices.end()) throw Error(ErrorCode::data, "'" + text + "' is not one of the choices", "");
  return *at;
}

/// The budget from `epsilon` or `rho`, and `delta`; nothing if neither `epsilon` nor `rho` is there.
std::optional<Budget> budget_of(const Json& json) {
  if (json.HasMember("rho")) return Budget::zcdp(number_of(json, "rho"));
  if (!json.HasMember("epsilon")) return {};
  const Exponent epsilon = Exponent::parse(text_at(json, "epsilon"));
  if (!json.HasMember("delta")) return Budget::pure(epsilon);
  return Budget::approximate(epsilon, number_of(json, "delta"));
}

/// A distance between values, in a lattice's ticks.
Rational distance_of(ValueKind kind, const std::string& text) {
  if (kind == ValueKind::number) return Rational::parse(text);
  const std::optional<std::int64_t> span = read_span(text);
  if (!span) throw Error(ErrorCode::data, "'" + text + "' is not a length of time", "");
  return kind == ValueKind::date ? Rational(*span, microseconds_a_day) : Rational(*span);
}

Lattice lattice_of(const Json& json) {
  const ValueKind kind = json.HasMember("kind") ? value_kind_of(text_at(json, "kind")).value() : ValueKind::number;
  if (!json.HasMember("candidates")) {
    return Lattice::regular(read_value(kind, text_at(json, "lower")), read_value(kind, text_at(json, "upper")),
                            distance_of(kind, text_at(json, "step")), kind);
  }
  return Lattice::explicit_points(
      mapped(texts_at(json, "candidates"), [&](const std::string& text) { return read_value(kind, text); }), kind);
}

/// The index of the possible value with this text.
std::uint64_t index_of(const Lattice& lattice, const std::string& text) {
  const Rational value = read_value(lattice.kind(), text);
  if (value >= lattice.lower() && value <= lattice.upper()) {
    if (lattice.is_regular()) {
      const Rational index = (value - lattice.lower()) / lattice.step();
      if (index.is_integer()) return index.to_uint64();
    } else {
      const auto is_reached = [&](std::uint64_t k) { return lattice.at(k) >= value; };
      const std::uint64_t first = first_entry(0, lattice.size() - 1, is_reached);
      if (lattice.at(first) == value) return first;
    }
  }
  throw Error(ErrorCode::data, "the value " + text + " is not one of the possible values", "");
}

Interval interval_of(const Json& json, const Lattice& lattice) {
  return {index_of(lattice, text_at(json, "lower")), index_of(lattice, text_at(json, "upper")),
          json.HasMember("or_below"), json.HasMember("or_above")};
}

std::vector<Rational> quantiles_of(const Json& list) {
  return mapped(list.GetArray(), [](const Json& each) { return number_of(each, "quantile"); });
}

/// The names of the quantiles. All quantiles have a name, or none has.
std::vector<std::string> names_of(const Json& list) {
  std::vector<std::string> names;
  for (const Json& each : list.GetArray()) {
    if (!each.HasMember("name")) continue;
    names.push_back(text_at(each, "name"));
    if (Rational::parse(names.back()) != number_of(each, "quantile"))
      throw Error(ErrorCode::data, "a quantile has the name of another one", "");
  }
  return names;
}

/// Parses what EpsilonSum::to_string() writes.
EpsilonSum sum_of(std::string_view text) {
  constexpr std::string_view plus = " + ";
  EpsilonSum sum;
  for (std::size_t end = text.find(plus); end != std::string_view::npos; end = text.find(plus)) {
    sum += Exponent::parse(text.substr(0, end));
    text.remove_prefix(end + plus.size());
  }
  return sum += Exponent::parse(text);
}

std::vector<PartCost> spent_of(const Json& run) {
  std::vector<PartCost> spent;
  if (!run.HasMember("spent")) return spent;
  for (const Json& each : run["spent"].GetArray()) {
    spent.push_back({text_at(each, "part"), sum_of(text_at(each, each.HasMember("rho") ? "rho" : "epsilon")),
                     optional_number(each, "delta").value_or(Rational(0))});
  }
  return spent;
}

std::optional<MostlyNoise> noise_of(const Json& json) {
  if (!json.HasMember("mostly_noise")) return {};
  const Json& noise = json["mostly_noise"];
  return MostlyNoise{count_of(noise, "rows").value(), number_of(noise, "share").to_double(), budget_of(noise)};
}

Mechanism mechanism_of(const Json& run) {
  return choice_of(text_at(run, "mechanism"),
                   {Mechanism::exponential, Mechanism::approximate, Mechanism::joint, Mechanism::joint_total,
                    Mechanism::joint_tree, Mechanism::independent, Mechanism::tree});
}

/// The object that says what ran for a group. If all groups ran the same, it is the receipt. Without quantiles, no mechanism ran.
const Json& run_of(const Json& group, const Json& receipt) {
  const Json& run = group.HasMember("mechanism") ? group : receipt;
  if (group["quantiles"].Empty() && !run.HasMember("mechanism") && receipt.HasMember("statistics")) return run;
  if (run.HasMember("mechanism") && run.HasMember("options")) return run;
  throw Error(ErrorCode::data, "it does not say what ran", "");
}

/// `run` is from run_of().
MechanismUsed used_of(const Json& run, const Release& release) {
  if (!run.HasMember("mechanism")) return {};
  const Json& options = run["options"];
  const auto distance = [&](const std::string& text) { return distance_of(release.lattice.kind(), text); };
  MechanismUsed used{mechanism_of(run)};
  for (const std::string& width : texts_at(options, "levels")) {
    used.widths.push_back(Rational::parse(width).to_uint64());
  }
  used.selected = count_of(options, "selected").value_or(release.query.quantiles.size());
  used.reason = text_at(options, "reason");
  used.rows = count_of(options, "branch_rows");
  used.granularity = read(options, "granularity", distance);
  used.heaping = read(options, "heaping", distance);
  return used;
}

/// One column is a text. Several are a list of texts.
KeyColumns columns_of(const Json& json) {
  if (json.HasMember("by") && json["by"].IsArray()) return KeyColumns(texts_at(json, "by"));
  return text_at(json, "by");
}

/// One text, or with several columns a text for each, by their names.
GroupKey key_of(const Json& json, const KeyColumns& by) {
  if (by.size() < 2) return text_at(json, "key");
  std::vector<std::string> texts;
  for (const std::string& name : by.names()) {
    const Json member(rapidjson::StringRef(name.data(), static_cast<rapidjson::SizeType>(name.size())));
    const bool has_key = json.HasMember("keys") && json["keys"].HasMember(member);
    if (!has_key) throw Error(ErrorCode::data, "a group has no key in the column '" + name + "'", "");
    texts.push_back(text_in(json["keys"][member]));
  }
  if (json["keys"].MemberCount() != by.size())
    throw Error(ErrorCode::data, "a group has a key of a column that is not named", "");
  return GroupKey(std::move(texts));
}

Statistics::Records records_of(const Json& json, const char* key) {
  return {number_of(json, key).to_int64(),
          {number_of(json, "lower").to_uint64(), number_of(json, "upper").to_uint64()}};
}

/// A group's counts, shares and mean.
Statistics statistics_of(const Json& json, const StatisticsRequest& request, ValueKind kind) {
  Statistics statistics{records_of(json["count"], "value")};
  if (json.HasMember("below") != !request.below.empty() || json.HasMember("mean") != request.mean ||
      (json.HasMember("below") && json["below"].Size() != request.below.size())) {
    throw Error(ErrorCode::data, "its groups have different statistics", "");
  }
  for (std::size_t i = 0; i < request.below.size(); ++i) {
    const Json& each = json["below"][static_cast<rapidjson::SizeType>(i)];
    statistics.below.push_back(records_of(each, "count"));
    statistics.shares.push_back(
        {optional_number(each, "share"), number_of(each, "share_lower"), number_of(each, "share_upper")});
  }
  if (!request.mean) return statistics;
  const Json& mean = json["mean"];
  const auto value = [&](const std::string& text) { return read_value(kind, text); };
  statistics.mean =
      Statistics::Ratio{read(mean, "value", value), value(text_at(mean, "lower")), value(text_at(mean, "upper"))};
  statistics.centered_sum = number_of(json, "centered_sum").to_int64();
  return statistics;
}

CountNoise count_noise_of(const Json& noise, Measure measure) {
  if (measure == Measure::zcdp) return {measure, {}, number_of(noise, "sigma_squared")};
  return {measure, Exponent::parse(text_at(noise, "rate")), {}};
}

/// `first` is a group, or the receipt, that has what the query asked for.
std::optional<StatisticsTerms> statistics_terms_of(const Json& json, const Json& first, const Release& release) {
  if (!json.HasMember("statistics")) return {};
  const Json& written = json["statistics"];
  StatisticsRequest request{{}, first.HasMember("mean"), number_of(written, "share")};
  if (first.HasMember("below")) {
    for (const Json& each : first["below"].GetArray()) {
      request.below.push_back(read_value(release.lattice.kind(), text_at(each, "value")));
    }
  }
  const Measure measure = release.query.budget.measure();
  StatisticsTerms terms{std::move(request), number_of(written, "level"), count_noise_of(written["noise"], measure)};
  if (written.HasMember("sum_noise") != terms.request.mean) {
    throw Error(ErrorCode::data, "it does not say which noise its mean has", "");
  }
  if (terms.request.mean) terms.sum_noise = count_noise_of(written["sum_noise"], measure);
  return terms;
}

Release::Group group_of(const Json& own, const Json& common, const Release& release) {
  const Json& run = run_of(own, common);
  Release::Group group{key_of(own, release.source.by), {}, used_of(run, release), spent_of(run)};
  const Json& list = own["quantiles"];
  if (quantiles_of(list) != release.query.quantiles) {
    throw Error(ErrorCode::data, "its groups have different quantiles", "");
  }
  for (const Json& each : list.GetArray()) {
    group.indices.push_back(index_of(release.lattice, text_at(each, "value")));
    group.rank_errors.push_back(count_of(each, "rank_error"));
    if (!release.query.intervals) continue;
    group.intervals.push_back(interval_of(each, release.lattice));
    if (each.HasMember("in_pairs")) group.intervals_in_pairs.push_back(interval_of(each["in_pairs"], release.lattice));
  }
  group.noise = noise_of(own.HasMember("mostly_noise") ? own : common);
  if (own.HasMember("count") != release.statistics.has_value()) {
    throw Error(ErrorCode::data, "it does not say what its counts cost", "");
  }
  if (release.statistics) {
    group.statistics = statistics_of(own, release.statistics->request, release.lattice.kind());
  }
  return group;
}

WeightsDescription weights_of(const Json& json) {
  RecordWeights how{text_at(json, "column"), number_of(json, "lower"), number_of(json, "upper"),
                    number_of(json, "step"), small_count_of(json, "stability")};
  how.mean = optional_number(json, "expected_mean");
  how.validate();
  return {std::move(how), small_count_of(json, "records_per_person").value()};
}

/// A text for each column, if any column has one.
std::vector<std::string> others_of(const Json& json, const KeyColumns& by) {
  if (!json.HasMember("other")) return {};
  std::vector<std::string> others;
  std::size_t found = 0;
  for (const std::string& name : by.names()) {
    const Json member(rapidjson::StringRef(name.data(), static_cast<rapidjson::SizeType>(name.size())));
    const auto at = json["other"].FindMember(member);
    const bool has_other = at != json["other"].MemberEnd();
    others.push_back(has_other ? text_in(at->value) : std::string());
    if (has_other) ++found;
  }
  if (json["other"].MemberCount() != found) {
    throw Error(ErrorCode::data, "it names other keys of a column by which it has no cells", "");
  }
  return others;
}

SourceDescription source_of(const Json& json) {
  const Json& source = json["source"];
  SourceDescription read_back{
      text_at(source, "file"),   text_at(source, "sql"),
      text_at(source, "column"), choice_of(text_at(source, "null_policy"), {NullPolicy::drop, NullPolicy::error}),
      text_at(source, "engine"), text_at(source, "person"),
      columns_of(json)};
  if (source.HasMember("tables")) {
    for (const Json& table : source["tables"].GetArray()) {
      read_back.tables.push_back({text_at(table, "name"), text_at(table, "file")});
    }
  }
  read_back.sql_stability = small_count_of(source, "sql_stability");
  read_back.disjoint_persons = source.HasMember("declared");  // the schema allows only one value
  read_back.one_row_a_person = source.HasMember("sql_rows");  // the schema allows only one value
  read_back.files = texts_at(source, "files");
  read_back.whole_records = source.HasMember("sample");  // the schema allows only one value
  read_back.missing = texts_at(source, "missing");
  read_back.per_person = read(source, "per_person", [](const std::string& text) {
    return choice_of(text, {PerPerson::sum, PerPerson::count, PerPerson::mean, PerPerson::min, PerPerson::max,
                            PerPerson::median, PerPerson::any, PerPerson::all});
  });
  read_back.others = others_of(source, read_back.by);
  if (source.HasMember("margin_of")) {
    const Json& margin = source["margin_of"];
    const KeyColumns by(texts_at(margin, "by"));
    read_back.margin_of =
        MarginOf{by, count_of(margin, "cells").value(), text_at(margin, "sha256"), others_of(margin, by)};
  }
  if (source.HasMember("weights")) read_back.weights = weights_of(source["weights"]);
  read_back.unreadable = read(source, "unreadable", [](const std::string& text) {
    return choice_of(text, {Unreadable::error, Unreadable::missing});
  });
  return read_back;
}

ErrorTerms errors_of(const Json& worst) {
  return {number_of(worst, "confidence"), count_of(worst, "rows").value(), count_of(worst, "simultaneous"),
          text_at(worst, "reason"), count_of(worst, "rounding")};
}

std::optional<IntervalRequest> intervals_of(const Json& json) {
  if (!json.HasMember("intervals")) return {};
  const Json& intervals = json["intervals"];
  return IntervalRequest{
      number_of(intervals, "level"),
      choice_of(text_at(intervals, "subject"), {IntervalSubject::table, IntervalSubject::population}),
      intervals["simultaneous"].GetBool()};
}

PrivateBounds bounds_of(const Json& bounds) {
  const std::optional<Budget> cost = budget_of(bounds);
  if (!cost) throw Error(ErrorCode::data, "it does not say what its bounds cost", "");
  return {number_of(bounds, "share"), *cost, count_of(bounds, "enough_records")};
}

/// The query as far as a receipt states it. `first` is a group that has its quantiles, or the receipt. `run` is from run_of().
QuantileQuery query_of(const Json& json, const Json& first, const Json& run) {
  const Json& privacy = json["privacy"];
  if (to_string(budget_of(privacy)->measure()) != text_at(privacy, "measure")) {
    throw Error(ErrorCode::data, "its cost is not in the measure that it states", "");
  }
  QuantileQuery query{quantiles_of(first["quantiles"]), budget_of(privacy).value(),
                      choice_of(text_at(privacy, "neighbors"), {Neighbors::add_remove, Neighbors::change_one}),
                      small_count_of(privacy, "records_per_person").value()};
  if (run.HasMember("mechanism")) {
    query.mechanism = run["options"].HasMember("chosen_by") ? Mechanism::automatic : mechanism_of(run);
    query.rates = choice_of(text_at(run["options"], "rates"), {Rates::tight, Rates::as_published});
    query.expected_rows = count_of(run["options"], "expected_rows");
  }
  const std::uint64_t rows = count_of(json["worst_case"], "rows").value();
  if (!json.HasMember("public_rows") && rows != any_number_of_rows) query.expected_rows = rows;
  query.intervals = intervals_of(json);
  query.names = names_of(first["quantiles"]);
  return query;
}

/// The release of a document that satisfies the schema and has its numbers as texts.
Release release_of(const Json& json) {
  const bool is_grouped = json.HasMember("groups");
  const Json& first = is_grouped ? json["groups"][0] : json;
  Release release{query_of(json, first, run_of(first, json)), lattice_of(json["lattice"]), {}};
  release.errors = errors_of(json["worst_case"]);
  release.source = source_of(json);
  release.statistics = statistics_terms_of(json, first, release);
  if (is_grouped) {
    for (const Json& group : json["groups"].GetArray()) {
      release.groups.push_back(group_of(group, json, release));
      if (release.groups.back().key.empty()) throw Error(ErrorCode::data, "a group has no key", "");
    }
  } else {
    release.groups.push_back(group_of(json, json, release));
  }
  if (json.HasMember("bounds")) release.bounds = bounds_of(json["bounds"]);
  release.public_rows = count_of(json, "public_rows");
  release.unsafe_seed = count_of(json, "unsafe_seed");
  if (json.HasMember("charge")) {
    const Json& charge = json["charge"];
    release.charge =
        Charge{text_at(charge, "dataset"), number_of(charge, "entry").to_int64(), text_at(charge, "token")};
  }
  release.program = text_at(json, "program");
  return release;
}

}  // namespace

Release read_receipt(const std::string& text, const std::string& name) {
  const OwnEnvironment own;
  rapidjson::Document document;
  parse(document, text, name);
  require_schema(document, name);
  if (intact_digest(text).empty()) {
    throw Error(ErrorCode::data, fmt::format("'{}' is not as it was written: its hash does not match", name),
                "it was changed or damaged; use the original, or the copy in a ledger");
  }
  rapidjson::Document with_texts;
  with_texts.Parse<flags | rapidjson::kParseNumbersAsStringsFlag>(text.data(), text.size());
  try {
    if (is_first_version(document)) upgrade(with_texts);
    Release release = release_of(with_texts);
    release.receipt = text;
    return release;
  } catch (const Error& error) {
    refuse(name, error.what_words());
  }
}

std::string sha256_of(const std::string& receipt) { return intact_digest(receipt); }

}  // namespace fractile
