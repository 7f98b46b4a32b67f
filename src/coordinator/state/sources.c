#include "coordinator/state/run_plan.h"

#include <string.h>

#include "base/text.h"
#include "core/column_name.h"
#include "family/code/plugin.h"
#include "family/versions.h"

#define PART_MAX 1000 /* bytes of a row; longer lines have several */

struct collecting {
    struct frame rows;
    size_t bytes;
    const char *version; /* the folder of names; or "" */
};

/* The rest of a line, or PART_MAX bytes of it, in printable ASCII with Python's escapes. */
static size_t add_part(struct text *part, const char *bytes, size_t size)
{
    size_t i = 0;
    for (bool end = false; i < size && i < PART_MAX && !end; i++) {
        unsigned char c = (unsigned char)bytes[i];
        end = c == '\n';
        if (end)
            text_add(part, "\\n");
        else if (c < ' ' || c >= 0x7f)
            text_add(part, "\\x%02x", c);
        else
            text_append(part, c == '\\' ? "\\\\" : &bytes[i], c == '\\' ? 2 : 1);
    }
    return i;
}

/* Two families may have a helper in common. Names that leave the folder cannot be restored. */
static void add(void *context, const char *name, const void *bytes, size_t size)
{
    struct collecting *all = context;
    struct text full = {0};
    size_t at = 0;
    text_add(&full, "%s%s%s", all->version, *all->version ? "/" : "", name);
    bool known =
        *name == '/' || strstr(name, "..") || dataset_has_source(&all->rows, all->rows.rows, full.data);
    all->bytes += known ? 0 : size;
    if (!known && all->bytes <= SOURCES_MAX)
        do { /* an empty file has a row, too */
            struct text part = {0};
            at += add_part(&part, (const char *)bytes + at, size - at);
            frame_add_row(&all->rows);
            frame_put_text(&all->rows, all->rows.rows - 1, 0, full.data);
            frame_put_text(&all->rows, all->rows.rows - 1, 1, part.data ? part.data : "");
            text_free(&part);
        } while (at < size);
    text_free(&full);
}

struct frame sources_collect(const struct job *job, size_t *too_long)
{
    struct collecting all = {.rows = frame_new()};
    frame_add_column(&all.rows, COLUMN(name), COLUMN_TEXT, ROLE_OTHER, "", "");
    frame_add_column(&all.rows, COLUMN(text), COLUMN_TEXT, ROLE_OTHER, "", "");
    for (int i = 0; i < job->sweep_count; i++) {
        const struct family *family = job->sweeps[i].family;
        const int axis = versions_axis(&family->space);
        for (int v = 0; job_is_first_sweep(job, i) && v < (axis < 0 ? 1 : VERSIONS); v++) {
            all.version = axis < 0 ? "" : family->space.axes[axis].words[v];
            plugin_sources(versions_pick(family, v), add, &all);
        }
    }
    *too_long = all.bytes > SOURCES_MAX ? all.bytes : 0;
    if (*too_long) {
        frame_free(&all.rows);
        all.rows = frame_new();
    }
    return all.rows;
}
