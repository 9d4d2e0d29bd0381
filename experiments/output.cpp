#include "experiments/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "report/text/durable.hpp"

namespace fractile::experiments {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  throw Error(ErrorCode::data, fmt::format("cannot write to {}: {}", what, why), "name another folder with --out");
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) refuse(folder.string(), failure.message());
}

/// Writes new files and returns their paths.
std::vector<std::string> write_new(const std::vector<FileToWrite>& files) {
  write_all_durably(files, "file", Readers::all);
  std::vector<std::string> paths;
  for (const FileToWrite& file : files) paths.push_back(file.path);
  return paths;
}

}  // namespace

void prepare_folder(const std::string& folder) {
  make_folder(folder);
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse(folder, std::strerror(errno));
  std::error_code failure;
  const bool is_empty = std::filesystem::is_empty(folder, failure);
  if (failure) refuse(folder, failure.message());
  if (!is_empty) refuse(folder, "the folder is not empty, and no file that is there is replaced");
}

std::vector<std::string> write_files(const std::string& folder, const std::vector<TextFile>& files) {
  std::vector<FileToWrite> to_write;
  for (const TextFile& file : files) {
    const std::filesystem::path path = std::filesystem::path(folder) / file.name;
    make_folder(path.parent_path());
    to_write.push_back({path.string(), file.text});
  }
  return write_new(to_write);
}

std::vector<std::string> write_figures(const std::string& folder, const std::vector<Figure>& figures) {
  std::vector<FileToWrite> to_write;
  for (const Figure& figure : figures) {
    to_write.push_back(
        {(std::filesystem::path(folder) / (figure.name + ".svg")).string(), to_svg(figure, figures::ShownIn::file)});
  }
  return write_new(to_write);
}

}  // namespace fractile::experiments
