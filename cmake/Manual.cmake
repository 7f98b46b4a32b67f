# build/man and build/completion: the man pages, as the program prints them from its own tables, and the scripts by which
# bash, zsh and fish ask it. Part of every build, so that they are never behind it; cmake/Install.cmake takes both folders.
set(man ${CMAKE_BINARY_DIR}/man)
set(docs ${PROJECT_SOURCE_DIR}/docs)
file(READ src/cli/command.h command_table)
string(REGEX MATCHALL "\n    X\\([a-z]+\\)" command_rows "${command_table}")
list(TRANSFORM command_rows REPLACE "[^a-z]" "" OUTPUT_VARIABLE command_names)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/command.h)
set(pages ${man}/man1/warpsweep.1 ${man}/man5/warpsweep-job.5 ${man}/man5/warpsweep-results.5)
set(print_pages COMMAND ${CMAKE_COMMAND} -E make_directory ${man}/man1 ${man}/man5
                COMMAND warpsweep __man warpsweep > ${man}/man1/warpsweep.1
                COMMAND warpsweep __man job ${docs}/job-file.md > ${man}/man5/warpsweep-job.5
                COMMAND warpsweep __man results ${docs}/results-file.md > ${man}/man5/warpsweep-results.5)
foreach(name ${command_names})
  list(APPEND pages ${man}/man1/warpsweep-${name}.1)
  list(APPEND print_pages COMMAND warpsweep __man ${name} > ${man}/man1/warpsweep-${name}.1)
endforeach()
add_custom_command(OUTPUT ${pages} ${print_pages} DEPENDS warpsweep ${docs}/job-file.md ${docs}/results-file.md)

set(completion ${CMAKE_BINARY_DIR}/completion)
set(asked ${PROJECT_SOURCE_DIR}/src/cli/program)
set(scripts ${completion}/bash/warpsweep ${completion}/zsh/_warpsweep ${completion}/fish/warpsweep.fish)
add_custom_command(OUTPUT ${scripts}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${completion}/bash ${completion}/zsh ${completion}/fish
  COMMAND ${CMAKE_COMMAND} -E copy ${asked}/warpsweep.bash ${completion}/bash/warpsweep
  COMMAND ${CMAKE_COMMAND} -E copy ${asked}/warpsweep.zsh ${completion}/zsh/_warpsweep
  COMMAND ${CMAKE_COMMAND} -E copy ${asked}/warpsweep.fish ${completion}/fish/warpsweep.fish
  DEPENDS ${asked}/warpsweep.bash ${asked}/warpsweep.zsh ${asked}/warpsweep.fish)
add_custom_target(manual ALL DEPENDS ${pages} ${scripts})
