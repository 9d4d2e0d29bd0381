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

[[noreturn]] void refuse_folder(const std::string& path, const std::string& why, const std::string& hint) {
  throw Error(ErrorCode::data, fmt::format("--figures: cannot write to '{}': {}", path, why), hint);
}

void prepare_folder(const std::string& folder) {
  const char* const hint = "name another folder";
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) refuse_folder(folder, failure.message(), hint);
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse_folder(folder, std::strerror(errno), hint);
}

}  // namespace

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
