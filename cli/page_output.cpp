#include "page_output.hpp"

#include <fmt/core.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

#include "fractile/error.hpp"
#include "fractile/text.hpp"
#include "terminal.hpp"
#include "text_file.hpp"

namespace fractile::cli {
namespace {

constexpr std::size_t largest_about = std::size_t{1} << 20;

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

[[noreturn]] void refuse_about(const std::string& path, const std::string& what) {
  std::vector<std::string> names;
  for (const auto& [name, member] : about_members()) names.push_back(name);
  throw Error(ErrorCode::data, fmt::format("--about: {}: {}", path, what),
              fmt::format("write lines such as title = \"Incomes 2025\"; it may have {}", joined(names)));
}

toml::table parsed(const std::string& text, const std::string& path) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    refuse_about(path, fmt::format("line {}: {}", error.source().begin.line, std::string(error.description())));
  }
}

[[noreturn]] void refuse_to_write(const char* option, const std::string& path, const std::string& why,
                                  const std::string& hint) {
  throw Error(ErrorCode::data, fmt::format("{}: cannot write to '{}': {}", option, path, why), hint);
}

[[noreturn]] void refuse_folder(const std::string& path, const std::string& why, const std::string& hint) {
  refuse_to_write("--figures", path, why, hint);
}

void prepare_folder(const std::string& folder) {
  const char* const hint = "name another folder";
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) refuse_folder(folder, failure.message(), hint);
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse_folder(folder, std::strerror(errno), hint);
}

}  // namespace

About about_in_file(const std::string& path) {
  const TextFile file = read_text(path, largest_about);
  if (!file.trouble.empty()) refuse_about(path, "it cannot be read: " + file.trouble);
  const toml::table table = parsed(file.text, path);
  About about;
  for (const auto& [key, value] : table) {
    const auto member = about_members().find(std::string(key.str()));
    if (member == about_members().end()) refuse_about(path, fmt::format("'{}' is not known", key.str()));
    if (const auto* text = value.as_string()) {
      about.*member->second = text->get();
    } else if (const auto* date = value.as_date()) {
      const toml::date day = date->get();
      about.*member->second = fmt::format("{:04}-{:02}-{:02}", day.year, day.month, day.day);
    } else {
      refuse_about(path, fmt::format("{} is no text", key.str()));
    }
  }
  return about;
}

void require_file_to_write(const char* option, const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code failure;
  const bool is_folder = std::filesystem::is_directory(path, failure);
  if (is_folder) refuse_to_write(option, path, "it is a folder", "name a file");
  if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) {
    refuse_to_write(option, path, std::strerror(errno), "name a file in a folder that can be written to");
  }
}

void write_file(const char* option, const std::string& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text << std::flush;
  if (!stream) refuse_to_write(option, path, std::strerror(errno), "name another file");
}

PageOutput PageOutput::of(const Typed& typed, Format format) {
  PageOutput output;
  for (const char* option : {"--about", "--public", "--figures"}) {
    if (format != Format::html && typed.has(option)) {
      usage(std::string(option) + " goes with --format html", "write it, or leave the option out");
    }
  }
  if (typed.has("--about")) output.options.about = about_in_file(typed.one("--about"));
  output.options.is_public = typed.has("--public");
  output.folder_ = typed.one("--figures");
  if (!output.folder_.empty()) prepare_folder(output.folder_);
  return output;
}

void PageOutput::write(const std::vector<PageFile>& files, const std::string& hint) const {
  if (folder_.empty()) return;
  for (const PageFile& file : files) {
    const std::string path = (std::filesystem::path(folder_) / file.name).string();
    std::ofstream stream(path, std::ios::binary);
    stream << file.text << std::flush;
    if (!stream) refuse_folder(path, std::strerror(errno), hint);
  }
}

void PageOutput::print_page(const WebPage& page, const std::string& hint) const {
  write(page.files, hint);
  print(page.html, hint);
}

}  // namespace fractile::cli
