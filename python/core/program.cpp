// Runs the program in this process, because the engine in the package duckdb works only within Python.
#include "cli/program.hpp"

#include "interpreter.hpp"
#include "module.hpp"

namespace fractile::python {

void bind_program(nb::module_& module) {
  module.def(
      "main",
      [](std::vector<std::string> words) {
        std::vector<char*> arguments;
        arguments.reserve(words.size() + 1);
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        const Unlocked unlocked;
        return cli::run_program(static_cast<int>(words.size()), arguments.data());
      },
      nb::arg("words"), "Runs `fractile` with these words, the first one its own name; the exit code.");
}

}  // namespace fractile::python
