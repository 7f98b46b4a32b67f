# The commit: in an archive of the sources it stands in cmake/commit.txt, where git puts it (.gitattributes); in a clone git
# says it. A folder that merely lies within a clone of something else has none.
file(STRINGS ${SOURCE}/cmake/commit.txt archived REGEX "^[0-9a-f]+$")
set(commit "unknown")
if(archived)
  string(SUBSTRING "${archived}" 0 12 commit)
elseif(EXISTS ${SOURCE}/.git)
  # --exclude: the bare commit, whatever tags there are.
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=* OUTPUT_VARIABLE described
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed AND described)
    set(commit "${described}")
  endif()
endif()
# The year of the release, for citations.
file(STRINGS ${SOURCE}/CITATION.cff released REGEX "^date-released: ")
string(REGEX MATCH "[0-9][0-9][0-9][0-9]" year "${released}")
string(REPLACE "\"" "\\\"" flags "${FLAGS}")
set(text "#define WARPSWEEP_COMPILER \"${COMPILER}\"\n#define WARPSWEEP_COMPILER_FLAGS \"${flags}\"\n#define WARPSWEEP_TOOLKIT \"${TOOLKIT}\"\n")
string(APPEND text "#define WARPSWEEP_RELEASE \"${RELEASE}\"\n#define WARPSWEEP_YEAR \"${year}\"\n#define WARPSWEEP_COMMIT \"${commit}\"\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT "${old}" STREQUAL "${text}")
  file(WRITE ${OUTPUT} "${text}")
endif()
