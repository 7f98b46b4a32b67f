/* print_people.h - a view as a table of a paper, or as table/print.h has it. */
#pragma once

#include <stdio.h>

#include "table/view.h"

/* The words of --format; NULL-terminated. */
extern const char *const people_formats[];

/* `format`: one of them, or NULL as for print_format_named. */
void people_print(FILE *out, const struct view *view, const char *format);
