# build/man and build/completion: the man pages, which cmake/manual.sh makes of every --help, and the completion scripts of
# bash, zsh and fish. Part of every build; cmake/Install.cmake installs both folders. Clusters have neither pandoc nor
# help2man, so the script needs sh, sed and awk alone.
set(man ${CMAKE_BINARY_DIR}/man/man1)
file(GLOB readers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/warpsweep/*.py)
add_custom_command(OUTPUT ${man}/warpsweep.1
  COMMAND ${PROJECT_SOURCE_DIR}/cmake/manual.sh $<TARGET_FILE:warpsweep> ${man}
  DEPENDS warpsweep ${PROJECT_SOURCE_DIR}/cmake/manual.sh ${readers})

set(completion ${CMAKE_BINARY_DIR}/completion)
set(asked ${PROJECT_SOURCE_DIR}/src/cli)
set(scripts ${completion}/bash/warpsweep ${completion}/zsh/_warpsweep ${completion}/fish/warpsweep.fish)
add_custom_command(OUTPUT ${scripts}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${completion}/bash ${completion}/zsh ${completion}/fish
  COMMAND ${CMAKE_COMMAND} -E copy ${asked}/warpsweep.bash ${completion}/bash/warpsweep
  COMMAND ${CMAKE_COMMAND} -E copy ${asked}/warpsweep.zsh ${completion}/zsh/_warpsweep
  COMMAND ${CMAKE_COMMAND} -E copy ${asked}/warpsweep.fish ${completion}/fish/warpsweep.fish
  DEPENDS ${asked}/warpsweep.bash ${asked}/warpsweep.zsh ${asked}/warpsweep.fish)
add_custom_target(manual ALL DEPENDS ${man}/warpsweep.1 ${scripts})
