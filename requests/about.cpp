#include "requests/about.hpp"

#include <toml++/toml.h>

#include <map>

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "requests/toml_text.hpp"
#include "requests/values.hpp"

namespace fractile::requests {
namespace {

const std::map<std::string, std::string About::*>& about_members() {
  static const std::map<std::string, std::string About::*> members{
      {"title", &About::title},
      {"curator", &About::curator},
      {"use", &About::use},
      {"region", &About::region},
      {"date", &About::date},
      {"contact", &About::contact},
      {"description", &About::description},
      {"curator_type", &About::curator_type},
      {"sector", &About::sector},
      {"author", &About::author},
  };
  return members;
}

std::string member_names() { return joined(words_of(about_members())); }

[[noreturn]] void refuse_about(const std::string& path, const std::string& what) {
  throw Error(ErrorCode::data, {Field("about"), ": ", path, ": ", what},
              "write lines such as title = \"Incomes 2025\"; it may have " + member_names());
}

}  // namespace

std::string& about_member(About& about, const std::string& name) {
  const auto member = about_members().find(name);
  if (member == about_members().end()) usage(fmt::format("'{}' is not known", name), "it may have " + member_names());
  return about.*member->second;
}

About about_in_file(const std::string& path) {
  const toml::table table = small_toml(path, [&](const std::string& what) { refuse_about(path, what); });
  About about;
  for (const auto& [key, value] : table) {
    const auto member = about_members().find(std::string(key.str()));
    if (member == about_members().end()) {
      refuse_about(path, fmt::format("line {}: the name before = is not known", key.source().begin.line));
    }
    if (const auto* text = value.as_string()) {
      about.*member->second = text->get();
    } else if (const auto* date = value.as_date()) {
      const toml::date day = date->get();
      about.*member->second = fmt::format("{:04}-{:02}-{:02}", day.year, day.month, day.day);
    } else {
      refuse_about(path, fmt::format("{} is not text", member->first));
    }
  }
  return about;
}

}  // namespace fractile::requests
