# cmake -DNAME=symbol -DINPUT=file -DOUTPUT=file.c -P Embed.cmake
# Writes a C file that defines `const char NAME[]`, the text of INPUT with its NUL.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "/* Made from ${NAME}'s source by cmake/Embed.cmake. */\nextern const char ${NAME}[];\nconst char ${NAME}[] = {\n${bytes}0x00};\n")
