/* bridge.h - requests to a Python interpreter: short texts there and back.
 *
 * Families in Python run in the user's own interpreter, so that his virtual environment works and no libpython has to be found.
 * Most processes start it as a child and ask through pipes. The worker, whose launches need its device and stream, is a shared
 * library as well: it becomes the interpreter, which loads that library and attaches itself. Both run
 * python/src/warpsweep/_family.py, which lists the requests. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* The user's interpreter; default: python3 of the PATH. */
#define PYTHON_VARIABLE "WARPSWEEP_PYTHON"

#define PYTHON_LOAD_SECONDS 300.0 /* to load a family: PyTorch over a slow network takes a minute */

/* Send a request and add what is answered to `answer`; starts the interpreter if there is none. -1 with an ERROR_USAGE that holds
 * the exception as NAME.py:LINE: TYPE: TEXT; or with an ERROR_ENVIRONMENT if there is no interpreter, or if it died or was silent for
 * `seconds` (child only). Thread-safe. */
int python_ask(const char *request, double seconds, struct text *answer, struct error *error);

/* Whether an interpreter is attached: launches and references are possible. */
bool python_is_attached(void);

/* Replace this process, warpsweep-worker, by the interpreter, which runs the same arguments. Returns only if that fails. */
int python_become(int argc, char *const *argv, struct error *error);

/* Called by the interpreter. `ask` returns 1, or 0 if the request failed; before, it passes its text to python_answer, with the same
 * `to`. A request without a text to answer needs no call of it. */
void python_attach(int (*ask)(const char *request, void *to));
void python_answer(void *to, const char *text, size_t length);
