#include "count.hpp"

#include <optional>
#include <string>

#include "requests/counting.hpp"
#include "terminal.hpp"

namespace fractile::cli {
namespace {

/// A person at a terminal.
class Watcher final : public requests::Attendant {
 public:
  void tell(const std::string& what, const std::string& hint) override { print_error(what, hint); }
  void at(const std::string& task) override {
    progress_.reset();
    if (!task.empty()) progress_.emplace(task);
  }
  void tick() override {
    if (progress_) progress_->tick();
  }

 private:
  std::optional<Progress> progress_;
};

}  // namespace

int run_count(const requests::Typed& typed) {
  Watcher watcher;
  requests::count_to_file(typed, watcher);
  return 0;
}

int run_merge(const requests::Typed& typed) {
  Watcher watcher;
  requests::merge_to_file(typed, watcher);
  return 0;
}

}  // namespace fractile::cli
