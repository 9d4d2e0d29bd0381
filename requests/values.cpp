#include "requests/values.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <utility>

#include "libraries/fmt.hpp"

namespace fractile::requests {

std::string joined(const std::vector<std::string>& words) { return fmt::to_string(fmt::join(words, ", ")); }

std::string listed(const std::vector<std::string>& words) { return fmt::to_string(fmt::join(words, ",")); }

std::vector<std::string> parts_between(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

namespace {

std::vector<Rational> evenly_spaced(std::int64_t parts) {
  std::vector<Rational> result;
  for (std::int64_t i = 1; i < parts; ++i) result.emplace_back(i, parts);
  return result;
}

const std::map<std::string, std::int64_t>& quantile_names() {
  static const std::map<std::string, std::int64_t> parts{
      {"median", 2}, {"quartiles", 4}, {"quintiles", 5}, {"deciles", 10}, {"percentiles", 100}};
  return parts;
}

[[noreturn]] void refuse_quantile_name(const std::string& text) {
  const std::vector<std::string> names = words_of(quantile_names());
  const std::string nearest = nearest_word(text, names);
  usage("'" + text + "' is neither a name nor a number",
        nearest.empty() ? "write fractions such as 0.1,1/2,0.9, or one of " + joined(names)
                        : "did you mean " + nearest + "?");
}

}  // namespace

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> items = parts_between(text, ',');
  for (std::string& item : items) item = std::string(without_spaces(item));
  if (std::ranges::count(items, "") > 0) {
    usage("the list '" + text + "' has an empty item", "write one comma between two numbers or names");
  }
  return items;
}

std::vector<Rational> numbers(const std::string& text) {
  std::vector<Rational> result;
  for (const std::string& item : words(text)) {
    if (item.find(' ') != std::string::npos)
      usage("'" + item + "' is not a number", "write commas between numbers: 1,2,3");
    result.push_back(Rational::parse(item));
  }
  return result;
}

std::vector<Rational> quantiles_of(const Typed& typed, const std::string& fallback) {
  return named_quantiles_of(typed, fallback).quantiles;
}

NamedQuantiles named_quantiles_of(const Typed& typed, const std::string& fallback) {
  return in_field("quantiles", [&] {
    NamedQuantiles all;
    bool in_decimals = false;
    for (const std::string& item : words(typed.one("quantiles", fallback))) {
      const auto named = quantile_names().find(item);
      const bool is_word = std::ranges::all_of(item, [](unsigned char c) { return std::isalpha(c) != 0; });
      if (named == quantile_names().end() && is_word) refuse_quantile_name(item);
      const bool is_decimal = named == quantile_names().end() && item.find_first_of(".eE") != std::string::npos;
      in_decimals = in_decimals || is_decimal;
      for (const Rational& each : named == quantile_names().end() ? numbers(item) : evenly_spaced(named->second)) {
        all.quantiles.push_back(each);
        all.names.push_back(is_decimal ? each.to_decimal() : each.to_string());
      }
    }
    if (!in_decimals) all.names.clear();
    return all;
  });
}

Budget budget_of(const Typed& typed) {
  if (typed.has("epsilon") == typed.has("rho")) {
    const Field epsilon("epsilon");
    const Field rho("rho");
    usage(typed.has("rho") ? Words{epsilon, " and ", rho, " are two measures of the same cost"} : "a budget is missing",
          {"write ", epsilon.number(1), " (pure) or ", rho.number("1/2"), " (zero-concentrated)"}, "");
  }
  if (typed.has("rho") && typed.has("delta")) usage({Field("delta"), " goes with ", Field("epsilon")}, "leave it out");
  if (typed.has("rho")) return in_field("rho", [&] { return Budget::zcdp(Rational::parse(typed.one("rho"))); });
  Budget pure = in_field("epsilon", [&] { return Budget::pure(Exponent::parse(typed.one("epsilon"))); });
  if (!typed.has("delta")) return pure;
  return in_field("delta", [&] { return Budget::approximate(pure.epsilon(), Rational::parse(typed.one("delta"))); });
}

Neighbors neighbors_of(const Typed& typed) {
  return choice<Neighbors>(typed, "neighbors",
                           {{"add-remove", Neighbors::add_remove}, {"change-one", Neighbors::change_one}},
                           Neighbors::add_remove);
}

Base base_of(const Typed& typed) {
  return choice<Base>(typed, "base", {{"uniform", Base::uniform}, {"adaptive", Base::adaptive}}, Base::by_mechanism);
}

std::uint32_t records_per_person_of(const Typed& typed) {
  if (!typed.has("records_per_person")) return 1;
  return static_cast<std::uint32_t>(whole_number(typed, "records_per_person", {1, 1'000'000'000}));
}

std::optional<std::uint64_t> seed_of(const Typed& typed) {
  if (!typed.has("unsafe_seed")) return {};
  return whole_number(typed, "unsafe_seed", {0, ~std::uint64_t{0}});
}

Format format_of(const Typed& typed, Format fallback, Pages pages) {
  std::map<std::string, Format> formats{{"table", Format::table}, {"json", Format::json}, {"csv", Format::csv}};
  if (pages == Pages::yes) formats.emplace("html", Format::html);
  return choice<Format>(typed, "format", formats, fallback);
}

std::uint64_t whole_number(const std::string& field, const std::string& text, Range range) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = failure == std::errc{} && end == text.data() + text.size();
  if (!whole || value < range.least || value > range.most) {
    usage({Field(field), fmt::format(": '{}' is not a whole number from {} to {}", text, range.least, range.most)},
          {"write for example ", Field(field).number(std::max<std::uint64_t>(1, range.least))});
  }
  return value;
}

std::uint64_t whole_number(const Typed& typed, const std::string& field, Range range) {
  return whole_number(field, typed.one(field), range);
}

std::uint64_t bytes(const Typed& typed, const std::string& field, Range range) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 3> units{
      {{"MB", 1'000'000}, {"GB", 1'000'000'000}, {"TB", 1'000'000'000'000}}};
  const std::string text = typed.one(field);
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto unit = std::ranges::find(units, std::string_view(end), &decltype(units)::value_type::first);
  const bool is_size = failure == std::errc{} && unit != units.end() && number <= range.most / unit->second;
  if (!is_size || number * unit->second < range.least) {
    usage({Field(field),
           fmt::format(": '{}' is not a whole number of MB, GB or TB from {} MB on", text, range.least / 1'000'000)},
          {"write for example ", Field(field).text("2GB")});
  }
  return number * unit->second;
}

}  // namespace fractile::requests
