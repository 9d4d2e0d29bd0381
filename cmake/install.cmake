# The library for find_package(fractile), its public headers, and the program.
include(CMakePackageConfigHelpers)
set(fractile_config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/fractile)

install(TARGETS fractile fractile_dependencies EXPORT fractile_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT fractile_targets FILE fractile_targets.cmake NAMESPACE fractile:: DESTINATION ${fractile_config_folder})
install(DIRECTORY include/fractile DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/generated/fractile/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fractile)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fractileConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/fractileConfig.cmake cmake/library_dependencies.cmake
              ${PROJECT_BINARY_DIR}/fractileConfigVersion.cmake
        DESTINATION ${fractile_config_folder})
if(FRACTILE_CLI)
  install(TARGETS fractile_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES docs/receipt.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/fractile)
