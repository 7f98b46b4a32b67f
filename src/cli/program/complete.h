/* complete.h - `warpsweep __complete WORD...`: candidates for the last word of a command line, from the tables of the
 * parser. The scripts for bash, zsh and fish (warpsweep.* in this folder) call it.
 *
 * One line per candidate: the word, a tab, its description. Where there are none, shells offer files. Readers answer in Python
 * (completion.py), also with lines that begin with a slash and say which files, which the scripts leave out. */
#pragma once

/* `word`: the words after the program's name; the last may be empty and is the one to complete. Returns EXIT_FINE. */
int complete_print(int words, char **word);
