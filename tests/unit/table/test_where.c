/* Conditions on rows: which rows they keep, and what they refuse. */
#include "unit_test.h"

#include "table/table.h"
#include "view_fixture.h"

/* The rows that conditions, separated by blanks, leave: "0 4"; or the message of the error. */
static void kept(const char *conditions, char *out, size_t size)
{
    struct dataset dataset = fixture_dataset();
    struct view view = view_new(&dataset, true);
    struct error error = {0};
    const char *condition[8];
    char copy[256], *rest = NULL;
    int count = 0;
    snprintf(copy, sizeof copy, "%s", conditions);
    for (char *one = strtok_r(copy, " ", &rest); one; one = strtok_r(NULL, " ", &rest))
        condition[count++] = one;
    *out = '\0';
    if (where_keep(&view, condition, count, &error) != 0) {
        assert_int_equal(error.kind, ERROR_USAGE);
        snprintf(out, size, "%s", error.text);
    } else {
        for (size_t i = 0; i < view.rows; i++)
            snprintf(out + strlen(out), size - strlen(out), "%s%zu", i ? " " : "", view.row[i]);
    }
    view_free(&view);
    fixture_free(&dataset);
}

TEST(rows)
{
    static const struct {
        const char *conditions, *rows;
    } cases[] = {
        {"", "0 1 2 3 4"},
        {"kernel=copy", "0 1 2"},
        {"kernel=copy status=ok", "0 1"}, /* conditions on two columns hold together */
        {"stride=1 stride=8", "0 1"},     /* those with = on one column are alternatives */
        {"stride=1,8", "0 1"},            /* as values of one condition are */
        {"stride=1 stride=8 status=failed", ""},
        {"stride=1..2", "1 2 4"}, /* both ends included */
        {"stride=1..1,8", "0 1"},
        {"stride!=2", "0 1 3"}, /* a missing number is none of the values */
        {"stride!=1..8", "3"},
        {"stride<2", "1"}, /* and is neither smaller nor larger */
        {"stride<=2", "1 2 4"},
        {"stride>2", "0"},
        {"stride>=2", "0 2 4"},
        {"size=64KiB", "0 2"},
        {"size>=1MiB", "1"},
        {"dtype!=f16", "1 3 4"},    /* a missing word is not f16 */
        {"time_median=nan", "2 3"}, /* a missing real is asked for by nan */
        {"time_median!=nan", "0 1 4"},
        {"stride=nan", "3"},
        {"stride!=nan", "0 1 2 4"},
        {"stride>nan", ""},
        {"time_median<1e-4", "0 4"},
        {"device.name=second_device", "1"},
        {"device.peak_copy>=1e12", "0 1 3 4"}, /* row 2 met no device */
        {"dtype=f32", ""},                     /* a word of the axis that no row has */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char rows[2048];
        kept(cases[i].conditions, rows, sizeof rows);
        if (strcmp(rows, cases[i].rows) != 0)
            fail_msg("%s keeps '%s', expected '%s'", cases[i].conditions, rows, cases[i].rows);
    }
}
