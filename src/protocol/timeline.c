#include "protocol/timeline.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

#define INSTANT 1e-9 /* s: what is shorter is none */

const char *const phase_words[PHASE_COUNT + 1] = {
#define X(name, word) word,
    TIMELINE_PHASES(X)
#undef X
        NULL};

const char *const lane_words[LANE_COUNT + 1] = {"rank", "coordinator", NULL};

void timeline_add(struct timeline *timeline, const struct phase_sum *sum)
{
    size_t i = 0;
    while (i < timeline->count &&
           (timeline->sum[i].phase != sum->phase || timeline->sum[i].kernel != sum->kernel))
        i++;
    if (i == timeline->count) {
        timeline->sum =
            memory_grow(timeline->sum, timeline->count, &timeline->capacity, sizeof *timeline->sum);
        timeline->sum[timeline->count++] = *sum;
        return;
    }
    timeline->sum[i].seconds += sum->seconds;
    timeline->sum[i].parts += sum->parts;
}

/* The open phase has got as far as `time`. */
static void advance(struct timeline *timeline, double time)
{
    double seconds = time - timeline->since;
    if (!timeline->on || !(seconds > INSTANT))
        return;
    timeline_add(timeline, &(struct phase_sum){.phase = timeline->phase,
                                               .kernel = timeline->kernel,
                                               .point = timeline->point,
                                               .parts = 1,
                                               .seconds = seconds});
    timeline->since = time;
}

void timeline_enter(struct timeline *timeline, enum phase phase, double time)
{
    advance(timeline, time);
    if (!timeline->on)
        timeline->begun = timeline->since = time;
    timeline->on = true;
    timeline->phase = phase;
}

void timeline_point(struct timeline *timeline, const char *kernel, uint64_t point, double time)
{
    advance(timeline, time);
    timeline->kernel = kernel ? hash_text(HASH_START, kernel) : 0;
    timeline->point = point;
}

void timeline_rename(struct timeline *timeline, enum phase phase)
{
    timeline->phase = phase;
}

void timeline_claim(struct timeline *timeline, const struct phase_sum *sum, double time)
{
    struct phase_sum own = *sum;
    own.seconds = fmin(own.seconds, time - timeline->since);
    if (!timeline->on || !(own.seconds > 0))
        return;
    timeline->since += own.seconds;
    timeline_add(timeline, &own);
}

static const struct wire_field sum_fields[] = {
#define OF struct phase_sum
    WIRE_WORDS(phase, PHASE_COUNT) WIRE_FIELD(U64, kernel) WIRE_FIELD(U64, point) WIRE_FIELD(U32, parts)
        WIRE_FIELD(AMOUNT, seconds)
#undef OF
            {0}};

void timeline_put(struct timeline *timeline, struct wire *wire)
{
    wire_put_u32(wire, (uint32_t)timeline->count);
    for (size_t i = 0; i < timeline->count; i++)
        wire_put_fields(wire, sum_fields, &timeline->sum[i]);
    timeline->count = 0;
}

bool timeline_get(struct wire_reader *reader, struct phase_sum *sum)
{
    if (wire_get_fields(reader, sum_fields, sum) && (!sum->parts || isnan(sum->seconds)))
        wire_refuse(reader, "a phase without parts or seconds");
    return !reader->bad;
}

void timeline_free(struct timeline *timeline)
{
    free(timeline->sum);
    *timeline = (struct timeline){0};
}
