/* compile.h - paper.tex as paper.pdf, by pdflatex and bibtex. */
#ifndef PAPER_COMPILE_H
#define PAPER_COMPILE_H

#include "base/error.h"

/* The Debian packages whose programs and styles a paper needs. */
#define COMPILE_PACKAGES "texlive-latex-recommended texlive-science lmodern"

/* Compile FOLDER/paper.tex; what TeX leaves beside it goes, but for paper.bbl. `seconds`: since 1970, what the PDF is
 * dated with, so that the same files give the same bytes; -1: now. ERROR_ENVIRONMENT: no pdflatex, a missing package,
 * what TeX says. Then paper.log stays. */
int compile_paper(const char *folder, long long seconds, struct error *error);

#endif
