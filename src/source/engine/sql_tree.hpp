// A query as the engine's own parser reads it: the tree of json_serialize_sql, and small words for looking into it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "libraries/rapidjson.hpp"
#include "source/engine/engine.hpp"

namespace fractile::source_detail {

using SqlNode = rapidjson::Value;
/// A whole tree, to be changed.
using SqlDocument = rapidjson::Document;

class SqlTree {
 public:
  /// Has the engine parse the query, without binding or running it. Throws `usage` unless it is one SELECT, and the
  /// same one in parentheses. Throws EngineFailure.
  static SqlTree of(const Connection& connection, std::string_view sql);
  /// For JSON as json_serialize_sql gives it; its constants may be off in the last bit. Throws `usage` unless it holds
  /// one query.
  static SqlTree of_json(std::string_view json);

  /// The query's node: a SELECT, or several put together by UNION and the like.
  const SqlNode& query() const;
  /// The same tree, to be changed.
  SqlDocument copy() const;

 private:
  SqlTree() = default;
  /// As of_json(); `flags` are RapidJSON's.
  template <unsigned flags>
  static SqlTree parsed(std::string_view json);

  rapidjson::Document document_;
};

/// The query as the engine writes it. Throws EngineFailure.
std::string written_sql(const Connection& connection, const SqlDocument& tree);
/// The text of a query that the engine's parser reads as this very tree, but that doubles and truth values are texts that are cast. Throws
/// `internal` when the engine's text is read as another tree. Throws EngineFailure.
std::string sql_of(const Connection& connection, const SqlDocument& tree);

SqlNode text_node(const std::string& text, SqlDocument::AllocatorType& allocator);
/// An expression of this class and type, which stands nowhere in a text. Both outlive the tree.
SqlNode new_expression(const char* kind, const char* type, SqlDocument::AllocatorType& allocator);
/// Makes CAST(node AS type) of it, which has its alias.
void make_cast(SqlNode& node, const std::string& type, SqlDocument::AllocatorType& allocator);

/// The query as it can stand in parentheses.
std::string in_parentheses(std::string_view sql);

/// The member, or JSON's null.
const SqlNode& member_of(const SqlNode& node, const char* name);
/// The member when it is text, or "".
std::string_view text_of(const SqlNode& node, const char* name);
/// The texts of a list.
std::vector<std::string> texts_of(const SqlNode& list);
bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words);
/// Whether what stands in FROM is one.
bool is_join(const SqlNode& from);
/// null, false, "", and what holds nothing else: how the tree says that a part of a query is not there.
bool is_absent(const SqlNode& node);
/// The first member that is there and none of these, or "".
std::string_view unknown_member(const SqlNode& node, std::initializer_list<std::string_view> known);

/// More levels than any query has that people write: what is deeper would take a walk deep into the stack.
inline constexpr int deepest_tree = 1000;

}  // namespace fractile::source_detail
