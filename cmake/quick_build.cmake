# FRACTILE_QUICK_BUILD: memory for time. What is built is the same. clang-tidy runs without it: there each source of the library stands
# alone, and must include what it uses.
option(FRACTILE_QUICK_BUILD "Precompile headers, and compile several sources as one" ON)
# FRACTILE_EDITING (preset mutants; preset dev from the first `./dev test --quick` on): sources of the rooms one by one, so that a changed one
# is compiled alone.
option(FRACTILE_EDITING "Do not compile several sources of a room as one" OFF)

# Headers of others that many sources include, {fmt} by its wrapper. Ours change too often.
set(fractile_common_headers
  <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <cstring> <functional> <limits> <map> <memory> <mutex>
  <numeric> <optional> <set> <span> <sstream> <string> <string_view> <tuple> <utility> <variant> <vector> ${PROJECT_SOURCE_DIR}/src/libraries/fmt.hpp)
set(fractile_test_headers <gtest/gtest.h> <rapidcheck.h> ${fractile_common_headers} <random> <thread>)

# fractile_precompile(TARGET HEADERS...), or fractile_precompile(TARGET REUSE_FROM OTHER) where both are compiled with the same options.
function(fractile_precompile target)
  if(NOT FRACTILE_QUICK_BUILD)
    return()
  endif()
  if("${ARGV1}" STREQUAL REUSE_FROM)
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# fractile_unite(TARGET SIZE SOURCES...): compiles up to SIZE sources of a folder as one, in the order of their names, since most of the
# time goes into headers and templates that the next one needs, too. What two of them define in anonymous namespaces must differ in name;
# a local variable may have the name of what another file has defined. Sources with options of their own stay alone.
function(fractile_unite target size)
  if(NOT FRACTILE_QUICK_BUILD)
    return()
  endif()
  foreach(source ${ARGN})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE group)
    cmake_path(GET group PARENT_PATH group)
    string(MAKE_C_IDENTIFIER ${group} group)
    math(EXPR sources_of_${group} "0${sources_of_${group}} + 1")
    math(EXPR part "(${sources_of_${group}} + ${size} - 1) / ${size}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${part})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# fractile_unite_room(TARGET SOURCES...): the same of what is not for editing.
function(fractile_unite_room target)
  if(NOT FRACTILE_EDITING)
    fractile_unite(${target} 8 ${ARGN})
  endif()
endfunction()

# By default this compiler looks for garbage from 128 MB on, and most files end with 200 to 400.
if(FRACTILE_QUICK_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("SHELL:--param ggc-min-heapsize=1048576")
endif()
