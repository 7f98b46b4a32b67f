/* print_people.h - private: the formats of print.h that people read. Numbers are scaled and have their intervals. */
#pragma once

#include <stdio.h>

#include "output/print.h"

/* As aligned columns (PRINT_TEXT; coloured on a terminal), Markdown or LaTeX. */
void print_for_people(FILE *out, const struct view *view, enum print_format format);
