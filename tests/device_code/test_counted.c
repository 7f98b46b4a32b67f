/* test_counted FILE FOLDER - the fewest instructions of compiled code against what hardware counted of it.
 *
 * FILE was measured and counted; of each kernel and variant there, the first point is compiled anew. No way through the code is
 * shorter than the one that was gone: what is told is never above the count, and mostly equal to it. Another compiler than
 * the run's makes other code, so that some percent are granted. Machine code is kept in FOLDER. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "family/time/executed.h"
#include "table/row_point.h"
#include "store/store.h"
#include "worker/cuda/compile/disassemble.h"
#include "worker/cuda/compile/point_code.h"

#define GRANTED 0.05

enum { SEEN_MAX = 200, SKIPPED = 77 };

static const char *cache;
static int compared, equal, failures;

static bool read_code(struct point point, const char *entry, struct sass *sass)
{
    struct text log = {0}, listing = {0};
    struct error error = {0};
    struct code code;
    point.value[space_axis(point.space, "arch")] = arch_of_device(90, true);
    bool failed = compile_point(&point, 0, cache, &code, &log) != 0 ||
                  disassemble_once(code.image, code.size, cache, &listing, &error) != 0 ||
                  sass_read(listing.data, entry, sass) != 0;
    if (failed)
        fprintf(stderr, "%s has no machine code: %s%s\n", entry, log.data ? log.data : "", error.text);
    code_free(&code);
    text_free(&log);
    text_free(&listing);
    return !failed;
}

static void compare(const struct point *point, double counted)
{
    struct target target = {.capability = 90, .multiprocessors = 132};
    struct setup setup = point_setup(point, &target);
    struct work work = family_of(point)->work(point);
    struct prediction accesses;
    struct text description = {0};
    struct sass sass = {0};
    double warps = (double)setup.grid[0] * setup.grid[1] * setup.grid[2] *
                   ((setup.block[0] * setup.block[1] * setup.block[2] + 31) / 32);
    if (!model_predict(point, &setup, &target, NAN, &accesses))
        return;
    const struct warp_work each = warp_work_of(&accesses, &work, warps);
    double told = read_code(*point, setup.entry, &sass) ? warps * executed_min(&sass, &each) : NAN;
    point_describe(point, &description);
    printf("%.3f  %s\n", told / counted, description.data);
    compared++;
    equal += told / counted > 1 - GRANTED;
    failures += !(told / counted < 1 + GRANTED);
    text_free(&description);
    sass_free(&sass);
}

/* The first of its kernel and variant? */
static bool is_new(const struct frame *results, size_t row)
{
    static char seen[SEEN_MAX][128];
    static int count;
    char name[128];
    snprintf(name, sizeof name, "%s %s", frame_find_text(results, row, "kernel"),
             frame_find_text(results, row, "variant"));
    for (int i = 0; i < count; i++)
        if (!strcmp(seen[i], name))
            return false;
    if (count < SEEN_MAX)
        memcpy(seen[count++], name, sizeof name);
    return true;
}

int main(int argc, char **argv)
{
    struct dataset dataset;
    struct error error;
    struct point point;
    if (argc != 3 || dataset_read(argv[1], &dataset, &error) != 0) {
        fprintf(stderr, "usage: test_counted FILE FOLDER%s%s\n", argc == 3 ? ": " : "",
                argc == 3 ? error.text : "");
        return 2;
    }
    if (!disassembler_path()) {
        puts("skipped: there is no nvdisasm");
        return SKIPPED;
    }
    cache = argv[2];
    mkdir(cache, 0755);
    for (size_t row = 0; row < dataset.results.rows; row++) {
        double counted = frame_find_real(&dataset.results, row, "instructions");
        if (counted > 0 && row_point(&dataset.results, row, &point) && is_new(&dataset.results, row))
            compare(&point, counted);
    }
    dataset_free(&dataset);
    printf("%d of %d within %g %%, %d above\n", equal, compared, 100 * GRANTED, failures);
    return failures || compared < 20 || 4 * equal < 3 * compared;
}
