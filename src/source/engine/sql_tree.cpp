#include "source/engine/sql_tree.hpp"

#include <algorithm>
#include <optional>

#include "fractile/error.hpp"

namespace fractile::source_detail {
namespace {

const SqlNode absent;

std::string serialized(const Connection& connection, const std::string& sql) {
  ResultStream result =
      connection.query("SELECT CAST(json_serialize_sql(" + quote_literal(sql) + ") AS VARCHAR)", {CellType::text});
  const std::optional<Chunk> chunk = result.next();
  if (!chunk || chunk->column(0).is_null(0)) throw Error(ErrorCode::internal, "the engine returned no tree");
  return std::string(chunk->column(0).text(0));
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

/// Whether the tree is SELECT * FROM (query): nothing of the text reaches out of the parentheses.
bool stands_alone(const SqlTree& wrapped, const SqlTree& alone) {
  const SqlNode& from = member_of(wrapped.query(), "from_table");
  if (text_of(from, "type") != "SUBQUERY") return false;
  if (!unknown_member(wrapped.query(), {"type", "select_list", "from_table", "aggregate_handling"}).empty())
    return false;
  return text_of(member_of(member_of(from, "subquery"), "node"), "type") == text_of(alone.query(), "type");
}

}  // namespace

SqlTree SqlTree::of(const Connection& connection, std::string_view sql) {
  SqlTree alone = of_json(serialized(connection, std::string(sql)));
  const SqlTree wrapped = of_json(serialized(connection, "SELECT * FROM " + in_parentheses(sql)));
  if (!stands_alone(wrapped, alone)) refuse_several();
  return alone;
}

SqlTree SqlTree::of_json(std::string_view json) {
  SqlTree tree;
  tree.document_.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
  if (tree.document_.HasParseError()) throw Error(ErrorCode::internal, "the engine's tree of the query is not JSON");
  require_no_error(tree.document_);
  const SqlNode& statements = member_of(tree.document_, "statements");
  if (!statements.IsArray() || statements.Size() != 1) refuse_several();
  return tree;
}

const SqlNode& SqlTree::query() const { return member_of(member_of(document_, "statements")[0], "node"); }

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

std::vector<std::string> texts_of(const SqlNode& list) {
  std::vector<std::string> texts;
  if (!list.IsArray()) return texts;
  for (const SqlNode& each : list.GetArray()) {
    if (each.IsString()) texts.emplace_back(each.GetString(), each.GetStringLength());
  }
  return texts;
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
