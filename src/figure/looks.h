/* looks.h - colour, mark and dash of a curve: the same for the same thing in every figure.
 *
 * They go by name, not by what else is in a figure: the words of a family's axis have slots of their own, which a word
 * keeps in every family; numbers have a slot by their power of two. */
#ifndef FIGURE_LOOKS_H
#define FIGURE_LOOKS_H

#include <stdbool.h>
#include <stdint.h>

#define LOOKS_COLOURS 8
#define LOOKS_DASHES  5

struct look {
    int colour; /* from 0: palette_colour[colour + 1] of analysis/palette.gp */
    int mark;   /* gnuplot's pointtype */
    int dash;   /* from 0: palette_dash[dash + 1] */
};

struct looks; /* opaque */
struct looks *looks_new(void);
void looks_free(struct looks *looks);

/* The slot, from 0, of a word of an axis ("kernel" for the families themselves), and of a number. */
int looks_slot(const struct looks *looks, const char *axis, const char *word);
int looks_slot_of_number(int64_t value);

/* Colour and mark of the slot of what tells curves apart first; dash, and whether the mark is open, of the second (0:
 * there is none). */
struct look looks_of(int slot, int second);

/* Change the last look until it equals none of the `count` ones before it. */
void looks_make_unique(struct look *look, int count);

/* The same for areas, which have nothing but their colour (and its pattern). */
void looks_make_colour_unique(struct look *look, int count);

/* Whether a look is solid and filled, and the same look dashed and hollow. */
bool looks_is_plain(struct look look);
struct look looks_hollow(struct look look);

/* The same for what was not measured: dashed and hollow, and equal to none of the others. */
void looks_make_predicted(struct look *look, int count);

#endif
