#include "figure/looks.h"

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

struct looks {
    struct word *word;
    size_t words, capacity;
};

static const struct word *find(const struct looks *looks, const char *axis, const char *word)
{
    for (size_t i = 0; i < looks->words; i++)
        if (!strcmp(looks->word[i].axis, axis) && !strcmp(looks->word[i].word, word))
            return &looks->word[i];
    return NULL;
}

static void add(struct looks *looks, const char *axis, const char *word, int slot)
{
    looks->word = memory_grow(looks->word, looks->words, &looks->capacity, sizeof *looks->word);
    looks->word[looks->words++] = (struct word){axis, word, slot};
}

/* Words that other families have, too, keep their slot; each new one gets the first that no other of its axis has. */
static void add_axis(struct looks *looks, const struct axis *axis)
{
    bool taken[SLOTS_MAX] = {false};
    for (const char *const *word = axis->words; *word; word++) {
        const struct word *known = find(looks, axis->name, *word);
        if (known)
            taken[known->slot] = true;
    }
    for (const char *const *word = axis->words; *word; word++) {
        int slot = 0;
        if (find(looks, axis->name, *word))
            continue;
        while (slot < SLOTS_MAX - 1 && taken[slot])
            slot++;
        taken[slot] = true;
        add(looks, axis->name, *word, slot);
    }
}

/* Types, the most frequent first: where they are told apart by dashes, f32 has the whole line. */
static const struct word types[] = {
    {"dtype", "f32", 0}, {"dtype", "f64", 1},  {"dtype", "f16", 2},
    {"dtype", "u8", 3},  {"dtype", "bf16", 4}, {"dtype", "i32", 5},
    {"dtype", "i64", 6}, {"dtype", "e4m3", 7}, {"dtype", "e5m2", 8},
};

/* Words of tables (figure/tables.h): what is worse is vermilion, what is better green. */
static const struct word judgements[] = {
    {"kernel", "DRAM", 0},
    {"kernel", "L2", 2},
    {"kernel", "shared memory", 1},
    {"kernel", "FP64", 6},
    {"kernel", "FP16", 6},
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
    {"bound", "others", 9},
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
    {"verdict", "faster", 2},
    {"verdict", "slower", 1},
    {"verdict", "same", 0},
    {"verdict", "uncertain", 4},
    {"judged", "like the rest", 0},
    {"judged", "outlier", 1},
};

struct looks *looks_new(void)
{
    struct looks *looks = memory_new(1, sizeof *looks);
    int number = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        add(looks, types[i].axis, types[i].word, types[i].slot);
    add(looks, "kernel", "shared_stride", 12); /* not copy's colour: both are canaries */
    for (const struct family *const *family = families; *family; family++) {
        add(looks, "kernel", (*family)->space.kernel, number++ % SLOTS_MAX);
        for (int i = 0; i < (*family)->space.count; i++)
            if ((*family)->space.axes[i].kind == AXIS_WORD)
                add_axis(looks, &(*family)->space.axes[i]);
    }
    for (size_t i = 0; i < sizeof judgements / sizeof *judgements; i++)
        add(looks, judgements[i].axis, judgements[i].word, judgements[i].slot);
    return looks;
}

void looks_free(struct looks *looks)
{
    if (looks)
        free(looks->word);
    free(looks);
}

int looks_slot(const struct looks *looks, const char *axis, const char *word)
{
    const struct word *known = find(looks, axis, word);
    return known ? known->slot
                 : (int)(hash_text(HASH_START, word) % SLOTS_MAX); /* of a family or table that is not ours */
}

int looks_slot_of_number(int64_t value)
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

/* Shapes that differ in outline, filled and open. */
static const int filled[] = {7, 5, 9, 13, 11, 15, 2, 1}, open_marks[] = {6, 4, 8, 12, 10, 14, 3, 3};
#define MARKS 8

static int mark_of(int slot, int second)
{
    return (second % 2 ? open_marks : filled)[(slot + slot / LOOKS_COLOURS) % MARKS];
}

struct look looks_of(int slot, int second)
{
    return (struct look){slot % LOOKS_COLOURS, mark_of(slot, second), second % LOOKS_DASHES};
}

static bool is_taken(const struct look *look, int count, struct look wanted)
{
    for (int i = 0; i < count; i++)
        if (look[i].colour == wanted.colour && look[i].mark == wanted.mark && look[i].dash == wanted.dash)
            return true;
    return false;
}

void looks_make_colour_unique(struct look *look, int count)
{
    for (int try = 0, i = 0; i < count && try < LOOKS_COLOURS; i++)
        if (look[i].colour == look[count].colour) {
            look[count].colour = (look[count].colour + 1) % LOOKS_COLOURS;
            try++;
            i = -1;
        }
}

void looks_make_unique(struct look *look, int count)
{
    struct look *last = &look[count], first = *last;
    for (int try = 1; is_taken(look, count, *last) && try < LOOKS_COLOURS * MARKS * LOOKS_DASHES; try++) {
        last->dash = (first.dash + try) % LOOKS_DASHES;
        last->mark = mark_of(first.colour + try / LOOKS_DASHES, try % 2);
        last->colour = (first.colour + try / (LOOKS_DASHES * MARKS)) % LOOKS_COLOURS;
    }
}

bool looks_is_plain(struct look look)
{
    for (int i = 0; i < MARKS; i++)
        if (look.mark == filled[i])
            return look.dash == 0;
    return false;
}

struct look looks_hollow(struct look look)
{
    static const int hollow[] = {6, 4, 8, 12, 10, 14, 4, 12}; /* crosses have no hollow ones */
    for (int i = 0; i < MARKS; i++)
        if (look.mark == filled[i])
            return (struct look){look.colour, hollow[i], 1};
    return look;
}

void looks_make_predicted(struct look *look, int count)
{
    static const int hollow[] = {6, 4, 8, 12, 10, 14};
    enum { HOLLOW = sizeof hollow / sizeof *hollow };
    struct look *last = &look[count];
    int first = last->dash;
    for (int try = 0; try < HOLLOW * (LOOKS_DASHES - 1); try++) {
        last->mark = hollow[(last->colour + try) % HOLLOW];
        last->dash = 1 + (first + try / HOLLOW) % (LOOKS_DASHES - 1);
        if (!is_taken(look, count, *last))
            return;
    }
}
