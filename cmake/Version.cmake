# build/version/version.h: the release and the commit that was built, remade at every build so that results
# never name another commit than theirs.
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
get_property(options DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTY COMPILE_OPTIONS)
separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}")
list(APPEND flags -std=gnu${CMAKE_C_STANDARD} ${options})
list(FILTER flags EXCLUDE REGEX "^(-W|\\$<|-f[a-z]*-prefix-map=)") # warnings and paths change no code
list(JOIN flags " " flags)
set(toolkit none)
if(WARPSWEEP_CUDA)
  math(EXPR toolkit_minor "${CUDA_NUMBER} % 1000 / 10")
  math(EXPR toolkit_major "${CUDA_NUMBER} / 1000")
  set(toolkit ${toolkit_major}.${toolkit_minor})
endif()
add_custom_target(version_header
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${CMAKE_BINARY_DIR}/version/version.h
          -DRELEASE=${PROJECT_VERSION} "-DCOMPILER=${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}" "-DFLAGS=${flags}"
          -DTOOLKIT=${toolkit} -P ${PROJECT_SOURCE_DIR}/cmake/WriteVersion.cmake
  BYPRODUCTS ${CMAKE_BINARY_DIR}/version/version.h)
add_dependencies(base version_header)
target_include_directories(base PUBLIC ${CMAKE_BINARY_DIR}/version)
