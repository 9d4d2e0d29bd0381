#include "ledger/sqlite_room.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "fractile/error.hpp"

namespace fractile::ledger_detail {
namespace {

/// Two changes with their lines, their pages in the journal, and the reservation itself.
constexpr std::uint64_t room_for_changes = 256 * 1024;

}  // namespace

Room::Room(const std::string& ledger, std::uint64_t receipt_size) {
  if (receipt_size == 0) return;
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::canonical(ledger, failed).parent_path();
  if (failed) return;  // the change itself will say so
  file_ = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file_ < 0) return;
  const std::uint64_t wanted = 2 * receipt_size + room_for_changes;
  const int reason = posix_fallocate(file_, 0, static_cast<off_t>(wanted));
  if (reason != ENOSPC && reason != EFBIG && reason != EDQUOT) return;
  close(file_);
  file_ = -1;
  throw Error(
      ErrorCode::ledger,
      fmt::format("the ledger '{}' could not be written: {} bytes may be needed for this release, and its disk does "
                  "not have them: {}",
                  ledger, wanted, std::strerror(reason)),
      "make room for it");
}

Room::~Room() {
  if (file_ >= 0) close(file_);
}

}  // namespace fractile::ledger_detail
