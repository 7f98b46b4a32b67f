/* html.h - index.html: all of a paper on one page that needs nothing else. */
#pragma once

#include "paper/content.h"

/* Write index.html into a folder whose figures are drawn. `analysis`: the folder with paper/page.css and paper/page.js. */
int html_write(const struct content *content, const char *analysis, const char *folder, struct error *error);
