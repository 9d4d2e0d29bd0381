// Turns words into values for the options of several verbs. All errors are `usage` and name the field.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/privacy.hpp"
#include "fractile/release.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// Joins words to a text such as "a, b, c".
std::string joined(const std::vector<std::string>& words);

/// Joins words to a text such as "a,b,c", which words() reads.
std::string listed(const std::vector<std::string>& words);

/// Calls `parse`, and prefixes an error with the field that it came from, unless the error begins with that field.
template <class Parse>
auto in_field(const char* name, Parse&& parse) {
  try {
    return parse();
  } catch (const Error& error) {
    if (error.what_words().first_field() == name) throw;
    throw Error(error.code(), {Field(name), ": ", error.what_words()}, error.hint_words());
  }
}

/// The parts between separators; one empty part for an empty text.
std::vector<std::string> parts_between(const std::string& text, char separator);

/// The text without the spaces around it.
std::string_view without_spaces(std::string_view text);

/// The items between commas, without the spaces around them; throws `usage` when an item is empty.
std::vector<std::string> words(const std::string& text);

/// The numbers between commas.
std::vector<Rational> numbers(const std::string& text);

/// Reads `quantiles`: a list of numbers or a name such as quartiles. `fallback` is used when it is not given.
std::vector<Rational> quantiles_of(const Typed& typed, const std::string& fallback);
/// Quantiles with their names for QuantileQuery::names. Quantiles that were typed in decimals are shown in decimals.
struct NamedQuantiles {
  std::vector<Rational> quantiles;
  std::vector<std::string> names;
};
NamedQuantiles named_quantiles_of(const Typed& typed, const std::string& fallback);

/// Reads either `epsilon`, with or without `delta`, or `rho`.
Budget budget_of(const Typed& typed);

/// Reads `neighbors`.
Neighbors neighbors_of(const Typed& typed);
/// Reads `base`.
Base base_of(const Typed& typed);
/// Reads `records_per_person`; 1 if it is not given.
std::uint32_t records_per_person_of(const Typed& typed);
/// Reads `unsafe_seed`.
std::optional<std::uint64_t> seed_of(const Typed& typed);

/// The words that name the values of a choice.
template <class Value>
std::vector<std::string> words_of(const std::map<std::string, Value>& choices) {
  std::vector<std::string> words;
  words.reserve(choices.size());
  for (const auto& [word, value] : choices) words.push_back(word);
  return words;
}

/// All values of an enumeration, by the words that name them.
template <class All>
auto by_name(const All& all) {
  std::map<std::string, std::ranges::range_value_t<All>> choices;
  for (const auto value : all) choices.emplace(to_string(value), value);
  return choices;
}

/// The value for one of a few words; `fallback` if the field is not given.
template <class Value>
Value choice(const Typed& typed, const std::string& field, const std::map<std::string, Value>& choices,
             Value fallback) {
  if (!typed.has(field)) return fallback;
  const auto at = choices.find(typed.one(field));
  if (at != choices.end()) return at->second;
  usage({Field(field), ": '", typed.one(field), "' is not known"}, "choose one of " + joined(words_of(choices)));
}

/// How results are printed.
enum class Format { table, json, csv, html };

/// Whether a verb can print an HTML page.
enum class Pages { no, yes };

/// Reads `format`; `fallback` if it is not given.
Format format_of(const Typed& typed, Format fallback, Pages pages = Pages::no);

struct Range {
  std::uint64_t least;
  std::uint64_t most;
};

/// A whole number in decimal digits, from range.least to range.most.
std::uint64_t whole_number(const std::string& field, const std::string& text, Range range);
/// Reads the whole number of an option.
std::uint64_t whole_number(const Typed& typed, const std::string& field, Range range);
/// A whole number of bytes with its unit: 500MB, 2GB, 1TB (powers of 1000).
std::uint64_t bytes(const Typed& typed, const std::string& field, Range range);

}  // namespace fractile::requests
