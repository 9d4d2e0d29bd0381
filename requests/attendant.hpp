// Who asks for a release, while it is made: a person at a terminal, or a program.
#pragma once

#include <cstdint>
#include <string>

#include "fractile/error.hpp"

namespace fractile::requests {

struct Answer;

/// Does nothing, unless overridden.
class Attendant {
 public:
  Attendant() = default;
  Attendant(const Attendant&) = delete;
  Attendant& operator=(const Attendant&) = delete;
  virtual ~Attendant() = default;

  /// What may be a mistake, and what to do about it.
  virtual void warn(const Words& /*what*/, const Words& /*hint*/) {}
  /// What is no mistake and should be known.
  virtual void tell(const Words& /*what*/, const Words& /*hint*/) {}
  /// What goes on from now on: "reading people.csv"; "" when it is over.
  virtual void at(const std::string& /*task*/) {}
  /// Now and then while records are read. What it throws ends the release.
  virtual void tick() {}
  /// Before anything is charged: what will be shown may need room on a disk, for some of what a receipt of at most so many bytes says.
  /// What it throws ends the release.
  virtual void make_room(std::uint64_t /*receipt_size*/) {}
  /// Before anything of a release is stored or kept: what cannot be shown should fail here. It may give the release its receipt.
  virtual void prepare(Answer& /*answer*/) {}
  /// From now on an interrupt should say this.
  virtual void on_interrupt(const Words& /*what*/, const Words& /*hint*/) {}
  /// Until the next on_interrupt() nothing may be cut in two.
  virtual void hold_interrupts() {}
  /// Whether one came since hold_interrupts().
  virtual bool is_interrupted() { return false; }
};

}  // namespace fractile::requests
