// Receipts, read back.
#include <fmt/core.h>
#include <rapidjson/document.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>

#include <algorithm>
#include <optional>

#include "fractile/error.hpp"
#include "fractile/receipts.hpp"
#include "report/release/receipt_digest.hpp"
#include "report/release/receipt_schema.hpp"
#include "report/text/json_fault.hpp"

namespace fractile {
namespace {

using Json = rapidjson::Value;

[[noreturn]] void refuse(const std::string& name, const Words& what) {
  throw Error(ErrorCode::data, {"'", name, "' is no receipt: ", what},
              "name a file that fractile release --receipt has written");
}

constexpr std::size_t largest_receipt = std::size_t{256} << 20;  // bytes; of 100,000 groups it is a tenth of that

constexpr unsigned flags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;

void parse(rapidjson::Document& document, const std::string& text, const std::string& name) {
  if (text.size() > largest_receipt) refuse(name, "it is larger than 256 MiB");
  if (const std::optional<report_detail::JsonFault> fault = report_detail::fault_of(text)) {
    refuse(name, fmt::format("{} at byte {}", fault->what, fault->offset));
  }
  document.Parse<flags>(text.data(), text.size());
}

rapidjson::SchemaDocument compiled_schema() {
  rapidjson::Document schema;
  schema.Parse(receipt_schema);
  return rapidjson::SchemaDocument(schema);
}

std::string pointer_text(const rapidjson::Pointer& pointer) {
  rapidjson::StringBuffer buffer;
  pointer.Stringify(buffer);
  return {buffer.GetString(), buffer.GetSize()};
}

/// A validator that hashes numbers, which RapidJSON does by a conversion to 64 bits that larger ones overflow. No rule of the schema
/// tells numbers beyond 2^62 apart.
class ReceiptValidator : public rapidjson::SchemaValidator {
 public:
  using rapidjson::SchemaValidator::SchemaValidator;

  /// What Document::Accept calls in place of the validator's own.
  bool Double(double value) { return rapidjson::SchemaValidator::Double(std::clamp(value, -0x1p62, 0x1p62)); }
};

void require_schema(const rapidjson::Document& document, const std::string& name) {
  static const rapidjson::SchemaDocument schema = compiled_schema();
  ReceiptValidator validator(schema);
  if (document.Accept(validator)) return;
  const std::string where = pointer_text(validator.GetInvalidDocumentPointer());
  refuse(name, fmt::format("{} breaks the schema's rule '{}'", where.empty() ? "it" : where,
                           validator.GetInvalidSchemaKeyword()));
}

/// Text as it is; numbers with all their digits, since they were parsed as text.
std::string text_of(const Json& object, const char* key) {
  const auto at = object.FindMember(key);
  if (at == object.MemberEnd() || !at->value.IsString()) return {};
  return {at->value.GetString(), at->value.GetStringLength()};
}

Budget budget_of(const Json& privacy) {
  const std::string measure = text_of(privacy, "measure");
  if (measure == "zcdp") return Budget::zcdp(Rational::parse(text_of(privacy, "rho")));
  const Exponent epsilon = Exponent::parse(text_of(privacy, "epsilon"));
  if (measure == "pure") return Budget::pure(epsilon);
  return Budget::approximate(epsilon, Rational::parse(text_of(privacy, "delta")));
}

std::string lattice_of(const Json& lattice) {
  if (!lattice.HasMember("candidates")) {
    return fmt::format("{} to {} in steps of {}", text_of(lattice, "lower"), text_of(lattice, "upper"),
                       text_of(lattice, "step"));
  }
  std::string text;
  for (const Json& candidate : lattice["candidates"].GetArray()) {
    if (!text.empty()) text += ", ";
    text += candidate.GetString();
  }
  return text;
}

Receipt::Ends ends_of(const Json& object) {
  return {text_of(object, "lower"), text_of(object, "upper"), object.HasMember("or_below"),
          object.HasMember("or_above")};
}

std::vector<Receipt::Published> quantiles_of(const Json& list) {
  std::vector<Receipt::Published> quantiles;
  for (const Json& each : list.GetArray()) {
    std::optional<std::string> rank_error = text_of(each, "rank_error");
    if (rank_error->empty()) rank_error.reset();
    quantiles.push_back({text_of(each, "quantile"), text_of(each, "value"), std::move(rank_error), ends_of(each),
                         each.HasMember("in_pairs") ? ends_of(each["in_pairs"]) : Receipt::Ends{}});
  }
  return quantiles;
}

std::vector<Receipt::Spent> spent_of(const Json& run) {
  std::vector<Receipt::Spent> spent;
  if (!run.HasMember("spent")) return spent;
  for (const Json& each : run["spent"].GetArray()) {
    spent.push_back({text_of(each, "on"), text_of(each, each.HasMember("rho") ? "rho" : "epsilon")});
  }
  return spent;
}

std::optional<MostlyNoise> noise_of(const Json& json) {
  if (!json.HasMember("mostly_noise")) return {};
  const Json& noise = json["mostly_noise"];
  MostlyNoise found{
      Rational::parse(text_of(noise, "rows")).to_uint64(), Rational::parse(text_of(noise, "share")).to_double(), {}};
  if (noise.HasMember("rho")) found.enough = Budget::zcdp(Rational::parse(text_of(noise, "rho")));
  if (noise.HasMember("epsilon")) found.enough = Budget::pure(Exponent::parse(text_of(noise, "epsilon")));
  return found;
}

/// `common`: the receipt, which tells what ran when it was the same for all.
Receipt::Group group_of(const Json& group, const Json& common) {
  const Json& run = group.HasMember("mechanism") ? group : common;
  const bool has_options = run.HasMember("options");
  const auto option = [&](const char* name) { return has_options ? text_of(run["options"], name) : ""; };
  return {text_of(group, "key"),
          text_of(run, "mechanism"),
          option("reason"),
          option("granularity"),
          option("heaping"),
          quantiles_of(group["quantiles"]),
          spent_of(run),
          noise_of(group.HasMember("mostly_noise") ? group : common),
          !option("selected").empty()};
}

std::vector<Receipt::Group> groups_of(const Json& json) {
  if (!json.HasMember("groups")) return {group_of(json, json)};
  std::vector<Receipt::Group> groups;
  for (const Json& group : json["groups"].GetArray()) groups.push_back(group_of(group, json));
  return groups;
}

std::vector<NamedTable> tables_of(const Json& source) {
  std::vector<NamedTable> tables;
  if (!source.HasMember("tables")) return tables;
  for (const Json& table : source["tables"].GetArray()) {
    tables.push_back({text_of(table, "name"), text_of(table, "file")});
  }
  return tables;
}

std::vector<std::string> declared_of(const Json& source) {
  std::vector<std::string> declared;
  if (!source.HasMember("declared")) return declared;
  for (const Json& each : source["declared"].GetArray())
    declared.emplace_back(each.GetString(), each.GetStringLength());
  return declared;
}

std::vector<std::string> missing_of(const Json& source) {
  std::vector<std::string> missing;
  if (!source.HasMember("missing")) return missing;
  for (const Json& text : source["missing"].GetArray()) missing.emplace_back(text.GetString(), text.GetStringLength());
  return missing;
}

SourceDescription source_of(const Json& json) {
  const Json& source = json["source"];
  return {text_of(source, "file"), text_of(source, "sql"),    text_of(source, "column"),
          text_of(source, "null"), text_of(source, "engine"), text_of(source, "person"),
          text_of(json, "by"),     tables_of(source),         text_of(source, "sql_stability"),
          declared_of(source),     missing_of(source),        text_of(source, "unreadable")};
}

ValueKind kind_of(const Json& lattice) {
  return lattice.HasMember("kind") ? value_kind_of(text_of(lattice, "kind")).value() : ValueKind::number;
}

void require_values(const Receipt::Ends& ends, ValueKind kind) {
  for (const std::string& end : {ends.lower, ends.upper}) {
    if (!end.empty()) read_value(kind, end);
  }
}

/// Error(data) unless all values are of this kind: a date stands in text, which no schema reads.
Receipt with_values(Receipt receipt) {
  for (const Receipt::Group& group : receipt.groups) {
    for (const Receipt::Published& each : group.quantiles) {
      read_value(receipt.kind, each.value);
      require_values(each.interval, receipt.kind);
      require_values(each.in_pairs, receipt.kind);
    }
  }
  return receipt;
}

/// Of a document that keeps the schema and has its numbers as texts.
Receipt receipt_of(const Json& json, const std::string& digest) {
  const Json& privacy = json["privacy"];
  const Json& worst = json["worst_case"];
  const Json* const intervals = json.HasMember("intervals") ? &json["intervals"] : nullptr;
  const bool has_entry = json.HasMember("ledger");
  return {text_of(json, "program"),
          groups_of(json),
          budget_of(privacy),
          text_of(privacy, "neighbors"),
          text_of(privacy, "records_per_person"),
          lattice_of(json["lattice"]),
          !json["lattice"].HasMember("candidates"),
          source_of(json),
          text_of(worst, "confidence"),
          text_of(worst, "rows"),
          text_of(worst, "together"),
          text_of(worst, "rounded"),
          text_of(worst, "without"),
          text_of(json, "public_records"),
          text_of(json, "unsafe_seed"),
          json.HasMember("bounds") ? text_of(json["bounds"], "share") : "",
          digest,
          intervals ? text_of(*intervals, "level") : "",
          intervals ? text_of(*intervals, "of") : "",
          intervals && (*intervals)["together"].GetBool(),
          kind_of(json["lattice"]),
          has_entry ? text_of(json["ledger"], "entry") : "",
          has_entry ? text_of(json["ledger"], "token") : "",
          json.HasMember("bounds") ? text_of(json["bounds"], "enough_records") : ""};
}

}  // namespace

std::vector<std::string> Receipt::keys() const {
  std::vector<std::string> keys;
  if (source.by.empty()) return keys;
  for (const Group& group : groups) keys.push_back(group.key);
  return keys;
}

std::optional<NoiseInWords> Receipt::noise() const {
  std::vector<std::optional<MostlyNoise>> noises;
  std::vector<std::string> names;
  for (const Group& group : groups) {
    noises.push_back(group.noise);
    names.push_back(group.key);
  }
  return in_words(noises, names);
}

Receipt read_receipt(const std::string& text, const std::string& name) {
  rapidjson::Document document;
  parse(document, text, name);
  require_schema(document, name);
  const std::string digest = report_detail::intact_digest(text);
  if (digest.empty()) {
    throw Error(ErrorCode::data, fmt::format("'{}' is not as it was written: its hash does not fit", name),
                "it was changed or damaged; take the original, or the copy in a ledger");
  }
  rapidjson::Document with_texts;
  with_texts.Parse<flags | rapidjson::kParseNumbersAsStringsFlag>(text.data(), text.size());
  try {
    return with_values(receipt_of(with_texts, digest));
  } catch (const Error& error) {
    refuse(name, error.what_words());
  }
}

}  // namespace fractile
