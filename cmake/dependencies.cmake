# Everything native comes from the distribution's packages (see ./dev for the list).
include(cmake/library_dependencies.cmake)

add_library(fractile_dependencies INTERFACE)
target_link_libraries(fractile_dependencies INTERFACE
  fractile_needs::ARB fractile_needs::FLINT PkgConfig::MPFR PkgConfig::GMP PkgConfig::CLP OpenSSL::Crypto ZLIB::ZLIB BZip2::BZip2 PkgConfig::ZSTD PkgConfig::LZMA SQLite::SQLite3 Threads::Threads
  ${CMAKE_DL_LIBS})

# Highway, through its wrapper libraries/highway.hpp: headers only.
find_path(HIGHWAY_INCLUDE hwy/highway.h REQUIRED)
target_include_directories(fractile_dependencies SYSTEM INTERFACE ${HIGHWAY_INCLUDE})

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
