#include "source/engine/sql_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"

namespace fractile::source_detail {
namespace {

const SqlNode absent;

/// Parses constants exactly. Only for the engine's JSON: for 0E144 and the like, which the engine does not write, RapidJSON would
/// count zeros one by one.
constexpr unsigned exact = rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag;

std::string text_from(const Session& connection, const std::string& sql) {
  ResultStream result = connection.query(sql, {CellType::text});
  const std::optional<Chunk> chunk = result.next();
  if (!chunk || chunk->column(0).is_null(0)) throw Error(ErrorCode::internal, "the engine returned no tree");
  return std::string(chunk->column(0).text(0));
}

std::string serialized(const Session& connection, const std::string& sql) {
  return text_from(connection, "SELECT CAST(json_serialize_sql(" + quote_literal(sql) + ") AS VARCHAR)");
}

std::string written(const SqlNode& node) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  node.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

/// Whether both are the same, except for places in the text.
bool are_same(const SqlNode& one, const SqlNode& other) {
  if (one.IsArray() && other.IsArray()) {
    return std::equal(one.Begin(), one.End(), other.Begin(), other.End(), are_same);
  }
  if (!one.IsObject() || !other.IsObject()) return one == other;
  const auto is_place = [](const auto& member) { return member.name == "query_location"; };
  const auto places = [&](const SqlNode& node) {
    return std::count_if(node.MemberBegin(), node.MemberEnd(), is_place);
  };
  if (one.MemberCount() - places(one) != other.MemberCount() - places(other)) return false;
  return std::all_of(one.MemberBegin(), one.MemberEnd(), [&](const auto& member) {
    if (is_place(member)) return true;
    const auto found = other.FindMember(member.name);
    return found != other.MemberEnd() && are_same(member.value, found->value);
  });
}

/// Replaces constants of two types, which the engine would write in a form that is read as another type, by casts of texts.
void spell_constants(SqlNode& node, SqlDocument::AllocatorType& allocator) {
  if (node.IsArray()) {
    for (SqlNode& each : node.GetArray()) spell_constants(each, allocator);
  }
  if (!node.IsObject()) return;
  if (text_of(node, "class") != "CONSTANT") {
    for (auto& member : node.GetObject()) spell_constants(member.value, allocator);
    return;
  }
  const SqlNode& value = member_of(node, "value");
  const std::string type(text_of(member_of(value, "type"), "id"));
  const SqlNode& which = member_of(value, "value");
  std::string spelled;
  if (type == "BOOLEAN" && which.IsBool()) spelled = which.GetBool() ? "t" : "f";
  if (type == "DOUBLE" && which.IsNumber()) spelled = fmt::format("{}", which.GetDouble());
  if (spelled.empty()) return;
  node["value"]["type"]["id"].SetString("VARCHAR");
  node["value"]["value"] = text_node(spelled, allocator);
  make_cast(node, type, allocator);
}

[[noreturn]] void refuse_several() {
  throw Error(ErrorCode::usage, "the query is not one SELECT", "write a single SELECT ... FROM input", "sql");
}

void require_no_error(const SqlNode& tree) {
  if (is_absent(member_of(tree, "error"))) return;
  const std::string message(text_of(tree, "error_message"));
  if (message.find("Only SELECT") != std::string::npos) refuse_several();
  throw Error(ErrorCode::usage, "the query was refused: " + message, "correct the query", "sql");
}

/// Whether the tree is SELECT * FROM (query): then no part of the text escapes from the parentheses.
bool stands_alone(const SqlTree& wrapped, const SqlTree& alone) {
  const SqlNode& from = member_of(wrapped.query(), "from_table");
  if (text_of(from, "type") != "SUBQUERY") return false;
  if (!unknown_member(wrapped.query(), {"type", "select_list", "from_table", "aggregate_handling"}).empty())
    return false;
  return text_of(member_of(member_of(from, "subquery"), "node"), "type") == text_of(alone.query(), "type");
}

}  // namespace

template <unsigned flags>
SqlTree SqlTree::parsed(std::string_view json) {
  SqlTree tree;
  tree.document_.Parse<flags>(json.data(), json.size());
  if (tree.document_.HasParseError()) throw Error(ErrorCode::internal, "the engine's tree of the query is not JSON");
  require_no_error(tree.document_);
  const SqlNode& statements = member_of(tree.document_, "statements");
  if (!statements.IsArray() || statements.Size() != 1) refuse_several();
  return tree;
}

SqlTree SqlTree::of(const Session& connection, std::string_view sql) {
  SqlTree alone = parsed<exact>(serialized(connection, std::string(sql)));
  const SqlTree wrapped = parsed<exact>(serialized(connection, "SELECT * FROM " + in_parentheses(sql)));
  if (!stands_alone(wrapped, alone)) refuse_several();
  return alone;
}

SqlTree SqlTree::of_json(std::string_view json) { return parsed<rapidjson::kParseIterativeFlag>(json); }

const SqlNode& SqlTree::query() const { return member_of(member_of(document_, "statements")[0], "node"); }

SqlDocument SqlTree::copy() const {
  SqlDocument document;
  document.CopyFrom(document_, document.GetAllocator());
  return document;
}

std::string written_sql(const Session& connection, const SqlDocument& tree) {
  return text_from(connection, "SELECT json_deserialize_sql(CAST(" + quote_literal(written(tree)) + " AS JSON))");
}

std::string sql_of(const Session& connection, const SqlDocument& tree) {
  SqlDocument spelled;
  spelled.CopyFrom(tree, spelled.GetAllocator());
  spell_constants(spelled, spelled.GetAllocator());
  const std::string sql = written_sql(connection, spelled);
  SqlDocument again;
  const std::string json = serialized(connection, sql);
  again.Parse<exact>(json.data(), json.size());
  if (again.HasParseError() || !are_same(spelled, again)) {
    throw Error(ErrorCode::internal, "the engine writes the query as another one",
                "write it in simpler words, and report this");
  }
  return sql;
}

SqlNode text_node(const std::string& text, SqlDocument::AllocatorType& allocator) {
  return {text.data(), static_cast<rapidjson::SizeType>(text.size()), allocator};
}

SqlNode new_expression(const char* kind, const char* type, SqlDocument::AllocatorType& allocator) {
  constexpr std::uint64_t nowhere = ~std::uint64_t{0};  // the engine's place of a part that is not in a text
  SqlNode node(rapidjson::kObjectType);
  node.AddMember("class", rapidjson::StringRef(kind), allocator);
  node.AddMember("type", rapidjson::StringRef(type), allocator);
  node.AddMember("alias", "", allocator);
  node.AddMember("query_location", nowhere, allocator);
  return node;
}

void make_cast(SqlNode& node, const std::string& type, SqlDocument::AllocatorType& allocator) {
  SqlNode inner = std::move(node);
  node = new_expression("CAST", "OPERATOR_CAST", allocator);
  if (const SqlNode& alias = member_of(inner, "alias"); !is_absent(alias)) std::swap(node["alias"], inner["alias"]);
  SqlNode cast_type(rapidjson::kObjectType);
  cast_type.AddMember("id", text_node(type, allocator), allocator);
  cast_type.AddMember("type_info", SqlNode(), allocator);
  node.AddMember("child", inner, allocator);
  node.AddMember("cast_type", cast_type, allocator);
  node.AddMember("try_cast", false, allocator);
}

std::string in_parentheses(std::string_view sql) {
  const std::size_t last = sql.find_last_not_of("; \t\r\n");
  const std::string_view query = sql.substr(0, last == std::string_view::npos ? 0 : last + 1);
  return "(" + std::string(query) + "\n)";  // the line end closes a comment
}

const SqlNode& member_of(const SqlNode& node, const char* name) {
  if (!node.IsObject()) return absent;
  const auto found = node.FindMember(name);
  return found == node.MemberEnd() ? absent : found->value;
}

std::string_view text_of(const SqlNode& node, const char* name) {
  const SqlNode& member = member_of(node, name);
  return member.IsString() ? std::string_view(member.GetString(), member.GetStringLength()) : std::string_view();
}

bool is_join(const SqlNode& from) { return text_of(from, "type") == "JOIN"; }

std::vector<std::string> texts_of(const SqlNode& list) {
  std::vector<std::string> texts;
  if (!list.IsArray()) return texts;
  for (const SqlNode& each : list.GetArray()) {
    if (each.IsString()) texts.emplace_back(each.GetString(), each.GetStringLength());
  }
  return texts;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool is_absent(const SqlNode& node) {
  if (node.IsNull() || node.IsFalse()) return true;
  if (node.IsString()) return node.GetStringLength() == 0;
  if (node.IsArray()) return node.Empty();
  if (!node.IsObject()) return false;
  return std::all_of(node.MemberBegin(), node.MemberEnd(), [](const auto& member) {
    return member.value.IsNull() || (member.value.IsArray() && member.value.Empty());
  });
}

std::string_view unknown_member(const SqlNode& node, std::initializer_list<std::string_view> known) {
  if (!node.IsObject()) return "?";
  for (const auto& member : node.GetObject()) {
    const std::string_view name(member.name.GetString(), member.name.GetStringLength());
    if (std::ranges::find(known, name) == known.end() && !is_absent(member.value)) return name;
  }
  return {};
}

}  // namespace fractile::source_detail
