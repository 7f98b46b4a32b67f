#include "analysis/laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/dtype.h"
#include "core/result.h"
#include "table/view.h"

#define SECTOR 32.0 /* bytes: what L2 writes, and the least that a request moves */
#define BURST  64.0 /* bytes: what DRAM is read by, two sectors */
#define BANKS  32.0 /* of shared memory, 4 bytes wide */
#define WORD   4.0  /* bytes */
#define WARP   32.0 /* threads */

#define DRAM_TOLERANCE  0.025
#define EXACT_TOLERANCE 1e-4
#define POINTS_MIN      3 /* fewer show no law */

#define RANDOM_BEYOND 4.0 /* times larger still: L2 keeps a share of what is met at random */
#define BEYOND_L2     4.0 /* arrays this many times L2's size: what L2 keeps does not matter */

enum law_name {
    COPY_READ,
    COPY_WRITTEN,
    COPY_FILLED,
    GATHER_STRIDED,
    GATHER_RANDOM,
    SHARED_STRIDE,
    LAYOUT_AOS,
    LAYOUT_SOA,
    MATMUL_TILED,
    READ_ONCE,
    COPY_OFFSET,
};

const struct law laws[] = {
    [COPY_READ] = {"copy_read", "copy", "DRAM bytes read for an access", "min(distance, 64)", "distance",
                   "bytes", "copy_stride",
                   "A strided load costs DRAM the bytes up to the next one, at most two sectors: beyond 64 "
                   "bytes a larger stride costs no more.",
                   DRAM_TOLERANCE},
    [COPY_WRITTEN] = {"copy_written", "copy", "DRAM bytes written for an access", "min(distance, 32)",
                      "distance", "bytes", "copy_stride",
                      "A strided store writes at most one sector to DRAM.", DRAM_TOLERANCE},
    [COPY_FILLED] = {"copy_filled", "copy", "DRAM bytes read for a strided store",
                     "width + min(distance, 32)", "distance", "bytes", "copy_stride",
                     "A sector that is written in part is read first, so a strided store moves it twice.",
                     0.05},
    [GATHER_STRIDED] = {"gather_strided", "gather", "DRAM bytes read for an element",
                        "index + min(distance, 64)", "distance", "bytes", "gather_stride",
                        "A strided gather costs DRAM its index and what a strided load costs.",
                        DRAM_TOLERANCE},
    [GATHER_RANDOM] =
        {"gather_random", "gather", "DRAM bytes read for an element", "index + 64", "array", "bytes",
         "gather_size",
         "Out of an array that L2 cannot hold, each element at a random place costs two sectors.",
         DRAM_TOLERANCE},
    [SHARED_STRIDE] =
        {"shared_stride", "shared_stride", "wavefronts for a request", "min(32, words * gcd(stride, 32))",
         "stride", "words", "shared_stride_ladder",
         "Conflicts come from the common divisor of stride and banks alone: odd strides have none.",
         EXACT_TOLERANCE},
    [LAYOUT_AOS] = {"layout_aos", "layout", "DRAM bytes read for a record of an array of structures",
                    "the record", "record", "bytes", "layout_read",
                    "An array of structures costs DRAM the whole record, whatever fields are read.",
                    DRAM_TOLERANCE},
    [LAYOUT_SOA] = {"layout_soa", "layout", "DRAM bytes read for a record of structures of arrays",
                    "the fields read", "fields", "bytes", "layout_read",
                    "Structures of arrays cost DRAM only the fields that are read.", DRAM_TOLERANCE},
    [MATMUL_TILED] = {"matmul_tiled", "matmul", "bytes loaded for a flop", "4 / tile", "tile", "elements", "",
                      "Twice the tile halves the bytes that are loaded.", EXACT_TOLERANCE},
    [READ_ONCE] = {"read_once", "add pack_bits reduce silu_mul stream", "DRAM bytes read", "the inputs, once",
                   "inputs", "bytes", "reduce_size",
                   "No input is fetched twice: only the rate of DRAM is left to improve.", DRAM_TOLERANCE},
    [COPY_OFFSET] = {"copy_offset", "copy", "sectors for a request at an offset",
                     "ceil((32 * width + offset mod 32) / 32)", "offset", "bytes", "copy_offset",
                     "A warp whose accesses do not start at a sector's boundary touches one sector more.",
                     EXACT_TOLERANCE},
};

size_t laws_count(void)
{
    return sizeof laws / sizeof *laws;
}

const struct law *law_find(const char *name)
{
    for (size_t i = 0; i < laws_count(); i++)
        if (!strcmp(laws[i].name, name))
            return &laws[i];
    return NULL;
}

/* ---- A point ---- */

struct reading {
    const struct dataset *dataset;
    size_t row;
};

/* A number, an axis or a counter; NaN: there is no such column, or it is missing. */
static double real(const struct reading *at, const char *column)
{
    const struct frame *results = &at->dataset->results;
    int index = frame_find(results, column);
    if (index < 0 || results->column[index].type == COLUMN_TEXT)
        return NAN;
    union cell cell = *frame_cell(results, at->row, index);
    if (frame_is_missing(&results->column[index], cell))
        return NAN;
    return results->column[index].type == COLUMN_REAL ? cell.real : (double)cell.integer;
}

static const char *word_of(const struct reading *at, const char *column)
{
    return frame_find_text(&at->dataset->results, at->row, column);
}

static bool is(const struct reading *at, const char *column, const char *word)
{
    return !strcmp(word_of(at, column), word);
}

/* Bytes of an element of the type that a column names; NaN: it names none. */
static double size_of(const struct reading *at, const char *column)
{
    int dtype = text_find(dtype_words, word_of(at, column));
    return dtype < 0 ? NAN : (double)dtype_bits((enum dtype)dtype) / 8;
}

/* From DRAM, out of arrays of `bytes` that L2 cannot hold. */
static bool beyond_l2(const struct reading *at, double bytes)
{
    struct view_column l2;
    struct error ignored;
    if (!is(at, "cache", "cold") ||
        view_find_column(at->dataset, COLUMN_OF_DEVICE(l2_bytes), &l2, &ignored) != 0)
        return false;
    return bytes >= BEYOND_L2 * (double)view_cell(at->dataset, at->row, &l2).integer;
}

static double common_divisor(double a, double b)
{
    while (b > 0) {
        double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

/* Strided accesses of one side of a copy: one has the useful bytes of `vector` elements. */
static bool apply_copy(enum law_name name, const struct reading *at, struct law_point *point)
{
    double width = size_of(at, COLUMN(dtype)) * real(at, "vector"), stride = real(at, "stride");
    double accesses = real(at, COLUMN(bytes_read)) / width, distance = width * stride;
    if (!is(at, "variant", name == COPY_READ ? "load" : "store") || !(width <= SECTOR) ||
        !beyond_l2(at, accesses * distance) || (name == COPY_FILLED && !(stride > 1)))
        return false;
    double counted =
        real(at, name == COPY_WRITTEN ? COLUMN(dram_bytes_written) : COLUMN(dram_bytes_read)) / accesses;
    double expected = name == COPY_READ ? fmin(distance, BURST) : fmin(distance, SECTOR);
    *point = (struct law_point){distance, expected + (name == COPY_FILLED ? width : 0), counted};
    return true;
}

/* Accesses of a warp that are adjacent, but do not start at the array's. */
static bool apply_offset(const struct reading *at, struct law_point *point)
{
    double element = size_of(at, COLUMN(dtype)), width = element * real(at, "vector");
    double offset = element * real(at, "offset");
    bool stores = is(at, "variant", "store");
    if (!(offset > 0) || real(at, "stride") != 1 || !(stores || is(at, "variant", "load")))
        return false;
    *point = (struct law_point){
        offset, ceil((WARP * width + fmod(offset, SECTOR)) / SECTOR),
        real(at, stores ? COLUMN(store_sectors_per_request) : COLUMN(load_sectors_per_request))};
    return true;
}

static bool apply_gather(enum law_name name, const struct reading *at, struct law_point *point)
{
    double width = size_of(at, COLUMN(dtype)), index = size_of(at, "index_dtype"), size = real(at, "size");
    bool strided = is(at, "variant", "strided"),
         random = is(at, "variant", "random") || is(at, "variant", "permuted");
    if (isnan(index))
        index = sizeof(int);
    if (!(name == GATHER_STRIDED ? strided : random) ||
        !beyond_l2(at, name == GATHER_STRIDED ? size : size / RANDOM_BEYOND))
        return false;
    double distance = width * real(at, "stride");
    *point = (struct law_point){name == GATHER_STRIDED ? distance : size,
                                index + (name == GATHER_STRIDED ? fmin(distance, BURST) : BURST),
                                real(at, COLUMN(dram_bytes_read)) / (size / width)};
    return true;
}

static bool apply_shared(const struct reading *at, struct law_point *point)
{
    double words = real(at, "width") / WORD, stride = real(at, "stride");
    bool writes = is(at, "variant", "write");
    if (!(stride >= 1) || !(writes || is(at, "variant", "read")))
        return false;
    *point = (struct law_point){stride, fmin(BANKS, words * common_divisor(stride, BANKS)),
                                real(at, writes ? COLUMN(shared_store_wavefronts_per_request)
                                                : COLUMN(shared_load_wavefronts_per_request))};
    return true;
}

static bool apply_layout(enum law_name name, const struct reading *at, struct law_point *point)
{
    double width = size_of(at, COLUMN(dtype)), record = width * real(at, "fields");
    bool structures = is(at, "variant", "aos");
    if (structures != (name == LAYOUT_AOS) || !(record <= SECTOR) || !beyond_l2(at, real(at, "size")))
        return false;
    double x = name == LAYOUT_AOS ? record : width * real(at, "read");
    *point = (struct law_point){x, x, real(at, COLUMN(dram_bytes_read)) / (real(at, "size") / record)};
    return true;
}

static bool apply_tiled(const struct reading *at, struct law_point *point)
{
    double tile = real(at, "tile");
    if (!is(at, "variant", "tiled"))
        return false;
    *point =
        (struct law_point){tile, WORD / tile, SECTOR * real(at, "load_sectors") / real(at, COLUMN(flops))};
    return true;
}

/* Families that read all of their inputs in order. */
static bool apply_once(const struct reading *at, struct law_point *point)
{
    double bytes = real(at, COLUMN(bytes_read));
    if (!beyond_l2(at, bytes))
        return false;
    *point = (struct law_point){bytes, bytes, real(at, COLUMN(dram_bytes_read))};
    return true;
}

/* Is a word in a list? */
static bool is_of(const char *kernels, const char *kernel)
{
    size_t length = strlen(kernel);
    for (const char *at = strstr(kernels, kernel); at && length; at = strstr(at + 1, kernel))
        if ((at == kernels || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

/* The row is measured and of one of the law's families. */
static bool apply(const struct law *law, const struct reading *at, struct law_point *point)
{
    enum law_name name = (enum law_name)(law - laws);
    bool found = false;
    switch (name) {
    case COPY_READ:
    case COPY_WRITTEN:
    case COPY_FILLED:
        found = apply_copy(name, at, point);
        break;
    case COPY_OFFSET:
        found = apply_offset(at, point);
        break;
    case GATHER_STRIDED:
    case GATHER_RANDOM:
        found = apply_gather(name, at, point);
        break;
    case SHARED_STRIDE:
        found = apply_shared(at, point);
        break;
    case LAYOUT_AOS:
    case LAYOUT_SOA:
        found = apply_layout(name, at, point);
        break;
    case MATMUL_TILED:
        found = apply_tiled(at, point);
        break;
    case READ_ONCE:
        found = apply_once(at, point);
        break;
    }
    return found && point->expected > 0 && isfinite(point->counted);
}

bool law_apply(const struct law *law, const struct dataset *dataset, size_t row, struct law_point *point)
{
    const struct reading at = {dataset, row};
    return is_of(law->kernels, word_of(&at, COLUMN(kernel))) && status_is_ok(word_of(&at, COLUMN(status))) &&
           apply(law, &at, point);
}

/* ---- A group ---- */

struct law_rows law_rows_of(const struct merged *merged, int group)
{
    return (struct law_rows){&merged->all, merged->group[group].label};
}

static void count_point(const struct law *law, const struct law_point *point, double busy,
                        struct law_kept *kept)
{
    double deviation = fabs(point->counted / point->expected - 1);
    kept->points++;
    kept->within += deviation <= law->tolerance;
    kept->most = fmax(kept->most, deviation);
    kept->low = fmin(kept->low, point->x);
    kept->high = fmax(kept->high, point->x);
    kept->busy_low = fmin(kept->busy_low, busy); /* fmin and fmax ignore NaN */
    kept->busy_high = fmax(kept->busy_high, busy);
}

/* `count` laws, in one pass over the rows. */
static void check(const struct law *law, size_t count, const struct law_rows *rows, struct law_kept *kept)
{
    const struct frame *results = &rows->dataset->results;
    for (size_t i = 0; i < count; i++)
        kept[i] = (struct law_kept){.low = INFINITY, .high = -INFINITY, .busy_low = NAN, .busy_high = NAN};
    for (size_t row = 0; row < results->rows; row++) {
        const struct reading at = {rows->dataset, row};
        dataset_evict_at(rows->dataset, row);
        if ((rows->group && !is(&at, MERGE_GROUP, rows->group)) || !dataset_is_point(rows->dataset, row) ||
            !status_is_ok(word_of(&at, COLUMN(status))))
            continue;
        const char *kernel = word_of(&at, COLUMN(kernel));
        struct law_point point;
        for (size_t i = 0; i < count; i++)
            if (is_of(law[i].kernels, kernel) && apply(&law[i], &at, &point))
                count_point(&law[i], &point, real(&at, "dram_throughput"), &kept[i]);
    }
}

struct law_kept law_check(const struct law *law, const struct law_rows *rows)
{
    struct law_kept kept;
    check(law, 1, rows, &kept);
    return kept;
}

bool law_holds(const struct law_kept *kept)
{
    return kept->points >= POINTS_MIN && 10 * kept->within >= 9 * kept->points;
}

static void add_size(struct text *out, double value)
{
    char size[64];
    text_format_bytes((int64_t)value, size, sizeof size);
    text_add(out, "%s", size);
}

/* "distance 1 to 1096 bytes", "inputs 256MiB to 4GiB" */
static void add_range(const struct law *law, double low, double high, struct text *out)
{
    bool sizes = !strcmp(law->unit, "bytes") && low >= 1024;
    text_add(out, "%s ", law->x);
    if (sizes)
        add_size(out, low);
    else
        text_add(out, "%.0f", low);
    if (high > low && sizes) {
        text_add(out, " to ");
        add_size(out, high);
    } else if (high > low) {
        text_add(out, " to %.0f", high);
    }
    if (!sizes)
        text_add(out, " %s", law->unit);
}

/* Two digits, or whole percents from 10 % on. */
static void add_deviation(struct text *out, const struct law_kept *kept)
{
    text_add(out, kept->most < 0.1 ? "%.2g %%" : "%.0f %%", 100 * kept->most);
}

static void add_kept(const struct law *law, const struct law_kept *kept, const char *label, bool first,
                     struct text *out)
{
    text_add(out, "%s%zu of %zu%s on %s", law_holds(kept) ? "at " : "only at ", kept->within, kept->points,
             first ? " points" : "", label);
    if (law->tolerance <= EXACT_TOLERANCE) {
        text_add(out, "%s", first ? " exactly" : "");
        return;
    }
    text_add(out, first ? " (largest deviation " : " (");
    add_deviation(out, kept);
    text_add(out, ")");
}

/* "add, reduce: ", the families that have points for it */
static void add_families(const struct law *law, const struct merged *merged, struct text *out)
{
    struct text names = {0};
    for (size_t row = 0; row < merged->all.results.rows && (!names.length || strchr(law->kernels, ' '));
         row++) {
        const char *kernel = merge_text(merged, row, COLUMN(kernel));
        struct law_point point;
        dataset_evict_at(&merged->all, row);
        if ((names.length && is_of(names.data, kernel)) || !law_apply(law, &merged->all, row, &point))
            continue;
        text_add(&names, "%s%s", names.length ? " " : "", kernel);
        text_add(out, "%s%s", names.length > strlen(kernel) ? ", " : "", kernel);
    }
    text_add(out, ": ");
    text_free(&names);
}

bool law_tell(const struct law *law, const struct merged *merged, const char *const *label, struct text *out)
{
    struct law_kept *kept = memory_new((size_t)merged->groups + 1, sizeof *kept);
    double low = INFINITY, high = -INFINITY;
    int told = 0, of = 0, held = 0;
    for (int group = 0; group < merged->groups; group++) {
        struct law_rows rows = law_rows_of(merged, group);
        kept[group] = law_check(law, &rows);
        if (kept[group].points < POINTS_MIN)
            continue;
        of++;
        held += law_holds(&kept[group]);
        low = fmin(low, kept[group].low);
        high = fmax(high, kept[group].high);
    }
    if (of) {
        add_families(law, merged, out);
        if (held == of)
            text_add(out, "%s ", law->meaning);
        text_add(out, "%s%s = %s, for ", held == of ? "Counted: " : "", law->quantity, law->formula);
        add_range(law, low, high, out);
        text_add(out, ": ");
    }
    for (int group = 0; group < merged->groups; group++) {
        if (kept[group].points < POINTS_MIN)
            continue;
        text_add(out, "%s", told == 0 ? "" : told + 1 < of ? ", " : " and ");
        add_kept(law, &kept[group], label[group], !told, out);
        told++;
    }
    if (of)
        text_add(out, ".");
    free(kept);
    return of > 0;
}

static void add_side(const struct law *law, const struct law_kept *kept, const char *label, struct text *out)
{
    text_add(out, "\n  %s: kept %sat %zu of %zu points, for ", label, law_holds(kept) ? "" : "only ",
             kept->within, kept->points);
    add_range(law, kept->low, kept->high, out);
    text_add(out, ", largest deviation ");
    add_deviation(out, kept);
}

bool law_tell_differences(const struct law_rows rows[2], const char *const label[2], struct text *out)
{
    int both = 0, held = 0;
    struct text differ = {0};
    struct law_kept of[2][sizeof laws / sizeof *laws];
    for (int side = 0; side < 2; side++)
        check(laws, laws_count(), &rows[side], of[side]);
    for (size_t i = 0; i < laws_count(); i++) {
        const struct law_kept kept[2] = {of[0][i], of[1][i]};
        if (kept[0].points < POINTS_MIN || kept[1].points < POINTS_MIN)
            continue;
        both++;
        held += law_holds(&kept[0]) && law_holds(&kept[1]);
        if (law_holds(&kept[0]) == law_holds(&kept[1]))
            continue;
        text_add(&differ, "\n%s: %s = %s", laws[i].name, laws[i].quantity, laws[i].formula);
        for (int side = 0; side < 2; side++)
            add_side(&laws[i], &kept[side], label[side], &differ);
    }
    if (both)
        text_add(out, "laws of the access model: both sides keep %d of %d%s%s\n", held, both,
                 differ.length ? "; they differ in:" : "", differ.length ? differ.data : "");
    text_free(&differ);
    return both > 0;
}
