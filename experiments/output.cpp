#include "experiments/output.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "fractile/error.hpp"

namespace fractile::experiments {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  throw Error(ErrorCode::data, fmt::format("cannot write to {}: {}", what, why), "name another folder with --out");
}

std::string write_file(const std::string& folder, const std::string& name, const std::string& text) {
  std::string path = (std::filesystem::path(folder) / name).string();
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) refuse(path, std::strerror(errno));
  return path;
}

}  // namespace

void prepare_folder(const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) refuse(folder, failure.message());
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse(folder, std::strerror(errno));
}

std::vector<std::string> write_files(const std::string& folder, const std::vector<TextFile>& files) {
  std::vector<std::string> paths;
  for (const TextFile& file : files) {
    prepare_folder((std::filesystem::path(folder) / file.name).parent_path().string());
    paths.push_back(write_file(folder, file.name, file.text));
  }
  return paths;
}

std::vector<std::string> write_figures(const std::string& folder, const std::vector<Figure>& figures) {
  std::vector<std::string> paths;
  paths.reserve(figures.size());
  for (const Figure& figure : figures) {
    paths.push_back(write_file(folder, figure.name + ".svg", to_svg(figure, figures::Frame::file)));
  }
  return paths;
}

}  // namespace fractile::experiments
