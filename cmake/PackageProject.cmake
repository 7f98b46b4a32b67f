# Read by cpack for each generator: what the package of sources and the Debian package have of their own.
if(NOT CPACK_INSTALL_CMAKE_PROJECTS) # the package of sources
  set(CPACK_INSTALL_SCRIPTS ${CPACK_WARPSWEEP_SOURCE}/cmake/PackageSource.cmake)
elseif(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_PRE_BUILD_SCRIPTS ${CPACK_WARPSWEEP_SOURCE}/cmake/PackageDebian.cmake)
endif()
