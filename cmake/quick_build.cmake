# FRACTILE_QUICK_BUILD takes more memory and less time; the result is the same. clang-tidy runs without it: each source of the library is
# then compiled alone, and must include what it uses.
option(FRACTILE_QUICK_BUILD "Precompile headers, and compile several sources as one" ON)
# FRACTILE_EDITING (preset mutants; preset dev from the first `./dev test --quick` on) compiles the sources of rooms one by one, so that a
# changed source is compiled alone.
option(FRACTILE_EDITING "Do not compile several sources of a room as one" OFF)
if(FRACTILE_EDITING)
  add_compile_options($<$<CONFIG:RelWithDebInfo>:-g1>)  # line numbers for debuggers
endif()

# Headers of other projects that many sources include, and our wrapper of {fmt}. Our headers change too often to be precompiled.
set(fractile_common_headers
  <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <cstring> <functional> <limits> <map> <memory> <mutex>
  <numeric> <optional> <set> <span> <sstream> <string> <string_view> <tuple> <utility> <variant> <vector> ${PROJECT_SOURCE_DIR}/src/libraries/fmt.hpp)
set(fractile_test_headers <gtest/gtest.h> <rapidcheck.h> ${fractile_common_headers} <random> <thread>)

# fractile_precompile(TARGET HEADERS...), or fractile_precompile(TARGET REUSE_FROM OTHER) if both targets have the same compile options.
# GCC does not check that, and crashes if the headers were compiled with less optimization.
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

# fractile_unite(TARGET SIZE FOLDERS SOURCES...): compiles up to SIZE sources as one, in the order of their names, if the part of their path
# that matches FOLDERS is the same, because most of the time goes into headers and templates that the sources share. Names that these sources
# define in anonymous namespaces must differ; a local variable may have the name of something that another file defines. Sources with options
# of their own stay alone.
function(fractile_unite target size folders)
  if(NOT FRACTILE_QUICK_BUILD)
    return()
  endif()
  foreach(source ${ARGN})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE group)
    cmake_path(GET group PARENT_PATH group)
    string(REGEX MATCH "${folders}" group ${group})
    string(MAKE_C_IDENTIFIER ${group} group)
    math(EXPR sources_of_${group} "0${sources_of_${group}} + 1")
    math(EXPR part "(${sources_of_${group}} + ${size} - 1) / ${size}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${part})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# fractile_unite_room(TARGET SOURCES...): fractile_unite with up to 30 sources of a folder, except in builds for editing.
function(fractile_unite_room target)
  if(NOT FRACTILE_EDITING)
    fractile_unite(${target} 30 ".*" ${ARGN})
  endif()
endfunction()

# By default GCC collects garbage from 128 MB on; most of our files end with 200 to 400 MB.
if(FRACTILE_QUICK_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("SHELL:--param ggc-min-heapsize=1048576")
endif()

# fractile_seldom_runs(TARGET): for code that parses words and prints. More optimization would take half as long again to compile, and save
# nothing that a user notices.
function(fractile_seldom_runs target)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:$<$<CONFIG:Release,RelWithDebInfo>:-O1>>)
endfunction()
