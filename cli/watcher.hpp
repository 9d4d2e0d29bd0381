// A person at a terminal, who is told things and sees progress.
#pragma once

#include <optional>
#include <string>

#include "fractile/publication.hpp"
#include "terminal.hpp"

namespace fractile::cli {

class Watcher : public Attendant {
 public:
  void warn(const Words& what, const Words& hint) override { print_error({"warning: ", what}, hint); }
  void tell(const Words& what, const Words& hint) override { print_error(what, hint); }
  void at(const std::string& task) override {
    progress_.reset();
    if (!task.empty()) progress_.emplace(task);
  }
  void tick() override {
    if (progress_) progress_->tick();
  }
  void on_interrupt(const Words& what, const Words& hint) override { cli::on_interrupt(what, hint); }
  void hold_interrupts() override { cli::hold_interrupts(); }
  bool is_interrupted() override { return cli::is_interrupted(); }

 private:
  std::optional<Progress> progress_;
};

}  // namespace fractile::cli
