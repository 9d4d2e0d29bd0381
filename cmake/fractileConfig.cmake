# find_package(fractile): the target fractile::fractile.
include(${CMAKE_CURRENT_LIST_DIR}/library_dependencies.cmake)
if(fractile_missing)
  list(JOIN fractile_missing ", " fractile_missing)
  set(fractile_FOUND FALSE)
  set(fractile_NOT_FOUND_MESSAGE "these libraries that it needs are not here: ${fractile_missing}")
  return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/fractile_targets.cmake)
