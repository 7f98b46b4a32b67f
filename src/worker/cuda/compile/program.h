/* program.h - where programs of the CUDA Toolkit are on this machine, which may not be the one that built us. */
#ifndef WORKER_CUDA_COMPILE_PROGRAM_H
#define WORKER_CUDA_COMPILE_PROGRAM_H

#define PROGRAM_PATH_SIZE 4200

/* The program: what `variable` in the environment names, or the toolkit's, or `fallback` ("": none). NULL when
 * there is none. May write into `path` and return that. */
const char *program_find(const char *name, const char *variable, const char *fallback,
                         char path[PROGRAM_PATH_SIZE]);

#endif
