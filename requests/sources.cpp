#include "requests/sources.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include "libraries/fmt.hpp"
#include "requests/values.hpp"
#include "source/files/table_names.hpp"

namespace fractile::requests {
namespace {

bool is_path(const std::string& text) { return text.find('/') != std::string::npos; }

/// The canonical path of a file that will be read later, or of a folder or a pattern whose files will all be read.
std::string path_to_pin(const Field& field, const std::string& file) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) {
    const bool is_several =
        std::filesystem::is_directory(file, unknown) || file.find_first_of("*?[") != std::string::npos;
    std::string table = is_several ? source_detail::path_of_table({file}) : std::string();
    if (!table.empty()) return table;
    usage({field, ": there is no file '", file, "'"},
          "name the file, the folder or the pattern that releases will read, or a name without a slash");
  }
  const std::filesystem::path path = std::filesystem::canonical(file, unknown);
  if (unknown) usage({field, ": '", file, "': ", unknown.message()}, "name a file that can be read");
  return path.string();
}

std::string with_commas(const Field& field, const std::set<std::string>& paths) {
  for (const std::string& path : paths) {
    if (path.find(',') == std::string::npos) continue;
    usage({field, ": '", path, "' has a comma in its path"}, "rename it: commas separate declared files");
  }
  return fmt::to_string(fmt::join(paths, ","));
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
  if (std::filesystem::exists(source, unknown) || source.find(',') == std::string::npos)
    return path_to_pin(field, source);
  std::set<std::string> paths;
  for (const std::string& path : parts_between(source, ',')) paths.insert(path_to_pin(field, path));
  return with_commas(field, paths);
}

std::string tables_to_pin(const Typed& typed) {
  const Field field("table");
  std::set<std::string> tables;
  for (const NamedTable& table : named_tables(typed)) {
    const std::string path = path_to_pin(field, table.file);
    tables.insert(typed.has("sql_stability") ? table.name + "=" + path : path);
  }
  return with_commas(field, tables);
}

std::optional<Warning> open_end_of(const std::string& file) {
  const std::string format = file == "-" ? std::string() : source_detail::format_by_name(file);
  std::error_code unknown;
  if ((format != "csv" && format != "tsv") || !std::filesystem::is_regular_file(file, unknown)) return {};
  if (source_detail::is_packed(file)) return {};
  std::ifstream bytes(file, std::ios::binary);
  if (!bytes.seekg(-1, std::ios::end)) return {};
  if (const int last = bytes.get(); last == '\n' || last == '\r') return {};
  return Warning{"the last line of '" + file + "' has no line end, so its record may be cut off",
                 "if the line is whole, all is well: it counts, and no release reveals anything about it"};
}

void require_no_input(const Typed& typed, const char* field) {
  std::vector<std::string> inputs = typed.files();
  for (const char* const other : {"counts", "ledger"}) inputs.push_back(typed.one(other));
  for (const NamedTable& table : named_tables(typed)) inputs.push_back(table.file);
  const std::string path = typed.one(field);
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    std::ranges::copy(source_detail::files_of_name(input), std::back_inserter(files));
  }
  for (const std::string& input : files) {
    std::error_code unknown;
    if (input.empty() || !std::filesystem::equivalent(path, input, unknown)) continue;
    usage({Field(field), ": '", path, "' is the file that is read, '", input, "'"}, "name another file");
  }
}

}  // namespace fractile::requests
