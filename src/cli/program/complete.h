/* complete.h - `warpsweep __complete WORD...`: what may stand in the place of the last word of a command line, from the
 * tables that read it. The scripts of bash, zsh and fish (this folder's warpsweep.*) only ask and show.
 *
 * A line a candidate: the word, a tab, what it is. A line that begins with a slash asks the shell for files: "/files .h5
 * .yaml" with these endings (none: all), "/folders". */
#ifndef CLI_PROGRAM_COMPLETE_H
#define CLI_PROGRAM_COMPLETE_H

/* `word` are those after the program's name; the last, which may be empty, is the one to complete. Prints; always fine. */
int complete_print(int words, char **word);

#endif
