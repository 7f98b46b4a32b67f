# -P Descriptor.cmake -DNAME=name -DFOLDER=kernels/name -DOUTPUT=name.c: `name_descriptor`, a hash of the C files of a family without
# comments and white space, as hexadecimal text.
file(GLOB sources ${FOLDER}/*.c)
set(all "")
foreach(source ${sources})
  file(READ ${source} text)
  string(REGEX REPLACE "/[*]([^*]|[*]+[^*/])*[*]+/" "" text "${text}")
  string(REGEX REPLACE "[ \t\r\n]+" "" text "${text}")
  string(APPEND all "${text}")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 16 hash)
file(WRITE ${OUTPUT} "extern const char ${NAME}_descriptor[];\nconst char ${NAME}_descriptor[] = \"${hash}\";\n")
