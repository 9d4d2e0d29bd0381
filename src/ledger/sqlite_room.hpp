// Room on the disk of a ledger, reserved before a charge for the writes of its commitment.
#pragma once

#include <cstdint>
#include <string>

#include "libraries/disk_room.hpp"

namespace fractile::ledger_detail {

/// Reserves as many bytes in the ledger's folder as a receipt of this size will need in the ledger and in its journal.
class Room {
 public:
  /// Throws `ledger`, which says how many bytes are needed, when they are missing or when this process may not write a file of that length.
  /// If the folder cannot hold another file, nothing is reserved.
  Room(const std::string& ledger, std::uint64_t receipt_size);

 private:
  DiskRoom bytes_;
};

}  // namespace fractile::ledger_detail
