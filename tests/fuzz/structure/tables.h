/* tables.h - a results file as tables that can be changed at will and written again, with their checksums. It knows HDF5 alone,
 * not what warpsweep allows. */
#pragma once

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

struct table_column {
    char *name;
    hid_t type;
    size_t size;         /* bytes of a cell */
    unsigned char *cell; /* a cell for each row */
};

struct table {
    char *name; /* without a slash */
    struct table_column *column;
    int columns; /* 0: a single text, which is `text` */
    size_t rows;
    char *text;
    char *layout; /* how it is stored: tables.c; NULL: as warpsweep does */
    bool wrong_checksum;
};

struct table_attribute {
    char *object; /* "/" or a table */
    char *name;
    char type;   /* 'i', 'r' or 't' */
    char *value; /* as text */
};

struct tables {
    struct table *table;
    int count;
    struct table_attribute *attribute;
    int attributes;
};

/* Read a file that is known to be good; anything else ends the program. */
struct tables tables_read(const char *path);
struct tables tables_copy(const struct tables *tables);
void tables_write(const struct tables *tables, const char *path);
void tables_free(struct tables *tables);

struct table *tables_find(const struct tables *tables, const char *name);
struct table_column *table_find(const struct table *table, const char *name);

/* Make `rows` rows of it; new ones are zero. */
void table_resize(struct table *table, size_t rows);
void table_drop_column(struct table *table, int column);
void tables_drop(struct tables *tables, int table);

/* Set an attribute, or remove it (type 0). */
void tables_attribute(struct tables *tables, const char *object, const char *name, char type,
                      const char *value);

/* A type by name: i64 i32 i16 i8 u64 u32 u8 f64 f32 be64 bef64 text:BYTES vlen array enum opaque compound; -1: unknown.
 * The caller closes it. */
hid_t table_type(const char *name);

/* Give the column another type; numbers are converted, all else becomes zeros. */
void table_retype(const struct table *table, struct table_column *column, hid_t type);

/* Write a value, given as text, into a cell. A text that does not fit widens the column. */
void table_set(const struct table *table, struct table_column *column, size_t row, const char *word);
