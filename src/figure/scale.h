/* scale.h - an axis of a chart: its range, where values lie along it, and the ticks that have room. */
#ifndef FIGURE_SCALE_H
#define FIGURE_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#include "figure/font.h"

enum scale_kind {
    SCALE_LINEAR,
    SCALE_LOG2,
    SCALE_LOG10,
    SCALE_LOG2_1, /* log2(1 + value): 0 has a place, too */
    SCALE_NAMES,  /* things in a row: 0, 1, 2 ... */
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
    bool bytes; /* ticks are 64KiB */
    double low, high;
    struct scale_tick *tick;
    int ticks;
};

void scale_free(struct scale *scale);

/* The scale that values ask for: logarithmic when they are positive and span a factor of 16 or more, in halves or
 * doubles where they are all powers of two. */
enum scale_kind scale_choose(const double *value, size_t count);

/* Where a value lies: 0 at low, 1 at high. */
double scale_place(const struct scale *scale, double value);

/* The value as gnuplot's axis has it. */
double scale_coordinate(const struct scale *scale, double value);

/* Widen the range by shares of its length. */
void scale_widen(struct scale *scale, double below, double above);

/* Choose ticks for an axis of `length` inches: as many of `value` (ascending, without repetition), or of round numbers,
 * as have room for their labels at that size in points. Labels may stand out by `before_it` and `after` inches at its
 * ends. */
void scale_tick_along(struct scale *scale, const double *value, size_t values, double length,
                      double before_it, double after, const struct font *font, double points);

/* The same up a y axis: room is a matter of the labels' height. */
void scale_tick_up(struct scale *scale, double length, const struct font *font, double points);

/* Name the ticks of a SCALE_NAMES: 0 is the first. */
void scale_name(struct scale *scale, const char *const *name, int count);

/* The widest label, in inches. */
double scale_label_width(const struct scale *scale, const struct font *font, double points);

#endif
