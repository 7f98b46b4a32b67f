# warpsweep_add_family(NAME SOURCES...)
#
# Builds the kernel family NAME: target NAME makes NAME.so of the C files, and what else is given is put beside it under its own
# name: NAME.cu, device code in CUDA, or NAME.code, a list of machine code of another compiler; one of the two has to be there.
# Cubins and PTX of a list keep their folders. All go to ${WARPSWEEP_KERNELS}, which is
# ${CMAKE_BINARY_DIR}/kernels if it is not set: the folder for `warpsweep run --kernels`.
function(warpsweep_add_family name)
  set(folder ${CMAKE_BINARY_DIR}/kernels)
  if(WARPSWEEP_KERNELS)
    set(folder ${WARPSWEEP_KERNELS})
  endif()
  set(code)
  set(compiled)
  set(beside)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source EXTENSION LAST_ONLY extension)
    if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
      message(FATAL_ERROR "warpsweep_add_family(${name}): there is no file ${CMAKE_CURRENT_SOURCE_DIR}/${source}; "
                          "sources are named from this folder on")
    elseif(extension STREQUAL ".c")
      list(APPEND compiled ${source})
    else()
      list(APPEND beside ${source})
      if(source MATCHES "^${name}\\.(cu|code)$")
        list(APPEND code ${source})
      endif()
    endif()
  endforeach()
  list(LENGTH code codes)
  if(NOT compiled OR NOT codes EQUAL 1)
    message(FATAL_ERROR "warpsweep_add_family(${name}): expected C files, and ${name}.cu or ${name}.code; got: ${ARGN}")
  endif()
  add_library(${name} MODULE ${compiled})
  target_link_libraries(${name} PRIVATE warpsweep::family) # functions come from the program that loads it
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so" LIBRARY_OUTPUT_DIRECTORY "${folder}")
  foreach(file IN LISTS beside)
    configure_file(${file} ${folder}/${file} COPYONLY) # again when it changes
  endforeach()
endfunction()
