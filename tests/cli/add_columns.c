/* add_columns IN.h5 OUT.h5 - the same results with columns that no release has: whole numbers and words that
 * differ from row to row, of roles that are no axis'. */
#include <stdio.h>

#include "store/hdf5/file.h"
#include "store/store.h"

static int fail(const struct error *error)
{
    fprintf(stderr, "add_columns: %s\n", error->text);
    return 1;
}

int main(int argc, char **argv)
{
    struct dataset dataset;
    struct error error = {0};
    if (argc != 3)
        return 2;
    if (dataset_read(argv[1], &dataset, &error) != 0)
        return fail(&error);
    struct frame *results = &dataset.results;
    int count =
        frame_add_column(results, "retries_new", COLUMN_INTEGER, ROLE_SAMPLING, "", "a measured number");
    int state =
        frame_add_column(results, "power_state", COLUMN_TEXT, ROLE_ENVIRONMENT, "", "a measured word");
    int other = frame_add_column(results, "tag", COLUMN_INTEGER, ROLE_OTHER, "", "of no role");
    for (size_t row = 0; row < results->rows; row++) {
        frame_put_integer(results, row, count, (int64_t)(row % 5));
        frame_put_text(results, row, state, row % 2 ? "P0" : "P1");
        frame_put_integer(results, row, other, (int64_t)row);
    }
    dataset.mark = (struct mark){.lineage = 1, .sequence = results->rows, .run = 1};
    int failed = hdf5_write(argv[2], &dataset, &error) != 0 ? fail(&error) : 0;
    dataset_free(&dataset);
    return failed;
}
