#include "core/activity.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

enum { ROW_BYTES = ACTIVITY_NAME_SIZE + 128 }; /* at most, as text */

/* "void f<int>(float*, int)" is f<int>: what differs between its launches is in front of the arguments. */
static void shorten(const char *name, char out[ACTIVITY_NAME_SIZE])
{
    name += strncmp(name, "void ", 5) ? 0 : 5;
    size_t length = strlen(name), arguments = length;
    int depth = 0;
    if (length && name[length - 1] == ')')
        do {
            arguments--;
            depth += (name[arguments] == ')') - (name[arguments] == '(');
        } while (depth && arguments);
    length = arguments && !depth ? arguments : length;
    bool clipped = length >= ACTIVITY_NAME_SIZE;
    length = clipped ? ACTIVITY_NAME_SIZE - 4 : length;
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        out[i] = c < ' ' || c > '~' ? '?' : c;
        if (c == '"')
            out[i] = '\'';
        else if (c == '\\')
            out[i] = '/';
    }
    snprintf(out + length, ACTIVITY_NAME_SIZE - length, "%s", clipped ? "..." : "");
}

void activity_add(struct activity *activity, const char *name, const uint32_t grid[3],
                  const uint32_t block[3], uint64_t start, uint64_t end)
{
    activity->record =
        memory_grow(activity->record, activity->count, &activity->capacity, sizeof *activity->record);
    struct activity_record *record = &activity->record[activity->count++];
    *record = (struct activity_record){.row = {.count = 1, .seconds = 1e-9 * (double)(end - start)},
                                       .name = hash_text(HASH_START, name),
                                       .start = start,
                                       .end = end};
    shorten(name, record->row.name);
    memcpy(record->row.grid, grid, sizeof record->row.grid);
    memcpy(record->row.block, block, sizeof record->row.block);
}

void activity_free(struct activity *activity)
{
    free(activity->record);
    *activity = (struct activity){0};
}

static int by_start(const void *a, const void *b)
{
    uint64_t first = ((const struct activity_record *)a)->start,
             second = ((const struct activity_record *)b)->start;
    return (first > second) - (first < second);
}

static int by_seconds(const void *a, const void *b)
{
    const struct activity_record *first = a, *second = b;
    int order = (first->row.seconds < second->row.seconds) - (first->row.seconds > second->row.seconds);
    return order ? order : by_start(a, b);
}

/* What overlaps counts once. The records are by their start. */
static void measure_gaps(const struct activity *activity, struct activity_summary *summary)
{
    const struct activity_record *record = activity->record;
    uint64_t end = record[0].start, idle = 0;
    for (size_t i = 0; i < activity->count; i++) {
        idle += record[i].start > end ? record[i].start - end : 0;
        end = record[i].end > end ? record[i].end : end;
    }
    uint64_t span = end - record[0].start;
    summary->span = 1e-9 * (double)span;
    summary->idle = span ? (double)idle / (double)span : NAN;
}

static bool is_same(const struct activity_record *a, const struct activity_record *b)
{
    return a->name == b->name && !memcmp(a->row.grid, b->row.grid, sizeof a->row.grid) &&
           !memcmp(a->row.block, b->row.block, sizeof a->row.block);
}

/* One record for each name, grid and block, the longest first. */
static void unite(struct activity *activity)
{
    size_t kinds = 0;
    for (size_t i = 0; i < activity->count; i++) {
        size_t kind = 0;
        while (kind < kinds && !is_same(&activity->record[kind], &activity->record[i]))
            kind++;
        if (kind == kinds) {
            activity->record[kinds++] = activity->record[i];
        } else {
            activity->record[kind].row.count++;
            activity->record[kind].row.seconds += activity->record[i].row.seconds;
        }
    }
    activity->count = kinds;
    qsort(activity->record, kinds, sizeof *activity->record, by_seconds);
}

static size_t write_row(const struct activity_row *row, bool first, char out[ROW_BYTES])
{
    return (size_t)snprintf(out, ROW_BYTES,
                            "%s[\"%s\", [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "], [%" PRIu32 ", %" PRIu32
                            ", %" PRIu32 "], %" PRIu32 ", %.6g]",
                            first ? "" : ", ", row->name, row->grid[0], row->grid[1], row->grid[2],
                            row->block[0], row->block[1], row->block[2], row->count, row->seconds);
}

void activity_summarise(struct activity *activity, const char *why, struct activity_summary *summary)
{
    struct activity_row others = {.name = "[others]"};
    char row[ROW_BYTES];
    *summary = activity_none();
    if (!activity->count) {
        snprintf(summary->text, sizeof summary->text, "missing: %.255s", why);
        return;
    }
    qsort(activity->record, activity->count, sizeof *activity->record, by_start);
    measure_gaps(activity, summary);
    unite(activity);
    size_t length = 1;
    summary->text[0] = '[';
    for (size_t i = 0; i < activity->count; i++) {
        size_t bytes = write_row(&activity->record[i].row, !i, row);
        if (others.count || length + bytes + ROW_BYTES >= sizeof summary->text) { /* room for [others] */
            others.count += activity->record[i].row.count;
            others.seconds += activity->record[i].row.seconds;
            continue;
        }
        memcpy(summary->text + length, row, bytes + 1);
        length += bytes;
    }
    if (others.count)
        length += write_row(&others, false, summary->text + length);
    summary->text[length] = ']';
    summary->text[length + 1] = '\0';
}

struct activity_summary activity_none(void)
{
    return (struct activity_summary){.span = NAN, .idle = NAN};
}
