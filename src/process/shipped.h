/* shipped.h - find the data files that ship with warpsweep: figures, kernel pairs, device profiles. They are searched
 * relative to this executable, since an installation may be moved, then in the source tree that it was built from. */
#ifndef PROCESS_SHIPPED_H
#define PROCESS_SHIPPED_H

/* The folder `analysis` that contains `file`; NULL if there is none. The caller frees. */
char *shipped_folder(const char *file);

/* The last place that is searched, for messages. */
const char *shipped_place(void);

/* The path of profiles/NAME.yaml; NULL if there is none. The caller frees. */
char *shipped_profile(const char *name);

#endif
