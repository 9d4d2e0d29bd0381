#include "fractile/error.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "exact/lists.hpp"
#include "exact/shell_word.hpp"
#include "exact/wording.hpp"

namespace fractile {
namespace {

constexpr std::string_view digits = "0123456789";

std::string_view after(std::string_view text, std::string_view any_of) {
  return text.substr(std::min(text.find_first_not_of(any_of), text.size()));
}

/// Whether the text is a number like 1, -0.5 or 1e-6, which means the same in every syntax.
bool is_literal(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  std::string_view rest = after(text, digits);
  if (rest.size() == text.size()) return false;
  if (rest.starts_with('.')) rest = after(rest.substr(1), digits);
  if (!rest.starts_with('e')) return rest.empty();
  rest.remove_prefix(1);
  if (rest.starts_with('-')) rest.remove_prefix(1);
  return !rest.empty() && after(rest, digits).empty();
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string option_of(const std::string& name) {
  std::string option = "--" + name;
  std::ranges::replace(option, '_', '-');
  return option;
}

}  // namespace

std::string shell_word(const std::string& text) {
  constexpr std::string_view syntax = " \t\n\"'$`\\!*?[]{}()<>|&;#~";
  if (!text.empty() && text.find_first_of(syntax) == std::string::npos) return text;
  if (text.find(' ') != std::string::npos && text.find_first_of("\"$`\\!") == std::string::npos)
    return '"' + text + '"';
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string shell_path(const std::string& path) { return shell_word(path.starts_with('-') ? "./" + path : path); }

// --- Fields ----------------------------------------------------------------------------------------------------------

Field::Field(std::string name) : name_(std::move(name)) {}

Field Field::with(Shape shape, Kind kind, std::vector<std::string> values) const {
  Field field = *this;
  field.shape_ = shape;
  field.kind_ = kind;
  field.values_ = std::move(values);
  return field;
}

Field Field::number(std::string value) const { return with(Shape::one, Kind::number, {std::move(value)}); }
Field Field::number(std::uint64_t value) const { return number(std::to_string(value)); }
Field Field::text(std::string value) const { return with(Shape::one, Kind::text, {std::move(value)}); }
Field Field::blank(std::string value) const { return with(Shape::one, Kind::blank, {std::move(value)}); }

Field Field::pair(std::string lower, std::string upper) const {
  return with(Shape::pair, Kind::number, {std::move(lower), std::move(upper)});
}

Field Field::blanks(std::string lower, std::string upper) const {
  return with(Shape::pair, Kind::blank, {std::move(lower), std::move(upper)});
}

Field Field::range(std::string lower, std::string upper) const {
  return with(Shape::range, Kind::number, {std::move(lower), std::move(upper)});
}

Field Field::numbers(std::vector<std::string> values) const {
  return with(Shape::list, Kind::number, std::move(values));
}

Field Field::texts(std::vector<std::string> values) const { return with(Shape::list, Kind::text, std::move(values)); }

Field Field::entry(std::string name, std::string value) const {
  return with(Shape::entry, Kind::text, {std::move(name), std::move(value)});
}

Field Field::renamed(std::string name) const {
  Field field = *this;
  field.name_ = std::move(name);
  return field;
}

std::string Field::value_in(Wording wording) const {
  const auto each = [this](const std::string& value) {
    const bool is_bare = kind_ == Kind::blank || (kind_ == Kind::number && is_literal(value));
    return is_bare ? value : quoted(value);
  };
  const bool in_r = wording == Wording::r;
  const bool in_python = wording == Wording::python;
  const bool in_file = wording == Wording::file;
  std::string values = joined(values_, ", ", each);
  switch (shape_) {
    case Shape::pair:
    case Shape::range:
      return in_r        ? "c(" + values + ")"
             : in_python ? "(" + values + ")"
             : in_file   ? "[" + values + "]"
                         : "{" + values + "}";
    case Shape::list:
      return in_r ? "c(" + values + ")" : in_python || in_file ? "[" + values + "]" : "{" + values + "}";
    case Shape::entry:
      return in_r        ? "c(" + values_[0] + " = " + each(values_[1]) + ")"
             : in_python ? "{" + each(values_[0]) + ": " + each(values_[1]) + "}"
             : in_file   ? "{ " + values_[0] + " = " + each(values_[1]) + " }"
                         : "{" + values + "}";
    default:
      return values;
  }
}

std::string Field::in(Wording wording) const {
  if (wording != Wording::program) {
    const std::string name = wording == Wording::python && name_ == "from" ? "from_" : name_;  // a keyword of Python
    return shape_ == Shape::none ? name : name + (wording == Wording::python ? "=" : " = ") + value_in(wording);
  }
  const char* const between = shape_ == Shape::pair ? " " : shape_ == Shape::entry ? "=" : ",";
  const auto each = [&](const std::string& value) { return kind_ == Kind::blank ? value : shell_word(value); };
  if (shape_ == Shape::range) return option_of(name_) + " " + shell_word(joined(values_, "..", std::identity()));
  return option_of(name_) + (shape_ == Shape::none ? "" : " " + joined(values_, between, each));
}

// --- Words -----------------------------------------------------------------------------------------------------------

Words::Words(const char* text) : Words(std::string(text)) {}
Words::Words(std::string text) { add(std::move(text)); }
Words::Words(Field field) { add(std::move(field)); }

Words::Words(std::initializer_list<Words> pieces) {
  for (const Words& piece : pieces) {
    for (const Part& part : piece.parts_) add(part);
  }
}

void Words::add(const Part& part) {
  const auto* const text = std::get_if<std::string>(&part);
  if (text != nullptr && text->empty()) return;
  auto* const before = parts_.empty() ? nullptr : std::get_if<std::string>(&parts_.back());
  if (text != nullptr && before != nullptr) {
    *before += *text;
  } else {
    parts_.push_back(part);
  }
}

std::string Words::in(Wording wording) const {
  std::string result;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (const auto* const field = std::get_if<Field>(&parts_[i])) {
      result += field->in(wording);
      continue;
    }
    const auto& text = std::get<std::string>(parts_[i]);
    const bool is_between = i > 0 && i + 1 < parts_.size() && text == " " && wording != Wording::program;
    result += is_between ? ", " : text;
  }
  return result;
}

std::string Words::to_string() const { return in(Wording::library); }

std::string Words::first_field() const {
  const auto* const field = parts_.empty() ? nullptr : std::get_if<Field>(&parts_.front());
  return field == nullptr ? "" : field->name();
}

Words Words::renamed(const std::string& from, const std::string& to) const {
  Words result = *this;
  for (Part& part : result.parts_) {
    auto* const field = std::get_if<Field>(&part);
    if (field != nullptr && field->name() == from) *field = field->renamed(to);
  }
  return result;
}

// --- Errors ----------------------------------------------------------------------------------------------------------

Error::Error(ErrorCode code, const Words& what, const Words& hint, std::optional<std::string> field)
    : std::runtime_error(what.to_string()),
      code_(code),
      what_words_(what),
      hint_words_(hint),
      hint_(hint.to_string()),
      field_(field ? *std::move(field) : what.first_field()) {}

}  // namespace fractile
