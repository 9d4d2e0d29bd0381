#include "page_output.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "fractile/error.hpp"
#include "requests/about.hpp"
#include "terminal.hpp"

namespace fractile::cli {
namespace {

[[noreturn]] void refuse_to_write(const char* field, const std::string& path, const std::string& why,
                                  const Words& hint) {
  throw Error(ErrorCode::data, {Field(field), ": cannot write to '", path, "': ", why}, hint);
}

[[noreturn]] void refuse_folder(const std::string& path, const std::string& why, const Words& hint) {
  refuse_to_write("figures", path, why, hint);
}

void prepare_folder(const std::string& folder) {
  const char* const hint = "name another folder";
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) refuse_folder(folder, failure.message(), hint);
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse_folder(folder, std::strerror(errno), hint);
}

}  // namespace

void require_file_to_write(const char* field, const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code failure;
  const bool is_folder = std::filesystem::is_directory(path, failure);
  if (is_folder) refuse_to_write(field, path, "it is a folder", "name a file");
  if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) {
    refuse_to_write(field, path, std::strerror(errno), "name a file in a folder that can be written to");
  }
}

void write_file(const char* field, const std::string& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text << std::flush;
  if (!stream) refuse_to_write(field, path, std::strerror(errno), "name another file");
}

PageOutput PageOutput::of(const Typed& typed, Format format) {
  PageOutput output;
  for (const char* field : {"about", "public", "figures"}) {
    if (format != Format::html && typed.has(field)) {
      usage({Field(field), " goes with ", Field("format").text("html")}, "write it, or leave the option out");
    }
  }
  if (typed.has("about")) output.options.about = about_in_file(typed.one("about"));
  output.options.is_public = typed.has("public");
  output.folder_ = typed.one("figures");
  if (!output.folder_.empty()) prepare_folder(output.folder_);
  return output;
}

void PageOutput::write(const std::vector<PageFile>& files, const Words& hint) const {
  if (folder_.empty()) return;
  for (const PageFile& file : files) {
    const std::string path = (std::filesystem::path(folder_) / file.name).string();
    std::ofstream stream(path, std::ios::binary);
    stream << file.text << std::flush;
    if (!stream) refuse_folder(path, std::strerror(errno), hint);
  }
}

void PageOutput::print_page(const WebPage& page, const Words& hint) const {
  write(page.files, hint);
  print(page.html, hint);
}

}  // namespace fractile::cli
