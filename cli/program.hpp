// The program. It parses, calls the library and prints; everything that matters happens behind the public headers.
#pragma once

namespace fractile::cli {

/// Runs the typed command, and reports errors on standard error. Returns the exit code. It takes over the process: it handles signals and
/// uses the standard streams.
int run_program(int argc, char** argv);

}  // namespace fractile::cli
