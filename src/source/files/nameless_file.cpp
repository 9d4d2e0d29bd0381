#include "source/files/nameless_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace fractile::source_detail {
namespace {

[[noreturn]] void fail_to_spool(const std::string& what, int error, const std::string& hint) {
  throw SpoolFailure(ErrorCode::internal, what + ": " + std::strerror(error), hint);
}

/// Calls transfer(bytes, offset) until all bytes are transferred.
template <class Byte, class Transfer>
void transfer_all(std::span<Byte> bytes, std::uint64_t offset, Transfer transfer, const std::string& failure) {
  while (!bytes.empty()) {
    const ssize_t count = transfer(bytes, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail_to_spool(failure, count < 0 ? errno : EIO, "set TMPDIR to a folder with room");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

}  // namespace

std::string path_of_descriptor(int descriptor) {
#ifdef __linux__
  return "/proc/self/fd/" + std::to_string(descriptor);
#else
  return "/dev/fd/" + std::to_string(descriptor);
#endif
}

NamelessFile::NamelessFile(std::string content) : content_(std::move(content)) {
  const char* folder = std::getenv("TMPDIR");
  std::string path = folder == nullptr || *folder == '\0' ? "/tmp" : folder;
  path += "/fractile-XXXXXX";
  descriptor_ = mkstemp(path.data());
  if (descriptor_ < 0) fail_to_spool("no temporary file for " + content_, errno, "set TMPDIR to a writable folder");
  unlink(path.c_str());
  fcntl(descriptor_, F_SETFD, FD_CLOEXEC);
}

NamelessFile::~NamelessFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::uint64_t NamelessFile::append(std::span<const char> bytes) {
  const std::uint64_t from = size_.fetch_add(bytes.size());
  transfer_all(
      bytes, from,
      [&](std::span<const char> rest, off_t offset) { return pwrite(descriptor_, rest.data(), rest.size(), offset); },
      content_ + " could not be spooled");
  return from;
}

void NamelessFile::read(std::uint64_t from, std::span<char> bytes) const {
  transfer_all(
      bytes, from,
      [&](std::span<char> rest, off_t offset) { return pread(descriptor_, rest.data(), rest.size(), offset); },
      content_ + " could not be read again");
}

void require_spool(std::uint64_t memory, const std::string& content) {
  if (memory > 0) const NamelessFile may_be_needed(content);
}

int NamelessFile::release() { return std::exchange(descriptor_, -1); }

}  // namespace fractile::source_detail
