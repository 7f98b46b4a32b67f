/* shipped.h - what ships with warpsweep as files: figures, the textbook's pairs, profiles of devices. An installation may be
 * moved: they are looked for beside this executable, wherever that lies, and then in the sources that it was built from. */
#ifndef PROCESS_SHIPPED_H
#define PROCESS_SHIPPED_H

/* The folder `analysis` that has `file` in it: installed beside us, or that of the source we were built from.
 * NULL when neither has it; the caller frees. */
char *shipped_folder(const char *file);

/* Where it is looked for last, for messages. */
const char *shipped_place(void);

/* The path of profiles/NAME.yaml, found in the same way; NULL when there is none; the caller frees. */
char *shipped_profile(const char *name);

#endif
