#include "requests/sources.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace fractile::requests {
namespace {

bool is_path(const std::string& text) { return text.find('/') != std::string::npos; }

/// "" of what is no regular file: nobody knows what is behind standard input or a pipe the next time.
std::string canonical_path(const std::string& file) {
  std::error_code unknown;
  if (file == "-" || !std::filesystem::is_regular_file(file, unknown)) return {};
  const std::filesystem::path path = std::filesystem::canonical(file, unknown);
  return unknown ? "" : path.string();
}

}  // namespace

std::vector<NamedTable> named_tables(const Typed& typed) {
  std::vector<NamedTable> tables;
  if (!typed.has("table")) return tables;
  for (const std::string& text : typed.values.at("table")) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos) {
      const Field field("table");
      usage({field, ": '", text, "' has no = between a name and a file"},
            {"write for example ", field.entry("visits", "visits.csv")});
    }
    tables.push_back({text.substr(0, sign), text.substr(sign + 1)});
  }
  return tables;
}

std::vector<NamedTable> with_canonical_paths(std::vector<NamedTable> tables) {
  for (NamedTable& table : tables) {
    const std::string path = canonical_path(table.file);
    if (!path.empty()) table.file = path;
  }
  return tables;
}

std::string source_read(const Typed& typed) {
  std::string declared = typed.one("source");
  if (is_path(declared)) {
    usage({Field("source"), ": '", declared, "' is a path, not a name"},
          "leave it out: a file is known by its path; or declare a name without a slash");
  }
  if (!declared.empty()) return declared;
  std::string tables;
  for (const NamedTable& table : named_tables(typed)) {
    const std::string path = canonical_path(table.file);
    if (path.empty()) return {};
    tables += (tables.empty() ? "" : ",") + path;
  }
  return typed.file.empty() ? tables : canonical_path(typed.file);
}

std::string source_to_pin(const Typed& typed) {
  const Field field("source");
  std::string source = typed.one("source");
  std::error_code unknown;
  if (!is_path(source)) {
    if (!source.empty() && std::filesystem::exists(source, unknown)) {
      usage({field, ": '", source, "' is a name, and there is a file of that name"},
            fmt::format("write ./{} for the file, or choose another name", source));
    }
    return source;
  }
  if (!std::filesystem::is_regular_file(source, unknown)) {
    usage({field, ": there is no file '", source, "'"},
          "name the file that releases will read, or a name without a slash");
  }
  const std::filesystem::path path = std::filesystem::canonical(source, unknown);
  if (unknown) usage({field, ": '", source, "': ", unknown.message()}, "name a file that can be read");
  return path.string();
}

std::string canonical_new_file(const std::string& path) {
  std::error_code unknown;
  const std::filesystem::path file = std::filesystem::absolute(path);
  const std::filesystem::path folder = std::filesystem::canonical(file.parent_path(), unknown);
  return unknown ? file.string() : (folder / file.filename()).string();
}

}  // namespace fractile::requests
