// The files of one table, held open: one, several by their names, all of a folder, or those of a pattern.
#pragma once

#include <string>
#include <vector>

#include "source/files/input_file.hpp"

namespace fractile::source_detail {

/// A name, and the files that it stands for: itself, those of a folder, or those of a pattern, by their names.
struct NamedFiles {
  std::string name;
  std::vector<std::string> files;
  bool is_one = false;       ///< it is a file's
  std::string folders = {};  ///< of a folder or a pattern: how the names of its files begin
  std::string place = {};    ///< and where these folders are; empty when that is not known

  /// What a ledger calls the folder or the pattern; empty when that is not known.
  std::string path() const;
};

/// As TableOptions has names of files. Throws `usage` for a folder that holds folders, and for too many files; `data` for a folder or a pattern
/// without files. No file is opened.
std::vector<NamedFiles> named_files(const std::vector<std::string>& names);
/// The names of all of them.
std::vector<std::string> files_of(const std::vector<NamedFiles>& names);

class InputFiles {
 public:
  /// Opens the files of one name at least. Throws `usage` for one file that is named twice, and for commas in names where several stand side
  /// by side; `data` for what is not there or cannot be opened.
  static InputFiles open(const std::vector<NamedFiles>& all, TextEncoding encoding = TextEncoding::utf_8);

  /// In the order in which their records are numbered: as they were named, those of a folder or a pattern by their names.
  const std::vector<InputFile>& files() const { return files_; }
  /// What was opened, as one.
  const OpenedFile& opened() const { return opened_; }
  /// How messages call all of them.
  const std::string& display_name() const { return display_name_; }
  /// Throws `data` when one was written to since it was opened.
  void require_unchanged() const;

 private:
  InputFiles(std::vector<InputFile> files, OpenedFile opened, std::string display_name);

  std::vector<InputFile> files_;
  OpenedFile opened_;
  std::string display_name_;
};

}  // namespace fractile::source_detail
