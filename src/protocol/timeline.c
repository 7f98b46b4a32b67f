#include "protocol/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define INSTANT 1e-9 /* s: what is shorter is none */

const char *const phase_words[PHASE_COUNT + 1] = {
#define X(name, word, group, meaning) word,
    TIMELINE_PHASES(X)
#undef X
        NULL};

const char *const lane_words[LANE_COUNT + 1] = {"rank", "coordinator", NULL};

const char *const phase_group_words[GROUPS + 1] = {
#define X(name, word) word,
    TIMELINE_GROUPS(X)
#undef X
        NULL};

const char *const phase_meanings[PHASE_COUNT + 1] = {
#define X(name, word, group, meaning) meaning,
    TIMELINE_PHASES(X)
#undef X
        NULL};

enum phase_group phase_group(enum phase phase)
{
    static const enum phase_group groups[PHASE_COUNT] = {
#define X(name, word, group, meaning) GROUP_##group,
        TIMELINE_PHASES(X)
#undef X
    };
    return groups[phase];
}

/* A neighbour of the same phase and point grows instead. */
static void add(struct timeline *timeline, struct span span)
{
    if (!(span.end - span.start > INSTANT))
        return;
    struct span *last = timeline->count ? &timeline->span[timeline->count - 1] : NULL;
    if (last && last->phase == span.phase && last->point == span.point && last->parts == 1 &&
        span.parts == 1 && last->end == span.start) {
        last->end = span.end;
        return;
    }
    timeline->span =
        memory_grow(timeline->span, timeline->count, &timeline->capacity, sizeof *timeline->span);
    timeline->span[timeline->count++] = span;
}

/* The open phase has got as far as `time`. */
static void advance(struct timeline *timeline, double time)
{
    if (timeline->on && time > timeline->since) {
        add(timeline, (struct span){.start = timeline->since,
                                    .end = time,
                                    .point = timeline->point,
                                    .parts = 1,
                                    .phase = (uint8_t)timeline->phase});
        timeline->since = time;
    }
}

void timeline_enter(struct timeline *timeline, enum phase phase, uint64_t point, double time)
{
    advance(timeline, time);
    if (!timeline->on)
        timeline->since = time;
    timeline->on = true;
    timeline->phase = phase;
    timeline->point = point;
}

void timeline_rename(struct timeline *timeline, enum phase phase, uint64_t point)
{
    timeline->phase = phase;
    timeline->point = point;
}

void timeline_lay(struct timeline *timeline, const struct span *span)
{
    struct span over = *span, *tail;
    size_t at;
    advance(timeline, over.end);
    for (at = timeline->count; at > 0 && timeline->span[at - 1].end > over.start; at--)
        ;
    if (at == timeline->count)
        return; /* before all that is here */
    if (over.start < timeline->span[at].start)
        over.start = timeline->span[at].start;
    size_t tails = timeline->count - at;
    tail = memory_new(tails, sizeof *tail);
    memcpy(tail, timeline->span + at, tails * sizeof *tail);
    timeline->count = at;
    struct span before = tail[0];
    before.end = over.start;
    add(timeline, before);
    add(timeline, over);
    for (size_t i = 0; i < tails; i++) {
        if (tail[i].start < over.end)
            tail[i].start = over.end;
        add(timeline, tail[i]);
    }
    free(tail);
}

void timeline_sum(struct timeline *timeline, const void *const *group)
{
    const void **kept = memory_new(timeline->count + 1, sizeof *kept);
    size_t sums = 0;
    double at = timeline->count ? timeline->span[0].start : 0;
    for (size_t i = 0; i < timeline->count; i++) {
        struct span span = timeline->span[i];
        size_t sum = 0;
        while (sum < sums && (timeline->span[sum].phase != span.phase || kept[sum] != group[i]))
            sum++;
        if (sum == sums) {
            kept[sums++] = group[i];
            timeline->span[sum] = span;
            timeline->span[sum].parts = 0;
            timeline->span[sum].end = span.start;
        }
        timeline->span[sum].end += span.end - span.start;
        timeline->span[sum].parts += span.parts;
    }
    timeline->count = sums;
    for (size_t sum = 0; sum < sums; sum++) {
        double length = timeline->span[sum].end - timeline->span[sum].start;
        timeline->span[sum].start = at;
        timeline->span[sum].end = at += length;
    }
    free(kept);
}

void timeline_absorb(struct timeline *timeline, double least)
{
    size_t kept = 0;
    for (size_t i = 0; i < timeline->count; i++) {
        struct span *last = kept ? &timeline->span[kept - 1] : NULL, span = timeline->span[i];
        bool touches = last && last->end == span.start && last->point == span.point;
        if (touches && (span.end - span.start < least || last->phase == span.phase))
            last->end = span.end;
        else
            timeline->span[kept++] = span;
    }
    timeline->count = kept;
}

void timeline_put(struct timeline *timeline, struct wire *wire)
{
    wire_put_u32(wire, (uint32_t)timeline->count);
    for (size_t i = 0; i < timeline->count; i++) {
        const struct span *span = &timeline->span[i];
        wire_put_u32(wire, span->phase);
        wire_put_u64(wire, span->point);
        wire_put_u32(wire, span->parts);
        wire_put_real(wire, span->start);
        wire_put_real(wire, span->end);
    }
    timeline->count = 0;
}

bool timeline_get(struct wire_reader *reader, struct span *span)
{
    uint32_t phase = wire_get_u32(reader);
    *span = (struct span){.device = -1, .phase = (uint8_t)phase};
    span->point = wire_get_u64(reader);
    span->parts = wire_get_u32(reader);
    span->start = wire_get_real(reader);
    span->end = wire_get_real(reader);
    if (phase >= PHASE_COUNT || !span->parts || !isfinite(span->start) || !isfinite(span->end) ||
        span->end < span->start)
        reader->bad = true;
    return !reader->bad;
}

void timeline_free(struct timeline *timeline)
{
    free(timeline->span);
    *timeline = (struct timeline){0};
}
