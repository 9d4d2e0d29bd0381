#include "report/ledger/query_words.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/ranks.hpp"
#include "libraries/fmt.hpp"
#include "libraries/rapidjson.hpp"
#include "report/text/decimals.hpp"
#include "report/text/json_texts.hpp"
#include "report/text/shown_text.hpp"

namespace fractile::report_detail {
namespace {

constexpr std::size_t longest_beginning = 60;

std::size_t size_at(const Json& query, const char* name) {
  const auto at = query.FindMember(name);
  return at != query.MemberEnd() && at->value.IsArray() ? at->value.Size() : 0;
}

/// Whether the quantiles are k/parts for k = 1, ..., parts - 1.
bool divides(const Json& quantiles, std::uint64_t parts) {
  if (quantiles.Size() != parts - 1) return false;
  for (std::uint64_t k = 1; k < parts; ++k) {
    const Rational share(k, parts);
    if (quantiles[static_cast<rapidjson::SizeType>(k - 1)].GetString() != share.to_string()) return false;
  }
  return true;
}

std::string quantiles_in_words(const Json& quantiles) {
  if (quantiles.Empty()) return "counts";
  constexpr std::array<std::pair<std::uint64_t, const char*>, 5> names{
      {{2, "median"}, {4, "quartiles"}, {5, "quintiles"}, {10, "deciles"}, {100, "percentiles"}}};
  for (const auto& [parts, name] : names) {
    if (divides(quantiles, parts)) return name;
  }
  constexpr std::size_t most_listed = 5;
  if (quantiles.Size() > most_listed) {
    return fmt::format("{} quantiles from {} to {}", quantiles.Size(), quantiles[0].GetString(),
                       quantiles[quantiles.Size() - 1].GetString());
  }
  return fmt::to_string(fmt::join(texts_in(quantiles), ", "));
}

std::string possible_in_words(const Json& query) {
  if (const std::size_t listed = size_at(query, "candidates"); listed > 0) return fmt::format("{} candidates", listed);
  const std::string found = text_at(query, "bounds_share").empty() ? "" : "bounds to be found, ";
  return found + fmt::format("{} to {} in steps of {}", text_at(query, "lower"), text_at(query, "upper"),
                             text_at(query, "step"));
}

std::string source_in_words(const Json& query) {
  const std::string read = query.HasMember("sql") ? "a query of " : "";
  if (const std::string source = text_at(query, "source"); !source.empty()) return read + source;
  const std::string file = std::filesystem::path(text_at(query, "file")).filename().string();
  return file.empty() ? "" : read + file;
}

bool is_ours(const Json& query) {
  if (!query.IsObject() || text_at(query, "column").empty() || !query.HasMember("quantiles")) return false;
  if (!query["quantiles"].IsArray() || (query["quantiles"].Empty() && !query.HasMember("statistics_share")))
    return false;
  return std::ranges::all_of(query["quantiles"].GetArray(), [](const Json& each) { return each.IsString(); });
}

/// The beginning of the query, which never ends in the middle of a character.
std::string beginning(const std::string& query) {
  const std::string text = shown_text(query);
  std::size_t size = std::min(text.size(), longest_beginning);
  while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80) --size;
  return size < text.size() ? text.substr(0, size) + "..." : text;
}

/// The names of the key columns.
std::string columns_in_words(const Json& query) {
  const auto at = query.FindMember("by");
  if (at == query.MemberEnd() || !at->value.IsArray()) return text_at(query, "by");
  return to_string(KeyColumns(texts_in(at->value)));
}

}  // namespace

std::string query_in_words(const std::string& query) {
  rapidjson::Document json;
  json.Parse<rapidjson::kParseIterativeFlag>(query.data(), query.size());
  if (json.HasParseError() || !is_ours(json)) return beginning(query);
  const std::string how = text_at(json, "per_person");
  std::string text = fmt::format("{} of {}{} ({})", quantiles_in_words(json["quantiles"]), text_at(json, "column"),
                                 how.empty() ? "" : fmt::format(", {} of each person", how), possible_in_words(json));
  if (const std::string by = columns_in_words(json); !by.empty()) {
    text += fmt::format(", by {} ({})", by, counted(size_at(json, "keys"), "group"));
  }
  if (const std::string weight = text_at(json, "weight"); !weight.empty()) {
    text += fmt::format(", weighted by {} ({} to {} in steps of {})", weight, text_at(json, "weight_lower"),
                        text_at(json, "weight_upper"), text_at(json, "weight_step"));
  }
  if (const std::string level = text_at(json, "intervals"); !level.empty()) text += ", with intervals at " + level;
  if (const std::string source = source_in_words(json); !source.empty()) text += ", in " + source;
  return shown_text(text);
}

}  // namespace fractile::report_detail
