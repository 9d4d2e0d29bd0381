#include "requests/toml_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "exact/lists.hpp"
#include "report/text/shown_text.hpp"
#include "requests/text_file.hpp"
#include "requests/toml_text.hpp"

namespace fractile::requests {
namespace {

constexpr std::string_view toml_mark = "\xEF\xBB\xBF";

std::string described(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// The number of bytes that this many characters take.
std::size_t bytes_of(std::string_view line, std::size_t characters) {
  std::size_t at = 0;
  for (; characters > 0 && at < line.size(); --characters) {
    ++at;
    while (at < line.size() && continues_character(line[at])) ++at;
  }
  return at;
}

/// A number such as "1_000.5" in the form that Rational::parse() takes.
std::string plain_number(std::string_view written) {
  std::string text(written.substr(0, written.find_first_not_of("0123456789+-_.eE")));
  std::erase(text, '_');
  std::erase(text, '+');
  return text;
}

/// A date such as "2024-01-31", without what may follow a value on the line.
std::string plain_date(std::string_view written) {
  std::string text(written.substr(0, written.find_first_of(",]}#\r")));
  text.erase(text.find_last_not_of(" \t") + 1);
  return text;
}

/// Why a text is not TOML, and what to write.
struct Fault {
  std::string what;
  std::string hint;
};

/// The fault in words that quote at most a key: a key that stands there twice.
Fault unquoted_fault(std::string_view description, const std::string& help) {
  constexpr std::string_view redefined = "cannot redefine existing ";
  if (const std::size_t at = description.find(redefined); at != std::string_view::npos) {
    const std::size_t first = description.find('\'', at);
    const std::size_t last = description.rfind('\'');
    if (first == last) return {"a key is written twice", "write each key once"};
    std::string key(description.substr(first + 1, last - first - 1));
    key.erase(key.find_last_not_of(" \t") + 1);
    return {fmt::format("'{}' is written twice", key), "write each key once"};
  }
  if (description.find("parsing date") != std::string_view::npos ||
      description.find("parsing time") != std::string_view::npos) {
    return {"there is no such date or time", "write a date as 2024-02-29, and a time as 2024-02-29T17:00:00Z"};
  }
  return {"this is not TOML",
          "a TOML file is expected, with texts and fractions in quotes and decimals after a point; " + help};
}

}  // namespace

// --- The file --------------------------------------------------------------------------------------------------------

TomlFile::TomlFile(std::string name, std::string text, std::string help, Quoting quoting)
    : name_(std::move(name)), text_(std::move(text)), help_(std::move(help)) {
  if (text_.starts_with(toml_mark)) text_.erase(0, toml_mark.size());
  try {
    root_ = parsed_toml(text_, name_);
  } catch (const toml::parse_error& error) {
    const std::string where = fmt::format("{}:{}: ", name_, std::max(1U, error.source().begin.line));
    if (!is_utf8(text_)) refuse(where + "this is not UTF-8 text", "save the file as UTF-8");
    const Fault fault = unquoted_fault(error.description(), help_);
    refuse(where + (quoting == Quoting::allowed ? std::string(error.description()) : fault.what), fault.hint);
  }
}

TomlFile TomlFile::read(const std::string& name, std::size_t most, std::string help, Quoting quoting) {
  TextFile file = read_text(name, most);
  if (!file.trouble.empty()) {
    throw Error(ErrorCode::data, fmt::format("cannot open {}: {}", name, file.trouble), "check the path");
  }
  return {name, std::move(file.text), std::move(help), quoting};
}

Item TomlFile::root() const { return {*this, "", root_}; }

std::string TomlFile::beside(const std::string& path) const {
  return (std::filesystem::path(name_).parent_path() / path).string();
}

void TomlFile::refuse(const Words& what, const Words& hint) const {
  throw Error(ErrorCode::data, what, hint.empty() ? Words(help_) : hint, "");
}

std::string_view TomlFile::written_from(const toml::source_position& begin) const {
  std::string_view rest = text_;
  for (std::size_t line = 1; line < begin.line; ++line) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  rest = rest.substr(0, rest.find('\n'));
  return rest.substr(bytes_of(rest, std::max(1U, begin.column) - 1));
}

// --- Its values ------------------------------------------------------------------------------------------------------

void Item::refuse_at(const toml::source_region& source, const std::string& key, const Words& what,
                     const Words& hint) const {
  file_->refuse(
      {fmt::format("{}:{}: {}{}", file_->name(), std::max(1U, source.begin.line), key, key.empty() ? "" : ": "), what},
      hint);
}

std::string choose_hint(const std::string& word, const std::vector<std::string>& known) {
  const std::string nearest = word.empty() ? std::string() : nearest_word(word, known);
  return nearest.empty() ? "choose one of " + joined(known) : "did you mean " + nearest + "?";
}

void Item::refuse_word(const std::string& word, const std::vector<std::string>& known) const {
  refuse("'" + word + "' is not known", choose_hint(word, known));
}

void Item::refuse_kind(const char* wanted, const Words& hint) const {
  refuse(std::string(wanted) + " is expected, and this is " + described(*node_), hint);
}

/// The decimals as they are written, rather than the nearest binary fraction.
Rational Item::written_number() const {
  const double nearest = node_->as_floating_point()->get();
  if (!std::isfinite(nearest)) {
    refuse(fmt::format("{} is not a number", nearest), "write a number, 2 or 0.5, or in quotes a fraction: \"1/2\"");
  }
  const Rational value =
      checked([&] { return Rational::parse(plain_number(file_->written_from(node_->source().begin))); });
  if (value.to_double() != nearest) {
    throw Error(ErrorCode::internal, fmt::format("{}: a number was not found where it is written", file_->name()));
  }
  return value;
}

Rational Item::number() const {
  if (const auto* whole = node_->as_integer()) return {whole->get()};
  if (const auto* text = node_->as_string()) {
    return checked([&] { return Rational::parse(text->get()); });
  }
  if (node_->is_floating_point()) return written_number();
  refuse_kind("a number", "write a number, 2 or 0.5, or in quotes a fraction: \"1/2\"");
}

std::size_t Item::whole_number(std::int64_t least, std::int64_t most) const {
  const Rational value = number();
  if (!value.is_integer() || value < Rational(least) || value > Rational(most)) {
    refuse(fmt::format("{} is not a whole number from {} to {}", value.to_string(), least, most),
           fmt::format("write for example {}", std::max<std::int64_t>(least, 2)));
  }
  return static_cast<std::size_t>(value.to_int64());
}

bool Item::flag() const {
  if (const auto* truth = node_->as_boolean()) return truth->get();
  refuse_kind("true or false", "write true or false, without quotes");
}

std::string Item::word(const std::string& example) const {
  const auto* const text = node_->as_string();
  if (text == nullptr) refuse_kind("a text", "write it in quotes, for example \"" + example + "\"");
  if (text->get().empty()) refuse("an empty text", "write for example \"" + example + "\"");
  return text->get();
}

std::string Item::path() const {
  const auto* const text = node_->as_string();
  if (text == nullptr) refuse_kind("a path", R"(write for example "codes.csv")");
  if (text->get().empty()) refuse("an empty text", R"(write for example "codes.csv")");
  return file_->beside(text->get());
}

const toml::array& Item::array() const {
  const toml::array* const list = node_->as_array();
  if (list == nullptr) refuse_kind("a list", "write for example [0, 1]");
  return *list;
}

const toml::table& Item::table() const {
  const toml::table* const table = node_->as_table();
  if (table == nullptr) refuse_kind("a table", "");
  return *table;
}

std::vector<Item> Item::items() const {
  const toml::array& list = array();
  return tabulated(list.size(), [&](std::size_t i) { return Item(*file_, fmt::format("{}[{}]", key_, i), list[i]); });
}

std::vector<Rational> Item::numbers() const {
  return mapped(items(), [](const Item& item) { return item.number(); });
}

std::string Item::entry() const {
  if (const auto* text = node_->as_string()) return text->get();
  if (node_->is_date() || node_->is_date_time()) return plain_date(file_->written_from(node_->source().begin));
  const Rational value = number();
  return value.is_decimal() ? value.to_decimal() : value.to_string();
}

std::string Item::one_entry() const {
  if (is_list() || is_table() || node_->is_boolean()) {
    refuse_kind("one text, number or date", "write a text in quotes, or a number or a date without quotes");
  }
  return entry();
}

void Item::require_keys(const std::vector<std::string>& keys) const {
  if (!is_table()) refuse_kind("a table", "write the keys " + joined(keys));
  for (const auto& [key, value] : table()) {
    const std::string name(key.str());
    if (std::ranges::find(keys, name) != keys.end()) continue;
    refuse_at(key.source(), key_of(name), "unknown key", choose_hint(name, keys));
  }
}

std::optional<Item> Item::find(const std::string& key) const {
  const toml::node* const node = table().get(key);
  if (node == nullptr) return {};
  return Item(*file_, key_of(key), *node);
}

void Item::refuse_member(const std::string& key, const Words& what, const Words& hint) const {
  if (const std::optional<Item> member = find(key)) member->refuse(what, hint);
}

Item Item::need(const std::string& key, const std::string& example) const {
  std::optional<Item> found = find(key);
  if (!found) refuse_at(node_->source(), key_of(key), "missing", "write for example " + example);
  return *std::move(found);
}

std::vector<std::pair<std::string, Item>> Item::members() const {
  struct Written {
    toml::source_position at;
    std::string key;
    const toml::node* node;
  };
  std::vector<Written> written;
  for (const auto& [key, value] : table()) written.push_back({key.source().begin, std::string(key.str()), &value});
  std::ranges::sort(written, [](const Written& a, const Written& b) { return a.at < b.at; });
  std::vector<std::pair<std::string, Item>> members;
  for (const auto& [at, key, node] : written) members.emplace_back(key, Item(*file_, key_of(key), *node));
  return members;
}

}  // namespace fractile::requests
