/* program.h - finds programs of the CUDA Toolkit on this machine, which may differ from the build machine. */
#pragma once

#define PROGRAM_PATH_SIZE 4200

/* The path in the environment variable, or in the toolkit, or `fallback` ("": none). NULL if there is none. May write to `path`
 * and return that. */
const char *program_find(const char *name, const char *variable, const char *fallback,
                         char path[PROGRAM_PATH_SIZE]);
