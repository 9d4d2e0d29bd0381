// The folder in which a publication's tables are written as new files, named after the publication's file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fractile/error.hpp"
#include "fractile/publication.hpp"
#include "fractile/receipts.hpp"
#include "libraries/disk_room.hpp"

namespace fractile::requests {

/// A folder whose files are named after the publication's file. Thread-safety: not for two threads at once.
class TablesFolder {
 public:
  /// Makes the folder; without a name there is none. A folder that was made here and is empty at the end is removed, unless keep() was
  /// called. `page` says what the page shows in addition to the tables. Throws `data` when the folder cannot be made.
  TablesFolder(std::string folder, const std::string& file, PageOptions page = {});

  bool is_named() const { return !folder_.empty(); }
  /// The path of the receipt; empty if there is no folder.
  std::string receipt() const { return is_named() ? path(".json") : ""; }

  /// Reserves space on the disk; call this before anything is charged. No file is overwritten: throws `usage` when a table or a page is
  /// there already. Throws `data` when the disk is full.
  void make_room(std::uint64_t receipt_size);
  /// From now on the folder stays, even if it is empty.
  void keep();
  /// Makes the texts of the table and the page, so that a failure to make them comes before anything is stored.
  void prepare(const PublishedTables& tables);
  /// Writes what was prepared. A file with the same contents may be there from an earlier run, and stays. Throws `data` when a file cannot
  /// be written; the hint ends with `kept`, which says where the tables are.
  void write(const Words& kept);

  /// The files' names as a text: "out/earnings.csv, out/earnings.json and out/earnings.html".
  std::string in_words() const { return path(".csv") + ", " + path(".json") + " and " + path(".html"); }

 private:
  struct RemoveIfEmpty {
    void operator()(const std::string* folder) const;
  };

  std::string path(const char* ending) const;

  std::string folder_;
  std::unique_ptr<const std::string, RemoveIfEmpty> made_ = nullptr;  // the folder, if it was made here
  std::string stem_ = {};
  PageOptions options_;
  std::string csv_ = {};
  std::string page_ = {};
  std::unique_ptr<DiskRoom> room_ = nullptr;
};

}  // namespace fractile::requests
