# Everything native comes from the distribution's packages (see ./dev for the list).
include(cmake/library_dependencies.cmake)

add_library(fractile_dependencies INTERFACE)
target_link_libraries(fractile_dependencies INTERFACE
  fractile_needs::ARB fractile_needs::FLINT PkgConfig::MPFR PkgConfig::GMP OpenSSL::Crypto ZLIB::ZLIB BZip2::BZip2 PkgConfig::ZSTD PkgConfig::LZMA SQLite::SQLite3 Threads::Threads
  ${CMAKE_DL_LIBS})

# Clp, through its wrapper libraries/clp.hpp: an archive is linked, and a shared library loaded where it is first needed.
find_library(CLP_LIBRARY Clp HINTS ${CLP_LIBRARY_DIRS} REQUIRED)
find_path(CLP_INCLUDE coin/Clp_C_Interface.h HINTS ${CLP_INCLUDE_DIRS} REQUIRED)
if(CLP_LIBRARY MATCHES "[.]a$")
  target_link_libraries(fractile_dependencies INTERFACE PkgConfig::CLP)
  set(fractile_clp_of_pc "clp ")
else()
  cmake_path(GET CLP_LIBRARY FILENAME fractile_clp)
  execute_process(COMMAND ${CMAKE_READELF} -d ${CLP_LIBRARY} OUTPUT_VARIABLE fractile_clp_header ERROR_QUIET)
  if(fractile_clp_header MATCHES "soname: [[]([^]]+)[]]")
    set(fractile_clp ${CMAKE_MATCH_1})
  endif()
  set_source_files_properties(src/libraries/clp.cpp PROPERTIES COMPILE_DEFINITIONS FRACTILE_CLP="${fractile_clp}")
endif()

# Highway, through its wrapper libraries/highway.hpp: headers only.
find_path(HIGHWAY_INCLUDE hwy/highway.h REQUIRED)
target_include_directories(fractile_dependencies SYSTEM INTERFACE ${HIGHWAY_INCLUDE} ${CLP_INCLUDE})

# {fmt}, through its wrapper libraries/fmt.hpp: headers; our library contains its functions.
find_path(FMT_INCLUDE fmt/format.h REQUIRED)
add_library(fractile_fmt INTERFACE)
target_include_directories(fractile_fmt SYSTEM INTERFACE ${FMT_INCLUDE})
target_include_directories(fractile_fmt INTERFACE ${PROJECT_SOURCE_DIR}/src)

if(FRACTILE_CLI OR FRACTILE_PYTHON)
  find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
  add_library(fractile_requests_dependencies INTERFACE)
  target_include_directories(fractile_requests_dependencies SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE})
endif()

if(FRACTILE_CLI)
  find_package(CLI11 REQUIRED)
  add_library(fractile_cli_dependencies INTERFACE)
  target_link_libraries(fractile_cli_dependencies INTERFACE CLI11::CLI11)
endif()

if(FRACTILE_DEVELOPER)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
  find_path(RAPIDCHECK_INCLUDE rapidcheck.h REQUIRED)
  find_library(RAPIDCHECK_LIBRARY rapidcheck REQUIRED)
  add_library(fractile_test_dependencies INTERFACE)
  target_include_directories(fractile_test_dependencies SYSTEM INTERFACE ${RAPIDCHECK_INCLUDE})
  target_link_libraries(fractile_test_dependencies INTERFACE GTest::gtest_main ${RAPIDCHECK_LIBRARY})
endif()
