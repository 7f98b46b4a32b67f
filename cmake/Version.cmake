# build/version/version.h: the release and the commit that was built, remade at every build so that results
# never name another commit than theirs.
add_custom_target(version_header
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${CMAKE_BINARY_DIR}/version/version.h
          -DRELEASE=${PROJECT_VERSION} -P ${PROJECT_SOURCE_DIR}/cmake/WriteVersion.cmake
  BYPRODUCTS ${CMAKE_BINARY_DIR}/version/version.h)
foreach(target kernels store launch cli)
  add_dependencies(${target} version_header)
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/version)
endforeach()
