/* manual.h - `warpsweep __man PAGE`: man pages, generated from the tables that the parser and --help use. */
#pragma once

#include "base/error.h"

/* Print the page "warpsweep" or that of a command; "pages" lists the commands. Returns the exit code, or -1. */
int manual_print(const char *page, struct error *error);
