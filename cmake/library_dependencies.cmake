# What the library links, here and in whoever uses it installed. Everything comes from the distribution's packages.
find_package(PkgConfig REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(MPFR REQUIRED IMPORTED_TARGET mpfr)
pkg_check_modules(GMP REQUIRED IMPORTED_TARGET gmp)
find_library(FLINT_LIBRARY flint REQUIRED)
# FLINT 3 contains Arb; with FLINT 2 it is a library of its own, which Debian calls flint-arb.
find_library(ARB_LIBRARY NAMES arb flint-arb)
if(NOT ARB_LIBRARY)
  set(ARB_LIBRARY ${FLINT_LIBRARY})
endif()
