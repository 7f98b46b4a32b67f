/* late.h - what a killed run's journal says of rows that are still in the file only (store/unread.h): new cells of theirs, and
 * newer versions. It is put into them when they have been brought in. */
#ifndef STORE_LATE_H
#define STORE_LATE_H

#include "core/frame.h"
#include "store/versions.h"

/* Start from {0}. */
struct late {
    size_t rows; /* the first of /results, that are not there */
    struct versions versions;
    struct late_cell {
        size_t row;
        int column;
        union cell cell; /* its text is the frame's */
    } * cell;            /* in the order in which they came */
    size_t cells, capacity;
};

void late_put(struct late *late, size_t row, int column, union cell cell);
/* The rows are there: give them their cells, and newer versions their places. */
void late_settle(struct late *late, struct row_index *index, struct frame *results);
void late_free(struct late *late);

#endif
