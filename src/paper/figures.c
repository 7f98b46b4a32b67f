#include "paper/figures.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"
#include "figure/figure.h"
#include "process/process.h"
#include "store/store.h"

#define ONE_COLUMN    "3.4in"
#define PAGE          "7in"
#define HEIGHT_MAX    7.5 /* inches; a higher figure gets both columns, where it is lower */
#define WORKERS_MAX   16
#define SECONDS       600.0 /* limit for all figures of a worker; each takes up to a second */
#define FILE_SIZE_MAX ((size_t)64 << 20)

/* ---- Names ---- */

static int read_names(const char *analysis, struct figures *figures, struct error *error)
{
    struct figure *figure = NULL;
    size_t count = 0;
    int failed = figures_read(analysis, &figure, &count, error);
    figures->figure = memory_new(count, sizeof *figures->figure);
    for (size_t i = 0; i < count; i++) {
        figures->figure[figures->count++] =
            (struct drawn){.name = memory_text(figure[i].name),
                           .title = memory_text(figure[i].title),
                           .kernel = memory_text(figure[i].table ? "*" : figure[i].kernel)};
        figure_free(&figure[i]);
    }
    free(figure);
    return failed;
}

/* ---- Drawing ---- */

/* One child: `warpsweep plot` of some figures. */
struct worker {
    pthread_t thread;
    const char **argv; /* owned, NULL-terminated */
    size_t count;
    struct text printed;
    struct error error;
    int failed;
};

static void add_argument(struct worker *worker, const char *argument)
{
    worker->argv = memory_resize(worker->argv, worker->count + 2, sizeof *worker->argv);
    worker->argv[worker->count++] = argument;
    worker->argv[worker->count] = NULL;
}

static void *draw(void *context)
{
    struct worker *worker = context;
    worker->failed = process_run(&(struct process_options){.path = "/proc/self/exe", .argv = worker->argv},
                                 SECONDS, &worker->printed, &worker->error);
    if (worker->failed && strstr(worker->error.text, "exited with status 1")) /* some were skipped */
        worker->failed = 0;
    return NULL;
}

/* Figures to draw at one width and in one format. */
struct batch {
    const char *width, *format;
    bool (*wanted)(const struct drawn *);
};

static bool any(const struct drawn *figure)
{
    return !figure->reason;
}

static bool narrow(const struct drawn *figure)
{
    return any(figure) && !figure->wide;
}

static bool wide(const struct drawn *figure)
{
    return any(figure) && figure->wide;
}

struct drawing {
    char *const *paths;
    int count;
    const char *analysis, *folder;
    struct worker worker[WORKERS_MAX];
    size_t workers;
};

/* Distribute the figures of the batches over as many children as there are processors. */
static void distribute(struct drawing *drawing, const struct figures *figures, const struct batch *batch,
                       size_t batches)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = processors < WORKERS_MAX ? (size_t)processors : WORKERS_MAX;
    size_t share = most > batches ? most / batches : 1;
    drawing->workers = 0;
    for (size_t b = 0; b < batches; b++) {
        size_t first = drawing->workers, count = 0;
        for (size_t i = 0; i < figures->count; i++) {
            if (!batch[b].wanted(&figures->figure[i]))
                continue;
            size_t to = first + count++ % share;
            assert(to < WORKERS_MAX);
            struct worker *worker = &drawing->worker[to];
            if (to >= drawing->workers) {
                *worker = (struct worker){0};
                drawing->workers = to + 1;
                const char *const words[] = {"warpsweep", "plot",          "--analysis", drawing->analysis,
                                             "-o",        drawing->folder, "--width",    batch[b].width,
                                             "--format",  batch[b].format, "--caption",  "brief"};
                for (size_t w = 0; w < sizeof words / sizeof *words; w++)
                    add_argument(worker, words[w]);
                if (dataset_salvaged())
                    add_argument(worker, "--salvage");
                for (int p = 0; p < drawing->count; p++)
                    add_argument(worker, drawing->paths[p]);
            }
            add_argument(worker, "--figure");
            add_argument(worker, figures->figure[i].name);
        }
    }
}

/* "skipped NAME: reason". */
static void take_reasons(struct figures *figures, char *printed)
{
    char *rest = NULL;
    for (char *line = strtok_r(printed, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "skipped ", 8) != 0 || !colon)
            continue;
        *colon = '\0';
        for (size_t i = 0; i < figures->count; i++)
            if (!strcmp(figures->figure[i].name, line + 8) && !figures->figure[i].reason)
                figures->figure[i].reason = memory_text(colon + 1 + (colon[1] == ' '));
    }
}

static int finish(struct drawing *drawing, struct figures *figures, struct error *error)
{
    int failed = 0;
    for (size_t i = 0; i < drawing->workers; i++) {
        struct worker *worker = &drawing->worker[i];
        if (worker->failed && !failed) {
            const char *said = worker->printed.data ? worker->printed.data : "";
            const char *last = strstr(said, "warpsweep: ");
            failed = error_set(error, ERROR_ENVIRONMENT, "cannot draw the figures: %s; %.600s",
                               worker->error.text, last ? last : said);
        }
        if (worker->printed.data)
            take_reasons(figures, worker->printed.data);
        text_free(&worker->printed);
        free(worker->argv);
    }
    return failed;
}

static int draw_batches(struct drawing *drawing, struct figures *figures, const struct batch *batch,
                        size_t batches, struct error *error)
{
    distribute(drawing, figures, batch, batches);
    for (size_t i = 0; i < drawing->workers; i++)
        if (pthread_create(&drawing->worker[i].thread, NULL, draw, &drawing->worker[i]) != 0)
            drawing->worker[i].thread = 0, draw(&drawing->worker[i]);
    for (size_t i = 0; i < drawing->workers; i++)
        if (drawing->worker[i].thread)
            pthread_join(drawing->worker[i].thread, NULL);
    return finish(drawing, figures, error);
}

/* ---- Results ---- */

static char *read_drawn(const char *folder, const char *name, const char *extension, struct error *error)
{
    struct text path = {0};
    size_t size;
    text_add(&path, "%s/%s.%s", folder, name, extension);
    char *text = io_read_file(path.data, FILE_SIZE_MAX, &size, error);
    text_free(&path);
    return text;
}

static int measure(const char *folder, struct drawn *figure, struct error *error)
{
    char *drawing = read_drawn(folder, figure->name, "svg", error);
    const char *box = drawing ? strstr(drawing, "viewBox=\"0 0 ") : NULL;
    double width, height;
    int failed = !box || sscanf(box, "viewBox=\"0 0 %lf %lf\"", &width, &height) != 2;
    if (!failed) {
        figure->height = height / 96;
        figure->wide = figure->height > HEIGHT_MAX;
    } else if (drawing) {
        error_set(error, ERROR_ENVIRONMENT, "cannot read the size of %s.svg: gnuplot wrote no viewBox",
                  figure->name);
    }
    free(drawing);
    return failed ? -1 : 0;
}

int figures_draw(char *const *paths, int count, const char *analysis, const char *folder,
                 struct figures *figures, struct error *error)
{
    static const struct batch first[] = {{ONE_COLUMN, "svg", any}};
    static const struct batch then[] = {
        {ONE_COLUMN, "pdf", narrow}, {PAGE, "pdf", wide}, {PAGE, "svg", wide}};
    struct drawing drawing = {.paths = paths, .count = count, .analysis = analysis, .folder = folder};
    *figures = (struct figures){0};
    int failed = read_names(analysis, figures, error);
    if (!failed)
        failed = draw_batches(&drawing, figures, first, 1, error);
    for (size_t i = 0; i < figures->count && !failed; i++)
        if (!figures->figure[i].reason)
            failed = measure(folder, &figures->figure[i], error);
    if (!failed)
        failed = draw_batches(&drawing, figures, then, sizeof then / sizeof *then, error);
    for (size_t i = 0; i < figures->count && !failed; i++) {
        struct drawn *figure = &figures->figure[i];
        if (figure->reason)
            continue;
        figure->caption = read_drawn(folder, figure->name, "caption.txt", error);
        failed = figure->caption ? 0 : -1;
    }
    return failed;
}

void figures_free(struct figures *figures)
{
    for (size_t i = 0; i < figures->count; i++) {
        struct drawn *figure = &figures->figure[i];
        free(figure->name);
        free(figure->title);
        free(figure->kernel);
        free(figure->caption);
        free(figure->reason);
    }
    free(figures->figure);
    *figures = (struct figures){0};
}
