/* store_tool write|resume|read FILE.h5: makes, continues and reads a results file for python.sh. `write` and
 * `resume` add the points [0, 20) and [20, 25), these with their power; `read` prints the number of rows and
 * the median of the first.
 */
#include "store_fixture.h"

static int fail(const struct error *error)
{
    fprintf(stderr, "%s\n", error->text);
    return (int)error->kind;
}

static int write_points(const char *path, bool resume)
{
    struct store_head head = fixture_head();
    struct device device = fixture_device();
    struct store *store;
    struct error error;
    if (store_open(path, resume, &head, &store, &error) != 0)
        return fail(&error);
    int row = store_device(store, &device);
    int failed = 0;
    for (uint64_t i = resume ? 20 : 0; i < (resume ? 25 : 20) && !failed; i++) {
        struct sample samples[4];
        struct point point = stream_point(i);
        struct result result = numbered_result(i, &point, samples);
        result.device = row;
        if (resume)
            result.real[REAL_power] = 250; /* a column that no row had before */
        failed = store_append(store, &point, &result, &error);
    }
    if (failed)
        fail(&error);
    return store_close(store, &error) == 0 && !failed ? 0 : fail(&error);
}

static int read_points(const char *path)
{
    struct dataset dataset;
    struct error error;
    if (dataset_read(path, &dataset, &error) != 0)
        return fail(&error);
    printf("%zu %g\n", dataset.results.rows, fixture_cell(&dataset.results, 0, "time_median").real);
    dataset_free(&dataset);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "read"))
        return read_points(argv[2]);
    if (argc == 3 && (!strcmp(argv[1], "write") || !strcmp(argv[1], "resume")))
        return write_points(argv[2], argv[1][0] == 'r');
    fprintf(stderr, "usage: store_tool write|resume|read FILE.h5\n");
    return 2;
}
