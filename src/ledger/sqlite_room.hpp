// Room on the disk of a ledger, taken before a charge for what its commitment will write.
#pragma once

#include <cstdint>
#include <string>

namespace fractile::ledger_detail {

/// A file without a name in the ledger's folder that has as many bytes as a receipt of a size will need in the ledger and in its
/// journal. However the process ends, they are free again.
class Room {
 public:
  /// Error(ledger) says how many bytes are wanted. Where there are no files without names, nothing is taken.
  Room(const std::string& ledger, std::uint64_t receipt_size);
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room();

 private:
  int file_ = -1;
};

}  // namespace fractile::ledger_detail
