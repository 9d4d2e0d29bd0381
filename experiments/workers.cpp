#include "experiments/workers.hpp"

#include <mutex>

#include "exact/workers.hpp"

namespace fractile::experiments {

void work_in_threads(std::size_t threads, std::size_t count, const std::function<void(std::size_t)>& work,
                     const std::function<void(std::size_t, std::size_t)>& progress) {
  std::mutex mutex;
  std::size_t done = 0;
  share_among_threads(threads, count, [&](std::size_t piece) {
    work(piece);
    const std::lock_guard lock(mutex);
    ++done;
    if (progress) progress(done, count);
  });
}

}  // namespace fractile::experiments
