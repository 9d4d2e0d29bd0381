// What an experiment tells while it runs.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace fractile::experiments {

/// Told from one thread at a time.
struct Observer {
  std::function<void(const std::string&)> note;                            ///< what was left out, and why
  std::function<void(std::size_t done, std::size_t total)> progress = {};  ///< in pieces of work
};

}  // namespace fractile::experiments
