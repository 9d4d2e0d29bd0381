// One source, compiled for several instruction sets and chosen when the program is loaded. The arithmetic is the same in
// all of them: no contraction, no reassociation of floating point.
#pragma once

// Not under sanitizers, which start after that choice is made.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(FRACTILE_SANITIZED)
#define FRACTILE_INSTRUCTION_SETS __attribute__((target_clones("default", "avx2", "avx512f"), optimize("O3")))
#else
#define FRACTILE_INSTRUCTION_SETS
#endif
