# The compiler of wheels and the libraries that libraries.sh built with it; none of this machine's libraries and headers.
get_filename_component(folder ${CMAKE_CURRENT_LIST_DIR}/../../build/wheel-deps ABSOLUTE)
get_filename_component(house ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
set(CMAKE_C_COMPILER ${folder}/bin/cc)
set(CMAKE_CXX_COMPILER ${folder}/bin/c++)
set(CMAKE_AR ${folder}/bin/ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${folder}/bin/ranlib CACHE FILEPATH "")
set(CMAKE_FIND_ROOT_PATH ${folder}/prefix)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)  # nanobind lies elsewhere
set(ENV{PKG_CONFIG_LIBDIR} ${folder}/prefix/lib/pkgconfig)
set(OPENSSL_USE_STATIC_LIBS ON)

# Only what is called, without names and paths of the machine that built it.
set(flags "-fno-sanitize=all -ffunction-sections -fdata-sections -ffile-prefix-map=${house}/=")
set(CMAKE_C_FLAGS_INIT ${flags})
set(CMAKE_CXX_FLAGS_INIT ${flags})
set(CMAKE_MODULE_LINKER_FLAGS_INIT "-Wl,--gc-sections -s")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-Wl,--gc-sections -s")
