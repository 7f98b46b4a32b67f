/* fuzz_results.c - results files that are well-formed HDF5 and made of what the input says: tables with columns of any
 * type, missing, doubled or foreign, numbers from anywhere, links, filters and chunks. The library writes the file, so
 * all its checksums are right. It is refused with one line, or read and then sound. */
#include <float.h>
#include <hdf5.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "core/device.h"
#include "store/hdf5/table.h"
#include "store/store.h"
#include "store/dataset/invariants.h"
#include "store/dataset/summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* ---- The input, as a stream of choices; zeros when it is over ---- */

struct choices {
    const uint8_t *data;
    size_t size;
};

static unsigned choose(struct choices *choices, unsigned below)
{
    if (!choices->size)
        return 0;
    choices->size--;
    return *choices->data++ % below;
}

static int64_t choose_integer(struct choices *choices)
{
    static const int64_t odd[] = {0,  1,       -1,        2,         3,          7,
                                  20, 1 << 20, INT64_MIN, INT64_MAX, UINT32_MAX, INT32_MIN};
    return odd[choose(choices, sizeof odd / sizeof *odd)];
}

/* Seldom true: most of a file has to be right for the rest to be looked at. */
static bool seldom(struct choices *choices)
{
    return choose(choices, 256) > 250;
}

/* ---- Tables ---- */

enum { COLUMNS_MOST = 200, ROW_MOST = 8192, ROWS_MOST = 24 };

struct table {
    hid_t type; /* of a row */
    size_t row_size, offset[COLUMNS_MOST];
    enum column_type kind[COLUMNS_MOST];
    char name[COLUMNS_MOST][128];
    int columns;
};

static const size_t kind_size[] = {8, 8, 24};

static void add(struct table *table, struct choices *choices, const char *name, enum column_type kind)
{
    if (table->columns == COLUMNS_MOST || seldom(choices))
        return;
    if (seldom(choices))
        kind = (enum column_type)choose(choices, 3);
    int i = table->columns++;
    snprintf(table->name[i], sizeof table->name[i], "%s", name);
    if (seldom(choices))
        table->name[i][0] = (char)choose(choices, 256);
    if (!table->name[i][0])
        table->name[i][0] = 'z';
    table->kind[i] = kind;
    table->offset[i] = table->row_size;
    table->row_size += kind_size[kind];
}

static void make_type(struct table *table)
{
    table->type = H5Tcreate(H5T_COMPOUND, table->row_size ? table->row_size : 1);
    for (int i = 0; i < table->columns; i++) {
        hid_t text = H5Tcopy(H5T_C_S1);
        H5Tset_size(text, kind_size[COLUMN_TEXT]);
        H5Tset_strpad(text, H5T_STR_NULLPAD);
        H5Tinsert(table->type, table->name[i], table->offset[i],
                  table->kind[i] == COLUMN_TEXT      ? text
                  : table->kind[i] == COLUMN_INTEGER ? H5T_NATIVE_INT64
                                                     : H5T_NATIVE_DOUBLE);
        H5Tclose(text);
    }
}

/* What a cell holds where nothing odd is chosen. */
static void put_standard(const char *name, enum column_type kind, size_t row, char *at)
{
    int64_t integer = !strcmp(name, "sample_count")    ? 2
                      : !strcmp(name, "sample_offset") ? (int64_t)(2 * row)
                                                       : 0;
    double real = 1e-3 * (double)(row + 1);
    if (kind == COLUMN_INTEGER)
        memcpy(at, &integer, 8);
    else if (kind == COLUMN_REAL)
        memcpy(at, &real, 8);
    else
        snprintf(at, kind_size[COLUMN_TEXT], !strcmp(name, "status") ? "ok" : "%016zx", row + 1);
}

static void fill_row(const struct table *table, struct choices *choices, size_t row, char *bytes)
{
    memset(bytes, 0, table->row_size);
    for (int i = 0; i < table->columns; i++) {
        char *at = bytes + table->offset[i];
        put_standard(table->name[i], table->kind[i], row, at);
        if (!seldom(choices))
            continue;
        int64_t value = choose_integer(choices);
        memcpy(at, &value, 8);
    }
}

static hid_t make_set(hid_t file, const char *name, hid_t type, hsize_t rows, struct choices *choices)
{
    hid_t space = H5Screate_simple(1, &rows, NULL), create = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk = 1 + choose(choices, 8);
    if (seldom(choices))
        chunk = (hsize_t)1 << (10 + choose(choices, 12));
    if (choose(choices, 4)) {
        H5Pset_chunk(create, 1, &chunk);
        unsigned packing = choose(choices, 4);
        if (packing > 1)
            H5Pset_shuffle(create);
        if (packing)
            H5Pset_deflate(create, 1);
        if (seldom(choices))
            H5Pset_fletcher32(create);
    } else if (seldom(choices)) {
        H5Pset_external(create, "/dev/null", 0, H5F_UNLIMITED);
    }
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    H5Pclose(create);
    H5Sclose(space);
    return set;
}

static void write_table(hid_t file, const char *name, struct table *table, struct choices *choices,
                        size_t rows)
{
    static char bytes[ROWS_MOST * ROW_MOST];
    if (seldom(choices) || !table->row_size || table->row_size > ROW_MOST)
        return;
    if (seldom(choices)) {
        H5Lcreate_soft("/elsewhere", file, name, H5P_DEFAULT, H5P_DEFAULT);
        return;
    }
    make_type(table);
    for (size_t row = 0; row < rows; row++)
        fill_row(table, choices, row, bytes + row * table->row_size);
    bool claim = seldom(choices);
    hid_t set =
        make_set(file, name, table->type, claim ? (hsize_t)1 << (10 + choose(choices, 30)) : rows, choices);
    if (set >= 0 && !claim)
        H5Dwrite(set, table->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
    if (set >= 0)
        H5Dclose(set);
    H5Tclose(table->type);
}

static void write_results(hid_t file, struct choices *choices, size_t rows)
{
    static struct table table;
    table = (struct table){0};
    for (int i = 0; i < FIXED_COUNT; i++)
        add(&table, choices, column_fixed[i].name, column_fixed[i].type);
    for (int i = 0; i < REAL_COUNT; i++)
        add(&table, choices, column_reals[i].name, COLUMN_REAL);
    add(&table, choices, "stride", COLUMN_INTEGER);
    write_table(file, "results", &table, choices, rows);
}

static void write_devices(hid_t file, struct choices *choices)
{
    static struct table table;
    table = (struct table){0};
#define X(name, unit, meaning) add(&table, choices, #name, COLUMN_TEXT);
    DEVICE_TEXTS(X)
#undef X
#define X(name, unit, meaning) add(&table, choices, #name, COLUMN_INTEGER);
    DEVICE_INTS(X)
#undef X
#define X(name, unit, meaning) add(&table, choices, #name, COLUMN_REAL);
    DEVICE_REALS(X)
#undef X
    write_table(file, "devices", &table, choices, 1 + choose(choices, 3));
}

static void write_texts(hid_t file, struct choices *choices, const char *name, const char *const *columns,
                        const enum column_type *kinds)
{
    static struct table table;
    table = (struct table){0};
    for (; *columns; columns++, kinds++)
        add(&table, choices, *columns, *kinds);
    write_table(file, name, &table, choices, choose(choices, 5));
}

/* As warpsweep itself writes them. */
static void write_own_samples(hid_t file, struct choices *choices, size_t rows)
{
    struct sample sample[2 * ROWS_MOST];
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof *sample);
    H5Tinsert(type, "seconds", HOFFSET(struct sample, seconds), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "sm_clock", HOFFSET(struct sample, sm_clock), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "process", HOFFSET(struct sample, process), H5T_NATIVE_UINT32);
    H5Tinsert(type, "device", HOFFSET(struct sample, device), H5T_NATIVE_INT32);
    for (size_t i = 0; i < rows; i++) {
        static const double times[] = {NAN, INFINITY, -INFINITY, 0, -1, DBL_MAX, DBL_MIN};
        sample[i] = (struct sample){.seconds = 1e-3, .sm_clock = 1e9, .process = choose(choices, 3)};
        if (seldom(choices))
            sample[i].seconds = times[choose(choices, sizeof times / sizeof *times)];
        if (seldom(choices))
            sample[i].device = (int32_t)choose_integer(choices);
        if (seldom(choices))
            sample[i].process = (uint32_t)choose_integer(choices);
    }
    hid_t set = make_set(file, "samples", type, rows, choices);
    if (set >= 0) {
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, sample);
        H5Dclose(set);
    }
    H5Tclose(type);
}

static void write_samples(hid_t file, struct choices *choices, size_t rows)
{
    static struct table table;
    if (choose(choices, 2)) {
        write_own_samples(file, choices, rows);
        return;
    }
    table = (struct table){0};
    add(&table, choices, "seconds", COLUMN_REAL);
    add(&table, choices, "sm_clock", COLUMN_REAL);
    add(&table, choices, "process", COLUMN_INTEGER);
    add(&table, choices, "device", COLUMN_INTEGER);
    write_table(file, "samples", &table, choices, rows);
}

static void put_root(hid_t file)
{
    int64_t version = RESULTS_FORMAT_VERSION;
    hid_t space = H5Screate(H5S_SCALAR), text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, strlen(RESULTS_FORMAT));
    hid_t format = H5Acreate2(file, "format", text, space, H5P_DEFAULT, H5P_DEFAULT);
    hid_t number = H5Acreate2(file, "format_version", H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(format, text, RESULTS_FORMAT);
    H5Awrite(number, H5T_NATIVE_INT64, &version);
    H5Aclose(format);
    H5Aclose(number);
    H5Tclose(text);
    H5Sclose(space);
}

static void write_file(const char *path, struct choices *choices)
{
    static const char *const environment[] = {"run", "name", "value", NULL};
    static const enum column_type environment_kinds[] = {COLUMN_INTEGER, COLUMN_TEXT, COLUMN_TEXT};
    static const char *const columns[] = {"table", "name", "type", "role", "unit", "meaning", NULL};
    static const enum column_type columns_kinds[] = {COLUMN_TEXT, COLUMN_TEXT, COLUMN_TEXT,
                                                     COLUMN_TEXT, COLUMN_TEXT, COLUMN_TEXT};
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0)
        abort();
    put_root(file);
    size_t rows = choose(choices, 10);
    write_results(file, choices, rows);
    write_samples(file, choices, 2 * rows);
    write_devices(file, choices);
    write_texts(file, choices, "environment", environment, environment_kinds);
    write_texts(file, choices, "columns", columns, columns_kinds);
    H5Fclose(file);
}

/* ---- The test ---- */

static char path[64];

static void remove_file(void)
{
    unlink(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    snprintf(path, sizeof path, "/dev/shm/warpsweep-fuzz-%ld.h5", (long)getpid());
    if (access("/dev/shm", W_OK) != 0)
        snprintf(path, sizeof path, "/tmp/warpsweep-fuzz-%ld.h5", (long)getpid());
    atexit(remove_file);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct choices choices = {data, size};
    struct dataset dataset;
    struct store_verification found;
    struct error error = {0};
    write_file(path, &choices);
    if (dataset_verify(path, &found, &dataset, &error) != 0) {
        if (error.kind != ERROR_ENVIRONMENT || !strstr(error.text, path) || strchr(error.text, '\n'))
            abort();
        return 0;
    }
    struct row_check check = row_check_new(&dataset);
    if (invariants_columns(&dataset.results, NULL) != 0 ||
        invariants_samples(&dataset, dataset.samples, 0, dataset.sample_count, NULL) != 0)
        abort();
    for (size_t row = 0; row < dataset.results.rows; row++)
        if (row_check_values(&check, frame_row(&dataset.results, row), row, NULL) != 0 ||
            row_check_samples(&check, frame_row(&dataset.results, row), row, NULL) != 0)
            abort();
    row_check_free(&check);
    summary_fill_all(&dataset);
    dataset_free(&dataset);
    return 0;
}
