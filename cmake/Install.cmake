install(TARGETS warpsweep warpsweep-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY analysis jobs profiles slurm examples DESTINATION ${CMAKE_INSTALL_DATADIR}/warpsweep)
# What a user's own kernel family is built against (src/family/plugin.h).
set(header_folder ${CMAKE_INSTALL_INCLUDEDIR}/warpsweep)
install(DIRECTORY src/base src/core src/family DESTINATION ${header_folder} COMPONENT headers FILES_MATCHING PATTERN "*.h")
# Families written for release 0.1 name it so.
file(WRITE ${CMAKE_BINARY_DIR}/headers/family.h "#include \"family/family.h\"
")
install(FILES ${CMAKE_BINARY_DIR}/headers/family.h DESTINATION ${header_folder}/kernels COMPONENT headers)
