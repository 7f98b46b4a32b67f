/* readers.h - readers of texts that no command has without a compiler, or a user's shared object, as if they were commands. */
#ifndef FUZZ_READERS_H
#define FUZZ_READERS_H

/* Runs `word[1]`, which is "code_list FILE", "claims FILE" or "remove FILE...": its exit code; -1: it is none of these. */
int readers_run(int words, char **word);

#endif
