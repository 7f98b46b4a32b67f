/* linear_program.h - small dense linear programs of up to a few hundred unknowns. */
#pragma once

/* Minimise cost * x subject to matrix * x = right and x >= 0. `right` and `cost` must not be negative. */
struct linear_program {
    int rows, columns;
    double *matrix; /* [rows][columns], owned */
    double *right;  /* [rows], owned */
    double *cost;   /* [columns], owned */
};

/* All coefficients are 0. linear_program_free afterwards. */
struct linear_program linear_program_new(int rows, int columns);
void linear_program_free(struct linear_program *program);

static inline double *linear_program_at(struct linear_program *program, int row, int column)
{
    return &program->matrix[(long)row * program->columns + column];
}

/* The minimum cost; NaN if the program is infeasible. Two-phase simplex method with Bland's rule, which always terminates
 * (R. G. Bland, New finite pivoting rules for the simplex method, Mathematics of Operations Research 2, 1977). */
double linear_program_minimum(const struct linear_program *program);
