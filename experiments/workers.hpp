// Independent pieces of work, shared among threads.
#pragma once

#include <cstddef>
#include <functional>

namespace fractile::experiments {

/// Calls work(0) .. work(count - 1), each once, started in that order, on `threads` threads; and progress(done, count)
/// after each, one call at a time. The first exception stops the others at their next piece and is thrown here.
void work_in_threads(std::size_t threads, std::size_t count, const std::function<void(std::size_t)>& work,
                     const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace fractile::experiments
