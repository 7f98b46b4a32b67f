#include "prediction/profile_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "family/target.h"
#include "family/time/roof.h"
#include "table/row_point.h"

#define PEER_BYTES       (1 << 30)
#define SMALL_PEER_BYTES (4 << 10)
#define SMALL_BYTES      (64 << 10) /* a copy of this size is one wave of blocks: its time is launch and latency */

bool profile_row_counts(const struct dataset *dataset, size_t row)
{
    const struct frame *results = &dataset->results;
    return status_is_ok(frame_find_text(results, row, COLUMN(status))) && dataset_is_point(dataset, row) &&
           frame_find_real(results, row, COLUMN(time_median)) > 0;
}

bool profile_device_measured(const struct dataset *dataset, size_t device)
{
    return !strcmp(frame_find_text(&dataset->devices, device, DEVICE_COLUMN(backend)), "cuda");
}

struct time_facts profile_row_facts(const struct dataset *dataset, size_t row, const struct point *point,
                                    double threads_sm)
{
    const struct frame *results = &dataset->results;
    struct time_facts facts = time_facts_none((enum cache_mode)point_value(point, "cache", CACHE_COLD));
    if (!(frame_find_real(results, row, COLUMN(launches)) > 1))
        facts.dirty = frame_find_real(results, row, COLUMN(l2_dirty));
    facts.instructions = frame_find_real(results, row, COLUMN(instructions));
    facts.clock = frame_find_real(results, row, COLUMN(sm_clock));
    facts.resident = time_resident(frame_find_real(results, row, COLUMN(occupancy_theoretical)), threads_sm,
                                   frame_find_real(results, row, COLUMN(block_threads)));
    return facts;
}

struct reading_row {
    struct profile *profile,
        *alone; /* alone: what is taken off a value of two kernels at once, in its place */
    const struct frame *results;
    size_t row;
    struct point point;
    double seconds;
    const char *path;
};

/* The source names every point that the value comes from: "ID ID of FILE". */
static void set(const struct reading_row *r, enum profile_field field, double value)
{
    struct profile_value *there = &r->profile->value[field];
    char source[PROFILE_SOURCE_SIZE];
    const char *id = frame_find_text(r->results, r->row, COLUMN(id));
    size_t ids = strlen(there->source) - (there->source[0] ? strlen(" of ") + strlen(r->path) : 0);
    int length = there->source[0]
                     ? snprintf(source, sizeof source, "%.*s %s of %s", (int)ids, there->source, id, r->path)
                     : snprintf(source, sizeof source, "%s of %s", id, r->path);
    profile_set(r->profile, field, value, true, source);
    if (length < (int)sizeof source)
        snprintf(there->source, sizeof there->source, "%s", source);
}

static bool word_is(const struct point *point, const char *axis, const char *word)
{
    int i = space_axis(point->space, axis);
    char text[AXIS_TEXT_SIZE];
    if (i < 0)
        return false;
    axis_format(&point->space->axes[i], point->value[i], text);
    return !strcmp(text, word);
}

/* Cycles of a dependent load, if the working set fits the level of the variant. */
static void take_latency(const struct reading_row *r)
{
    double latency = frame_find_real(r->results, r->row, COLUMN(latency_p50));
    double size = (double)point_value(&r->point, "size", 0), l2 = r->profile->value[PROFILE_l2_bytes].value;
    if (word_is(&r->point, "variant", "shared"))
        set(r, PROFILE_latency_shared, latency);
    else if (word_is(&r->point, "variant", "dsmem"))
        set(r, PROFILE_latency_dsmem, latency);
    else if (word_is(&r->point, "variant", "l1"))
        set(r, PROFILE_latency_l1, latency);
    else if (word_is(&r->point, "variant", "l2") && size <= l2 / 3 && size >= 256 << 10)
        set(r, PROFILE_latency_l2, latency);
    else if (word_is(&r->point, "variant", "dram") && size >= 16 * l2)
        set(r, PROFILE_latency_dram, latency);
}

/* Rate of scattered accesses, from a copy with a share w of them: seconds are linear in w. */
static void take_scattered(const struct reading_row *r)
{
    struct device device = profile_device(r->profile, "");
    struct target target = target_of_device(&device);
    struct setup setup = family_of(&r->point)->setup(&r->point, &target);
    struct prediction p;
    if (!model_predict(&r->point, &setup, &target, NAN, &p))
        return;
    double sum = p.dram_bytes_read + p.dram_bytes_written, share = fmax(p.scattered_read, p.scattered_write);
    double dense =
        sum / roof_of_mix(p.dram_bytes_read / sum, device.peak_read, device.peak_copy, device.peak_write);
    double scattered = (r->seconds - (1 - share) * dense) / share;
    if (share > 0.5 && scattered > dense)
        set(r, p.scattered_write > p.scattered_read ? PROFILE_scattered_write : PROFILE_scattered_read,
            sum / scattered);
}

static void take_copy(const struct reading_row *r)
{
    const struct point *p = &r->point;
    int64_t size = point_value(p, "size", 0), stride = point_value(p, "stride", 1);
    bool loads = word_is(p, "variant", "load"), stores = word_is(p, "variant", "store");
    if (loads && size == SMALL_BYTES && stride == 1 && word_is(p, "dtype", "f32")) {
        if (word_is(p, "cache", "hot"))
            set(r, PROFILE_wave_hot, r->seconds);
        else if (word_is(p, "cache", "cold"))
            set(r, PROFILE_wave_cold, r->seconds);
    }
    if ((loads || stores) && size >= 1 << 30 && stride == 137 && word_is(p, "dtype", "f32"))
        take_scattered(r);
}

/* The largest copies tell the rate of the link, and the smallest what comes before. Only one way, by 16-byte accesses of all
 * multiprocessors: the model derives the other points. */
static void take_peer_copy(const struct reading_row *r)
{
    const struct point *p = &r->point;
    int64_t size = point_value(p, "size", 0);
    bool engine = word_is(p, "variant", "copy_engine"), both = word_is(p, "direction", "both_ways");
    bool remote = family_devices(p).count == 2, load = word_is(p, "variant", "load");
    if (point_value(p, "width", 16) != 16 || point_value(p, "blocks", 0) != 0 || !word_is(p, "cache", "hot"))
        return;
    if (remote && size >= PEER_BYTES && !both) {
        double rate = (double)size / r->seconds;
        if (engine || load || word_is(p, "variant", "store"))
            set(r, engine ? PROFILE_link_copy : load ? PROFILE_link_read : PROFILE_link_write, rate);
    }
    if (remote && engine && size == SMALL_PEER_BYTES)
        set(r, both ? PROFILE_link_pair : PROFILE_link_setup, r->seconds);
    if (!remote && engine && !both && size == SMALL_PEER_BYTES)
        set(r, PROFILE_copy_setup, r->seconds);
    if (!load || size != SMALL_PEER_BYTES)
        return;
    enum profile_field kernels = remote ? PROFILE_link_kernels : PROFILE_link_fork;
    if (both)
        set(r, kernels, r->seconds);
    else
        profile_set(r->alone, kernels, r->seconds, true, "");
}

static void take_peer_latency(const struct reading_row *r)
{
    double latency = frame_find_real(r->results, r->row, COLUMN(latency_p50));
    double size = (double)point_value(&r->point, "size", 0), l2 = r->profile->value[PROFILE_l2_bytes].value;
    bool hot = word_is(&r->point, "cache", "hot");
    if (family_devices(&r->point).count != 2) {
        bool atomic =
            word_is(&r->point, "variant", "atomic_add") || word_is(&r->point, "variant", "atomic_cas");
        if (hot && atomic && size == SMALL_BYTES)
            set(r, PROFILE_latency_atomic, latency);
        if (word_is(&r->point, "variant", "fence"))
            set(r, PROFILE_latency_fence, latency);
        return;
    }
    if (!word_is(&r->point, "variant", "load"))
        return;
    if (hot && size == SMALL_BYTES)
        set(r, PROFILE_link_latency, latency);
    else if (!hot && size >= 4 * l2)
        set(r, PROFILE_link_latency_dram, latency);
}

struct block_rate {
    double rate;
    size_t row;
};

static void take_row(const struct reading_row *r, struct block_rate *most)
{
    double rate = frame_find_real(r->results, r->row, COLUMN(grid_blocks)) / r->seconds;
    if (rate > most->rate && strcmp(r->point.space->kernel, "host_copy") != 0)
        *most = (struct block_rate){rate, r->row};
    if (!strcmp(r->point.space->kernel, "latency"))
        take_latency(r);
    else if (!strcmp(r->point.space->kernel, "copy"))
        take_copy(r);
    else if (!strcmp(r->point.space->kernel, "peer_copy"))
        take_peer_copy(r);
    else if (!strcmp(r->point.space->kernel, "peer_latency"))
        take_peer_latency(r);
}

/* Two at once took so long: less what one takes. */
static void take_difference(struct profile_value *both, const struct profile_value *one)
{
    both->value -= one->value;
    both->low -= one->high;
    both->high -= one->low;
    if (!(both->low > 0))
        both->value = both->low = both->high = NAN;
}

static struct device device_of_row(const struct frame *devices, size_t row)
{
    struct device device = device_unknown();
    int column;
    snprintf(device.name, sizeof device.name, "%s", frame_find_text(devices, row, DEVICE_COLUMN(name)));
#define X(field, unit, meaning)                                                                              \
    column = frame_find(devices, #field);                                                                    \
    if (column >= 0 && devices->column[column].type == COLUMN_INTEGER)                                       \
        device.field = frame_cell(devices, row, column)->integer;
    DEVICE_INTS(X)
#undef X
#define X(field, unit, meaning) device.field = frame_find_real(devices, row, #field);
    DEVICE_REALS(X)
#undef X
    return device;
}

struct profile profile_of_dataset(const struct dataset *dataset, size_t device, const char *path)
{
    struct device first = device_of_row(&dataset->devices, device);
    struct profile profile = profile_of_device(&first);
    struct profile alone = profile_unknown();
    struct reading_row r = {&profile, &alone, &dataset->results, 0, {0}, 0, io_file_name(path)};
    struct block_rate most = {0};
    int column = frame_find(&dataset->results, COLUMN(device));
    for (size_t i = 0; i < dataset->devices.rows; i++) {
        struct device other = device_of_row(&dataset->devices, i);
        if (i == device || strcmp(other.name, first.name) != 0)
            continue;
#define X(name, unit, meaning) profile_set(&profile, PROFILE_##name, other.name, true, "");
        PROFILE_PEAKS(X)
#undef X
    }
    for (r.row = 0; r.row < dataset->results.rows; r.row++) {
        if (!profile_row_counts(dataset, r.row) || !row_point(&dataset->results, r.row, &r.point) ||
            (column >= 0 && frame_cell(&dataset->results, r.row, column)->integer != (int64_t)device))
            continue;
        r.seconds = frame_find_real(&dataset->results, r.row, COLUMN(time_median));
        take_row(&r, &most);
    }
    r.row = most.row;
    if (most.rate > 0.5 * first.multiprocessors * first.clock_max / 158)
        set(&r, PROFILE_block_rate, most.rate);
    take_difference(&profile.value[PROFILE_link_pair], &profile.value[PROFILE_link_setup]);
    take_difference(&profile.value[PROFILE_link_kernels], &alone.value[PROFILE_link_kernels]);
    take_difference(&profile.value[PROFILE_link_fork], &alone.value[PROFILE_link_fork]);
    return profile;
}
