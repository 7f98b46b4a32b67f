/* plugin.h - kernel families of a user's own: shared objects that are loaded, not built in.
 *
 * A folder holds, for each:
 *
 *   NAME.so      the descriptor
 *   NAME.cu      its device code; or
 *   NAME.code    a list of machine code that another compiler has made (family/code_list.h)
 *   NAME.claims  what its variants are in machine code (family/code/claims.h); may be left out
 *
 * NAME.so is made from a descriptor like those in kernels/NAME, with `.source = NULL`, and exports two symbols:
 *
 *   const struct family warpsweep_family = { ... };
 *   const int warpsweep_family_abi = FAMILY_ABI;
 *
 * Everything that the headers in base/, core/ and family/ declare is
 * there for NAME.so to call: the executables export it. */
#ifndef FAMILY_CODE_PLUGIN_H
#define FAMILY_CODE_PLUGIN_H

#include "base/error.h"
#include "family/code/macros.h"
#include "family/family.h"

/* How every process of a run learns the folder: ranks by their command line, which sets this for their
 * workers. */
#define PLUGIN_VARIABLE "WARPSWEEP_KERNELS"

/* Load every *.so of the folder, in the order of their names, and add their families to `table`
 * (NULL-terminated, room for FAMILIES_MAX and the NULL), where they stay for the life of the process. To be
 * called at most once, before anything looks a family up. `headers` are those that device code may include.
 * An error (ERROR_USAGE) names the file and what was expected of it. */
int plugin_load_folder(const char *folder, const struct device_header *headers, const struct family **table,
                       struct error *error);

#endif
