#include "store/dataset/admission.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "core/limits.h"
#include "store/dataset/invariants.h"

enum { NOTES_MAX = 10 }; /* on stderr; the rows have all of them */

static void note(struct dataset *dataset, const char *what, const char *text)
{
    if (dataset->refused < NOTES_MAX)
        fprintf(stderr, "warpsweep: note: %s: %s\n", what, text);
    else if (dataset->refused == NOTES_MAX)
        fprintf(stderr, "warpsweep: note: more numbers that cannot be are left out: see column message\n");
    dataset->refused++;
}

static void put_text(struct dataset *dataset, size_t row, enum fixed_column column, const char *text)
{
    int to = dataset->columns.fixed[column];
    if (to >= 0)
        frame_put_text(&dataset->results, row, to, text);
}

void admission_say(struct dataset *dataset, size_t row, const char *text)
{
    const char *before = frame_find_text(&dataset->results, row, COLUMN(message));
    if (strstr(before, text))
        return;
    struct text message = {0};
    text_add(&message, "%s%s%s", before, *before ? "; " : "", text);
    put_text(dataset, row, FIXED_message, message.data);
    text_free(&message);
}

static void say_refused(struct dataset *dataset, size_t row, const char *text)
{
    struct text what = {0};
    text_add(&what, "point %s of %s", frame_find_text(&dataset->results, row, COLUMN(id)),
             frame_find_text(&dataset->results, row, COLUMN(kernel)));
    note(dataset, what.data, text);
    text_free(&what);
}

static void forget(struct dataset *dataset, size_t row, enum result_real real)
{
    if (dataset->columns.real[real] >= 0)
        frame_put_real(&dataset->results, row, dataset->columns.real[real], NAN);
}

/* ---- Rows that are not ok ---- */

static void forget_measurement(struct dataset *dataset, size_t row)
{
    frame_put_integer(&dataset->results, row, dataset->columns.fixed[FIXED_sample_count], 0);
    for (int i = 0; i < REAL_COUNT; i++)
        if (column_reals[i].role == ROLE_TIME || column_reals[i].role == ROLE_RATE || i == REAL_processes)
            forget(dataset, row, (enum result_real)i);
}

static void fail(struct dataset *dataset, size_t row, const char *why)
{
    struct text text = {0};
    text_add(&text, "impossible result: %s", why);
    put_text(dataset, row, FIXED_status, status_words[STATUS_FAILED]);
    put_text(dataset, row, FIXED_counters_status, counters_words[COUNTERS_NONE]);
    admission_say(dataset, row, text.data);
    say_refused(dataset, row, text.data);
    forget_measurement(dataset, row);
    text_free(&text);
}

/* ---- Rows that are ok ---- */

bool admit_samples(struct sample *sample, size_t count, struct text *why)
{
    for (size_t i = 0; i < count; i++) {
#define X(name, least, most, may_miss)                                                                       \
    if ((may_miss) && !(sample[i].name >= (least) && sample[i].name <= (most)))                              \
        sample[i].name = NAN;
        SAMPLE_LIMITS(X)
#undef X
        if (invariants_time(sample[i].seconds))
            continue;
        text_add(why, "a sample took %g s", sample[i].seconds);
        return false;
    }
    return true;
}

static bool admit_times(struct dataset *dataset, const union cell *cell, struct text *why)
{
    const int *fixed = dataset->columns.fixed;
    int median = dataset->columns.real[REAL_time_median];
    if (median >= 0 && !isnan(cell[median].real) && !invariants_time(cell[median].real))
        text_add(why, "%s is %g s", COLUMN(time_median), cell[median].real);
    return !why->length &&
           (!dataset->samples || admit_samples(dataset->samples + cell[fixed[FIXED_sample_offset]].integer,
                                               (size_t)cell[fixed[FIXED_sample_count]].integer, why));
}

enum { LIST_MAX = 300 }; /* bytes of the names of what was left out; a text of the file has a limit */

static void refuse(union cell *cell, const char *name, struct text *refused)
{
    if (refused->length < LIST_MAX)
        text_add(refused, "%s%s %g", refused->length ? ", " : "", name, cell->real);
    else if (refused->data[refused->length - 1] != '.')
        text_add(refused, " ...");
    cell->real = NAN;
}

/* Counting, or the energy, has failed: --retry-failed measures it again. */
static void put_failure(struct dataset *dataset, size_t row, enum fixed_column column, const char *word,
                        const char *refused)
{
    struct text status = {0};
    text_add(&status, "%s: impossible: %s", word, refused);
    put_text(dataset, row, column, status.data);
    text_free(&status);
    text_add(&status, "%s: %s: impossible: %s", column_fixed[column].name, word, refused);
    say_refused(dataset, row, status.data);
    text_free(&status);
}

static bool is_possible(const struct column *column, double value)
{
    return column->role != ROLE_COUNTER || column->type != COLUMN_REAL || isnan(value) ||
           (value >= 0 && isfinite(value));
}

static void admit_counters(struct dataset *dataset, size_t row)
{
    struct text refused = {0};
    for (int i = 0; i < dataset->results.columns; i++) {
        union cell *cell = frame_cell(&dataset->results, row, i);
        if (!is_possible(&dataset->results.column[i], cell->real))
            refuse(cell, dataset->results.column[i].name, &refused);
    }
    if (refused.length) {
        put_failure(dataset, row, FIXED_counters_status, counters_words[COUNTERS_FAILED], refused.data);
    }
    text_free(&refused);
}

static void admit_energy(struct dataset *dataset, size_t row)
{
    union cell *cell = frame_row(&dataset->results, row);
    struct text refused = {0};
    for (int i = 0; i < REAL_COUNT; i++) {
        int column = dataset->columns.real[i];
        if (column >= 0 && column_reals[i].role == ROLE_ENERGY &&
            !invariants_real((enum result_real)i, cell[column].real))
            refuse(&cell[column], column_reals[i].name, &refused);
    }
    for (int i = 0; i < REAL_COUNT && refused.length; i++) /* its parts follow from each other */
        if (column_reals[i].role == ROLE_ENERGY)
            forget(dataset, row, (enum result_real)i);
    if (refused.length)
        put_failure(dataset, row, FIXED_energy_status, ENERGY_FAILED, refused.data);
    text_free(&refused);
}

static void admit_numbers(struct dataset *dataset, size_t row)
{
    union cell *cell = frame_row(&dataset->results, row);
    struct text refused = {0}, text = {0};
    for (int i = 0; i < REAL_COUNT; i++) {
        int column = dataset->columns.real[i];
        if (column < 0 || invariants_real((enum result_real)i, cell[column].real))
            continue;
        refuse(&cell[column], column_reals[i].name, &refused);
    }
    if (invariants_exchanged(dataset, cell)) {
        refuse(&cell[dataset->columns.real[REAL_energy_low]], COLUMN(energy_low), &refused);
        refuse(&cell[dataset->columns.real[REAL_energy_high]], COLUMN(energy_high), &refused);
    }
    if (refused.length) {
        text_add(&text, "left out as impossible: %s", refused.data);
        admission_say(dataset, row, text.data);
        say_refused(dataset, row, text.data);
    }
    text_free(&text);
    text_free(&refused);
}

void admit_row(struct dataset *dataset, size_t row)
{
    const union cell *cell = frame_row(&dataset->results, row);
    struct text why = {0};
    if (!status_is_ok(cell[dataset->columns.fixed[FIXED_status]].text))
        forget_measurement(dataset, row);
    else if (!admit_times(dataset, cell, &why))
        fail(dataset, row, why.data);
    admit_counters(dataset, row);
    admit_energy(dataset, row);
    admit_numbers(dataset, row);
    text_free(&why);
}

void admit_device(struct dataset *dataset, size_t row)
{
    const struct frame *devices = &dataset->devices;
    struct text refused = {0};
    for (int i = 0; i < column_device_count; i++) {
        const struct column_info *info = &column_devices[i].info;
        int column = frame_find_as(devices, info->name, info->type);
        union cell *cell = column < 0 ? NULL : frame_cell(devices, row, column);
        if (!cell || invariants_device_cell(info, *cell))
            continue;
        if (info->type == COLUMN_REAL)
            refuse(cell, info->name, &refused);
        else
            cell->integer = -1;
    }
    if (refused.length)
        note(dataset, "a device: left out as impossible", refused.data);
    text_free(&refused);
}
