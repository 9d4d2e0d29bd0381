#include <hwy/nanobenchmark.h>

#include <cstdint>

#include "program.hpp"

// Highway's library measures its clock as it is loaded, for benchmarks of its own that nothing here asks for: 4 ms of each run. The loader
// takes this in place of it.
std::uint64_t hwy::platform::TimerResolution() { return 1; }

int main(int argc, char** argv) { return fractile::cli::run_program(argc, argv); }
