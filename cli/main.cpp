#include "program.hpp"

int main(int argc, char** argv) { return fractile::cli::run_program(argc, argv); }
