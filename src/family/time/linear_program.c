#include "family/time/linear_program.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define TINY 1e-9 /* zero, for coefficients that are counts: small integers */

/* The simplex tableau: the equations solved for the basis variables. The columns of the program are followed by one artificial
 * column per row and by the right side; the rows by the reduced costs. */
struct tableau {
    int rows, columns; /* of the program */
    int width;         /* including artificial columns and the right side */
    double *cell;      /* [rows + 1][width] */
    int *basis;        /* [rows]: the basis column of each row */
};

struct linear_program linear_program_new(int rows, int columns)
{
    return (struct linear_program){.rows = rows,
                                   .columns = columns,
                                   .matrix = memory_new((size_t)rows * (size_t)columns + 1, sizeof(double)),
                                   .right = memory_new((size_t)rows + 1, sizeof(double)),
                                   .cost = memory_new((size_t)columns + 1, sizeof(double))};
}

void linear_program_free(struct linear_program *program)
{
    free(program->matrix);
    free(program->right);
    free(program->cost);
    *program = (struct linear_program){0};
}

static double *row_of(const struct tableau *t, int row)
{
    return t->cell + (long)row * t->width;
}

static struct tableau tableau_of(const struct linear_program *program)
{
    int rows = program->rows, columns = program->columns, width = columns + rows + 1;
    struct tableau t = {.rows = rows,
                        .columns = columns,
                        .width = width,
                        .cell = memory_new((size_t)(rows + 1) * (size_t)width, sizeof(double)),
                        .basis = memory_new((size_t)rows + 1, sizeof(int))};
    for (int i = 0; i < rows; i++) {
        double *row = row_of(&t, i);
        memcpy(row, program->matrix + (long)i * columns, (size_t)columns * sizeof(double));
        row[columns + i] = 1;
        row[width - 1] = program->right[i];
        t.basis[i] = columns + i;
    }
    return t;
}

/* Compute the reduced costs in the last row. */
static void price(struct tableau *t, const double *cost, bool artificial)
{
    double *last = row_of(t, t->rows);
    for (int k = 0; k < t->width; k++)
        last[k] = k < t->columns ? (cost ? cost[k] : 0) : k < t->width - 1 && artificial ? 1 : 0;
    for (int i = 0; i < t->rows; i++) {
        double held = t->basis[i] < t->columns ? (cost ? cost[t->basis[i]] : 0) : artificial ? 1 : 0;
        const double *row = row_of(t, i);
        for (int k = 0; held != 0 && k < t->width; k++)
            last[k] -= held * row[k];
    }
}

static void pivot(struct tableau *t, int at, int column)
{
    double *chosen = row_of(t, at), by = chosen[column];
    assert(fabs(by) > TINY);
    for (int k = 0; k < t->width; k++)
        chosen[k] /= by;
    for (int i = 0; i <= t->rows; i++) {
        double *row = row_of(t, i), factor = row[column];
        if (i == at || factor == 0)
            continue;
        for (int k = 0; k < t->width; k++)
            row[k] -= factor * chosen[k];
        row[column] = 0;
    }
    t->basis[at] = column;
}

/* The row that leaves the basis: the smallest ratio; on a tie the lowest basis column (Bland). -1: unbounded. */
static int leaving(const struct tableau *t, int column)
{
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < t->rows; i++) {
        const double *row = row_of(t, i);
        if (row[column] <= TINY)
            continue;
        double ratio = fmax(0, row[t->width - 1]) / row[column];
        if (ratio < least - TINY || (ratio < least + TINY && best >= 0 && t->basis[i] < t->basis[best])) {
            least = fmin(least, ratio);
            best = i;
        }
    }
    return best;
}

static void improve(struct tableau *t)
{
    const double *last = row_of(t, t->rows);
    for (;;) {
        int column = 0;
        while (column < t->columns && last[column] >= -TINY)
            column++;
        int row = column < t->columns ? leaving(t, column) : -1;
        if (row < 0)
            return;
        pivot(t, row, column);
    }
}

/* Drive artificial variables at zero out of the basis. Rows where that is impossible are redundant. */
static void expel(struct tableau *t)
{
    for (int i = 0; i < t->rows; i++) {
        const double *row = row_of(t, i);
        for (int k = 0; t->basis[i] >= t->columns && k < t->columns; k++)
            if (fabs(row[k]) > TINY)
                pivot(t, i, k);
    }
}

double linear_program_minimum(const struct linear_program *program)
{
    struct tableau t = tableau_of(program);
    double sum = 0, cost = NAN;
    for (int i = 0; i < t.rows; i++) {
        assert(program->right[i] >= 0);
        sum += program->right[i];
    }
    price(&t, NULL, true);
    improve(&t);
    const double *last = row_of(&t, t.rows);
    if (-last[t.width - 1] <= 1e-6 * (1 + sum)) {
        expel(&t);
        price(&t, program->cost, false);
        improve(&t);
        cost = -last[t.width - 1];
    }
    free(t.cell);
    free(t.basis);
    return cost;
}
