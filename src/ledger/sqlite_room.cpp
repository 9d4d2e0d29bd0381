#include "ledger/sqlite_room.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"

namespace fractile::ledger_detail {
namespace {

/// The bytes of two changes with their lines, of their pages in the journal, and of the reservation itself.
constexpr std::uint64_t room_for_changes = std::uint64_t{256} * 1024;

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 60;  // no disk is larger, and sums fit 64 bits

/// Empty when the folder cannot be determined; the change itself will then report the failure.
std::string folder_of(const std::string& ledger) {
  std::error_code failed;
  return std::filesystem::canonical(ledger, failed).parent_path().string();
}

/// Throws `ledger` if this process may not make the file so much longer. The room is a file of its own, and does not show that.
void require_length(const std::string& ledger, std::uint64_t more) {
  struct stat file {};
  rlimit longest{};
  if (stat(ledger.c_str(), &file) != 0 || getrlimit(RLIMIT_FSIZE, &longest) != 0) return;
  const std::uint64_t needed = static_cast<std::uint64_t>(file.st_size) + more;
  if (longest.rlim_cur >= needed) return;
  throw Error(ErrorCode::ledger,
              fmt::format("the ledger '{}' could not be written: it may get {} bytes long with this release, and this "
                          "process may write only {}: {}",
                          ledger, needed, longest.rlim_cur, std::strerror(EFBIG)),
              "allow this process larger files: ulimit -f unlimited");
}

}  // namespace

Room::Room(const std::string& ledger, std::uint64_t receipt_size)
    : bytes_(folder_of(ledger), receipt_size == 0 ? 0 : 2 * std::min(receipt_size, most_bytes) + room_for_changes) {
  if (!bytes_.missing().empty()) {
    throw Error(ErrorCode::ledger, fmt::format("the ledger '{}' could not be written: {}", ledger, bytes_.missing()),
                "make room for it");
  }
  if (receipt_size != 0) require_length(ledger, std::min(receipt_size, most_bytes) + room_for_changes);
}

}  // namespace fractile::ledger_detail
