# build/man and build/completion: the man pages and the completion scripts of bash, zsh and fish, which cmake/manual.sh and
# cmake/completion.sh make of every --help. Part of every build; cmake/Install.cmake installs both folders. Clusters have
# neither pandoc nor help2man, so the scripts need sh, sed and awk alone.
set(man ${CMAKE_BINARY_DIR}/man/man1)
file(GLOB readers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/warpsweep/*.py)
add_custom_command(OUTPUT ${man}/warpsweep.1
  COMMAND ${PROJECT_SOURCE_DIR}/cmake/manual.sh $<TARGET_FILE:warpsweep> ${man}
  DEPENDS warpsweep ${PROJECT_SOURCE_DIR}/cmake/manual.sh ${readers})

set(completion ${CMAKE_BINARY_DIR}/completion)
add_custom_command(OUTPUT ${completion}/bash/warpsweep
  COMMAND ${PROJECT_SOURCE_DIR}/cmake/completion.sh $<TARGET_FILE:warpsweep> ${completion}
  DEPENDS warpsweep ${PROJECT_SOURCE_DIR}/cmake/completion.sh ${readers})
add_custom_target(manual ALL DEPENDS ${man}/warpsweep.1 ${completion}/bash/warpsweep)
