# build/man and build/completion: the man pages, as the program prints them from its option tables, and the completion
# scripts of bash, zsh and fish. Part of every build; cmake/Install.cmake installs both folders. The program prints roff
# itself because clusters have neither pandoc nor help2man.
set(man ${CMAKE_BINARY_DIR}/man)
file(READ src/cli/command.h command_table)
string(REGEX MATCHALL "\n    X\\([a-z]+\\)" command_rows "${command_table}")
list(TRANSFORM command_rows REPLACE "[^a-z]" "" OUTPUT_VARIABLE command_names)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/command.h)
set(pages ${man}/man1/warpsweep.1)
set(print_pages COMMAND ${CMAKE_COMMAND} -E make_directory ${man}/man1
                COMMAND warpsweep __man warpsweep > ${man}/man1/warpsweep.1)
foreach(name ${command_names})
  list(APPEND pages ${man}/man1/warpsweep-${name}.1)
  list(APPEND print_pages COMMAND warpsweep __man ${name} > ${man}/man1/warpsweep-${name}.1)
endforeach()
add_custom_command(OUTPUT ${pages} ${print_pages} DEPENDS warpsweep)

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
