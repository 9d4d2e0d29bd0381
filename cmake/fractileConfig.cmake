# find_package(fractile): the target fractile::fractile.
include(${CMAKE_CURRENT_LIST_DIR}/library_dependencies.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/fractile_targets.cmake)
