// Pages: what is said on them, and where they and their figures go.
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
  /// --about, --public and --figures, which go with --format html. Reads the file of --about, and sees that the folder of
  /// --figures can be written to and holds no figures or tables. Throws `usage` for what does not fit, and `data` for
  /// an unusable file or folder.
  static PageOutput of(const Typed& typed, Format format);

  /// What a page says besides its report.
  PageOptions options = {};

  /// Takes room for the figures and tables of a release whose receipt has at most `receipt_size` bytes. Throws `data`, with the number of
  /// bytes that are needed.
  void make_room(std::uint64_t receipt_size);
  /// Writes the figures and their tables as new files, all or none. Throws `data`, with this hint, when that fails.
  void write(const std::vector<PageFile>& files, const Words& hint) const;
  /// The same, and prints the page.
  void print_page(const WebPage& page, const Words& hint) const;

 private:
  std::string folder_;
  mutable std::unique_ptr<DiskRoom> room_ = nullptr;  ///< until they are written
};

}  // namespace fractile::cli
