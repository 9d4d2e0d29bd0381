// Independent pieces of work, shared among threads.
#pragma once

#include <cstddef>
#include <functional>

namespace fractile::experiments {

/// Calls work(0) .. work(count - 1) on `threads` threads, each once, started in this order. Calls progress(done, count) after each, one
/// call at a time. After the first exception, each thread stops at its next piece, and this function throws the exception.
void work_in_threads(std::size_t threads, std::size_t count, const std::function<void(std::size_t)>& work,
                     const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace fractile::experiments
