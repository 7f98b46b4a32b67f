# Run by cpack: the tree of the commit, as git archives it, into the package's folder. What is not committed is no part of a release.
execute_process(COMMAND git -C ${CPACK_WARPSWEEP_SOURCE} status --porcelain OUTPUT_VARIABLE changes RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "a package of sources is made from a clone, with git")
endif()
if(changes)
  message(WARNING "what is not committed is not in the package:\n${changes}")
endif()
execute_process(COMMAND git -C ${CPACK_WARPSWEEP_SOURCE} archive HEAD COMMAND tar -x -C ${CMAKE_INSTALL_PREFIX}
                COMMAND_ERROR_IS_FATAL ANY)
