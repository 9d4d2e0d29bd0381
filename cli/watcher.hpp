// A terminal that shows messages and progress.
#pragma once

#include <optional>
#include <string>

#include "fractile/publication.hpp"
#include "libraries/fmt.hpp"
#include "terminal.hpp"

namespace fractile::cli {

class Watcher : public Attendant {
 public:
  void warn(const Words& what, const Words& hint) override { print_error({"warning: ", what}, hint); }
  void tell(const Words& what, const Words& hint) override { print_error(what, hint); }
  void at(const std::string& task) override {
    progress_.reset();
    share_.clear();
    if (!task.empty()) progress_.emplace(task);
  }
  void tick() override {
    if (progress_) progress_->tick(share_);
  }
  void has_read(double share) override { share_ = fmt::format("{:.0f} %", 100 * share); }
  void on_interrupt(const Words& what, const Words& hint) override { cli::on_interrupt(what, hint); }
  void hold_interrupts() override { cli::hold_interrupts(); }
  bool is_interrupted() override { return cli::is_interrupted(); }

 private:
  std::optional<Progress> progress_;
  std::string share_;  // the share of the files' bytes that was read
};

}  // namespace fractile::cli
