// What an experiment reports while it runs.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace fractile::experiments {

/// The functions are called by one thread at a time.
struct Observer {
  std::function<void(const std::string&)> note;                            ///< says what was left out, and why
  std::function<void(std::size_t done, std::size_t total)> progress = {};  ///< counts pieces of work
};

}  // namespace fractile::experiments
