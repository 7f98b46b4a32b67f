install(TARGETS warpsweep warpsweep-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY analysis jobs slurm DESTINATION ${CMAKE_INSTALL_DATADIR}/warpsweep)
# What a user's own kernel family is built against (kernels/plugin.h).
set(header_folder ${CMAKE_INSTALL_INCLUDEDIR}/warpsweep)
install(DIRECTORY src/base src/core DESTINATION ${header_folder} COMPONENT headers FILES_MATCHING PATTERN "*.h")
install(FILES kernels/family.h kernels/fill.h kernels/plugin.h DESTINATION ${header_folder}/kernels COMPONENT headers)
