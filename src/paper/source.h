/* source.h - the results files of a paper: their rows side by side, device by device. */
#pragma once

#include "base/text.h"
#include "results/merge.h"

#define SOURCE_NONE SIZE_MAX

/* What points of a family are told by. */
enum source_quantity { QUANTITY_BANDWIDTH, QUANTITY_FLOPS, QUANTITY_CYCLES, QUANTITY_TIME };

struct source_family {
    const char *name;
    enum source_quantity quantity;
    bool bounded; /* some of its points have a roof */
    int *axis;    /* owned: columns of the axes that vary among its points, but `variant` */
    int axes;
    size_t points; /* different ones */
    size_t first;  /* of them in the source's list, where they are one after the other */
};

/* A point: its row in each group, or SOURCE_NONE. */
struct source_point {
    const char *id, *kernel;
    size_t *row; /* of merged.all.results; as many as there are groups */
};

/* source_read makes it, source_free releases it. */
struct source {
    char *const *path;
    int files;
    struct dataset *file; /* owned; each as it is; samples only of several, to compare them */
    struct merged merged; /* all of them */
    char (*label)[128];   /* owned: a short name of each group: "H200" */
    struct source_family *family;
    int families; /* owned; in the order of their names */
    struct source_point *point;
    size_t points; /* owned; by kernel, then by their axes */
    size_t *rows;  /* owned; of all points */
    int *axis;     /* owned; columns of merged.all.results: the axes by which points of a family differ */
    int axes;
};

/* The name of a file, without folders. */
const char *source_file(const struct source *source, int file);

int source_read(char *const *paths, int count, struct source *source, struct error *error);
void source_free(struct source *source);

/* Measured, and no reason why it is not. */
bool source_is_ok(const struct source *source, size_t row);

/* A row's quantity in its unit, and half the width of its interval (NaN: it has none); NaN where it was not measured. */
double source_value(const struct source *source, const struct source_family *family, size_t row,
                    double *half);
const char *source_unit(enum source_quantity quantity);
const char *source_quantity_name(enum source_quantity quantity);

/* The row of a family that ranks highest on a device, of one variant (NULL: of all); SOURCE_NONE. */
size_t source_best(const struct source *source, const struct source_family *family, int group,
                   const char *variant);

/* The number of a family's points that source_best chooses from. */
size_t source_ranked(const struct source *source, const struct source_family *family, int group,
                     const char *variant);

/* A row's share of its roof in %, and half the width of its interval; NaN. */
double source_share(const struct source *source, size_t row, double *half);

/* "size 64MiB, vector 4": the axes that vary. With `variant`, that first. */
void source_describe(const struct source *source, const struct source_family *family, size_t row,
                     bool variant, struct text *out);

/* The peak that bounds a row, in words; "" for none. */
const char *source_roof(const struct source *source, size_t row);
