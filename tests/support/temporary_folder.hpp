// A folder that is removed at the end of its test.
#pragma once

#include <stdlib.h>  // NOLINT: mkdtemp

#include <filesystem>
#include <stdexcept>
#include <string>

namespace fractile::testing {

class Folder {
 public:
  explicit Folder(const std::filesystem::path& place = std::filesystem::temp_directory_path())
      : path_((place / "fractile-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace fractile::testing
