#include "source/entries/postgres_plan.hpp"

#include <algorithm>
#include <vector>

#include "fractile/error.hpp"
#include "libraries/rapidjson.hpp"
#include "source/engine/sql_tree.hpp"
#include "source/files/row_wise.hpp"

namespace fractile::source_detail {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::usage, "the server would do more than read the table: its plan has " + what,
              declare_hint("read from an ordinary table"), "sql");
}

struct Token {
  enum class Kind { name, number, symbol };
  Kind kind;
  std::string text;
  bool is_quoted = false;
};

/// Splits an expression, as the server writes it, into tokens. Refuses everything except names, whole numbers and a few symbols.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {
    while (at_ < text_.size()) {
      if (text_[at_] == ' ') {
        ++at_;
      } else {
        take();
      }
    }
  }
  const std::vector<Token>& all() const { return tokens_; }

 private:
  static bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c < 0; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  void take() {
    const char first = text_[at_];
    if (first == '"') return quoted();
    if (begins_name(first))
      return word(Token::Kind::name, [](char c) { return begins_name(c) || is_digit(c) || c == '$'; });
    if (is_digit(first)) return word(Token::Kind::number, is_digit);
    for (const std::string_view symbol : {"::", "<=", "(", ")", "."}) {
      if (!text_.substr(at_).starts_with(symbol)) continue;
      tokens_.push_back({Token::Kind::symbol, std::string(symbol)});
      at_ += symbol.size();
      return;
    }
    refuse("an expression that is not known here");
  }

  template <class Belongs>
  void word(Token::Kind kind, Belongs belongs) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    tokens_.push_back({kind, std::string(text_.substr(begin, at_ - begin))});
  }

  void quoted() {
    std::string name;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        if (at_ == text_.size() || text_[at_] != '"') {
          tokens_.push_back({Token::Kind::name, std::move(name), true});
          return;
        }
      }
      name += text_[at_];
    }
    refuse("a name without its end");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

class Plan {
 public:
  explicit Plan(const PlainNames& names) : names_(names) {}

  void node(const SqlNode& node, int depth) const {
    if (depth > deepest_tree) refuse("too many levels");
    if (!node.IsObject()) refuse("no node where one is expected");
    const std::string_view type = text_of(node, "Node Type");
    if (!is_one_of(type, {"Seq Scan", "Append", "Result"})) refuse("the step '" + std::string(type) + "'");
    for (const auto& member : node.GetObject()) {
      this->member(node, {member.name.GetString(), member.name.GetStringLength()}, member.value, depth);
    }
    const bool is_scan = type == "Seq Scan";
    const bool is_of_listed_table =
        names_.tables.contains({std::string(text_of(node, "Schema")), std::string(text_of(node, "Relation Name"))});
    if (is_scan && !is_of_listed_table) refuse("a table that is not the query's");
  }

 private:
  void member(const SqlNode& node, std::string_view name, const SqlNode& value, int depth) const {
    if (name == "Plans") {
      if (!value.IsArray()) refuse("no list of steps");
      for (const SqlNode& each : value.GetArray()) this->node(each, depth + 1);
    } else if (name == "Output") {
      if (!value.IsArray()) refuse("no list of columns");
      for (const SqlNode& each : value.GetArray()) {
        if (!each.IsString()) refuse("a column without a name");
        expression({each.GetString(), each.GetStringLength()});
      }
    } else if (name == "One-Time Filter") {  // for a table without any part
      if (!value.IsString() || std::string_view(value.GetString()) != "false") refuse("a condition");
    } else if (name == "Parent Relationship") {
      if (!is_one_of(text_of(node, "Parent Relationship"), {"Member", "Outer"})) refuse("a step beside the others");
    } else if (!is_one_of(name, {"Node Type", "Parallel Aware", "Async Capable", "Relation Name", "Schema", "Alias",
                                 "Subplans Removed", "Disabled", "Disabled Nodes"})) {
      refuse("'" + std::string(name) + "'");
    }
  }

  /// Accepts columns, and CASE WHEN octet_length(COLUMN) <= N THEN COLUMN ELSE NULL::TYPE END. A column of a domain is cast to the type
  /// below it: THEN (COLUMN)::TYPE.
  void expression(std::string_view text) const {
    const Tokens tokens(text);
    const std::vector<Token>& all = tokens.all();
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (all[k].kind != Token::Kind::name) continue;
      const bool is_called = k + 1 < all.size() && all[k + 1].text == "(" && all[k + 1].kind == Token::Kind::symbol;
      if (!is_allowed(all[k], is_called)) refuse("the name " + all[k].text);
    }
  }

  bool is_allowed(const Token& name, bool is_called) const {
    const bool is_word = !name.is_quoted && is_one_of(name.text, {"CASE", "WHEN", "THEN", "ELSE", "END", "NULL"});
    if (is_called && is_word) return is_one_of(name.text, {"WHEN", "THEN"});
    if (is_called) return !name.is_quoted && name.text == "octet_length";
    if (is_word || names_.columns.contains(name.text)) return true;
    return !name.is_quoted &&
           (is_one_of(name.text, {"text", "character", "varying", "bpchar"}) || name.text.starts_with("records"));
  }

  const PlainNames& names_;
};

}  // namespace

void require_plain_plan(std::string_view explained, const PlainNames& names) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(explained.data(), explained.size());
  if (document.HasParseError() || !document.IsArray() || document.Size() != 1) refuse("a form that is not known here");
  if (!unknown_member(document[0], {"Plan", "Query Identifier"}).empty()) refuse("more than one part");
  Plan(names).node(member_of(document[0], "Plan"), 0);
}

}  // namespace fractile::source_detail
