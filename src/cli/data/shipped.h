/* shipped.h - the folder of what ships with warpsweep as files: figures, and the textbook's pairs. */
#ifndef CLI_DATA_SHIPPED_H
#define CLI_DATA_SHIPPED_H

/* The folder `analysis` that has `file` in it: installed beside us, or that of the source we were built from.
 * NULL when neither has it; the caller frees. */
char *shipped_folder(const char *file);

/* Where it is looked for last, for messages. */
const char *shipped_place(void);

#endif
