/* cli.h - the program: find the command, run it, print its error. */
#ifndef CLI_PROGRAM_CLI_H
#define CLI_PROGRAM_CLI_H

/* Returns the exit code. */
int cli_main(int argc, char **argv);

#endif
