#include "experiments/output.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "experiments/gnuplot.hpp"
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

std::string how_to_draw(const std::string& folder) {
  return fmt::format("draw the figures with: cd '{}' && for f in *.gp; do gnuplot $f; done", folder);
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

std::vector<std::string> write_figures(const std::string& folder, const std::vector<Figure>& figures,
                                       const Observer& observer) {
  std::vector<std::string> paths;
  Drawn drawn = Drawn::yes;
  for (const Figure& figure : figures) {
    const std::string script = figure.name + ".gp";
    paths.push_back(write_file(folder, script, gnuplot_script(figure)));
    if (drawn == Drawn::yes) drawn = draw(folder, script);
    if (drawn != Drawn::yes) continue;
    for (const char* ending : {".png", ".svg"}) {
      paths.push_back((std::filesystem::path(folder) / (figure.name + ending)).string());
    }
  }
  if (drawn == Drawn::no_gnuplot)
    observer.note(fmt::format("gnuplot is not installed; once it is, {}", how_to_draw(folder)));
  if (drawn == Drawn::failed) observer.note(fmt::format("gnuplot failed; to see why, {}", how_to_draw(folder)));
  return paths;
}

}  // namespace fractile::experiments
