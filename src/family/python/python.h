/* python.h - kernel families written in Python: NAME.py in place of NAME.so (docs/python-kernels.md).
 *
 * They run in the user's own interpreter, so that his virtual environment works and no libpython has to be
 * found. Most processes start it as a child and ask through pipes. The worker, whose launches need its device
 * and stream, is a shared library as well: it becomes the interpreter, which loads that library and attaches
 * itself. Both run python/src/warpsweep/_family.py, which lists the requests.
 *
 * The family's functions keep what was answered. What a function raises is kept, too, until `failure` of
 * struct family is asked for it: the functions themselves cannot fail. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "family/family.h"

/* The user's interpreter; default: see process_python. */
#define PYTHON_VARIABLE "WARPSWEEP_PYTHON"

/* Whether the file name is that of a family: NAME.py, the name not beginning with an underscore. */
bool python_is_family(const char *name);

/* The family of NAME.py, for the life of the process. Its `source` is the text of the file. NULL with an
 * error. Call it before threads start. `reference`: a hash of its descriptor and reference. */
struct family *python_load(const char *path, uint64_t *reference, struct error *error);

/* Add what the attached interpreter has loaded since the last call, as lines of family/code/closure.h: none,
 * if there are no such families. */
void python_loaded(struct text *lines);

/* Let the attached interpreter import what calls of the loaded families would import when they are opened. It
 * takes seconds. */
void python_import_ahead(void);

/* Call `add` with the name and the bytes of each file that the family is hashed from. False: it is not in
 * Python. */
bool python_sources(const struct family *family,
                    void (*add)(void *context, const char *name, const void *bytes, size_t size),
                    void *context);

/* Bytes of host memory that the reference of the family takes for a point: its arrays, which the process of
 * references shares, and twice as much for what its function computes with. 0: the family is not in Python.
 */
uint64_t python_reference_bytes(const struct family *family, const struct setup *setup);

/* Whether several calls of the family may be open at once: it is in Python, which keeps the state of each
 * apart, and no function of it says `global`. */
bool python_may_share(const struct family *family);

/* Whether the family is in Python and imports what launches on a device: PyTorch, Triton or CuPy. */
bool python_imports_launchers(const struct family *family);

/* ---- The interpreter of warpsweep-worker ---- */

/* Replace this process, warpsweep-worker, by the interpreter, which runs the same arguments. Returns only if
 * that fails. */
int python_become(int argc, char *const *argv, struct error *error);

/* Called by the interpreter. `ask` returns 1, or 0 if the request failed; before, it passes its text to
 * python_answer, with the same `to`. A request without a text to answer needs no call of it. */
void python_attach(int (*ask)(const char *request, void *to));
void python_answer(void *to, const char *text, size_t length);

/* ---- Within this module: requests (bridge.c) ---- */

#define PYTHON_LOAD_SECONDS 300.0 /* to load a family: PyTorch over a slow network takes a minute */

/* Send a request and add what is answered to `answer`; starts the interpreter if there is none. -1 with an
 * ERROR_USAGE that holds the exception as NAME.py:LINE: TYPE: TEXT; or with an ERROR_ENVIRONMENT if there is
 * no interpreter, or if it died or was silent for `seconds` (child only). Thread-safe. */
int python_ask(const char *request, double seconds, struct text *answer, struct error *error);

/* Whether an interpreter is attached: launches and references are possible. */
bool python_is_attached(void);

/* ---- Within this module: answers (answers.c). Texts live as long as the process ---- */

/* A point: why it is unsupported, or why its functions failed, or what they returned. */
struct description {
    const char *skip, *failure; /* NULL: not so */
    struct setup setup;
    struct work work;
    struct tolerance tolerance;
};
struct description description_failed(const char *why);
struct description description_read(const char *answer);

/* What the interpreter says of a family beside its descriptor. */
struct python_family {
    int number;         /* in the interpreter */
    uint64_t reference; /* hash of its descriptor and reference */
    bool shares;        /* see python_may_share */
    bool imports;       /* see python_imports_launchers */
};

/* Fill in name, summary and axes of a family, the common axes behind its own. -1 with an ERROR_USAGE that
 * begins with `path`. */
int description_read_family(const char *path, const char *answer, struct python_family *python,
                            struct family *family, struct error *error);

/* ---- Within this module: references (whole.c) ----
 *
 * A reference in Python gets whole inputs and returns whole outputs, floating-point ones as doubles, others
 * in their type. The last few are kept, for callers that ask for ranges of elements. */

/* The arrays of a reference, in a file in memory. */
struct whole_arrays {
    int file;
    char *memory; /* of the file; NULL: none */
    uint64_t bytes, kept;
    uint64_t offset[SETUP_BUFFERS_MAX], size[SETUP_BUFFERS_MAX]; /* of each buffer; 0 for scratch */
};

/* Fill the outputs of the point from its inputs. */
typedef int (*whole_compute)(const struct point *point, const struct whole_arrays *arrays, int threads,
                             struct error *error);

/* Copy elements of an output, after computing it if it is not kept; nothing, if that fails. Thread-safe. */
void whole_copy(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                uint64_t count, void *out, whole_compute compute);

/* Why the reference of a point with these data failed; NULL: it has not. */
const char *whole_failure(const struct point *point, const struct setup *setup);

/* Bytes of these arrays. */
uint64_t whole_bytes(const struct setup *setup);
