/* latex.h - a table as a paper has it: booktabs rules, siunitx columns, people's names with units in the head, and digits
 * as the interval allows: 4299(4) stands for 4299 +- 4. */
#ifndef OUTPUT_LATEX_H
#define OUTPUT_LATEX_H

#include <stdio.h>

#include "results/view.h"

/* Write the view's rows and columns. What is the end of a shown column's interval is not shown beside it again. The
 * document needs the packages booktabs and siunitx. */
void latex_print_table(FILE *out, const struct view *view);

/* A number as siunitx reads it, 4299(4), with as many digits as half the width of its interval allows; NaN or 0: it has
 * none, and four digits are written. */
void latex_format_number(double value, double half, char *out, size_t size);

/* `text` with what LaTeX would take for itself escaped. */
void latex_print_text(FILE *out, const char *text);

#endif
