// Work that several threads share, including the calling one. All threads of the library are started here.
#pragma once

#include <cstddef>
#include <functional>

namespace fractile {

/// Calls work(0) .. work(pieces - 1), each once, on at most `threads` threads. After an exception, no further piece is started.
/// When all threads have ended, the exception of the piece with the lowest number is thrown here, whichever came first. If the
/// system provides fewer threads, these do the work, and at least the calling one.
void share_among_threads(std::size_t threads, std::size_t pieces, const std::function<void(std::size_t)>& work);

/// The same for work(worker, piece): workers are numbered below `threads`, and the calling one is 0. No two calls of one worker
/// overlap.
void share_among_workers(std::size_t threads, std::size_t pieces,
                         const std::function<void(std::size_t, std::size_t)>& work);

/// How many threads the machine runs at once, at least 1.
std::size_t threads_of_machine();

/// How many of the threads to use: as many as leave each at least `least` of the work, and at least 1.
constexpr std::size_t threads_for(std::size_t work, std::size_t least, std::size_t threads) {
  const std::size_t most = work / least;
  return most < 1 ? 1 : most < threads ? most : threads;
}

}  // namespace fractile
