/* style.h - colour, mark and dash of a curve: the same for the same thing in every figure.
 *
 * A style goes by name, not by the other curves of the figure. Every word of an axis has a slot, which is the same in all
 * families; a number has a slot by its power of two. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define STYLE_COLOURS 8
#define STYLE_DASHES  5

struct style {
    int colour; /* from 0: palette_colour[colour + 1] of analysis/palette.gp */
    int mark;   /* gnuplot's pointtype */
    int dash;   /* from 0: palette_dash[dash + 1] */
};

struct style_slots; /* the slots of words; opaque */
struct style_slots *style_slots_new(void);
void style_slots_free(struct style_slots *slots);

/* The slot, from 0, of a word of an axis (axis "kernel": names of families), and of a number. */
int style_slot(const struct style_slots *slots, const char *axis, const char *word);
int style_slot_of_number(int64_t value);

/* `slot` of the first varying axis gives colour and mark; `second` of the others gives the dash and whether the mark is open
 * (0: one varying axis). */
struct style style_of(int slot, int second);

/* Change style[count] until it differs from the `count` styles before it. */
void style_make_unique(struct style *style, int count);

/* The same for areas, which have only a colour and its pattern. */
void style_make_colour_unique(struct style *style, int count);

/* Is the style solid and filled? And the same style dashed and hollow. */
bool style_is_plain(struct style style);
struct style style_hollow(struct style style);

/* As style_make_unique for predicted curves: dashed and hollow. */
void style_make_predicted(struct style *style, int count);
