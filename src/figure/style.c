#include "figure/style.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "kernels/registry.h"

#define SLOTS_MAX 64

struct word {
    const char *axis, *word;
    int slot;
};

struct style_slots {
    struct word *word;
    size_t words, capacity;
};

static const struct word *find(const struct style_slots *slots, const char *axis, const char *word)
{
    for (size_t i = 0; i < slots->words; i++)
        if (!strcmp(slots->word[i].axis, axis) && !strcmp(slots->word[i].word, word))
            return &slots->word[i];
    return NULL;
}

static void add(struct style_slots *slots, const char *axis, const char *word, int slot)
{
    slots->word = memory_grow(slots->word, slots->words, &slots->capacity, sizeof *slots->word);
    slots->word[slots->words++] = (struct word){axis, word, slot};
}

/* A word keeps its slot in every family; a new word gets the first free slot of its axis. */
static void add_axis(struct style_slots *slots, const struct axis *axis)
{
    bool taken[SLOTS_MAX] = {false};
    for (const char *const *word = axis->words; *word; word++) {
        const struct word *known = find(slots, axis->name, *word);
        if (known)
            taken[known->slot] = true;
    }
    for (const char *const *word = axis->words; *word; word++) {
        int slot = 0;
        if (find(slots, axis->name, *word))
            continue;
        while (slot < SLOTS_MAX - 1 && taken[slot])
            slot++;
        taken[slot] = true;
        add(slots, axis->name, *word, slot);
    }
}

/* Types, the most frequent first: where dashes distinguish types, f32 is the solid line. */
static const struct word types[] = {
    {"dtype", "f32", 0},  {"dtype", "f64", 1},  {"dtype", "f16", 2},   {"dtype", "u8", 3},
    {"dtype", "bf16", 4}, {"dtype", "i32", 5},  {"dtype", "i64", 6},   {"dtype", "e4m3", 7},
    {"dtype", "e5m2", 8}, {"dtype", "e2m1", 9}, {"dtype", "e8m0", 10},
};

/* Words of computed tables (figure/tables/tables.h): vermilion is worse, green is better. */
static const struct word table_words[] = {
    {"kernel", "DRAM", 6},
    {"kernel", "L2", 6},
    {"kernel", "shared memory", 6},
    {"reason", "long scoreboard", 0},
    {"reason", "short scoreboard", 4},
    {"reason", "barrier", 2},
    {"reason", "mio throttle", 3},
    {"reason", "lg throttle", 1},
    {"reason", "math pipe throttle", 5},
    {"reason", "wait", 7},
    {"reason", "not selected", 6},
    {"reason", "drain", 11},
    {"reason", "others", 9},
    {"bound", "DRAM", 0},
    {"bound", "DRAM read and write", 0},
    {"bound", "DRAM read", 4},
    {"bound", "DRAM write", 3},
    {"bound", "L2", 2},
    {"bound", "L1: requests", 4},
    {"bound", "shared memory", 1},
    {"bound", "shared memory: wavefronts", 1},
    {"bound", "FP32 arithmetic", 6},
    {"bound", "arithmetic", 6},
    {"bound", "instructions issued", 3},
    {"bound", "latency: too little in flight", 5},
    {"bound", "launches of the kernel and its blocks", 7},
    {"bound", "multiprocessors without a block", 10},
    {"bound", "host link", 11},
    {"bound", "host to device", 5},
    {"bound", "device to host", 7},
    {"bound", "others", 10},
    {"bound", "dram", 0}, /* the words of the column itself */
    {"bound", "l2", 2},
    {"bound", "l1", 4},
    {"bound", "shared", 1},
    {"bound", "flop", 6},
    {"bound", "issue", 3},
    {"bound", "latency", 5},
    {"bound", "launch", 7},
    {"bound", "tail", 10},
    {"bound", "link", 11},
    {"roof_name", "DRAM read and write", 0},
    {"roof_name", "DRAM read", 4},
    {"roof_name", "DRAM write", 3},
    {"roof_name", "L2", 2},
    {"roof_name", "shared memory", 1},
    {"roof_name", "FP32 arithmetic", 6},
    {"roof_name", "host to device", 5},
    {"roof_name", "device to host", 7},
    {"phase", "sampling", 0},
    {"phase", "warm-up", 4},
    {"phase", "verify", 1},
    {"phase", "count", 3},
    {"phase", "prepare", 5},
    {"phase", "start, compile", 7},
    {"phase", "other", 6},
    {"phase", "file", 2},
    {"class", "addresses known", 0},
    {"class", "addresses unknown: lower bound", 4},
    {"class", "host link", 1},
    {"access", "loads", 0},
    {"access", "stores", 1},
    {"access", "shared loads", 2},
    {"access", "shared stores", 3},
    {"verdict", "faster", 2},
    {"verdict", "slower", 1},
    {"verdict", "same", 0},
    {"verdict", "uncertain", 4},
    {"judged", "like the rest", 0},
    {"judged", "outlier", 1},
};

struct style_slots *style_slots_new(void)
{
    struct style_slots *slots = memory_new(1, sizeof *slots);
    int number = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        add(slots, types[i].axis, types[i].word, types[i].slot);
    add(slots, "kernel", "shared_stride", 12); /* another colour than copy: both are canaries */
    for (const struct family *const *family = families; *family; family++) {
        add(slots, "kernel", (*family)->space.kernel, number++ % SLOTS_MAX);
        for (int i = 0; i < (*family)->space.count; i++)
            if ((*family)->space.axes[i].kind == AXIS_WORD)
                add_axis(slots, &(*family)->space.axes[i]);
    }
    for (size_t i = 0; i < sizeof table_words / sizeof *table_words; i++)
        add(slots, table_words[i].axis, table_words[i].word, table_words[i].slot);
    return slots;
}

void style_slots_free(struct style_slots *slots)
{
    if (slots)
        free(slots->word);
    free(slots);
}

int style_slot(const struct style_slots *slots, const char *axis, const char *word)
{
    const struct word *known = find(slots, axis, word);
    return known ? known->slot
                 : (int)(hash_text(HASH_START, word) % SLOTS_MAX); /* of a user's family or table */
}

int style_slot_of_number(int64_t value)
{
    int exponent = 0;
    if (value <= 0)
        return 0;
    if (value & (value - 1))
        return (int)(value % SLOTS_MAX);
    while (value >>= 1)
        exponent++;
    return 1 + exponent;
}

/* gnuplot's point types: shapes with different outlines, filled and open. */
static const int filled[] = {7, 5, 9, 13, 11, 15, 2, 1}, open_marks[] = {6, 4, 8, 12, 10, 14, 3, 3};
#define MARKS 8

static int mark_of(int slot, int second)
{
    return (second % 2 ? open_marks : filled)[(slot + slot / STYLE_COLOURS) % MARKS];
}

/* Only the first word has a solid line. */
struct style style_of(int slot, int second)
{
    assert(slot >= 0 && second >= 0);
    int dash = second ? 1 + (second - 1) % (STYLE_DASHES - 1) : 0;
    return (struct style){slot % STYLE_COLOURS, mark_of(slot, second), dash};
}

static bool is_used(const struct style *style, int count, struct style wanted)
{
    for (int i = 0; i < count; i++)
        if (style[i].colour == wanted.colour && style[i].mark == wanted.mark && style[i].dash == wanted.dash)
            return true;
    return false;
}

void style_make_colour_unique(struct style *style, int count)
{
    for (int try = 0, i = 0; i < count && try < STYLE_COLOURS; i++)
        if (style[i].colour == style[count].colour) {
            style[count].colour = (style[count].colour + 1) % STYLE_COLOURS;
            try++;
            i = -1;
        }
}

void style_make_unique(struct style *style, int count)
{
    struct style *last = &style[count], first = *last;
    for (int try = 1; is_used(style, count, *last) && try < STYLE_COLOURS * MARKS * STYLE_DASHES; try++) {
        last->dash = (first.dash + try) % STYLE_DASHES;
        last->mark = mark_of(first.colour + try / STYLE_DASHES, try % 2);
        last->colour = (first.colour + try / (STYLE_DASHES * MARKS)) % STYLE_COLOURS;
    }
}

bool style_is_plain(struct style style)
{
    for (int i = 0; i < MARKS; i++)
        if (style.mark == filled[i])
            return style.dash == 0;
    return false;
}

struct style style_hollow(struct style style)
{
    static const int hollow[] = {6, 4, 8, 12, 10, 14, 4, 12}; /* crosses have no hollow form */
    for (int i = 0; i < MARKS; i++)
        if (style.mark == filled[i])
            return (struct style){style.colour, hollow[i], 1};
    return style;
}

void style_make_predicted(struct style *style, int count)
{
    static const int hollow[] = {6, 4, 8, 12, 10, 14};
    enum { HOLLOW = sizeof hollow / sizeof *hollow };
    struct style *last = &style[count];
    int first = last->dash;
    for (int try = 0; try < HOLLOW * (STYLE_DASHES - 1); try++) {
        last->mark = hollow[(last->colour + try) % HOLLOW];
        last->dash = 1 + (first + try / HOLLOW) % (STYLE_DASHES - 1);
        if (!is_used(style, count, *last))
            return;
    }
}
