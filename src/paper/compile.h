/* compile.h - compile paper.tex to paper.pdf with pdflatex and bibtex. */
#pragma once

#include "base/error.h"

/* The Debian packages whose programs and styles a paper needs. */
#define COMPILE_PACKAGES "texlive-latex-recommended texlive-science lmodern"

/* Compile FOLDER/paper.tex and remove TeX's other files except paper.bbl. `seconds`: date of the PDF since 1970, for
 * reproducible output; -1: now. ERROR_ENVIRONMENT: no pdflatex, a missing package, an error of TeX; paper.log stays. */
int compile_paper(const char *folder, long long seconds, struct error *error);
