#include "source/files/row_growth.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "source/engine/sql_tree.hpp"
#include "source/files/columns.hpp"

namespace fractile::source_detail {
namespace {

using Rule = std::pair<std::string_view, Growth>;

// clang-format off
constexpr auto rules = std::to_array<Rule>({
    {"!~~", Growth::likeness},                     {"!~~*", Growth::likeness_again},
    {"+", Growth::like_arguments},                 {"->>", Growth::path},
    {"add", Growth::like_arguments},               {"array_extract", Growth::like_arguments},
    {"bin", Growth::eightfold},                    {"concat", Growth::like_arguments},
    {"concat_ws", Growth::joined},                 {"contains", Growth::searched},
    {"damerau_levenshtein", Growth::compared},     {"date_diff", Growth::part},
    {"date_part", Growth::part},                   {"date_sub", Growth::part},
    {"date_trunc", Growth::part},                  {"datediff", Growth::part},
    {"datepart", Growth::part},                    {"datesub", Growth::part},
    {"datetrunc", Growth::part},                   {"editdist3", Growth::compared},
    {"element_at", Growth::like_arguments},        {"greatest", Growth::like_arguments},
    {"hex", Growth::some_times},                   {"instr", Growth::searched},
    {"jaro_similarity", Growth::compared},         {"jaro_winkler_similarity", Growth::compared},
    {"json_array_length", Growth::path},           {"json_contains", Growth::compared},
    {"json_exists", Growth::path},                 {"json_extract", Growth::path},
    {"json_extract_path", Growth::path},           {"json_extract_path_text", Growth::path},
    {"json_extract_string", Growth::path},         {"json_type", Growth::path},
    {"json_value", Growth::path},                  {"lcase", Growth::some_times},
    {"least", Growth::like_arguments},             {"left", Growth::cut},
    {"levenshtein", Growth::compared},             {"list_element", Growth::like_arguments},
    {"list_extract", Growth::like_arguments},      {"list_pack", Growth::held},
    {"list_value", Growth::held},                  {"lower", Growth::some_times},
    {"lpad", Growth::padded},                      {"ltrim", Growth::like_arguments},
    {"map", Growth::held},                         {"map_extract", Growth::like_arguments},
    {"map_extract_value", Growth::like_arguments}, {"nullif", Growth::like_arguments},
    {"position", Growth::searched},                {"regexp_escape", Growth::some_times},
    {"regexp_extract", Growth::pattern},           {"regexp_full_match", Growth::pattern},
    {"regexp_matches", Growth::pattern},           {"regexp_replace", Growth::pattern_replaced},
    {"replace", Growth::replaced},                 {"reverse", Growth::like_arguments},
    {"right", Growth::cut},                        {"round", Growth::rounded},
    {"round_even", Growth::rounded},               {"roundbankers", Growth::rounded},
    {"row", Growth::held},                         {"rpad", Growth::padded},
    {"rtrim", Growth::like_arguments},             {"split", Growth::pieces},
    {"split_part", Growth::pieces},                {"str_split", Growth::pieces},
    {"strftime", Growth::formatted},               {"string_split", Growth::pieces},
    {"string_to_array", Growth::pieces},           {"strip_accents", Growth::some_times},
    {"strpos", Growth::searched},                  {"strptime", Growth::parsed},
    {"struct_extract", Growth::like_arguments},    {"struct_extract_at", Growth::like_arguments},
    {"struct_pack", Growth::held},                 {"substr", Growth::cut},
    {"substring", Growth::cut},                    {"subtract", Growth::like_arguments},
    {"timezone", Growth::zone},                    {"translate", Growth::some_times},
    {"trim", Growth::like_arguments},              {"trunc", Growth::rounded},
    {"try_strptime", Growth::parsed},              {"ucase", Growth::some_times},
    {"unhex", Growth::some_times},                 {"upper", Growth::some_times},
    {"url_decode", Growth::like_arguments},        {"url_encode", Growth::some_times},
    {"||", Growth::like_arguments},                {"~~", Growth::likeness},
    {"~~*", Growth::likeness_again},               {"~~~", Growth::likeness_again}});
// clang-format on

}  // namespace

Growth growth_of(std::string_view function) {
  const auto found = std::ranges::lower_bound(rules, function, {}, &Rule::first);
  return found != rules.end() && found->first == function ? found->second : Growth::of_numbers;
}

std::uint64_t instructions(std::string_view pattern) {
  constexpr std::uint64_t of_a_sign = 4;
  constexpr std::uint64_t of_a_class = 1024;  // \pL and the like
  std::vector<std::uint64_t> groups{0};       // for each open group: its instructions so far
  std::uint64_t last = 0;                     // the instructions that a count would repeat
  const auto add = [&](std::uint64_t part) {
    groups.back() = plus(groups.back(), part);
    last = part;
  };
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char sign = pattern[at];
    if (sign == '\\') {
      const char next = at + 1 < pattern.size() ? pattern[++at] : '\\';
      add(next == 'p' || next == 'P' ? of_a_class : of_a_sign);
    } else if (sign == '[') {
      const std::size_t end = std::min(pattern.find(']', at + 2), pattern.size());
      const std::string_view inside = pattern.substr(at, end - at);
      const bool has_class = inside.find("\\p") != inside.npos || inside.find("\\P") != inside.npos;
      add(plus(times(inside.size(), of_a_sign), has_class ? times(inside.size(), of_a_class) : 0));
      at = end;
    } else if (sign == '(') {
      groups.push_back(0);
    } else if (sign == ')' && groups.size() > 1) {
      const std::uint64_t group = groups.back();
      groups.pop_back();
      add(plus(group, of_a_sign));
    } else if (sign == '{') {
      std::uint64_t most = 1;
      std::uint64_t number = 0;
      for (++at; at < pattern.size() && pattern[at] != '}'; ++at) {
        if (pattern[at] >= '0' && pattern[at] <= '9') {
          number = std::min<std::uint64_t>(number * 10 + static_cast<std::uint64_t>(pattern[at] - '0'), 1'000'000);
        } else {
          most = std::max(most, number);
          number = 0;
        }
      }
      add(times(last, std::max(most, number)));
    } else {
      add(of_a_sign);
    }
  }
  std::uint64_t all = 1;
  for (const std::uint64_t group : groups) all = plus(all, group);
  return all;
}

std::uint64_t copies_of_arguments(std::string_view function) {
  if (is_one_of(function, {"round_even", "roundbankers"})) return 3;
  return is_one_of(function, {"array_pop_back", "array_to_string", "fmod", "nullif", "split_part"}) ? 2 : 1;
}

std::uint64_t searches(std::string_view pattern, char wildcard) {
  std::uint64_t count = 0;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const bool ends = pattern.find_first_not_of(wildcard, at) == pattern.npos;
    if (pattern[at] == wildcard && !ends && (at == 0 || pattern[at - 1] != wildcard)) ++count;
  }
  return count;
}

std::string singular_unit(std::string_view unit) {
  std::string singular = lower_case(unit);
  if (singular == "centuries") return "century";
  if (singular == "millennia") return "millennium";
  if (singular.ends_with('s')) singular.pop_back();
  return singular;
}

bool is_unit_of_time(std::string_view unit) {
  constexpr auto units = std::to_array<std::string_view>(
      {"century", "day",     "decade", "dow",         "doy",        "epoch",       "hour",
       "isodow",  "isoyear", "julian", "microsecond", "millennium", "millisecond", "minute",
       "month",   "quarter", "second", "week",        "year",       "yearweek"});
  return std::ranges::binary_search(units, singular_unit(unit));
}

}  // namespace fractile::source_detail
