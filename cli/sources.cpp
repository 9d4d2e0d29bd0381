#include "sources.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

namespace fractile::cli {
namespace {

bool is_path(const std::string& text) { return text.find('/') != std::string::npos; }

}  // namespace

std::string source_read(const Typed& typed) {
  const std::string declared = typed.one("--source");
  if (is_path(declared)) {
    usage(fmt::format("--source: '{}' is a path, not a name", declared),
          "leave it out: a file is known by its path; or declare a name without a slash");
  }
  if (!declared.empty()) return declared;
  std::error_code unknown;
  if (typed.file == "-" || !std::filesystem::is_regular_file(typed.file, unknown)) return {};
  const std::filesystem::path path = std::filesystem::canonical(typed.file, unknown);
  return unknown ? "" : path.string();
}

std::string source_to_pin(const Typed& typed) {
  const std::string source = typed.one("--source");
  std::error_code unknown;
  if (!is_path(source)) {
    if (!source.empty() && std::filesystem::exists(source, unknown)) {
      usage(fmt::format("--source: '{}' is a name, and there is a file of that name", source),
            fmt::format("write ./{} for the file, or choose another name", source));
    }
    return source;
  }
  if (!std::filesystem::is_regular_file(source, unknown)) {
    usage(fmt::format("--source: there is no file '{}'", source),
          "name the file that releases will read, or a name without a slash");
  }
  const std::filesystem::path path = std::filesystem::canonical(source, unknown);
  if (unknown) usage(fmt::format("--source: '{}': {}", source, unknown.message()), "name a file that can be read");
  return path.string();
}

std::string canonical_new_file(const std::string& path) {
  std::error_code unknown;
  const std::filesystem::path file = std::filesystem::absolute(path);
  const std::filesystem::path folder = std::filesystem::canonical(file.parent_path(), unknown);
  return unknown ? file.string() : (folder / file.filename()).string();
}

}  // namespace fractile::cli
