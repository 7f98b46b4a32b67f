/* The limits that a paper names are those of its files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "paper/content.h"

#define DATA SOURCE_FOLDER "/analysis/data/"

/* The caller frees. */
static char *limits_of(const char *first, const char *second)
{
    char *const paths[] = {(char *)first, (char *)second};
    struct source source;
    struct error error;
    if (source_read(paths, second ? 2 : 1, &source, &error) != 0)
        fail_msg("%s", error.text);
    const struct content content = {.source = &source};
    char *text = NULL;
    size_t size;
    struct document document = {.out = open_memstream(&text, &size), .markup = MARKUP_MD};
    content_print_limits(&content, &document);
    fclose(document.out);
    source_free(&source);
    return text;
}

static void test_units(void **state)
{
    (void)state;
    char *two = limits_of(DATA "h200-runs/unit1-1.h5", DATA "h200-runs/unit2-1.h5"),
         *one = limits_of(DATA "h200-runs/unit1-1.h5", DATA "h200-runs/unit1-2.h5");
    assert_non_null(strstr(two, "2 units of 1 product were measured"));
    assert_non_null(strstr(one, "One unit of each product was measured"));
    free(two);
    free(one);
}

static void test_counters(void **state)
{
    (void)state;
    char *with = limits_of(DATA "h200-held-out/unit6-1.h5", NULL),
         *without = limits_of(DATA "h200-runs/unit1-1.h5", NULL);
    assert_non_null(strstr(with, "Counters were read"));
    assert_null(strstr(without, "Counters were read"));
    free(with);
    free(without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
