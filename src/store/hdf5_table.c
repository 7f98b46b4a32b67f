#include "store/hdf5_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounded_queue.h"
#include "base/clean.h"
#include "base/hash.h"
#include "base/memory.h"
#include "store/hdf5_chunks.h"
#include "store/hdf5_rows.h"
#include "store/hdf5_write.h"

enum {
    BLOCK_BYTES = 1 << 20,     /* read at a time */
    ROW_BYTES_MAX = 1 << 24,   /* a longer row is a damaged or foreign type */
    CHUNK_BYTES_MAX = 1 << 26, /* HDF5 holds a whole chunk in memory; ours are 256 KiB */
    TABLE_RATIO = 300,    /* bytes in memory for one in the file: rows of nothing but ids pack 100 to 1 */
    RATIO_FREE = 1 << 20, /* small tables may be as they like */
};

int hdf5_bad_table(const struct hdf5_source *source, const char *name, const char *what)
{
    char text[256];
    snprintf(text, sizeof text, "cannot read /%s: %s", name, what);
    return hdf5_fail(source->error, source->cause, source->path, text);
}

int hdf5_misfit(const struct hdf5_source *source, const char *why)
{
    return error_set(source->error, ERROR_ENVIRONMENT, "%s: the file is damaged, or somebody else's: %s",
                     source->path, why);
}

/* ---- Opening what is named ---- */

/* A table that lies in this file, as bytes or chunks of them, packed by nothing but what every HDF5 has. -1 says why not in
 * `what`. Links into other files, external storage and virtual datasets would read what somebody else named. */
static int check_storage(hid_t set, const char **what)
{
    hid_t create = H5Dget_create_plist(set);
    H5D_layout_t layout = H5Pget_layout(create);
    *what = NULL;
    if (H5Pget_external_count(create) != 0)
        *what = "its data is kept in another file, which warpsweep does not follow";
    else if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
        *what = "it is a view of other data, which warpsweep does not follow";
    hsize_t chunk[H5S_MAX_RANK] = {0};
    if (!*what && layout == H5D_CHUNKED) {
        hid_t type = H5Dget_type(set);
        bool one = H5Pget_chunk(create, H5S_MAX_RANK, chunk) == 1;
        if (!one || chunk[0] > CHUNK_BYTES_MAX / (H5Tget_size(type) ? H5Tget_size(type) : 1))
            *what = "its chunks are not of the size that warpsweep writes";
        H5Tclose(type);
    }
    int filters = H5Pget_nfilters(create);
    for (int i = 0; i < filters && !*what; i++) {
        unsigned flags, config;
        size_t parameters = 0;
        char name[2];
        H5Z_filter_t filter =
            H5Pget_filter2(create, (unsigned)i, &flags, &parameters, NULL, sizeof name, name, &config);
        if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
            *what = "it is packed by a filter that warpsweep does not use";
    }
    H5Pclose(create);
    return *what ? -1 : 0;
}

int hdf5_open_set(const struct hdf5_source *source, const char *name, hid_t *set)
{
    const char *what;
    H5L_info_t link;
    *set = -1;
    htri_t there = H5Lexists(source->file, name, H5P_DEFAULT);
    if (there <= 0)
        return there < 0 ? hdf5_bad_table(source, name, "the file is damaged") : 0;
    if (H5Lget_info(source->file, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
        return hdf5_bad_table(source, name, "it is a link to elsewhere, which warpsweep does not follow");
    *set = H5Dopen2(source->file, name, H5P_DEFAULT);
    if (*set < 0)
        return hdf5_bad_table(source, name, "it cannot be opened");
    if (check_storage(*set, &what) == 0)
        return 0;
    H5Dclose(*set);
    *set = -1;
    return hdf5_bad_table(source, name, what);
}

/* ---- Attributes ---- */

bool hdf5_get_integer(hid_t object, const char *name, int64_t *value)
{
    if (H5Aexists(object, name) <= 0)
        return false;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    bool fits = H5Tget_class(type) == H5T_INTEGER && H5Sget_simple_extent_npoints(space) == 1;
    bool read = fits && H5Aread(attribute, H5T_NATIVE_INT64, value) >= 0;
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return read;
}

ssize_t hdf5_text_size(hid_t type, hid_t space, size_t most)
{
    bool fits = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                H5Sget_simple_extent_npoints(space) == 1 && H5Tget_size(type) <= most;
    return fits ? (ssize_t)H5Tget_size(type) : -1;
}

char *hdf5_get_text(hid_t object, const char *name)
{
    if (H5Aexists(object, name) <= 0)
        return NULL;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0)
        return NULL;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    ssize_t size = hdf5_text_size(type, space, 1 << 16);
    char *text = NULL;
    if (size >= 0) {
        text = memory_new((size_t)size + 1, 1);
        if (H5Aread(attribute, type, text) < 0) {
            free(text);
            text = NULL;
        }
    }
    if (text && !clean_is(text, strlen(text))) {
        size_t most = 4 * strlen(text) + 1;
        char *clean = memory_new(most, 1);
        clean_text(text, clean, most);
        free(text);
        text = clean;
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

/* ---- Checksums ---- */

void hdf5_verify_table(const struct hdf5_source *source, const char *name, hid_t set, size_t rows, bool same,
                       uint32_t crc)
{
    struct store_verification *all = source->verification;
    if (!all || all->tables == STORE_TABLES_MAX)
        return;
    int64_t told;
    struct store_table *table = &all->table[all->tables++];
    *table = (struct store_table){.name = name, .rows = rows, .checksum = CHECKSUM_MISSING};
    if (hdf5_get_integer(set, RESULTS_CHECKSUM, &told))
        table->checksum = same && told == (int64_t)crc ? CHECKSUM_RIGHT : CHECKSUM_WRONG;
    all->wrong += table->checksum == CHECKSUM_WRONG;
    all->missing += table->checksum == CHECKSUM_MISSING;
}

/* ---- Tables ---- */

/* A column of a file's compound type that we can hold. */
struct member {
    enum column_type type;
    size_t size, offset; /* in the row as we read it */
    int target;          /* column of the frame */
};

/* Our type for a member: the file's own for texts (NUL-padded bytes), 64 bits for numbers; -1 for kinds that
 * no release of ours writes. */
static hid_t member_type(hid_t compound, unsigned index, enum column_type *type)
{
    hid_t member = H5Tget_member_type(compound, index);
    hid_t ours = -1;
    switch (H5Tget_class(member)) {
    case H5T_INTEGER:
        *type = COLUMN_INTEGER;
        ours = H5Tcopy(H5T_NATIVE_INT64);
        break;
    case H5T_FLOAT:
        *type = COLUMN_REAL;
        ours = H5Tcopy(H5T_NATIVE_DOUBLE);
        break;
    case H5T_STRING:
        *type = COLUMN_TEXT;
        if (H5Tis_variable_str(member) == 0)
            ours = H5Tcopy(member);
        break;
    default:
        break;
    }
    if (member >= 0)
        H5Tclose(member);
    return ours;
}

/* The columns of a table: fills `member`, and returns the compound type to read rows as, its size in
 * *row_size. Equal to the file's own type for a file that we wrote, so that HDF5 copies rows instead of
 * converting them. */
static hid_t map_members(hid_t file_type, struct frame *frame, struct member *member, int *members,
                         size_t *row_size)
{
    int count = H5Tget_nmembers(file_type);
    hid_t *types = memory_new((size_t)count, sizeof *types);
    char **names = memory_new((size_t)count, sizeof *names);
    bool clash = false;
    *members = 0;
    *row_size = 0;
    for (int i = 0; i < count; i++) {
        enum column_type type = COLUMN_TEXT;
        hid_t ours = member_type(file_type, (unsigned)i, &type);
        if (ours < 0)
            continue;
        int column = (*members)++;
        size_t size = H5Tget_size(ours);
        types[column] = ours;
        names[column] = H5Tget_member_name(file_type, (unsigned)i);
        char clean[sizeof(((struct column *)0)->name)];
        clean_text(names[column], clean, sizeof clean);
        member[column] = (struct member){
            .type = type,
            .size = size,
            .offset = *row_size,
            .target = frame_join_column(frame, clean, type, ROLE_OTHER, "", ""),
        };
        for (int other = 0; other < column; other++) /* equal as far as names go here */
            clash |= member[other].target == member[column].target;
        *row_size += size;
    }
    hid_t compound =
        !clash && *row_size && *row_size <= ROW_BYTES_MAX ? H5Tcreate(H5T_COMPOUND, *row_size) : -1;
    for (int i = 0; i < *members; i++) {
        if (compound >= 0)
            H5Tinsert(compound, names[i], member[i].offset, types[i]);
        H5Tclose(types[i]);
        H5free_memory(names[i]);
    }
    free(names);
    free(types);
    return compound;
}

/* A text that lives as long as the block, in `*room`. */
static const char *text_of_block(char **room, const char *bytes, size_t length)
{
    char *text = *room;
    memcpy(text, bytes, length);
    text[length] = '\0';
    *room += length + 1;
    return text;
}

/* The cells of a row. Most texts are those of the row above, at `above` (NULL: there is none) and `cell - columns`. The
 * others are the frame's own, or lie in `*room`, if any. */
static void unpack_row(struct frame *frame, const struct member *member, int members, const char *bytes,
                       const char *above, union cell *cell, char **room)
{
    for (int i = 0; i < members; i++) {
        size_t at = member[i].offset, size = member[i].size;
        union cell *to = &cell[member[i].target];
        if (member[i].type != COLUMN_TEXT)
            memcpy(to, bytes + at, 8);
        else if (above && !memcmp(bytes + at, above + at, size))
            *to = to[-frame->columns];
        else if (*room)
            to->text = text_of_block(room, bytes + at, strnlen(bytes + at, size));
        else
            to->text = frame_text_foreign(frame, bytes + at, strnlen(bytes + at, size));
    }
}

int64_t hdf5_count_rows(const struct hdf5_source *source, hid_t set, size_t row_bytes, unsigned ratio)
{
    hid_t space = H5Dget_space(set);
    int64_t rows = H5Sget_simple_extent_ndims(space) == 1 ? (int64_t)H5Sget_simple_extent_npoints(space) : -1;
    H5Sclose(space);
    uint64_t stored = H5Dget_storage_size(set);
    if (stored > source->bytes)
        stored = source->bytes;
    if (rows > 0 && (uint64_t)rows > (stored * ratio + RATIO_FREE) / (row_bytes ? row_bytes : 1))
        return -1;
    return rows;
}

/* A table on its way into a frame. */
struct table {
    const struct hdf5_source *source;
    const char *name;
    struct frame *frame;
    const struct row_reader *reader;
    struct member *member; /* owned */
    int members;
    size_t row_size, block; /* bytes of a row; rows of a block */
    union cell *cell;       /* owned: of a block */
    char *picked;           /* owned: those of a block that are wanted, at their places; or NULL */
    char *room;             /* owned: for the texts of a block whose rows are not added; or NULL */
};

/* Add `rows` rows, as they lie in the file. */
static int add_block(void *of, void *block, size_t rows)
{
    struct table *table = of;
    const char *bytes = block;
    char *room = table->room;
    for (size_t i = 0; i < rows; i++, bytes += table->row_size)
        unpack_row(table->frame, table->member, table->members, bytes, i ? bytes - table->row_size : NULL,
                   table->cell + i * (size_t)table->frame->columns, &room);
    if (table->reader && table->reader->see(table->reader->of, table->frame, table->cell, rows) != 0)
        return -1;
    if (!table->room)
        frame_add_rows(table->frame, table->cell, rows);
    return 0;
}

/* HDF5 unpacks a block while the one before is added. */
static int read_blocks(struct table *table, hid_t set, hid_t type, size_t rows, uint32_t *crc)
{
    struct conveyor *conveyor = conveyor_start(table->block * table->row_size, add_block, table);
    bool damaged = false;
    for (size_t first = 0, count; first < rows; first += count) {
        void *block = conveyor_block(conveyor);
        if (!block)
            break;
        count = rows - first < table->block ? rows - first : table->block;
        damaged = hdf5_read_rows(set, type, first, count, block) != 0;
        if (damaged)
            break;
        if (table->source->verification)
            *crc = hash_crc32(*crc, block, count * table->row_size);
        conveyor_send(conveyor, count);
    }
    int failed = conveyor_end(conveyor);
    return !failed && damaged ? hdf5_bad_table(table->source, table->name, "the file is damaged") : failed;
}

/* Leave the members out that the reader does not want, and make room for the texts of the others. */
static void choose_members(struct table *table)
{
    size_t texts = 1;
    int kept = 0;
    for (int i = 0; i < table->members; i++) {
        const struct member member = table->member[i];
        if (!table->reader->wants(table->frame->column[member.target].name))
            continue;
        texts += member.type == COLUMN_TEXT ? member.size + 1 : 0;
        table->member[kept++] = member;
    }
    table->members = kept;
    table->room = memory_new(table->block, texts);
}

/* The bytes of a chunk that are wanted, as rows. */
static int add_planes(void *of, const struct hdf5_planes *planes)
{
    struct table *table = of;
    for (int m = 0; m < table->members; m++)
        for (size_t byte = table->member[m].offset, end = byte + table->member[m].size; byte < end; byte++) {
            const unsigned char *plane = planes->bytes + byte * planes->stride;
            for (size_t i = 0; i < planes->rows; i++)
                table->picked[i * table->row_size + byte] = (char)plane[i];
        }
    return add_block(table, table->picked, planes->rows);
}

/* Rows that are looked at only. */
static int look_at_chunks(struct table *table, hid_t set, size_t rows)
{
    bool damaged;
    table->picked = memory_new(table->block, table->row_size);
    int failed = hdf5_chunks_read(table->source, set, table->row_size, rows, add_planes, table, &damaged);
    free(table->picked);
    return damaged ? hdf5_bad_table(table->source, table->name, "the file is damaged") : failed;
}

static int read_table(const struct hdf5_source *source, const char *name, hid_t set, hid_t file_type,
                      struct frame *frame, const struct row_reader *reader)
{
    struct table table = {.source = source, .name = name, .frame = frame, .reader = reader};
    table.member = memory_new((size_t)H5Tget_nmembers(file_type), sizeof *table.member);
    hid_t type = map_members(file_type, frame, table.member, &table.members, &table.row_size);
    size_t cells = (size_t)table.members * sizeof(union cell), packed = H5Tget_size(file_type);
    int64_t rows = hdf5_count_rows(source, set, cells > packed ? cells : packed, TABLE_RATIO);
    int failed;
    if (type < 0 || rows < 0) {
        failed = hdf5_bad_table(source, name, "it does not have the shape that warpsweep writes");
    } else {
        uint32_t crc = 0;
        bool same = H5Tequal(type, file_type) > 0;
        bool in_chunks = reader && reader->wants && same && hdf5_chunks_are_ours(set, table.row_size);
        table.block = table.row_size < BLOCK_BYTES ? BLOCK_BYTES / table.row_size : 1;
        if (in_chunks)
            table.block = hdf5_chunk_rows(set);
        else if ((size_t)rows <
                 table.block) /* small tables are many: their blocks are not larger than they */
            table.block = rows ? (size_t)rows : 1;
        table.cell = memory_new(table.block * (size_t)frame->columns, sizeof *table.cell);
        if (reader && reader->wants)
            choose_members(&table);
        failed = in_chunks ? look_at_chunks(&table, set, (size_t)rows)
                           : read_blocks(&table, set, type, (size_t)rows, &crc);
        if (!failed)
            hdf5_verify_table(source, name, set, (size_t)rows, same, crc);
    }
    if (type >= 0)
        H5Tclose(type);
    free(table.room);
    free(table.cell);
    free(table.member);
    return failed;
}

int hdf5_read_frame(const struct hdf5_source *source, const char *name, struct frame *frame,
                    const struct row_reader *reader)
{
    hid_t set;
    if (hdf5_open_set(source, name, &set) != 0)
        return -1;
    if (set < 0)
        return 0;
    hid_t type = H5Dget_type(set);
    int failed = H5Tget_class(type) == H5T_COMPOUND ? read_table(source, name, set, type, frame, reader)
                                                    : hdf5_bad_table(source, name, "it is not a table");
    if (type >= 0)
        H5Tclose(type);
    H5Dclose(set);
    return failed;
}
