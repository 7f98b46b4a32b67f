# Run by cpack on the staged files: what Debian's policy wants otherwise than an installation by hand has it.
get_cmake_property(all VARIABLES)
foreach(v ${all})
  if(v MATCHES "^CPACK_TEMP|PREFIX|CURRENT")
  message(STATUS "${v} = ${${v}}")
  endif()
endforeach()
