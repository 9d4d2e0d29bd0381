#include "source/files/input_files.hpp"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "source/files/table_names.hpp"

namespace fractile::source_detail {
namespace {

namespace fs = std::filesystem;

std::string with_slash(std::string path) {
  if (!path.ends_with('/')) path += '/';
  return path;
}

/// The path of a folder, without links and dots and with a slash at its end; empty when it is not known.
std::string place_of(const std::string& folders) {
  std::error_code unknown;
  const fs::path canonical = fs::canonical(folders.empty() ? fs::path(".") : fs::path(folders), unknown);
  return unknown ? std::string() : with_slash(canonical.string());
}

std::size_t first_sign(const std::string& name) { return name.find_first_of("*?["); }

/// Whether a name begins like files that editors and engines leave behind, which are not part of the table.
bool is_left_out(const std::string& name) { return name.starts_with('.') || name.starts_with('_'); }

void require_few(const std::string& name, std::size_t count) {
  if (count <= TableOptions::most_files) return;
  throw Error(
      ErrorCode::usage,
      fmt::format("'{}' names more than {} files, and no more are read as one table", name, TableOptions::most_files),
      "join them, or count parts of them with fractile count and release what fractile merge makes of these");
}

NamedFiles files_of_folder(const std::string& name) {
  NamedFiles named{name, {}, false, with_slash(name), place_of(name)};
  std::error_code failed;
  for (fs::directory_iterator each(name, failed); !failed && each != fs::directory_iterator(); each.increment(failed)) {
    const std::string file = each->path().filename().string();
    if (is_left_out(file)) continue;
    std::error_code unknown;
    if (each->is_directory(unknown)) {
      throw Error(ErrorCode::usage, fmt::format("the folder '{}' holds folders, and only its own files are read", name),
                  fmt::format("name the files by a pattern: '{}*/*.csv'", with_slash(name)));
    }
    named.files.push_back(with_slash(name) + file);
    require_few(name, named.files.size());
  }
  if (failed) {
    throw Error(ErrorCode::data, fmt::format("cannot read the folder '{}': {}", name, failed.message()),
                "check the path and its permissions");
  }
  if (named.files.empty()) {
    throw Error(ErrorCode::data, fmt::format("the folder '{}' holds no file", name),
                "name the folder that the table's files are in");
  }
  std::ranges::sort(named.files);
  return named;
}

NamedFiles files_of_pattern(const std::string& pattern) {
  const std::string plain = pattern.substr(0, first_sign(pattern));
  const std::string folders = plain.substr(0, plain.rfind('/') + 1);
  NamedFiles named{pattern, {}, false, folders, place_of(folders)};
  glob_t found{};
  const int status = glob(pattern.c_str(), GLOB_ERR | GLOB_NOSORT, nullptr, &found);
  for (std::size_t k = 0; status == 0 && k < found.gl_pathc; ++k) named.files.emplace_back(found.gl_pathv[k]);
  globfree(&found);
  if (status != 0 && status != GLOB_NOMATCH) {
    throw Error(ErrorCode::data, fmt::format("the folders of the pattern '{}' cannot be read", pattern),
                "check the path and its permissions");
  }
  if (named.files.empty()) {
    throw Error(ErrorCode::data, fmt::format("no file has a name of the pattern '{}'", pattern),
                "check the path; * stands for any characters except /, ? for one character, [0-9] for one of these "
                "digits");
  }
  require_few(pattern, named.files.size());
  std::ranges::sort(named.files);
  return named;
}

NamedFiles meant_by(const std::string& name) {
  std::error_code unknown;
  if (name != "-" && fs::is_directory(name, unknown)) return files_of_folder(name);
  if (first_sign(name) != std::string::npos && !fs::exists(name, unknown)) return files_of_pattern(name);
  return {name, {name}, true};
}

[[noreturn]] void refuse_comma(const std::string& name) {
  throw Error(ErrorCode::usage, fmt::format("'{}' has a comma in its path", name),
              "rename it: commas separate the files of a table");
}

/// The ledger's name of one name, after its files are opened; empty if a link leads to some of them.
std::string path_of(const NamedFiles& named, const InputFile* first) {
  if (named.is_one) return first->opened().path;
  for (std::size_t k = 0; k < named.files.size(); ++k) {
    if (first[k].opened().path != named.place + named.files[k].substr(named.folders.size())) return {};
  }
  return named.path();
}

std::string with_commas(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  std::string all;
  for (const std::string& each : texts) {
    if (each.empty()) return {};
    if (texts.size() > 1 && each.find(',') != std::string::npos) refuse_comma(each);
    all += (all.empty() ? "" : ",") + each;
  }
  return all;
}

void require_different(const std::vector<InputFile>& files) {
  std::set<std::pair<dev_t, ino_t>> seen;
  for (const InputFile& file : files) {
    if (seen.emplace(file.moment().st_dev, file.moment().st_ino).second) continue;
    throw Error(ErrorCode::usage,
                fmt::format("'{}' is named twice, and its records would count twice", file.display_name()),
                "name each file once");
  }
}

std::string shown_name(const std::vector<std::string>& names) {
  const auto shown = [](const std::string& name) { return name == "-" ? std::string("standard input") : name; };
  if (names.size() == 1) return shown(names.front());
  if (names.size() == 2) return fmt::format("{} and {}", shown(names[0]), shown(names[1]));
  return fmt::format("{} and {} more files", shown(names.front()), names.size() - 1);
}

}  // namespace

InputFiles::InputFiles(std::vector<InputFile> files, OpenedFile opened, std::string display_name)
    : files_(std::move(files)), opened_(std::move(opened)), display_name_(std::move(display_name)) {}

std::string NamedFiles::path() const {
  if (place.empty()) return {};
  return place + (name.size() > folders.size() ? name.substr(folders.size()) : "");
}

std::vector<NamedFiles> named_files(const std::vector<std::string>& names) {
  std::vector<NamedFiles> all;
  std::size_t count = 0;
  for (const std::string& name : names) {
    all.push_back(meant_by(name));
    count += all.back().files.size();
    require_few(name, count);
  }
  return all;
}

std::vector<std::string> files_of(const std::vector<NamedFiles>& names) {
  std::vector<std::string> all;
  for (const NamedFiles& each : names) all.insert(all.end(), each.files.begin(), each.files.end());
  return all;
}

InputFiles InputFiles::open(const std::vector<NamedFiles>& all, TextEncoding encoding) {
  std::vector<InputFile> files;
  for (const std::string& file : files_of(all)) files.push_back(InputFile::open(file, encoding));
  require_different(files);
  std::vector<std::string> names;
  std::vector<std::string> paths;
  const InputFile* first = files.data();
  for (const NamedFiles& named : all) {
    names.push_back(named.name);
    paths.push_back(path_of(named, first));
    first += named.files.size();
  }
  OpenedFile opened{with_commas(names), with_commas(paths), {}};
  if (all.size() > 1 || !all.front().is_one) opened.parts = files_of(all);
  return {std::move(files), std::move(opened), shown_name(names)};
}

void InputFiles::require_unchanged() const {
  for (const InputFile& file : files_) file.require_unchanged();
}

std::string path_of_table(const std::vector<std::string>& names) {
  std::vector<std::string> paths;
  for (const NamedFiles& named : named_files(names)) {
    std::error_code unknown;
    const fs::path file = named.is_one ? fs::canonical(named.name, unknown) : fs::path(named.path());
    paths.push_back(unknown ? std::string() : file.string());
  }
  return with_commas(std::move(paths));
}

std::vector<std::string> files_of_name(const std::string& name) {
  try {
    return files_of(named_files({name}));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace fractile::source_detail
