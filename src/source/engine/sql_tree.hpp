// A query as the engine's parser reads it: the tree of json_serialize_sql, and small functions for reading it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "libraries/rapidjson.hpp"
#include "source/engine/engine.hpp"

namespace fractile::source_detail {

using SqlNode = rapidjson::Value;
/// A whole tree that can be changed.
using SqlDocument = rapidjson::Document;

class SqlTree {
 public:
  /// Has the engine parse the query, without binding or running it. Throws `usage` unless it is one SELECT, and the same SELECT
  /// when it is put in parentheses. Throws EngineFailure.
  static SqlTree of(const Session& connection, std::string_view sql);
  /// For JSON that json_serialize_sql returned; its constants may be off in the last bit. Throws `usage` unless it holds one query.
  static SqlTree of_json(std::string_view json);

  /// The query's node: a SELECT, or several put together by UNION and the like.
  const SqlNode& query() const;
  /// A copy of the tree that can be changed.
  SqlDocument copy() const;

 private:
  SqlTree() = default;
  /// As of_json(); `flags` are RapidJSON's.
  template <unsigned flags>
  static SqlTree parsed(std::string_view json);

  rapidjson::Document document_;
};

/// The text of the query as the engine writes it. Throws EngineFailure.
std::string written_sql(const Session& connection, const SqlDocument& tree);
/// The text of a query that the engine's parser reads as exactly this tree, except that doubles and truth values are casts of
/// texts. Throws `internal` when the engine reads its text as another tree. Throws EngineFailure.
std::string sql_of(const Session& connection, const SqlDocument& tree);

SqlNode text_node(const std::string& text, SqlDocument::AllocatorType& allocator);
/// A new expression of this class and type, without a place in a text. Both strings must outlive the tree.
SqlNode new_expression(const char* kind, const char* type, SqlDocument::AllocatorType& allocator);
/// Replaces the node by CAST(node AS type), with the node's alias.
void make_cast(SqlNode& node, const std::string& type, SqlDocument::AllocatorType& allocator);

/// The query in parentheses.
std::string in_parentheses(std::string_view sql);

/// The member, or JSON's null.
const SqlNode& member_of(const SqlNode& node, const char* name);
/// The member when it is text, or "".
std::string_view text_of(const SqlNode& node, const char* name);
/// The texts of a list.
std::vector<std::string> texts_of(const SqlNode& list);
bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words);
/// Whether an entry of FROM is a join.
bool is_join(const SqlNode& from);
/// Whether a part of a query is absent. The tree represents this by null, false, "", or something that only holds these.
bool is_absent(const SqlNode& node);
/// The first member that is not absent and not among `known`, or "".
std::string_view unknown_member(const SqlNode& node, std::initializer_list<std::string_view> known);

/// More levels than any hand-written query has. Recursion into deeper trees could exhaust the stack.
inline constexpr int deepest_tree = 1000;

}  // namespace fractile::source_detail
