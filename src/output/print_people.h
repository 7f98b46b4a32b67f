/* print_people.h - private: the formats of print.h that people read. Numbers are scaled and have their intervals. */
#ifndef OUTPUT_PRINT_PEOPLE_H
#define OUTPUT_PRINT_PEOPLE_H

#include <stdio.h>

#include "results/view.h"

void print_text(FILE *out, const struct view *view); /* aligned columns; coloured on a terminal */
void print_md(FILE *out, const struct view *view);
void print_latex(FILE *out, const struct view *view);

#endif
