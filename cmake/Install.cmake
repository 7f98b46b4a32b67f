# What `cmake --install` puts where. Nothing names the prefix: the programs look for their data from where they lie
# (src/process/shipped.c), the CMake package and warpsweep.pc from where these lie; so an installation can be moved.
include(CMakePackageConfigHelpers)
set(data_folder ${CMAKE_INSTALL_DATADIR}/warpsweep)
set(header_folder ${CMAKE_INSTALL_INCLUDEDIR}/warpsweep)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/warpsweep)
set(made ${CMAKE_BINARY_DIR}/install)

# ---- Programs, and what they read. Device code is within them.
install(TARGETS warpsweep warpsweep-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET warpsweep-worker-library)
  install(TARGETS warpsweep-worker-library LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/warpsweep) # no folder of the loader
endif()
install(DIRECTORY analysis jobs profiles slurm examples DESTINATION ${data_folder} USE_SOURCE_PERMISSIONS
        PATTERN site.env EXCLUDE PATTERN site.env.example EXCLUDE PATTERN __pycache__ EXCLUDE)

# The Python package, which pip can install from there, too (docs/python.md). python/VERSION and LICENSE are links, and so is what is
# in src/warpsweep/data: they lead to the same places there as in the source tree.
install(DIRECTORY python/src python/build_backend DESTINATION ${data_folder}/python FILES_MATCHING PATTERN "*.py" PATTERN py.typed
        PATTERN requirements.txt REGEX "/warpsweep/data/[^/]*$"
        PATTERN __pycache__ EXCLUDE PATTERN "*.egg-info" EXCLUDE)
install(FILES src/core/column.h src/core/device.h src/core/limits.h src/core/result.h DESTINATION ${data_folder}/src/core)
install(FILES python/pyproject.toml python/MANIFEST.in python/README.md VERSION LICENSE DESTINATION ${data_folder}/python)

# The program of site.env is the installed one.
file(READ slurm/site.env.example site)
file(RELATIVE_PATH programs_from_data ${CMAKE_INSTALL_FULL_DATADIR}/warpsweep ${CMAKE_INSTALL_FULL_BINDIR})
string(REPLACE "WARPSWEEP=$WARPSWEEP_HOME/build/bin/" "WARPSWEEP=$WARPSWEEP_HOME/${programs_from_data}/" installed_site "${site}")
if(installed_site STREQUAL site)
  message(FATAL_ERROR "slurm/site.env.example does not say where warpsweep lies")
endif()
file(WRITE ${made}/site.env.example "${installed_site}")
install(FILES ${made}/site.env.example DESTINATION ${data_folder}/slurm)

# ---- What a user's own kernel family is built against (src/family/code/plugin.h), and how: warpsweep_add_family, warpsweep.pc.
install(DIRECTORY src/base src/core src/family DESTINATION ${header_folder} COMPONENT headers FILES_MATCHING PATTERN "*.h")
file(GLOB device_headers CONFIGURE_DEPENDS kernels/*.cuh) # the program has them: these are for editors and other compilers
install(FILES ${device_headers} DESTINATION ${header_folder}/kernels COMPONENT headers)
# Families written for release 0.1 name it so.
file(WRITE ${made}/family.h "#include \"family/family.h\"\n")
install(FILES ${made}/family.h DESTINATION ${header_folder}/kernels COMPONENT headers)
file(STRINGS src/family/family.h abi REGEX "^#define FAMILY_ABI [0-9]+" LIMIT_COUNT 1)
string(REGEX MATCH "[0-9]+" WARPSWEEP_FAMILY_ABI "${abi}")
if(NOT WARPSWEEP_FAMILY_ABI)
  message(FATAL_ERROR "src/family/family.h has no FAMILY_ABI that can be read")
endif()
configure_package_config_file(cmake/warpsweep-config.cmake.in ${made}/warpsweep-config.cmake INSTALL_DESTINATION ${package_folder}
  PATH_VARS CMAKE_INSTALL_BINDIR header_folder NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${made}/warpsweep-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${made}/warpsweep-config.cmake ${made}/warpsweep-config-version.cmake cmake/warpsweep-add-family.cmake
        DESTINATION ${package_folder} COMPONENT headers)
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
configure_file(cmake/warpsweep.pc.in ${made}/warpsweep.pc @ONLY)
install(FILES ${made}/warpsweep.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig COMPONENT headers)

# ---- What is to be read: documents, man pages and completions (cmake/Manual.cmake makes these), module files
file(READ CITATION.cff citation)
file(WRITE ${made}/CITATION.cff "${citation}version: ${PROJECT_VERSION}\n")
install(FILES README.md CHANGELOG.md LICENSE ${made}/CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
install(DIRECTORY ${CMAKE_BINARY_DIR}/completion/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
install(DIRECTORY ${CMAKE_BINARY_DIR}/completion/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)
install(DIRECTORY ${CMAKE_BINARY_DIR}/completion/fish/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d OPTIONAL)
foreach(module lua tcl)
  configure_file(packaging/module/warpsweep.${module}.in ${made}/warpsweep.${module} @ONLY)
endforeach()
install(FILES ${made}/warpsweep.lua DESTINATION ${data_folder}/modulefiles/warpsweep RENAME ${PROJECT_VERSION}.lua)
install(FILES ${made}/warpsweep.tcl DESTINATION ${data_folder}/modulefiles/warpsweep RENAME ${PROJECT_VERSION})
