# Everything native comes from the distribution's packages (see ./dev for the list).
find_package(PkgConfig REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(MPFR REQUIRED IMPORTED_TARGET mpfr)
pkg_check_modules(GMP REQUIRED IMPORTED_TARGET gmp)
find_library(FLINT_LIBRARY flint REQUIRED)
# FLINT 3 contains Arb; with FLINT 2 it is a library of its own, which Debian calls flint-arb.
find_library(ARB_LIBRARY NAMES arb flint-arb)
if(NOT ARB_LIBRARY)
  set(ARB_LIBRARY ${FLINT_LIBRARY})
endif()

add_library(fractile_dependencies INTERFACE)
target_link_libraries(fractile_dependencies INTERFACE
  ${ARB_LIBRARY} ${FLINT_LIBRARY} PkgConfig::MPFR PkgConfig::GMP OpenSSL::Crypto fmt::fmt Threads::Threads ${CMAKE_DL_LIBS})

add_library(fractile_cli_dependencies INTERFACE)
target_link_libraries(fractile_cli_dependencies INTERFACE CLI11::CLI11 fmt::fmt)

if(FRACTILE_DEVELOPER)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
  find_path(RAPIDCHECK_INCLUDE rapidcheck.h REQUIRED)
  find_library(RAPIDCHECK_LIBRARY rapidcheck REQUIRED)
  add_library(fractile_test_dependencies INTERFACE)
  target_include_directories(fractile_test_dependencies SYSTEM INTERFACE ${RAPIDCHECK_INCLUDE})
  target_link_libraries(fractile_test_dependencies INTERFACE GTest::gtest_main ${RAPIDCHECK_LIBRARY})
endif()
