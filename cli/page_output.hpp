// Pages: what they say, and where they and their figures go.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fractile/receipts.hpp"
#include "libraries/disk_room.hpp"
#include "options.hpp"
#include "requests/values.hpp"

namespace fractile::cli {

class PageOutput {
 public:
  PageOutput() = default;
  /// Reads --about, --public and --figures, which go with --format html. Reads the file of --about, and checks that the folder of --figures
  /// is writable and holds no figures or tables. Throws `usage` for options that do not go together, and `data` for an unusable file or
  /// folder.
  static PageOutput of(const Typed& typed, Format format);

  /// What a page says in addition to its report.
  PageOptions options = {};
  std::string command = {};  ///< the command that was typed, for pages that end with it

  /// Reserves space for the figures and tables of a release whose receipt has at most `receipt_size` bytes. If there is too little space,
  /// throws `data` with the number of bytes that are needed.
  void make_room(std::uint64_t receipt_size);
  /// Writes the figures and their tables as new files, all or none. Throws `data` with this hint when the writing fails.
  void write(const std::vector<PageFile>& files, const Words& hint) const;
  /// Writes the page's files as write() does, and prints the page.
  void print_page(const WebPage& page, const Words& hint) const;

 private:
  std::string folder_;
  mutable std::unique_ptr<DiskRoom> room_ = nullptr;  ///< reserved until the files are written
};

}  // namespace fractile::cli
