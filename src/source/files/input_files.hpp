// The files of one table, held open: one file, several named files, all files of a folder, or those of a pattern.
#pragma once

#include <string>
#include <vector>

#include "source/files/input_file.hpp"

namespace fractile::source_detail {

/// A name, and the files that it stands for: the file itself, or those of a folder or a pattern, in the order of their names.
struct NamedFiles {
  std::string name;
  std::vector<std::string> files;
  bool is_one = false;       ///< it is the name of a file
  std::string folders = {};  ///< for a folder or a pattern: how the names of its files begin
  std::string place = {};    ///< the path of these folders; empty when it is not known

  /// The ledger's name of the folder or the pattern; empty when its path is not known.
  std::string path() const;
};

/// `names` as in TableOptions. Throws `usage` for a folder that holds folders, and for too many files; `data` for a folder or a
/// pattern without files. No file is opened.
std::vector<NamedFiles> named_files(const std::vector<std::string>& names);
/// The names of all files.
std::vector<std::string> files_of(const std::vector<NamedFiles>& names);

class InputFiles {
 public:
  /// Opens the files of at least one name. Throws `usage` for a file that is named twice, and for commas in one of several names;
  /// `data` for files that are missing or cannot be opened.
  static InputFiles open(const std::vector<NamedFiles>& all, TextEncoding encoding = TextEncoding::utf_8);

  /// In the order in which their records are numbered: in the order of the names given, and by name within a folder or a pattern.
  const std::vector<InputFile>& files() const { return files_; }
  /// All opened files as one.
  const OpenedFile& opened() const { return opened_; }
  /// How messages call all of them.
  const std::string& display_name() const { return display_name_; }
  /// Throws `data` when a file was written to since it was opened.
  void require_unchanged() const;

 private:
  InputFiles(std::vector<InputFile> files, OpenedFile opened, std::string display_name);

  std::vector<InputFile> files_;
  OpenedFile opened_;
  std::string display_name_;
};

}  // namespace fractile::source_detail
