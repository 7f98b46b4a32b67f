install(TARGETS warpsweep warpsweep-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY analysis jobs slurm DESTINATION ${CMAKE_INSTALL_DATADIR}/warpsweep)
