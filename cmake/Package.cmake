# Packages, by cpack from the build folder:
#
#   cpack -G DEB                             warpsweep_VERSION_ARCHITECTURE.deb, which Depends on what its programs are linked with, but NVRTC
#   cpack --config CPackSourceConfig.cmake   warpsweep-VERSION.tar.gz: the sources of the commit, which says of itself which it is
set(CPACK_PACKAGE_NAME warpsweep)
set(CPACK_PACKAGE_VENDOR "The warpsweep authors")
set(CPACK_PACKAGE_CONTACT "The warpsweep authors <maintainers@warpsweep.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "sweeps of GPU kernels over parameter grids and clusters")
set(CPACK_PACKAGE_DESCRIPTION "Measures how GPU kernels use memory: every point of a grid is compiled,
verified against a C reference, timed with confidence intervals, counted
by the hardware and predicted by an access model. Results land in one
HDF5 file, which gnuplot turns into figures.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "openmpi-bin") # mpirun, of the MPI that is linked with
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-h5py, python3-jinja2, python3-pandas, python3-scipy, gnuplot-nox | gnuplot, fonts-dejavu-core")
# NVRTC is only recommended: its package is in the vendor's repository, and the vendor's installer (runfile) makes no packages.
if(WARPSWEEP_CUDA)
  math(EXPR cuda_major "${CUDA_NUMBER} / 1000")
  math(EXPR cuda_minor "${CUDA_NUMBER} % 1000 / 10")
  string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", cuda-nvrtc-${cuda_major}-${cuda_minor}")
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CUDA_LIBRARIES_FOLDER}) # NVRTC's, which may be no folder of the loader
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cuda-cupti-${cuda_major}-${cuda_minor}, libcublas-${cuda_major}-${cuda_minor}")
endif()
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME warpsweep-${PROJECT_VERSION})
set(CPACK_SOURCE_INSTALLED_DIRECTORIES "") # not the working tree: the commit, by PackageSource.cmake
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/PackageProject.cmake)
set(CPACK_WARPSWEEP_SOURCE ${PROJECT_SOURCE_DIR})
include(CPack)

# The artifact of the flagship paper, for a release: cmake --build build --target artifact
add_custom_target(artifact COMMAND ${PROJECT_SOURCE_DIR}/packaging/artifact $<TARGET_FILE:warpsweep> ${CMAKE_BINARY_DIR} USES_TERMINAL VERBATIM)
