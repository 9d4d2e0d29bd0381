// What a program calls of the library, each as a function whose text holds all of its result: for tests of what the program around it does.
// A new entry of the library belongs here.
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

/// Small: everything that the public headers declare, in groups. `folder` is for files and ledgers, each of its own; without it there are
/// none. Large: those whose work is then shared among several threads.
std::vector<Entry> entries(Size size, const std::string& folder = {});

/// Those that read files, where the engine is here; the file has five records for each of the rows.
std::vector<Entry> entries_of_engine(const std::string& folder, std::size_t rows = 20'000);

}  // namespace fractile::host_test
