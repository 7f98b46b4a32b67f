/* tex.h - the paper: paper.tex and what it takes in, in two columns. */
#pragma once

#include "paper/content.h"

/* Write paper.tex, references.bib, sections/NAME.tex and tables/NAME.tex into a folder whose figures are drawn. `analysis`: the
 * folder with paper/preamble.tex. */
int tex_write(const struct content *content, const char *analysis, const char *folder, struct error *error);
