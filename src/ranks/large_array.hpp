// Memory for very many positions, in large pages where the system has them. With pages of 4 KiB, the first touches of all pages
// would take as long as sorting the positions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "exact/workers.hpp"

namespace fractile {

inline constexpr std::size_t large_page = std::size_t{1} << 21;
/// The fewest pages for which another thread is started: touching them takes some milliseconds.
inline constexpr std::size_t fewest_pages_to_share = 4;

/// Asks for large pages, which the system may refuse.
inline void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
  std::size_t room = bytes;
  if (std::align(large_page, large_page, memory, room) != nullptr) madvise(memory, room, MADV_HUGEPAGE);
#endif
}

/// Has several threads make the first touches of memory that is about to be written by one thread. Where the system cannot do that,
/// nothing happens, and the writer makes them.
inline void touch([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes,
                  [[maybe_unused]] std::size_t threads) {
#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
  std::size_t room = bytes;
  if (std::align(large_page, large_page, memory, room) == nullptr) return;
  const std::size_t pages = room / large_page;
  const std::size_t pieces = threads_for(pages, fewest_pages_to_share, threads);
  if (pieces < 2) return;
  share_among_threads(pieces, pieces, [&](std::size_t i) {
    const std::size_t begin = pages * i / pieces;
    const std::size_t end = pages * (i + 1) / pieces;
    madvise(static_cast<std::byte*>(memory) + begin * large_page, (end - begin) * large_page, MADV_POPULATE_WRITE);
  });
#endif
}

/// Returns pages to the system whose contents nothing needs any more. If they are freed, malloc would keep them.
inline void give_back([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
  std::size_t room = bytes;
  if (std::align(large_page, large_page, memory, room) != nullptr)
    madvise(memory, room / large_page * large_page, MADV_DONTNEED);
#endif
}

/// The most bytes of one allocation that glibc's malloc keeps after they are freed. It still returns them if more than twice as much as
/// its largest mapping so far is free. A profile in one piece of memory stays below that, and the next profile needs no fresh pages; in
/// several pieces it may not.
inline constexpr std::size_t kept_by_malloc = std::size_t{1} << 25;

/// Not initialized.
template <class Number>
class LargeArray {
 public:
  /// With room for `spare` more numbers.
  explicit LargeArray(std::size_t size, std::size_t spare = 0)
      : size_(size), spare_(spare), numbers_(allocated(bytes()), Delete{bytes()}) {
    prefer_large_pages(numbers_.get(), bytes());
  }
  Number* data() const { return numbers_.get(); }
  std::size_t size() const { return size_; }
  std::size_t spare() const { return spare_; }
  std::span<Number> numbers() const { return {data(), size_}; }

 private:
  struct Delete {
    void operator()(Number* numbers) const { ::operator delete(numbers, alignment(bytes)); }
    std::size_t bytes;
  };
  std::size_t bytes() const { return (size_ + spare_) * sizeof(Number); }
  static std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t(bytes <= kept_by_malloc ? alignof(std::max_align_t) : large_page);
  }
  static Number* allocated(std::size_t bytes) { return static_cast<Number*>(::operator new(bytes, alignment(bytes))); }
  std::size_t size_;
  std::size_t spare_;
  std::unique_ptr<Number, Delete> numbers_;
};

/// How many words of 8 bytes to skip at `room`, so that the array that begins then is far from one at `other` within pages of 4 KiB.
/// Where both are walked in step, processors that find a cache line by a few bits of its address would otherwise mix up the two lines
/// at every step: writing 8 million positions and counts took 120 ms in place of 8 when they lay 256 MB apart.
inline std::size_t words_to_skip(const void* other, const void* room) {
  constexpr std::uintptr_t page = 4096;
  const std::uintptr_t apart = (std::bit_cast<std::uintptr_t>(room) - std::bit_cast<std::uintptr_t>(other)) % page;
  return apart >= page / 4 && apart <= page / 4 * 3 ? 0 : page / 2 / 8;
}
/// The most words that may have to be skipped.
inline constexpr std::size_t most_words_to_skip = 256;

/// Zeros.
template <class Number>
std::vector<Number> large_vector(std::size_t size) {
  std::vector<Number> numbers;
  numbers.reserve(size);
  prefer_large_pages(numbers.data(), size * sizeof(Number));
  numbers.resize(size);
  return numbers;
}

}  // namespace fractile
