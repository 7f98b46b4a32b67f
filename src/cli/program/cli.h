/* cli.h - the program: find the command, run it, print its error. */
#pragma once

/* Returns the exit code. */
int cli_main(int argc, char **argv);
