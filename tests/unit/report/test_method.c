/* What the method sections claim: only what the file says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/report.h"

static struct dataset read_data(const char *name)
{
    struct dataset dataset;
    struct error error;
    char path[512];
    snprintf(path, sizeof path, SOURCE_FOLDER "/analysis/data/%s.h5", name);
    if (dataset_read(path, &dataset, &error) != 0)
        fail_msg("%s", error.text);
    return dataset;
}

/* Both sections, the one of each file and the short one. The caller frees. */
static char *method_of(const struct dataset *dataset)
{
    char *text = NULL;
    size_t size;
    struct document document = {.out = open_memstream(&text, &size), .markup = MARKUP_MD};
    report_method(&document, dataset, "file.h5");
    report_method_once(&document, dataset, 1);
    fclose(document.out);
    return text;
}

static void forget(struct dataset *dataset, const char *name)
{
    int column = frame_find(&dataset->results, name);
    assert_true(column >= 0);
    for (size_t row = 0; row < dataset->results.rows; row++)
        frame_put_real(&dataset->results, row, column, NAN);
}

static void test_counters(void **state)
{
    (void)state;
    struct dataset counted = read_data("h200-held-out/unit6-1"), timed = read_data("h200-runs/unit1-1");
    char *with = method_of(&counted), *without = method_of(&timed);
    assert_non_null(strstr(with, "22 hardware counters were read"));
    assert_non_null(strstr(with, "Hardware counters were read"));
    assert_null(strstr(without, "ardware counter"));
    free(with);
    free(without);
    dataset_free(&counted);
    dataset_free(&timed);
}

static void test_unknown_numbers(void **state)
{
    (void)state;
    struct dataset dataset = read_data("h200-held-out/unit6-1");
    forget(&dataset, COLUMN(sd_process));
    forget(&dataset, COLUMN(power));
    forget(&dataset, COLUMN(temperature));
    char *text = method_of(&dataset);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "imes vary"));
    assert_null(strstr(text, " W and "));
    assert_null(strstr(text, "from the deviations"));
    assert_non_null(strstr(text, "The SM clock over the samples was"));
    free(text);
    dataset_free(&dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_unknown_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
