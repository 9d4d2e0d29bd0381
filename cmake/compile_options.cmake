# The compile options of all our code. Exactness relies on IEEE arithmetic as written: no contraction, no fast-math.
add_library(fractile_options INTERFACE)
# Files that are compiled as one may use each other's names for local variables (quick_build.cmake); clang has no option for this.
set(united $<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>)
set(as_one $<AND:$<CXX_COMPILER_ID:GNU>,${united}>)
set(shadow $<IF:${as_one},-Wshadow=local,$<IF:${united},-Wno-shadow,-Wshadow>>)
# A class that a header only declares may have members from an anonymous namespace. GCC warns of this, since an included source looks to it
# like a header.
set(linkage $<${as_one}:-Wno-subobject-linkage>)
target_compile_options(fractile_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion ${shadow} -Wnon-virtual-dtor -Wold-style-cast
  ${linkage} -ffp-contract=off -fno-fast-math -frounding-math)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(fractile_options INTERFACE -Wno-ignored-optimization-argument)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # At -O3 these compilers warn of concatenated strings (GCC bug 105651).
  target_compile_options(fractile_options INTERFACE $<$<CONFIG:Release>:-Wno-restrict> $<$<CONFIG:Release>:-Wno-stringop-overflow>
    $<$<CONFIG:Release>:-Wno-array-bounds>)
endif()
option(FRACTILE_WERROR "Warnings are errors" OFF)
if(FRACTILE_WERROR)
  target_compile_options(fractile_options INTERFACE -Werror)
endif()
if(FRACTILE_SANITIZE)
  add_compile_options(-fsanitize=${FRACTILE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FRACTILE_SANITIZE})
endif()
if(FRACTILE_FUZZ)
  # Coverage for libFuzzer in all our code; the target itself links with -fsanitize=fuzzer.
  add_compile_options(-fsanitize=fuzzer-no-link -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/fuzz/ignored.txt)
  option(FRACTILE_QUICK_FUZZ "Targets that are built in a third of the time, and run slower" OFF)
  if(FRACTILE_QUICK_FUZZ)
    # AddressSanitizer detects what these four checks look for, and the checks would be a quarter of the compiled code.
    add_compile_options(-O0 -fno-sanitize=null,alignment,object-size,vptr)
  endif()
endif()
