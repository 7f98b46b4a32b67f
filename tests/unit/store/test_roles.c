/* Roles of columns through the results file: written to /columns and to the journal, read back, and guessed
 * for what earlier releases wrote. */
#include "unit_test.h"

#include "store/hdf5/file.h"
#include "results_fixture.h"

/* A run of one point of one kernel, with a counter; the caller closes it. */
static struct store *open_run(void)
{
    static const char counter[1][96] = {"dram__bytes_read.sum"};
    struct store_head head = fixture_head();
    head.counter = counter;
    head.counter_count = 1;
    struct store *store = fixture_open(file, false, &head);
    struct sample samples[4];
    struct point point = stream_point(3);
    struct result result = numbered_result(3, &point, samples);
    fixture_append(store, &point, &result);
    return store;
}

static enum column_role role_of(const struct frame *frame, const char *name)
{
    int column = frame_find(frame, name);
    if (column < 0)
        fail_msg("no column %s", name);
    return frame->column[column].role;
}

static void check_roles(const struct dataset *dataset)
{
    const struct frame *results = &dataset->results;
    for (int i = 0; i < stream_space.count; i++)
        assert_int_equal(role_of(results, stream_axes[i].name), ROLE_AXIS);
    int axes = 0;
    for (int i = 0; i < results->columns; i++) {
        const struct column_info *known = column_find(results->column[i].name);
        if (known)
            assert_int_equal(results->column[i].role, known->role);
        axes += results->column[i].role == ROLE_AXIS;
    }
    assert_int_equal(axes, stream_space.count);
    assert_int_equal(role_of(results, "dram__bytes_read.sum"), ROLE_COUNTER);
    assert_int_equal(role_of(&dataset->devices, "name"), ROLE_ENVIRONMENT);
}

TEST(file_tells_roles)
{
    struct error error = {0};
    fixture_close(open_run());
    struct dataset dataset = read_file(file);
    check_roles(&dataset);
    /* Whatever the file says, goes, though these would be guessed to be axes. */
    frame_add_column(&dataset.results, "of_a_later_release", COLUMN_INTEGER, ROLE_COST, "",
                     "a later release's");
    frame_add_column(&dataset.results, "mine", COLUMN_TEXT, ROLE_OTHER, "", "of no role");
    dataset.mark = (struct mark){.lineage = 1, .sequence = 1, .run = 1};
    assert_int_equal(hdf5_write(file, &dataset, NULL, &error), 0);
    dataset_free(&dataset);
    dataset = read_file(file);
    check_roles(&dataset);
    assert_int_equal(role_of(&dataset.results, "of_a_later_release"), ROLE_COST);
    assert_int_equal(role_of(&dataset.results, "mine"), ROLE_OTHER);
    dataset_free(&dataset);
}

/* What a killed run leaves, its FILE.h5 lost: the journal alone tells. */
TEST(journal_tells_roles)
{
    struct store *store = open_run();
    fixture_tick(store);
    char *killed = fixture_path("killed.h5"), *killed_journal = fixture_path("killed.h5.journal");
    size_t size;
    unsigned char *bytes = fixture_read(journal, &size);
    fixture_close(store);
    fixture_write(killed_journal, bytes, size);
    struct dataset dataset = read_file(killed);
    assert_int_equal(dataset.journal_rows, 1);
    check_roles(&dataset);
    dataset_free(&dataset);
    free(killed);
    free(killed_journal);
    free(bytes);
}

/* A file of release 0.1: its /columns has no roles. */
TEST(earlier_release)
{
    static const char *const axes[] = {"variant", "dtype", "size",  "stride",   "vector", "offset",
                                       "items",   "block", "cache", "carveout", "arch"};
    struct dataset dataset = read_file(SOURCE_FOLDER "/tests/release-0.1-h200-copy.h5");
    const struct frame *results = &dataset.results;
    int found = 0;
    for (int i = 0; i < results->columns; i++)
        found += results->column[i].role == ROLE_AXIS;
    assert_int_equal(found, sizeof axes / sizeof *axes);
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        assert_int_equal(role_of(results, axes[i]), ROLE_AXIS);
    assert_int_equal(role_of(results, "throttle_mask"), ROLE_ENVIRONMENT);
    assert_int_equal(role_of(results, "load_sectors"), ROLE_COUNTER);
    assert_int_equal(role_of(results, "predicted_load_sectors"), ROLE_PREDICTION);
    assert_int_equal(role_of(&dataset.devices, "peak_copy"), ROLE_ENVIRONMENT);
    dataset_free(&dataset);
}
