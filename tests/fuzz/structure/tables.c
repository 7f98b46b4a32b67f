#include "tables.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "values.h"

#define MUST(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: " #condition "\n", __FILE__, __LINE__);                                  \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* ---- Reading ---- */

static char *text_of(hid_t type, const void *bytes)
{
    size_t size = H5Tget_size(type);
    char *text = memory_new(size + 1, 1);
    memcpy(text, bytes, size);
    return text;
}

static void read_rows(hid_t set, hid_t type, struct table *table)
{
    hid_t space = H5Dget_space(set);
    hssize_t rows = H5Sget_simple_extent_npoints(space);
    size_t size = H5Tget_size(type);
    table->rows = (size_t)rows;
    unsigned char *bytes = memory_new(table->rows + 1, size);
    MUST(!rows || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
    if (H5Tget_class(type) == H5T_STRING) {
        table->text = text_of(type, bytes);
    } else {
        table->columns = H5Tget_nmembers(type);
        table->column = memory_new((size_t)table->columns, sizeof *table->column);
        for (int i = 0; i < table->columns; i++) {
            struct table_column *column = &table->column[i];
            char *name = H5Tget_member_name(type, (unsigned)i);
            column->name = memory_text(name);
            H5free_memory(name);
            column->type = H5Tget_member_type(type, (unsigned)i);
            column->size = H5Tget_size(column->type);
            column->cell = memory_new(table->rows + 1, column->size);
            for (size_t row = 0; row < table->rows; row++)
                memcpy(column->cell + row * column->size,
                       bytes + row * size + H5Tget_member_offset(type, (unsigned)i), column->size);
        }
    }
    free(bytes);
    H5Sclose(space);
}

struct attribute_reader {
    struct tables *tables;
    const char *object;
};

static herr_t read_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    const struct attribute_reader *reader = context;
    (void)info;
    if (!strcmp(name, "crc32"))
        return 0; /* written anew */
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    if (H5Tget_class(type) == H5T_STRING) {
        char *bytes = memory_new(H5Tget_size(type) + 1, 1);
        MUST(H5Aread(attribute, type, bytes) >= 0);
        tables_attribute(reader->tables, reader->object, name, 't', bytes);
        free(bytes);
    } else {
        int64_t number;
        char text[32];
        MUST(H5Aread(attribute, H5T_NATIVE_INT64, &number) >= 0);
        snprintf(text, sizeof text, "%lld", (long long)number);
        tables_attribute(reader->tables, reader->object, name, 'i', text);
    }
    H5Tclose(type);
    H5Aclose(attribute);
    return 0;
}

static herr_t read_object(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    struct tables *tables = context;
    (void)info;
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT), type = H5Dget_type(set);
    tables->table = memory_resize(tables->table, (size_t)tables->count + 1, sizeof *tables->table);
    struct table *table = &tables->table[tables->count++];
    *table = (struct table){.name = memory_text(name)};
    read_rows(set, type, table);
    H5Aiterate2(set, H5_INDEX_NAME, H5_ITER_INC, NULL, read_attribute,
                &(struct attribute_reader){tables, name});
    H5Tclose(type);
    H5Dclose(set);
    return 0;
}

struct tables tables_read(const char *path)
{
    struct tables tables = {0};
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    MUST(file >= 0);
    MUST(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, read_object, &tables) >= 0);
    H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_INC, NULL, read_attribute,
                &(struct attribute_reader){&tables, "/"});
    H5Fclose(file);
    return tables;
}

/* ---- Memory ---- */

static void *copy_bytes(const void *bytes, size_t count)
{
    void *copy = memory_new(count + 1, 1);
    if (count)
        memcpy(copy, bytes, count);
    return copy;
}

struct tables tables_copy(const struct tables *from)
{
    struct tables tables = *from;
    tables.table = copy_bytes(from->table, (size_t)from->count * sizeof *from->table);
    for (int i = 0; i < tables.count; i++) {
        struct table *table = &tables.table[i];
        table->name = memory_text(table->name);
        table->text = table->text ? memory_text(table->text) : NULL;
        table->column = copy_bytes(table->column, (size_t)table->columns * sizeof *table->column);
        for (int k = 0; k < table->columns; k++) {
            struct table_column *column = &table->column[k];
            column->name = memory_text(column->name);
            column->type = H5Tcopy(column->type);
            column->cell = copy_bytes(column->cell, table->rows * column->size);
        }
    }
    tables.attribute = copy_bytes(from->attribute, (size_t)from->attributes * sizeof *from->attribute);
    for (int i = 0; i < tables.attributes; i++) {
        struct table_attribute *attribute = &tables.attribute[i];
        attribute->object = memory_text(attribute->object);
        attribute->name = memory_text(attribute->name);
        attribute->value = memory_text(attribute->value);
    }
    return tables;
}

static void free_column(struct table_column *column)
{
    H5Tclose(column->type);
    free(column->name);
    free(column->cell);
}

static void free_table(struct table *table)
{
    for (int i = 0; i < table->columns; i++)
        free_column(&table->column[i]);
    free(table->column);
    free(table->name);
    free(table->text);
    free(table->layout);
}

static void free_attribute(struct table_attribute *attribute)
{
    free(attribute->object);
    free(attribute->name);
    free(attribute->value);
}

void tables_free(struct tables *tables)
{
    for (int i = 0; i < tables->count; i++)
        free_table(&tables->table[i]);
    for (int i = 0; i < tables->attributes; i++)
        free_attribute(&tables->attribute[i]);
    free(tables->table);
    free(tables->attribute);
    *tables = (struct tables){0};
}

/* ---- Changing ---- */

struct table *tables_find(const struct tables *tables, const char *name)
{
    for (int i = 0; i < tables->count; i++)
        if (!strcmp(tables->table[i].name, name))
            return &tables->table[i];
    return NULL;
}

struct table_column *table_find(const struct table *table, const char *name)
{
    for (int i = 0; i < table->columns; i++)
        if (!strcmp(table->column[i].name, name))
            return &table->column[i];
    return NULL;
}

void table_resize(struct table *table, size_t rows)
{
    for (int i = 0; i < table->columns; i++) {
        struct table_column *column = &table->column[i];
        column->cell = memory_resize(column->cell, rows + 1, column->size);
        if (rows > table->rows)
            memset(column->cell + table->rows * column->size, 0, (rows - table->rows) * column->size);
    }
    table->rows = rows;
}

void table_drop_column(struct table *table, int column)
{
    free_column(&table->column[column]);
    memmove(&table->column[column], &table->column[column + 1],
            (size_t)(--table->columns - column) * sizeof *table->column);
}

void tables_drop(struct tables *tables, int table)
{
    free_table(&tables->table[table]);
    memmove(&tables->table[table], &tables->table[table + 1],
            (size_t)(--tables->count - table) * sizeof *tables->table);
}

void tables_attribute(struct tables *tables, const char *object, const char *name, char type,
                      const char *value)
{
    struct table_attribute *attribute = NULL;
    for (int i = 0; i < tables->attributes && !attribute; i++)
        if (!strcmp(tables->attribute[i].object, object) && !strcmp(tables->attribute[i].name, name))
            attribute = &tables->attribute[i];
    if (attribute) {
        free_attribute(attribute);
        *attribute = tables->attribute[--tables->attributes];
    }
    if (!type)
        return;
    tables->attribute =
        memory_resize(tables->attribute, (size_t)tables->attributes + 1, sizeof *tables->attribute);
    tables->attribute[tables->attributes++] =
        (struct table_attribute){memory_text(object), memory_text(name), type, memory_text(value)};
}

static hid_t text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size ? size : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static hid_t made_type(const char *name)
{
    hsize_t two = 2;
    if (!strcmp(name, "vlen")) {
        hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, H5T_VARIABLE);
        return type;
    }
    if (!strcmp(name, "array"))
        return H5Tarray_create2(H5T_NATIVE_INT64, 1, &two);
    if (!strcmp(name, "opaque"))
        return H5Tcreate(H5T_OPAQUE, 8);
    if (!strcmp(name, "enum")) {
        int64_t zero = 0;
        hid_t type = H5Tenum_create(H5T_NATIVE_INT64);
        H5Tenum_insert(type, "zero", &zero);
        return type;
    }
    if (!strcmp(name, "compound")) {
        hid_t type = H5Tcreate(H5T_COMPOUND, 8);
        H5Tinsert(type, "inner", 0, H5T_NATIVE_INT64);
        return type;
    }
    return -1;
}

hid_t table_type(const char *name)
{
    const struct {
        const char *name;
        hid_t type;
    } known[] = {{"i64", H5T_NATIVE_INT64}, {"i32", H5T_NATIVE_INT32},  {"i16", H5T_NATIVE_INT16},
                 {"i8", H5T_NATIVE_INT8},   {"u64", H5T_NATIVE_UINT64}, {"u32", H5T_NATIVE_UINT32},
                 {"u8", H5T_NATIVE_UINT8},  {"f64", H5T_NATIVE_DOUBLE}, {"f32", H5T_NATIVE_FLOAT},
                 {"be64", H5T_STD_I64BE},   {"bef64", H5T_IEEE_F64BE}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, name))
            return H5Tcopy(known[i].type);
    if (!strncmp(name, "text:", 5))
        return text_type((size_t)strtoul(name + 5, NULL, 10));
    return made_type(name);
}

static bool is_number(hid_t type)
{
    return H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT;
}

static bool is_text(hid_t type)
{
    return H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type);
}

void table_retype(const struct table *table, struct table_column *column, hid_t type)
{
    size_t size = H5Tget_size(type), most = size > column->size ? size : column->size;
    unsigned char *cell = memory_new(table->rows + 1, size), *one = memory_new(most, 1);
    for (size_t row = 0; row < table->rows; row++) {
        memset(one, 0, most);
        memcpy(one, column->cell + row * column->size, column->size);
        if (is_number(type) && is_number(column->type))
            MUST(H5Tconvert(column->type, type, 1, one, NULL, H5P_DEFAULT) >= 0);
        else if (!is_text(type) || !is_text(column->type))
            memset(one, 0, most);
        memcpy(cell + row * size, one, size);
    }
    free(one);
    free(column->cell);
    H5Tclose(column->type);
    *column = (struct table_column){column->name, H5Tcopy(type), size, cell};
}

void table_set(const struct table *table, struct table_column *column, size_t row, const char *word)
{
    if (is_text(column->type)) {
        size_t count;
        char *bytes = value_unescape(word, &count);
        if (count > column->size) {
            hid_t wider = text_type(count);
            table_retype(table, column, wider);
            H5Tclose(wider);
        }
        memset(column->cell + row * column->size, 0, column->size);
        memcpy(column->cell + row * column->size, bytes, count);
        free(bytes);
    } else if (is_number(column->type)) {
        unsigned char bytes[16] = {0};
        bool real = H5Tget_class(column->type) == H5T_FLOAT;
        double number = strtod(word, NULL);
        int64_t integer = strtoll(word, NULL, 10);
        memcpy(bytes, real ? (void *)&number : (void *)&integer, 8);
        MUST(H5Tconvert(real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64, column->type, 1, bytes, NULL,
                        H5P_DEFAULT) >= 0);
        memcpy(column->cell + row * column->size, bytes, column->size);
    }
}

/* ---- Writing ---- */

static void write_attribute(hid_t object, const struct table_attribute *attribute)
{
    int64_t integer = strtoll(attribute->value, NULL, 10);
    double real = strtod(attribute->value, NULL);
    hid_t type = attribute->type == 't'   ? text_type(strlen(attribute->value))
                 : attribute->type == 'i' ? H5Tcopy(H5T_NATIVE_INT64)
                                          : H5Tcopy(H5T_NATIVE_DOUBLE);
    const void *value = attribute->type == 't'   ? (const void *)attribute->value
                        : attribute->type == 'i' ? (const void *)&integer
                                                 : (const void *)&real;
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t made = H5Acreate2(object, attribute->name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    MUST(made >= 0 && H5Awrite(made, type, value) >= 0);
    H5Aclose(made);
    H5Sclose(space);
    H5Tclose(type);
}

static hid_t row_type(const struct table *table)
{
    size_t size = 0;
    for (int i = 0; i < table->columns; i++)
        size += table->column[i].size;
    hid_t type = H5Tcreate(H5T_COMPOUND, size ? size : 1);
    size = 0;
    for (int i = 0; i < table->columns; i++) {
        H5Tinsert(type, table->column[i].name, size, table->column[i].type); /* equal names: left out */
        size += table->column[i].size;
    }
    return type;
}

/* layout: contiguous, compact, chunk1 (a row each), plain (no filter), fletcher, extensible; or the shape: 2d, scalar, null */
static hid_t create(hid_t file, const struct table *table, hid_t type)
{
    const char *layout = table->layout ? table->layout : "";
    hsize_t count[2] = {table->rows, 1}, unlimited[2] = {H5S_UNLIMITED, H5S_UNLIMITED};
    bool flat = !strcmp(layout, "contiguous") || !strcmp(layout, "compact") || table->text;
    int rank = !strcmp(layout, "2d") ? 2 : 1;
    hid_t space = !strcmp(layout, "null") ? H5Screate(H5S_NULL)
                  : !strcmp(layout, "scalar") || table->text
                      ? H5Screate(H5S_SCALAR)
                      : H5Screate_simple(rank, count, !strcmp(layout, "extensible") ? unlimited : NULL);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    bool small = table->rows * H5Tget_size(type) < 60000;
    if (!strcmp(layout, "compact") && small)
        H5Pset_layout(how, H5D_COMPACT);
    if (!flat && table->rows && strcmp(layout, "scalar") != 0 && strcmp(layout, "null") != 0) {
        hsize_t chunk[2] = {!strcmp(layout, "chunk1") ? 1 : table->rows, 1};
        H5Pset_chunk(how, rank, chunk);
        if (!strcmp(layout, "fletcher"))
            H5Pset_fletcher32(how);
        else if (strcmp(layout, "plain") != 0) {
            H5Pset_shuffle(how);
            H5Pset_deflate(how, 1);
        }
    }
    hid_t set = H5Dcreate2(file, table->name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    H5Sclose(space);
    return set;
}

static unsigned char *pack(const struct table *table, size_t size)
{
    unsigned char *bytes = memory_new(table->rows + 1, size);
    for (size_t row = 0; row < table->rows; row++) {
        unsigned char *at = bytes + row * size;
        for (int i = 0; i < table->columns; i++) {
            const struct table_column *column = &table->column[i];
            memcpy(at, column->cell + row * column->size, column->size);
            at += column->size;
        }
    }
    return bytes;
}

static void write_table(hid_t file, const struct tables *tables, const struct table *table)
{
    hid_t type = table->text ? text_type(strlen(table->text)) : row_type(table);
    size_t size = H5Tget_size(type);
    hid_t set = create(file, table, type);
    if (set >= 0) { /* some shapes are not possible, as chunks of no rows */
        unsigned char *bytes = table->text ? copy_bytes(table->text, size) : pack(table, size);
        size_t count = table->text ? strlen(table->text) : table->rows * size;
        if (table->layout && !strcmp(table->layout, "scalar"))
            count = table->rows ? size : 0;
        if (count && (!table->layout || strcmp(table->layout, "null") != 0))
            MUST(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
        char crc[32];
        snprintf(crc, sizeof crc, "%u", hash_crc32(0, bytes, count) ^ table->wrong_checksum);
        write_attribute(set, &(struct table_attribute){NULL, (char *)(uintptr_t) "crc32", 'i', crc});
        for (int i = 0; i < tables->attributes; i++)
            if (!strcmp(tables->attribute[i].object, table->name))
                write_attribute(set, &tables->attribute[i]);
        free(bytes);
        H5Dclose(set);
    }
    H5Tclose(type);
}

void tables_write(const struct tables *tables, const char *path)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    MUST(file >= 0);
    for (int i = 0; i < tables->count; i++)
        write_table(file, tables, &tables->table[i]);
    for (int i = 0; i < tables->attributes; i++)
        if (!strcmp(tables->attribute[i].object, "/"))
            write_attribute(file, &tables->attribute[i]);
    H5Fclose(file);
}
