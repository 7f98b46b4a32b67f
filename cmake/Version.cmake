# build/version/version.h: the release and the commit that was built, remade at every build so that results
# never name another commit than theirs.
add_custom_target(version_header
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${CMAKE_BINARY_DIR}/version/version.h
          -DRELEASE=${PROJECT_VERSION} -P ${PROJECT_SOURCE_DIR}/cmake/WriteVersion.cmake
  BYPRODUCTS ${CMAKE_BINARY_DIR}/version/version.h)
add_dependencies(base version_header)
target_include_directories(base PUBLIC ${CMAKE_BINARY_DIR}/version)
