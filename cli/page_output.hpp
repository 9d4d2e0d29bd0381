// Pages: what is said on them, and where they and their figures go.
#pragma once

#include <string>

#include "fractile/pages.hpp"
#include "options.hpp"
#include "requests/values.hpp"

namespace fractile::cli {

class PageOutput {
 public:
  PageOutput() = default;
  /// --about, --public and --figures, which go with --format html. Reads the file of --about, and sees that the folder of
  /// --figures can be written to. Error(usage) for what does not fit, Error(data) for an unusable file or folder.
  static PageOutput of(const Typed& typed, Format format);

  /// What a page is to say beside its report.
  PageOptions options = {};

  /// Writes the figures and their tables, replacing older ones; Error(data), with this hint, when that fails.
  void write(const std::vector<PageFile>& files, const Words& hint) const;
  /// The same, and prints the page.
  void print_page(const WebPage& page, const Words& hint) const;

 private:
  std::string folder_;
};

/// Before work is done: Error(data) unless the path is one of a file in a folder that can be written to. `option` names it.
void require_file_to_write(const char* field, const std::string& path);
/// Replaces the file; Error(data) when that fails.
void write_file(const char* field, const std::string& path, const std::string& text);

}  // namespace fractile::cli
