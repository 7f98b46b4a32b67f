/* derive.h - user-defined columns, computed from the others: NAME=EXPRESSION.
 *
 * An expression has numbers, columns, + - * / and parentheses. COLUMN[AXIS=VALUE,...] is that column of the point that
 * has these values and is otherwise equal in kernel, every axis and (of merged files) source:
 * bandwidth/bandwidth[variant=memcpy,vector=1] is the share of the vendor's copy. Missing values propagate as NaN. */
#pragma once

#include "store/store.h"

/* Add the column to dataset->results, as a real without a unit. ERROR_USAGE: a syntax error, with its place; a column
 * that does not exist or holds words; a name that is taken; a [...] that matches several points. */
int derive_column(struct dataset *dataset, const char *definition, struct error *error);
/* The same, but it replaces a column that was derived under this name. */
int derive_column_again(struct dataset *dataset, const char *definition, struct error *error);
