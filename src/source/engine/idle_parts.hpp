// Parts for work that the engine's threads share without waiting for one another. There are as many parts as were in use at one
// time.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace fractile::source_detail {

template <class Part>
class IdleParts {
 public:
  /// Calls work(part) with a part that no other thread uses meanwhile; make() returns a new part, as std::unique_ptr. May be called
  /// from any thread. A part whose work failed is lost.
  template <class Make, class Work>
  void with_one(Make make, Work work) {
    std::unique_ptr<Part> part = take();
    if (!part) part = make();
    work(*part);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(part));
  }
  /// All parts; to be called when no thread works any more.
  std::vector<std::unique_ptr<Part>> take_all() { return std::exchange(idle_, {}); }

 private:
  std::unique_ptr<Part> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<Part> part = std::move(idle_.back());
    idle_.pop_back();
    return part;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Part>> idle_;
};

}  // namespace fractile::source_detail
