// Room on the disk of a ledger, taken before a charge for what its commitment will write.
#pragma once

#include <cstdint>
#include <string>

#include "libraries/disk_room.hpp"

namespace fractile::ledger_detail {

/// As many bytes in the ledger's folder as a receipt of a size will need in the ledger and in its journal.
class Room {
 public:
  /// Throws `ledger`, which says how many bytes are needed. Where the folder can have no file beside the ledger,
  /// nothing is taken.
  Room(const std::string& ledger, std::uint64_t receipt_size);

 private:
  DiskRoom bytes_;
};

}  // namespace fractile::ledger_detail
