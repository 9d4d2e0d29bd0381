# Installs the library for find_package(fractile), its public headers, and the program.
include(CMakePackageConfigHelpers)
set(fractile_config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/fractile)

install(TARGETS fractile fractile_dependencies EXPORT fractile_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT fractile_targets FILE fractile_targets.cmake NAMESPACE fractile:: DESTINATION ${fractile_config_folder})
install(DIRECTORY include/fractile DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/generated/fractile/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fractile)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fractileConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/fractileConfig.cmake cmake/library_dependencies.cmake
              ${PROJECT_BINARY_DIR}/fractileConfigVersion.cmake
        DESTINATION ${fractile_config_folder})

# For programs that are built without CMake: pkg-config fractile.
file(RELATIVE_PATH fractile_prefix_of_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
get_target_property(fractile_type fractile TYPE)
if(fractile_type STREQUAL "SHARED_LIBRARY")
  set(fractile_private .private)
  set(fractile_libs_of_pc "")
else()
  set(fractile_private "")
  set(fractile_libs_of_pc " -lflint -lbz2 -lstdc++ -lm -ldl -pthread")
  if(NOT ARB_LIBRARY STREQUAL FLINT_LIBRARY)
    cmake_path(GET ARB_LIBRARY STEM arb)
    string(REGEX REPLACE "^lib" " -l" arb ${arb})
    string(PREPEND fractile_libs_of_pc ${arb})
  endif()
endif()
configure_file(cmake/fractile.pc.in ${PROJECT_BINARY_DIR}/fractile.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fractile.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(FRACTILE_CLI)
  install(TARGETS fractile_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # The engine that ./dev has put next to the program is installed where the program looks for it, with its license.
  install(CODE [[
    file(REAL_PATH libduckdb.so engine BASE_DIRECTORY ${CMAKE_CURRENT_LIST_DIR})
    if(EXISTS ${engine})
      cmake_path(GET engine PARENT_PATH folder)
      file(INSTALL ${engine} DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/fractile RENAME libduckdb.so)
      file(INSTALL ${folder}/LICENSE DESTINATION ${CMAKE_INSTALL_PREFIX}/share/doc/fractile RENAME duckdb-license OPTIONAL)
    else()
      message(STATUS "No engine to install: the program finds a libduckdb.so on the loader's path, or by FRACTILE_DUCKDB")
    endif()
  ]])
endif()
install(FILES docs/receipt.schema.json docs/receipt.schema.1.json DESTINATION ${CMAKE_INSTALL_DATADIR}/fractile)
