// Where a publication's tables are written: a folder of new files, by the name of the publication's file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fractile/publication.hpp"
#include "fractile/receipts.hpp"
#include "libraries/disk_room.hpp"

namespace fractile::requests {

/// Its files have the name of the publication's file. Thread-safety: not for two threads at once.
class TablesFolder {
 public:
  /// None without a name. Makes the folder. `page`: what stands on its page beside the tables. Throws `data` when it
  /// cannot be made.
  TablesFolder(std::string folder, const std::string& file, PageOptions page = {});

  bool is_named() const { return !folder_.empty(); }
  /// Where the receipt goes; empty for no folder.
  std::string receipt() const { return is_named() ? path(".json") : ""; }

  /// Before anything is charged. Throws `usage` when a table or a page is there already: nothing is overwritten. Throws
  /// `data` when the disk is full.
  void make_room(std::uint64_t receipt_size);
  /// What cannot be written should fail here, before anything is stored.
  void prepare(const PublishedTables& tables);
  /// What was prepared. The same tables may be there from an earlier run.
  void write();

  /// "out/earnings.csv, out/earnings.json and out/earnings.html".
  std::string in_words() const { return path(".csv") + ", " + path(".json") + " and " + path(".html"); }

 private:
  std::string path(const char* ending) const;

  std::string folder_;
  std::string stem_ = {};
  PageOptions options_;
  std::string csv_ = {};
  std::string page_ = {};
  std::unique_ptr<DiskRoom> room_ = nullptr;
};

}  // namespace fractile::requests
