// What a program calls of the library, each as a function whose text holds all of its result: for tests of what the program around it does.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace fractile::host_test {

struct Entry {
  std::string name;
  std::function<std::string()> call;  ///< the same text whenever it is called
};

enum class Size { small, large };

/// The work of large ones is shared among several threads. `folder` is for ledgers, each of its own; without it none is opened.
std::vector<Entry> entries(Size size, const std::string& folder = {});

/// The same, and those that read files, where the engine is here.
std::vector<Entry> entries_of_engine(const std::string& folder);

}  // namespace fractile::host_test
