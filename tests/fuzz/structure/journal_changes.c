#include "journal_changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/memory.h"
#include "protocol/wire.h"
#include "store/journal/format.h"
#include "store/journal/record.h"
#include "values.h"

static const char *const type_words[] = {"", "HEAD", "COLUMNS", "DEVICE", "ROW", "AMEND", "SPANS"};
enum { TYPES = sizeof type_words / sizeof *type_words };

/* ---- Reading ---- */

/* Columns of the rows that follow. */
struct splitter {
    struct wire_reader in;
    struct journal_record *record;
    char (*name)[128];
    uint32_t *type;
    uint32_t columns;
};

static struct journal_field *add(struct splitter *splitter, char kind, const char *name, const char *part)
{
    struct journal_record *record = splitter->record;
    record->field = memory_grow(record->field, record->fields, &record->capacity, sizeof *record->field);
    struct journal_field *field = &record->field[record->fields++];
    *field = (struct journal_field){.kind = kind};
    snprintf(field->name, sizeof field->name, "%s%s%s", name, *part ? "." : "", part);
    uint32_t count = kind == '4' ? 4 : 8;
    const unsigned char *bytes = splitter->in.data + splitter->in.at;
    if (kind == 't')
        bytes = wire_get_bytes(&splitter->in, &count);
    else
        splitter->in.at += count;
    if (splitter->in.bad || splitter->in.at > splitter->in.length)
        abort(); /* the journal is not one of this release */
    field->bytes = memory_new(count + 1, 1);
    if (count)
        memcpy(field->bytes, bytes, count);
    field->count = count;
    return field;
}

static uint32_t number(const struct journal_field *field)
{
    return wire_load_u32(field->bytes);
}

static void split_head(struct splitter *splitter)
{
    add(splitter, '8', "lineage", "");
    add(splitter, '8', "base", "");
    add(splitter, '4', "run", "");
    add(splitter, 't', "job", "");
    add(splitter, 't', "path", "");
    add(splitter, '8', "planned", "");
    uint32_t pairs = number(add(splitter, '4', "pairs", ""));
    for (uint32_t i = 0; i < pairs; i++) {
        char name[32];
        snprintf(name, sizeof name, "pair%u", i);
        add(splitter, '4', name, "run");
        add(splitter, 't', name, "name");
        add(splitter, 't', name, "value");
    }
}

static uint32_t split_column(struct splitter *splitter, char *name, size_t size)
{
    struct wire_reader ahead = splitter->in;
    uint32_t type = wire_get_u32(&ahead);
    wire_get_text(&ahead, name, size);
    add(splitter, '4', name, "type");
    add(splitter, 't', name, "name");
    add(splitter, 't', name, "unit");
    add(splitter, 't', name, "meaning");
    return type;
}

static void split_columns(struct splitter *splitter)
{
    splitter->columns = number(add(splitter, '4', "columns", ""));
    splitter->name = memory_resize(splitter->name, splitter->columns, sizeof *splitter->name);
    splitter->type = memory_resize(splitter->type, splitter->columns, sizeof *splitter->type);
    for (uint32_t i = 0; i < splitter->columns; i++)
        splitter->type[i] = split_column(splitter, splitter->name[i], sizeof *splitter->name);
    for (uint32_t i = 0; i < splitter->columns; i++)
        add(splitter, 't', splitter->name[i], "role");
}

static void split_cell(struct splitter *splitter, uint32_t type, const char *name)
{
    add(splitter, "8rt"[type], name, "");
}

static void split_device(struct splitter *splitter)
{
    add(splitter, '4', "row", "");
    uint32_t columns = number(add(splitter, '4', "columns", ""));
    for (uint32_t i = 0; i < columns; i++) {
        char name[128];
        uint32_t type = split_column(splitter, name, sizeof name);
        split_cell(splitter, type, name);
    }
}

static void split_cells(struct splitter *splitter)
{
    uint32_t cells = number(add(splitter, '4', "cells", ""));
    for (uint32_t i = 0; i < cells; i++) {
        struct wire_reader ahead = splitter->in;
        uint32_t column = wire_get_u32(&ahead);
        if (column >= splitter->columns)
            abort();
        add(splitter, '4', splitter->name[column], "column");
        split_cell(splitter, splitter->type[column], splitter->name[column]);
    }
}

static void split_row(struct splitter *splitter)
{
    add(splitter, '8', "sequence", "");
    split_cells(splitter);
    uint32_t samples = number(add(splitter, '4', "samples", ""));
    for (uint32_t i = 0; i < samples; i++) {
        char name[32];
        snprintf(name, sizeof name, "sample%u", i);
        add(splitter, 'r', name, "seconds");
        add(splitter, 'r', name, "clock");
        add(splitter, '4', name, "process");
        add(splitter, '4', name, "device");
    }
}

static void split_amendment(struct splitter *splitter)
{
    static const char *const keys[] = {"sequence", "id", "repeat", "device"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        add(splitter, '8', keys[i], "");
    split_cells(splitter);
}

static void split_spans(struct splitter *splitter)
{
    static const char parts[][8] = {"run", "rank", "what", "device", "point", "parts", "start", "end"};
    add(splitter, '8', "place", "");
    uint32_t spans = number(add(splitter, '4', "spans", ""));
    for (uint32_t i = 0; i < spans; i++) {
        char name[32];
        snprintf(name, sizeof name, "span%u", i);
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            add(splitter, "444484rr"[k], name, parts[k]);
    }
}

struct journal_records records_read(const char *path)
{
    static void (*const split[TYPES])(struct splitter *) = {
        NULL, split_head, split_columns, split_device, split_row, split_amendment, split_spans};
    struct journal_records records = {0};
    struct journal_reader reader;
    struct splitter splitter = {0};
    struct error error;
    uint32_t type;
    if (journal_read(path, &reader, &error) != 0)
        abort();
    while (journal_next(&reader, &type, &splitter.in)) {
        if (type >= TYPES)
            abort();
        records.record =
            memory_grow(records.record, records.count, &records.capacity, sizeof *records.record);
        splitter.record = &records.record[records.count++];
        *splitter.record = (struct journal_record){.type = type};
        split[type](&splitter);
    }
    journal_reader_free(&reader);
    free(splitter.name);
    free(splitter.type);
    return records;
}

/* ---- Memory ---- */

static struct journal_field copy_field(const struct journal_field *from)
{
    struct journal_field field = *from;
    field.bytes = memory_new(from->count + 1, 1);
    memcpy(field.bytes, from->bytes, from->count);
    return field;
}

static struct journal_record copy_record(const struct journal_record *from)
{
    struct journal_record record = *from;
    record.capacity = from->fields + 1;
    record.field = memory_new(record.capacity, sizeof *record.field);
    for (size_t i = 0; i < from->fields; i++)
        record.field[i] = copy_field(&from->field[i]);
    return record;
}

struct journal_records records_copy(const struct journal_records *from)
{
    struct journal_records records = *from;
    records.capacity = from->count + 1;
    records.record = memory_new(records.capacity, sizeof *records.record);
    for (size_t i = 0; i < from->count; i++)
        records.record[i] = copy_record(&from->record[i]);
    return records;
}

static void free_record(struct journal_record *record)
{
    for (size_t i = 0; i < record->fields; i++)
        free(record->field[i].bytes);
    free(record->field);
}

void records_free(struct journal_records *records)
{
    for (size_t i = 0; i < records->count; i++)
        free_record(&records->record[i]);
    free(records->record);
    *records = (struct journal_records){0};
}

/* ---- Writing ---- */

static void write_record(const struct journal_record *record, struct wire *out)
{
    struct wire payload = {0};
    for (size_t i = 0; i < record->fields; i++) {
        const struct journal_field *field = &record->field[i];
        if (field->kind == 't') {
            wire_put_bytes(&payload, field->bytes, field->count);
        } else {
            wire_put_u32(&payload, wire_load_u32(field->bytes));
            if (field->count == 8)
                wire_put_u32(&payload, wire_load_u32(field->bytes + 4));
        }
    }
    for (long i = 0; i < record->pad; i++)
        wire_put_u32(&payload, (uint32_t)i * 77);
    payload.length -= (size_t)record->cut < payload.length ? (size_t)record->cut : payload.length;
    unsigned char header[JOURNAL_HEADER_SIZE];
    wire_store_u32(header, (uint32_t)payload.length);
    wire_store_u32(header + 8, record->type);
    uint32_t crc = journal_record_crc(header, payload.data, payload.length);
    wire_put_u32(out, (uint32_t)payload.length);
    wire_put_u32(out, crc ^ record->damaged);
    wire_put_u32(out, record->type);
    for (size_t i = 0; i + 4 <= payload.length; i += 4)
        wire_put_u32(out, wire_load_u32(payload.data + i));
    for (size_t i = payload.length & ~(size_t)3; i < payload.length; i++) {
        wire_put_u32(out, payload.data[i]);
        out->length -= 3;
    }
    wire_free(&payload);
}

void records_write(const struct journal_records *records, const char *path)
{
    struct wire out = {0};
    for (size_t i = 0; i < records->count; i++)
        write_record(&records->record[i], &out);
    FILE *file = fopen(path, "w");
    size_t kept = out.length > records->torn ? out.length - records->torn : 0;
    if (!file || fwrite(JOURNAL_MAGIC, 1, JOURNAL_MAGIC_SIZE, file) != JOURNAL_MAGIC_SIZE ||
        fwrite(out.data, 1, kept, file) != kept || fclose(file) != 0)
        abort();
    wire_free(&out);
}

/* ---- Proposing ---- */

/* The number of this record among those of its type. */
static size_t ordinal(const struct journal_records *records, size_t record)
{
    size_t before = 0;
    for (size_t i = 0; i < record; i++)
        before += records->record[i].type == records->record[record].type;
    return before;
}

static void add_name(const struct journal_records *records, size_t record, struct text *out)
{
    text_add(out, " %s:%zu", type_words[records->record[record].type], ordinal(records, record));
}

/* Rows, amendments and spans come more often than they are there. */
static size_t choose_record(struct dice *dice, const struct journal_records *records)
{
    size_t at = dice_below(dice, records->count);
    uint32_t wanted = 1 + (uint32_t)dice_below(dice, TYPES - 1);
    for (int tries = 0; tries < 8 && records->record[at].type != wanted; tries++)
        at = dice_below(dice, records->count);
    return at;
}

static void add_value(struct dice *dice, const struct journal_field *field, struct text *out)
{
    if (field->kind == 't')
        value_text(dice, out);
    else if (field->kind == 'r')
        value_real(dice, out);
    else if (dice_one_in(dice, 3))
        text_add(out, "%zu", dice_below(dice, 40));
    else
        value_integer(dice, out);
}

static const struct journal_field *choose_field(struct dice *dice, const struct journal_record *record)
{
    /* The cells that a row hangs on. */
    static const char *const likely[] = {
        "id",      "repeat", "canary",   "run",    "status", "device",      "sample_count", "sample_offset",
        "samples", "cells",  "sequence", "kernel", "dtype",  "time_median", "time_ci_low"};
    if (dice_one_in(dice, 3)) {
        const char *name = DICE_PICK(dice, likely);
        for (size_t i = 0; i < record->fields; i++)
            if (!strcmp(record->field[i].name, name))
                return &record->field[i];
    }
    return &record->field[dice_below(dice, record->fields)];
}

void records_propose(struct dice *dice, const struct journal_records *records, struct text *out)
{
    static const char *const few[] = {"drop", "repeat", "swap",   "cut",  "pad",
                                      "type", "damage", "forget", "again"};
    size_t at = choose_record(dice, records);
    const struct journal_record *record = &records->record[at];
    const char *what = dice_one_in(dice, 5) ? DICE_PICK(dice, few) : "field";
    if (dice_one_in(dice, 60)) {
        text_add(out, "tear %zu\n", 1 + dice_below(dice, 400));
        return;
    }
    text_add(out, "%s", what);
    add_name(records, at, out);
    if (!strcmp(what, "field") || !strcmp(what, "forget") || !strcmp(what, "again")) {
        const struct journal_field *field = choose_field(dice, record);
        text_add(out, " %s", field->name);
        if (!strcmp(what, "field")) {
            text_add(out, " ");
            add_value(dice, field, out);
        }
    } else if (!strcmp(what, "swap")) {
        add_name(records, dice_below(dice, records->count), out);
    } else if (!strcmp(what, "type")) {
        text_add(out, " %zu", dice_below(dice, 9));
    } else {
        text_add(out, " %zu", 1 + dice_below(dice, 40));
    }
    text_add(out, "\n");
}

/* ---- Applying ---- */

static struct journal_record *find_record(const struct journal_records *records, const char *name)
{
    const char *colon = strchr(name, ':');
    size_t left = colon ? strtoul(colon + 1, NULL, 10) : 0;
    for (size_t i = 0; colon && i < records->count; i++) {
        const char *word = records->record[i].type < TYPES ? type_words[records->record[i].type] : "";
        if (strlen(word) == (size_t)(colon - name) && !strncmp(word, name, strlen(word)) && left-- == 0)
            return &records->record[i];
    }
    return NULL;
}

static void set_field(struct journal_field *field, const char *word)
{
    if (field->kind == 't') {
        free(field->bytes);
        field->bytes = (unsigned char *)value_unescape(word, &field->count);
        return;
    }
    int64_t integer = strtoll(word, NULL, 10);
    double real = strtod(word, NULL);
    memcpy(field->bytes, field->kind == 'r' ? (void *)&real : (void *)&integer, field->count);
}

static void apply_to_field(struct journal_record *record, const char *what, const char *name,
                           const char *word)
{
    size_t at = 0;
    while (at < record->fields && strcmp(record->field[at].name, name) != 0)
        at++;
    if (at == record->fields)
        return;
    struct journal_field *field = &record->field[at];
    if (!strcmp(what, "field")) {
        set_field(field, word);
    } else if (!strcmp(what, "forget")) {
        free(field->bytes);
        memmove(field, field + 1, (--record->fields - at) * sizeof *field);
    } else {
        struct journal_field copy = copy_field(field);
        record->field = memory_grow(record->field, record->fields, &record->capacity, sizeof *field);
        memmove(&record->field[at + 1], &record->field[at], (record->fields++ - at) * sizeof *field);
        record->field[at] = copy;
    }
}

static void apply_to_record(struct journal_records *records, struct journal_record *record, const char *what,
                            const char *word)
{
    size_t at = (size_t)(record - records->record);
    long number = strtol(word, NULL, 10);
    if (!strcmp(what, "drop")) {
        free_record(record);
        memmove(record, record + 1, (--records->count - at) * sizeof *record);
    } else if (!strcmp(what, "repeat")) {
        struct journal_record copy = copy_record(record);
        records->record = memory_grow(records->record, records->count, &records->capacity, sizeof *record);
        memmove(&records->record[at + 1], &records->record[at], (records->count++ - at) * sizeof *record);
        records->record[at] = copy;
    } else if (!strcmp(what, "swap")) {
        struct journal_record *other = find_record(records, word);
        if (other) {
            struct journal_record kept = *record;
            *record = *other;
            *other = kept;
        }
    } else if (!strcmp(what, "cut")) {
        record->cut = number;
    } else if (!strcmp(what, "pad")) {
        record->pad = number;
    } else if (!strcmp(what, "type")) {
        record->type = (uint32_t)number;
    } else if (!strcmp(what, "damage")) {
        record->damaged = true;
    }
}

bool records_apply(struct journal_records *records, const char *line)
{
    enum { WORDS_MAX = 4 };
    char *copy = memory_text(line), *word[WORDS_MAX] = {NULL}, *rest = copy;
    int words = 0;
    for (char *one; words < WORDS_MAX && (one = strtok_r(rest, " \n", &rest));)
        word[words++] = one;
    bool fine = words >= 2;
    if (fine && !strcmp(word[0], "tear")) {
        records->torn = strtoul(word[1], NULL, 10);
    } else if (fine) {
        struct journal_record *record = find_record(records, word[1]);
        bool of_field = strstr("field forget again", word[0]) != NULL;
        fine = words >= 3 && (strcmp(word[0], "field") != 0 || words == 4);
        if (record && fine && of_field)
            apply_to_field(record, word[0], word[2], words > 3 ? word[3] : "");
        else if (record && fine)
            apply_to_record(records, record, word[0], word[2]);
    }
    free(copy);
    return fine;
}
