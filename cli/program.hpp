// The program: parse, call, print. Everything that matters happens behind the public headers.
#pragma once

namespace fractile::cli {

/// Runs the typed command, and reports errors on standard error. Returns the exit code. The process is the program's: signals,
/// standard streams.
int run_program(int argc, char** argv);

}  // namespace fractile::cli
