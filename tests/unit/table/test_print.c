/* A view in each format of --format: what is escaped, what is missing, units. */
#include "unit_test.h"

#include "table/table.h"
#include "view_fixture.h"

TEST(formats)
{
    static const struct {
        const char *format, *text;
    } cases[] = {
        {"tsv", "kernel\tstride\tsize\tbandwidth\tdevice.name\n"
                "copy\t8\t65536\t5e+11\tfirst|device\n"
                "copy\t1\t1073741824\t3e+12\tsecond_device\n"
                "copy\t2\t65536\tnan\t\n"
                "a b\"c,\\\\\tnan\t3\tnan\tfirst|device\n"
                "reduce\t2\t3\t1e+10\tfirst|device\n"},
        {"csv", "kernel,stride,size,bandwidth,device.name\n"
                "copy,8,65536,5e+11,first|device\n"
                "copy,1,1073741824,3e+12,second_device\n"
                "copy,2,65536,nan,\n"
                "\"a b\"\"c,\\\",nan,3,nan,first|device\n"
                "reduce,2,3,1e+10,first|device\n"},
        {"json",
         "[\n {\"kernel\": \"copy\", \"stride\": 8, \"size\": 65536, \"bandwidth\": 5e+11, "
         "\"device.name\": "
         "\"first|device\"},\n {"
         "\"kernel\": \"copy\", \"stride\": 1, \"size\": 1073741824, \"bandwidth\": 3e+12, \"device.name\": "
         "\"second_device\"},\n {"
         "\"kernel\": \"copy\", \"stride\": 2, \"size\": 65536, \"bandwidth\": null, \"device.name\": "
         "null},\n {"
         "\"kernel\": \"a b\\\"c,\\\\\", \"stride\": null, \"size\": 3, \"bandwidth\": null, "
         "\"device.name\": \"first|device\"},\n {"
         "\"kernel\": \"reduce\", \"stride\": 2, \"size\": 3, \"bandwidth\": 1e+10, \"device.name\": "
         "\"first|device\"}\n]\n"},
        {"text", "kernel   stride   size  bandwidth  device.name\n"
                 "copy          8  64KiB   500 GB/s  first|device\n"
                 "copy          1   1GiB  3000 GB/s  second_device\n"
                 "copy          2  64KiB          —  —\n"
                 "a b\"c,\\       —      3          —  first|device\n"
                 "reduce        2      3    10 GB/s  first|device\n"},
    };
    struct dataset dataset = fixture_dataset();
    struct view view = view_new(&dataset, true);
    struct error error;
    frame_put_text(&dataset.results, 3, frame_find(&dataset.results, COLUMN(kernel)), "a b\"c,\\");
    assert_int_equal(columns_choose(&view, "kernel,stride,size,bandwidth,device.name", &error), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        print_view(out, &view, print_format_named(cases[i].format));
        fclose(out);
        assert_string_equal(text, cases[i].text);
        free(text);
    }
    view_free(&view);
    fixture_free(&dataset);
}

/* One table of units: the same number has the same unit everywhere, large rates the larger one. */
TEST(units)
{
    static const struct {
        const char *unit;
        double value;
        const char *text;
    } cases[] = {
        {"bytes/s", 4.29e12, "4290 GB/s"},
        {"bytes/s", 12.5e12, "12.5 TB/s"},
        {"flop/s", 66.94e12, "66.94 TFLOP/s"},
        {"flop/s", 0.5e12, "500 GFLOP/s"},
        {"Hz", 1.98e9, "1980 MHz"},
        {"s", 12.3e-6, "12.3us"},
        {"bytes", 65536, "64KiB"},
        {"sectors", 4.5, "4.5 sectors"},
        {"", 0.25, "0.25"},
        {"bytes/s", NAN, "—"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        struct column column = {.type = COLUMN_REAL};
        snprintf(column.unit, sizeof column.unit, "%s", cases[i].unit);
        human_cell(&column, (union cell){.real = cases[i].value}, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}
