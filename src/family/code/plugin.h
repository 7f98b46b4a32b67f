/* plugin.h - loads users' kernel families from shared objects.
 *
 * A folder has, for each family:
 *
 *   NAME.so      the descriptor
 *   NAME.cu      its device code; not needed by a family that has a function `call`
 *   NAME.code    in place of NAME.cu, a list of machine code of another compiler (family/code_list.h)
 *   NAME.py      in place of all these, a family in Python (family/python/python.h)
 *
 * NAME.so is built from a descriptor like those in kernels/NAME, with `.source = NULL`. It exports two
 * symbols:
 *
 *   const struct family warpsweep_family = { ... };
 *   const int warpsweep_family_abi = FAMILY_ABI;
 *
 * NAME.so may call everything that the headers in base/, core/ and family/ declare: the executables export
 * it. */
#pragma once

#include "base/error.h"
#include "family/code/source.h"
#include "family/family.h"

/* Environment variable with the folder, or, of a paired run, with two lines NAME=FOLDER. Ranks take it from
 * their command line and set the variable for their workers. */
#define PLUGIN_VARIABLE "WARPSWEEP_KERNELS"

/* Whether a folder that the variable names has a family in Python. */
bool plugin_needs_python(void);

/* Whether a kernel or an axis may have the name: a letter, then letters, digits and _, all of them small. */
bool plugin_is_name(const char *text);

/* Load every *.so and *.py of the folder in alphabetical order, and add the families to `table`
 * (NULL-terminated, room for FAMILIES_MAX and the NULL). They stay loaded for the life of the process. Call
 * it at most once, before any family is looked up. `headers`: those that device code may include. Errors
 * (ERROR_USAGE) name the file and what was expected. */
int plugin_load_folder(const char *folder, const struct device_header *headers, const struct family **table,
                       struct error *error);

/* The folder of a version of a paired run (family/versions.h). */
struct plugin_version {
    const char *name, *folder;
};

/* Load the families of two folders. Those in both become families of two versions; a built-in family of the
 * same name gives its place to them. Those in one folder are added as by plugin_load_folder. */
int plugin_load_versions(const struct plugin_version version[2], const struct device_header *headers,
                         const struct family **table, struct error *error);

/* From now on a fault in a function of a loaded family says so on stderr, before it ends the process. Workers
 * need it not: their runner says how they ended. */
void plugin_report_faults(void);

/* Hash of the descriptor and reference of a loaded family; 0: it is built in. */
uint64_t plugin_reference(const struct family *family);

/* Call `add` with the name, in the folder of --kernels, and the bytes of each text that a loaded family is
 * made of: NAME.py and what `Code` of _family.py has read, or NAME.cu, NAME.code, NAME.c and what these
 * include from their folder. Not for built-in families. */
typedef void plugin_add_source(void *context, const char *name, const void *bytes, size_t size);
void plugin_sources(const struct family *family, plugin_add_source *add, void *context);

/* ---- Within this module: shared objects, and the libraries that they bring: which bytes run (object.c) */

/* Load an object, which stays, whatever is written to its file later. Its own symbols go before those of the
 * program. `bytes`: hash of its file and of all libraries that it needs, except the system's. NULL
 * with an ERROR_USAGE; also if a file changed meanwhile, or if a library that it needs is not the one that it
 * would have got alone, because another of the same name was loaded before. Before threads start. */
void *object_open(const char *path, uint64_t *bytes, struct error *error);

/* Whether a mapped file is the system's: below /lib or /usr, but not /usr/local, by whatever path it was
 * found. */
bool object_is_system(const char *path);

/* How many files have been loaded so far. */
int object_count(void);

/* The path of the file that is loaded at `base`; NULL: it is none of these. */
const char *object_file(const void *base);

/* Refuse (ERROR_USAGE) files from `first` on that share data with those before: symbols that the linker makes
 * one for the whole process (STB_GNU_UNIQUE: inline variables and local statics of C++), unless they are
 * equal constants. */
int object_check_apart(int first, struct error *error);
