#include "plan/history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"
#include "plan/order.h"

#define HEAD          "warpsweep history 1"
#define FILE_MAX      (32u << 20) /* bytes */
#define POINTS_MAX    200000      /* in a file */
#define KERNELS_MAX   256
#define COUNTINGS_MAX 32 /* distinct numbers of counters, times two kinds of points */
#define CLASSES       64
#define CLASS_MIDDLE  32
#define CLASS_MAX     64.0 /* points over which a class averages */
#define RUNS_WEIGH    4    /* earlier runs that the fixed seconds are averaged over, at most */
#define RUN_KEPT      0.8  /* weight of all earlier runs when one is added */

/* Points of one kernel whose estimated times have the same power of two. */
struct class_sum {
    double count, seconds, guess; /* sums */
};

struct kernel_sum {
    char kernel[64];
    struct class_sum class[CLASSES];
};

struct entry {
    uint64_t key;
    float seconds, counted; /* 0: never counted */
};

/* Cost of counting a number of counters. */
struct counting_sum {
    int counters;
    bool exclusive;
    double timed, seconds; /* sums with exponentially decreasing weights */
};

struct history {
    struct entry *entry; /* owned; in the order of measurement */
    size_t entries, entry_capacity;
    uint32_t *slot; /* owned: hash table of index + 1 of entries; 0: free */
    size_t slots;   /* a power of two */
    struct kernel_sum *kernel;
    int kernels;
    size_t kernel_capacity;
    struct counting_sum counting[COUNTINGS_MAX];
    int countings;
    double runs, fixed;        /* number of runs, and mean of their fixed seconds */
    double work, rank_seconds; /* sums with exponentially decreasing weights */
};

/* ---- Points ---- */

static uint64_t key_of(const struct point *point, const struct timing *timing)
{
    const double reals[] = {timing->target_ci, timing->max_time};
    uint64_t key = hash_u64(HASH_START, point_id(point));
    key = hash_u64(key, (uint64_t)timing->cache);
    key = hash_u64(key, (uint64_t)timing->min_samples << 32 | timing->max_samples);
    return hash_bytes(key, reals, sizeof reals);
}

static size_t find_slot(const struct history *history, uint64_t key)
{
    size_t at = hash_mix(key) & (history->slots - 1);
    while (history->slot[at] && history->entry[history->slot[at] - 1].key != key)
        at = (at + 1) & (history->slots - 1);
    return at;
}

static void grow_slots(struct history *history)
{
    if (2 * (history->entries + 1) <= history->slots)
        return;
    history->slots = history->slots ? 2 * history->slots : 1024;
    free(history->slot);
    history->slot = memory_new(history->slots, sizeof *history->slot);
    for (size_t i = 0; i < history->entries; i++)
        history->slot[find_slot(history, history->entry[i].key)] = (uint32_t)i + 1;
}

static void put_entry(struct history *history, uint64_t key, double seconds)
{
    grow_slots(history);
    size_t at = find_slot(history, key);
    if (history->slot[at]) {
        history->entry[history->slot[at] - 1].seconds = (float)seconds;
        return;
    }
    if (history->entries == UINT32_MAX - 1)
        return;
    history->entry =
        memory_grow(history->entry, history->entries, &history->entry_capacity, sizeof *history->entry);
    history->entry[history->entries++] = (struct entry){key, (float)seconds, 0};
    history->slot[at] = (uint32_t)history->entries;
}

/* ---- Classes ---- */

static int class_of(double guess)
{
    int exponent = 0;
    if (guess > 0)
        frexp(guess, &exponent);
    int class = CLASS_MIDDLE + exponent;
    return class < 0 ? 0 : class >= CLASSES ? CLASSES - 1 : class;
}

static struct kernel_sum *find_kernel(const struct history *history, const char *kernel)
{
    for (int i = 0; i < history->kernels; i++)
        if (!strcmp(history->kernel[i].kernel, kernel))
            return &history->kernel[i];
    return NULL;
}

static struct kernel_sum *put_kernel(struct history *history, const char *kernel)
{
    struct kernel_sum *known = find_kernel(history, kernel);
    if (known || history->kernels == KERNELS_MAX)
        return known;
    history->kernel = memory_grow(history->kernel, (size_t)history->kernels, &history->kernel_capacity,
                                  sizeof *history->kernel);
    struct kernel_sum *new = &history->kernel[history->kernels++];
    *new = (struct kernel_sum){0};
    snprintf(new->kernel, sizeof new->kernel, "%s", kernel);
    return new;
}

/* The nearest class that has points; `*away`: its distance. */
static const struct class_sum *nearest(const struct kernel_sum *kernel, int class, int *away)
{
    for (*away = 0; *away < CLASSES; ++*away)
        for (int sign = -1; sign < 2; sign += 2) {
            int at = class + sign * *away;
            if (at >= 0 && at < CLASSES && kernel->class[at].count > 0)
                return &kernel->class[at];
        }
    return NULL;
}

/* The mean time of points of similar work. Between classes time is scaled by the square root of work, because every point
 * also has a fixed cost. A class of another kernel counts as one farther away. */
static double by_class(const struct history *history, const char *kernel, double guess)
{
    const struct kernel_sum *own = find_kernel(history, kernel);
    const struct class_sum *best = NULL;
    int class = class_of(guess), least = CLASSES, away;
    if (own)
        best = nearest(own, class, &least);
    for (int i = 0; i < history->kernels && (!best || least > 1); i++) {
        const struct class_sum *other = nearest(&history->kernel[i], class, &away);
        if (other && (!best || away + 1 < least)) {
            best = other;
            least = away + 1;
        }
    }
    if (!best)
        return NAN;
    double seconds = best->seconds / best->count;
    return class_of(best->guess / best->count) == class ? seconds
                                                        : seconds *
                                                              sqrt(fmax(guess, 1e-9) /
                                                                   fmax(best->guess / best->count, 1e-9));
}

/* ---- Adding and recalling ---- */

void history_add(struct history *history, const struct point *point, const struct timing *timing,
                 double seconds)
{
    double guess = order_expected_seconds(point, timing);
    struct kernel_sum *kernel = put_kernel(history, point->space->kernel);
    if (!(seconds > 0) || !isfinite(seconds))
        return;
    put_entry(history, key_of(point, timing), seconds);
    if (kernel) {
        struct class_sum *sum = &kernel->class[class_of(guess)];
        double kept = fmin(1, CLASS_MAX / (sum->count + 1)); /* forget old points gradually */
        *sum = (struct class_sum){kept * sum->count, kept * sum->seconds, kept * sum->guess};
        sum->count++;
        sum->seconds += seconds;
        sum->guess += guess;
    }
}

double history_recall(const struct history *history, const struct point *point, const struct timing *timing)
{
    if (!history->slots)
        return NAN;
    size_t at = find_slot(history, key_of(point, timing));
    return history->slot[at] ? history->entry[history->slot[at] - 1].seconds : NAN;
}

void history_add_counted(struct history *history, const struct point *point, const struct timing *timing,
                         double seconds)
{
    size_t at = history->slots ? find_slot(history, key_of(point, timing)) : 0;
    if (history->slots && history->slot[at] && seconds > 0 && isfinite(seconds))
        history->entry[history->slot[at] - 1].counted = (float)seconds;
}

double history_recall_counted(const struct history *history, const struct point *point,
                              const struct timing *timing)
{
    size_t at = history->slots ? find_slot(history, key_of(point, timing)) : 0;
    const struct entry *entry =
        history->slots && history->slot[at] ? &history->entry[history->slot[at] - 1] : NULL;
    return entry && entry->counted > 0 ? entry->counted : NAN;
}

double history_guess(const struct history *history, const struct point *point, const struct timing *timing)
{
    return by_class(history, point->space->kernel, order_expected_seconds(point, timing));
}

void history_add_run(struct history *history, double fixed, double work, double rank_seconds)
{
    if (!(work > 0) || !(rank_seconds > 0))
        return;
    double weight = fmin(history->runs, RUNS_WEIGH);
    history->fixed = (history->fixed * weight + fmax(0, fixed)) / (weight + 1);
    history->work = RUN_KEPT * history->work + work;
    history->rank_seconds = RUN_KEPT * history->rank_seconds + rank_seconds;
    history->runs++;
}

static struct counting_sum *find_counting(struct history *history, int counters, bool exclusive)
{
    for (int i = 0; i < history->countings; i++)
        if (history->counting[i].counters == counters && history->counting[i].exclusive == exclusive)
            return &history->counting[i];
    return NULL;
}

void history_add_counting(struct history *history, int counters, bool exclusive, double timed, double seconds)
{
    struct counting_sum *sum = find_counting(history, counters, exclusive);
    if (!(timed > 0) || !(seconds > 0) || (!sum && history->countings == COUNTINGS_MAX))
        return;
    if (!sum) {
        sum = &history->counting[history->countings++];
        *sum = (struct counting_sum){.counters = counters, .exclusive = exclusive};
    }
    sum->timed = RUN_KEPT * sum->timed + timed;
    sum->seconds = RUN_KEPT * sum->seconds + seconds;
}

double history_counting(const struct history *history, int counters, bool exclusive)
{
    const struct counting_sum *sum = find_counting((struct history *)history, counters, exclusive);
    return sum ? sum->seconds / sum->timed : NAN;
}

bool history_has_runs(const struct history *history)
{
    return history->runs > 0;
}

double history_overhead(const struct history *history)
{
    return history->work > 0 ? history->rank_seconds / history->work : 1;
}

double history_wall(const struct history *history, double work)
{
    return history->fixed + work * history_overhead(history);
}

bool history_is_empty(const struct history *history)
{
    return !history->entries && !history->kernels;
}

void history_free(struct history *history)
{
    if (!history)
        return;
    free(history->entry);
    free(history->slot);
    free(history->kernel);
    free(history);
}

/* ---- The file ---- */

char *history_path(const char *folder, const char *backend, const char *device)
{
    struct text path = {0};
    text_add(&path, "%s/history/%s-", folder, backend);
    for (const char *c = device; *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        text_add(&path, "%c", plain ? *c : '_');
    }
    text_add(&path, ".txt");
    return path.data;
}

static void read_line(struct history *history, const char *line)
{
    char kernel[64];
    unsigned long long key;
    int class, flag;
    double a, b, c, d;
    int got = sscanf(line, "point %llx %lf %lf", &key, &a, &b);
    if (got >= 2 && a > 0 && isfinite(a)) {
        put_entry(history, key, a);
        if (got == 3 && b > 0 && isfinite(b))
            history->entry[history->slot[find_slot(history, key)] - 1].counted = (float)b;
    } else if (sscanf(line, "class %63s %d %lf %lf %lf", kernel, &class, &a, &b, &c) == 5 && class >= 0 &&
               class < CLASSES && a > 0 && b > 0 && c >= 0 && isfinite(a + b + c)) {
        struct kernel_sum *sum = put_kernel(history, kernel);
        if (sum)
            sum->class[class] = (struct class_sum){a, b, c};
    } else if (sscanf(line, "counting %d %d %lf %lf", &class, &flag, &a, &b) == 4 && class > 0 && a > 0 &&
               b > 0 && isfinite(a + b)) {
        history_add_counting(history, class, flag != 0, a, b);
    } else if (sscanf(line, "runs %lf %lf %lf %lf", &a, &b, &c, &d) == 4 && a > 0 && b >= 0 && c > 0 &&
               d > 0 && isfinite(a + b + c + d)) {
        history->runs = a;
        history->fixed = b;
        history->work = c;
        history->rank_seconds = d;
    }
}

struct history *history_read(const char *path)
{
    struct history *history = memory_new(1, sizeof *history);
    struct error ignored;
    size_t size;
    char *text = io_read_file(path, FILE_MAX, &size, &ignored), *rest = NULL;
    if (text && !strncmp(text, HEAD "\n", strlen(HEAD) + 1))
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            read_line(history, line);
    free(text);
    return history;
}

static void write_point(struct text *text, const struct entry *entry)
{
    text_add(text, "point %016llx %.4g", (unsigned long long)entry->key, (double)entry->seconds);
    if (entry->counted > 0)
        text_add(text, " %.4g", (double)entry->counted);
    text_add(text, "\n");
}

int history_write(const struct history *history, const char *path, const char *backend, const char *device,
                  struct error *error)
{
    struct text text = {0};
    char *folder = memory_text(path);
    *strrchr(folder, '/') = '\0';
    text_add(&text, HEAD "\nbackend %s\ndevice %s\n", backend, device);
    if (history->runs > 0)
        text_add(&text, "runs %g %.6g %.6g %.6g\n", history->runs, history->fixed, history->work,
                 history->rank_seconds);
    for (int i = 0; i < history->countings; i++)
        text_add(&text, "counting %d %d %.6g %.6g\n", history->counting[i].counters,
                 history->counting[i].exclusive, history->counting[i].timed, history->counting[i].seconds);
    for (int i = 0; i < history->kernels; i++)
        for (int class = 0; class < CLASSES; class ++) {
            const struct class_sum *sum = &history->kernel[i].class[class];
            if (sum->count > 0)
                text_add(&text, "class %s %d %.10g %.6g %.6g\n", history->kernel[i].kernel, class, sum->count,
                         sum->seconds, sum->guess);
        }
    size_t first = history->entries > POINTS_MAX ? history->entries - POINTS_MAX : 0;
    for (size_t i = first; i < history->entries; i++)
        write_point(&text, &history->entry[i]);
    int failed = io_make_folders(folder, error) != 0 || io_replace_file(path, text.data, text.length, error);
    text_free(&text);
    free(folder);
    return failed ? -1 : 0;
}

bool history_head(const char *path, char *backend, size_t backend_size, char *device, size_t device_size)
{
    char line[256];
    bool known = false;
    FILE *file = fopen(path, "re");
    *backend = *device = '\0';
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (!known && strcmp(line, HEAD) != 0)
            break;
        known = true;
        if (!strncmp(line, "backend ", 8))
            snprintf(backend, backend_size, "%s", line + 8);
        if (!strncmp(line, "device ", 7)) {
            snprintf(device, device_size, "%s", line + 7);
            break;
        }
    }
    if (file)
        fclose(file);
    return known && *backend && *device;
}
