/* readers.h - what is run as if it were a command: readers of texts that commands read only with a compiler or a user's shared
 * object, and what the fuzzer itself needs. */
#pragma once

/* Runs `word[1]`, which is "code_list FILE", "claims FILE", "remove FILE..." or "misbehave HOW": its exit code; -1: it is
 * none of these. */
int readers_run(int words, char **word);
