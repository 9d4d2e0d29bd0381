#include "requests/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "libraries/fmt.hpp"
#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "fractile/error.hpp"

namespace fractile::requests {
namespace {

TextFile read_all(std::FILE* file, std::size_t most) {
  TextFile result;
  std::vector<char> piece(std::size_t{1} << 16);
  while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file)) {
    result.text.append(piece.data(), count);
    if (result.text.size() > most) return {{}, fmt::format("larger than {} MiB", most >> 20U)};
  }
  if (std::ferror(file) != 0) return {{}, std::strerror(errno)};
  return result;
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

constexpr std::string_view database_magic("SQLite format 3\0", 16);

/// Whether the file is on a file system whose contents the system makes up.
bool is_made_up(int descriptor) {
#ifdef __linux__
  struct statfs system {};
  return fstatfs(descriptor, &system) == 0 && (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC);
#else
  static_cast<void>(descriptor);
  return false;
#endif
}

bool was_changed(int descriptor, const struct stat& before) {
  struct stat now {};
  return fstat(descriptor, &now) != 0 || now.st_size != before.st_size || now.st_mtim.tv_sec != before.st_mtim.tv_sec ||
         now.st_mtim.tv_nsec != before.st_mtim.tv_nsec;
}

}  // namespace

TextFile read_plain_file(const std::string& path, std::size_t most) {
  const int descriptor =
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);  // otherwise open() would wait for a pipe
  const int reason = errno;
  const File file(descriptor < 0 ? nullptr : fdopen(descriptor, "rb"), std::fclose);
  if (file == nullptr) return {{}, std::strerror(reason)};
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return {{}, std::strerror(errno)};
  if (S_ISDIR(status.st_mode)) return {{}, std::strerror(EISDIR)};
  if (!S_ISREG(status.st_mode) || is_made_up(descriptor)) return {{}, "not a regular file"};
  TextFile read = read_all(file.get(), most);
  if (read.trouble.empty() && was_changed(descriptor, status)) return {{}, "changed while it was read"};
  if (read.trouble.empty() && read.text.size() != static_cast<std::size_t>(status.st_size)) {
    return {{}, "not a file of a fixed size"};
  }
  if (read.text.starts_with(database_magic)) return {{}, "a database"};
  return read;
}

TextFile read_text(const std::string& path, std::size_t most) {
  const File file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) return {{}, std::strerror(errno)};
  return read_all(file.get(), most);
}

TextFile read_standard_input(std::size_t most) { return read_all(stdin, most); }

namespace {

/// The lines without blank ones, with commas between them.
std::string in_one_line(const std::string& text) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    std::string_view part = std::string_view(text).substr(at, end - at);
    const auto is_left_out = [](char c) { return c == ' ' || c == '\t' || c == ','; };
    while (!part.empty() && is_left_out(part.front())) part.remove_prefix(1);
    while (!part.empty() && is_left_out(part.back())) part.remove_suffix(1);
    if (!part.empty()) line.append(line.empty() ? "" : ",").append(part);
    at = end + 1;
  }
  return line;
}

}  // namespace

Typed with_texts_of_files(Typed typed) {
  constexpr std::size_t largest = std::size_t{16} << 20;  // bytes
  for (const char* name : {"quantiles", "candidates", "sql"}) {
    const std::string in_file = std::string(name) + "_file";
    if (!typed.has(in_file)) continue;
    const Field field(in_file);
    if (typed.has("ledger")) {
      usage({field, " does not go with ", Field("ledger"),
             ": an asker could name a file of records, and the release would quote it"},
            {"write the contents themselves with ", Field(name)}, in_file);
    }
    if (typed.has(name)) usage({field, " takes the place of ", Field(name)}, "give one or the other", in_file);
    const std::string path = typed.one(in_file);
    TextFile file = read_plain_file(path, largest);
    if (!file.trouble.empty()) {
      throw Error(ErrorCode::data, {field, ": cannot read ", path, ": ", file.trouble}, "name a text file", in_file);
    }
    std::string text = std::string_view(name) == "sql" ? std::move(file.text) : in_one_line(file.text);
    if (text.find_first_not_of(" \t\r\n") == std::string::npos)
      usage({field, ": ", path, " is empty"}, "write what it is to hold", in_file);
    typed.values.erase(in_file);
    typed.values[name] = {std::move(text)};
  }
  return typed;
}

}  // namespace fractile::requests
