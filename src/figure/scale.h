/* scale.h - an axis of a chart: range, positions of values, and the ticks that fit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "figure/font.h"

enum scale_kind {
    SCALE_LINEAR,
    SCALE_LOG2,
    SCALE_LOG10,
    SCALE_LOG2_1, /* log2(1 + value), which allows 0 */
    SCALE_NAMES,  /* names at 0, 1, 2 ... */
};

/* "linear", "log2", "log10", "log2+1"; NULL-terminated, in the order of the enumerators. */
extern const char *const scale_words[];

struct scale_tick {
    double at; /* a value */
    char label[64];
};

/* scale_free releases the ticks. */
struct scale {
    enum scale_kind kind;
    bool bytes; /* tick labels such as 64KiB */
    double low, high;
    struct scale_tick *tick;
    int ticks;
};

void scale_free(struct scale *scale);

/* The default scale: logarithmic if values are positive and span a factor of 16 or more; base 2 for powers of two. */
enum scale_kind scale_choose(const double *value, size_t count);

/* The position of a value: 0 at low, 1 at high. */
double scale_position(const struct scale *scale, double value);

/* The value on gnuplot's axis. */
double scale_coordinate(const struct scale *scale, double value);

/* Extend the range by shares of its length. */
void scale_widen(struct scale *scale, double below, double above);

/* Choose ticks for an axis of `length` inches: as many of `value` (ascending, distinct), or of round numbers, as have room
 * for their labels of that size in points. Labels may extend beyond the ends by `before_it` and `after` inches. */
void scale_tick_along(struct scale *scale, const double *value, size_t values, double length,
                      double before_it, double after, const struct font *font, double points);

/* The same for a y axis, where the height of labels counts. */
void scale_tick_up(struct scale *scale, double length, const struct font *font, double points);

/* Make it a SCALE_NAMES with these ticks, from 0. */
void scale_name(struct scale *scale, const char *const *name, int count);

/* The widest label, in inches. */
double scale_label_width(const struct scale *scale, const struct font *font, double points);
