#include "analysis/saturation.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "table/where.h"

#define POINTS_MIN 3

const double saturation_share[SATURATION_SHARES] = {0.5, 0.95};

#define COPY "stride=1", "offset=0", "block=256", "items=1", "hint=default", "carveout=default"
#define PEER "direction=one_way", "width=16", "pair!=local"

const struct saturation saturations[] = {
    {"bytes_in_flight",
     "bytes/SM",
     "asynchronous copies in flight on an SM: a tile, times the stages of its ring",
     "prefetch",
     {"stages=3", "resident=1", "work=0"},
     {"tile_bytes", "stages", "resident"},
     "variant"},
    {"copy_size",
     "bytes",
     "copy by a kernel, f32 by 16 bytes, in DRAM or (hot) in L2: bytes of each array",
     "copy",
     {"variant=load", "dtype=f32", "vector=4", "cache=cold,hot", COPY},
     {"size"},
     "cache"},
    {"memcpy_size",
     "bytes",
     "cudaMemcpy in DRAM or (hot) in L2: bytes of each array",
     "copy",
     {"variant=memcpy", "cache=cold,hot", COPY},
     {"size"},
     "cache"},
    {"host_message",
     "bytes",
     "one copy between pinned host memory and the device",
     "host_copy",
     {"variant=pinned", "streams=1", "chunk=16TiB", "numa=any"},
     {"size"},
     "direction"},
    {"peer_message",
     "bytes",
     "one copy to another GPU by the copy engines",
     "peer_copy",
     {"variant=copy_engine", "blocks=0", PEER},
     {"size"},
     "pair"},
    {"peer_blocks",
     "blocks",
     "blocks, at most one on an SM, that write 128 MiB to another GPU",
     "peer_copy",
     {"variant=store", "size=128MiB", "blocks=1..1024", PEER},
     {"blocks"},
     "pair"},
};

size_t saturations_count(void)
{
    return sizeof saturations / sizeof *saturations;
}

/* ---- Reading ---- */

static double number(const struct dataset *dataset, size_t row, const char *name)
{
    const struct frame *results = &dataset->results;
    int index = frame_find(results, name);
    if (index < 0 || results->column[index].type == COLUMN_TEXT)
        return NAN;
    union cell cell = *frame_cell(results, row, index);
    if (frame_is_missing(&results->column[index], cell))
        return NAN;
    return results->column[index].type == COLUMN_REAL ? cell.real : (double)cell.integer;
}

static bool measured_on(const struct view *view, size_t row, void *context)
{
    const size_t *device = context;
    return status_is_ok(frame_find_text(&view->dataset->results, row, COLUMN(status))) &&
           dataset_device_of(view->dataset, row) == (int64_t)*device;
}

/* The rows that the curves are made of, by series and size; a file without such a family or column has none. */
static struct view rows_of(const struct saturation *saturation, const struct dataset *dataset, size_t device)
{
    struct view view = view_new(dataset);
    struct view_column series;
    struct error ignored;
    view_keep_points(&view);
    if (where_keep_kernel(&view, saturation->kernel, &ignored) != 0 ||
        where_keep_all(&view, saturation->condition, &ignored) != 0 ||
        view_find_column(dataset, saturation->series, &series, &ignored) != 0) {
        view.rows = 0;
        return view;
    }
    view_keep(&view, measured_on, &device);
    for (const char *const *factor = saturation->factor; *factor; factor++) {
        struct view_column column;
        if (view_find_column(dataset, *factor, &column, &ignored) == 0)
            view_sort(&view, &column, false);
    }
    view_sort(&view, &series, false);
    return view;
}

static bool take_point(const struct saturation *saturation, const struct dataset *dataset, size_t row,
                       struct knee_point *point)
{
    double x = 1;
    for (const char *const *factor = saturation->factor; *factor; factor++)
        x *= number(dataset, row, *factor);
    *point = (struct knee_point){x, number(dataset, row, COLUMN(bandwidth)),
                                 number(dataset, row, COLUMN(bandwidth_low)),
                                 number(dataset, row, COLUMN(bandwidth_high))};
    return x > 0 && point->y > 0;
}

/* ---- Shares of the best rate ---- */

enum end { MIDDLE, LOW, HIGH };

static double rate_at(const struct knee_point *point, enum end end)
{
    return end == LOW ? point->low : end == HIGH ? point->high : point->y;
}

/* The first point of those up to the best from which on all have the rate `least`. */
static size_t first_above(const struct saturation_curve *curve, enum end end, double least)
{
    size_t first = curve->best + 1;
    while (first > 0 && rate_at(&curve->point[first - 1], end) >= least)
        first--;
    return first;
}

static double crossing(const struct saturation_curve *curve, enum end end, double least)
{
    size_t above = first_above(curve, end, least);
    if (above == 0 || above > curve->best)
        return NAN;
    const struct knee_point *a = &curve->point[above - 1], *b = a + 1;
    double from = rate_at(a, end), to = rate_at(b, end);
    return a->x * exp(log(b->x / a->x) * log(least / from) / log(to / from));
}

static struct saturation_at reach(const struct saturation_curve *curve, double share)
{
    const struct knee_point *best = &curve->point[curve->best];
    struct saturation_at at = {crossing(curve, MIDDLE, share * best->y),
                               crossing(curve, HIGH, share * best->low),
                               crossing(curve, LOW, share * best->high), 0, 0};
    if (!isnan(at.value)) {
        at.above = first_above(curve, MIDDLE, share * best->y);
        at.below = at.above - 1;
    }
    return at;
}

/* ---- Curves ---- */

/* The rows from `first` on that have its series, each x once. Returns the row after them. */
static size_t take_curve(const struct saturation *saturation, const struct view *view, size_t first,
                         struct saturation_curve *curve)
{
    const struct frame *results = &view->dataset->results;
    size_t end = first;
    *curve = (struct saturation_curve){
        .series = frame_find_text(results, view->row[first], saturation->series),
        .point = memory_new(view->rows - first, sizeof *curve->point),
        .row = memory_new(view->rows - first, sizeof *curve->row),
    };
    for (; end < view->rows && frame_find_text(results, view->row[end], saturation->series) == curve->series;
         end++) {
        struct knee_point point;
        if (!take_point(saturation, view->dataset, view->row[end], &point) ||
            (curve->points && !(point.x > curve->point[curve->points - 1].x)))
            continue;
        if (curve->points && point.y > curve->point[curve->best].y)
            curve->best = curve->points;
        curve->row[curve->points] = view->row[end];
        curve->point[curve->points++] = point;
    }
    return end;
}

static void release(struct saturation_curve *curve)
{
    free(curve->point);
    free(curve->row);
}

size_t saturation_curves(const struct saturation *saturation, const struct dataset *dataset, size_t device,
                         struct saturation_curve **curve)
{
    struct view view = rows_of(saturation, dataset, device);
    size_t count = 0;
    *curve = memory_new(view.rows + 1, sizeof **curve);
    for (size_t first = 0; first < view.rows;) {
        struct saturation_curve *one = &(*curve)[count++];
        first = take_curve(saturation, &view, first, one);
        if (one->points < POINTS_MIN) {
            release(one);
            count--;
        }
    }
    for (size_t c = 0; c < count; c++)
        for (int i = 0; i < SATURATION_SHARES; i++)
            (*curve)[c].at[i] = reach(&(*curve)[c], saturation_share[i]);
    view_free(&view);
    return count;
}

void saturation_free(struct saturation_curve *curve, size_t count)
{
    for (size_t i = 0; i < count; i++)
        release(&curve[i]);
    free(curve);
}
