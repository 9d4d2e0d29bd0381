# The clang of the fuzz preset: version 14 if the distribution has it, and otherwise the distribution's default.
find_program(FRACTILE_CLANG NAMES clang++-14 clang++ REQUIRED)
set(CMAKE_CXX_COMPILER ${FRACTILE_CLANG})
