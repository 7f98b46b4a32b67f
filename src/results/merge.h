/* merge.h - several results files merged into one, to show them side by side. */
#pragma once

#include "store/store.h"

#define MERGE_GROUP "source" /* column of `results` with the label of the row's group */

/* What one group of rows - a product of one file - was measured on. */
struct merge_group {
    const char *label; /* the device's name; with the file's name when two files have the same one */
    const char *file;  /* the name of the file, without folders */
    char caption[512]; /* device, back end, driver, date and commit: lines that end with '\n' */
    char note[256];    /* why counters are missing, or "" */
    bool on_host;      /* the host back end: a CPU running the C reference */
    bool predicted;    /* made by `warpsweep predict`: nothing of it was measured */
    double peak_copy;  /* measured copy bandwidth, bytes/s: the best of the group's devices; NaN: unknown */
};

struct merged {
    struct dataset
        all; /* results and devices of every file, and the spans of an only one; nothing else is filled */
    struct merge_group *group;
    int groups;
};

/* Read the files. merge_free releases the result. */
int merge_read(char *const *paths, int count, struct merged *merged, struct error *error);
void merge_free(struct merged *merged);

/* The group with that label, or -1. */
int merge_find_group(const struct merged *merged, const char *label);

/* A cell by the column's name; "" or NaN if there is no such column. */
const char *merge_text(const struct merged *merged, size_t row, const char *column);
double merge_real(const struct merged *merged, size_t row, const char *column);
