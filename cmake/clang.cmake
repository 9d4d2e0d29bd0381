# The clang of the fuzz preset: 14 where the distribution has it, otherwise its default.
find_program(FRACTILE_CLANG NAMES clang++-14 clang++ REQUIRED)
set(CMAKE_CXX_COMPILER ${FRACTILE_CLANG})
