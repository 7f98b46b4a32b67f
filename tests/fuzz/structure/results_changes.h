/* results_changes.h - changes of a results file as lines of text, so that each find can be told, repeated and kept:
 *
 *   set TABLE ROW COLUMN VALUE      fill TABLE COLUMN VALUE        take TABLE ROW OTHER COLUMN (the cell of another row)
 *   copy TABLE ROW OTHER (a row)    swap TABLE ROW OTHER           append TABLE ROW (again, at the end)
 *   delete TABLE ROW                resize TABLE ROWS              drop TABLE [COLUMN]
 *   retype TABLE COLUMN TYPE        rename TABLE COLUMN NAME       add TABLE COLUMN TYPE
 *   move TABLE COLUMN PLACE         layout TABLE LAYOUT            checksum TABLE (make it wrong)
 *   attribute OBJECT NAME TYPE VALUE  forget OBJECT NAME           text TABLE VALUE
 *
 * Checksums are right afterwards, but for `checksum`. */
#pragma once

#include "base/text.h"
#include "dice.h"
#include "tables.h"

/* Append a line. */
void results_propose(struct dice *dice, const struct tables *tables, struct text *out);

/* False if the line is not one. What the tables do not have is left alone. */
bool results_apply(struct tables *tables, const char *line);
