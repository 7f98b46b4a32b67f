/* The layout family: arithmetic by hand, every reason to refuse, the reference against records built here,
 * and the access pattern against the reference. */
#include "unit_test.h"

#define FAMILY "layout"
#include "family_test.h"

/* Field f of record r, by the words of layout.cu. */
static uint64_t place(const struct point *point, uint64_t records, uint64_t r, uint64_t f)
{
    uint64_t fields = (uint64_t)point_value(point, "fields", 0),
             group = (uint64_t)point_value(point, "records", 0);
    switch (point_value(point, "variant", 0)) {
    case 0:
        return r * fields + f;
    case 1:
        return f * ((records + 127) / 128 * 128) + r;
    default:
        return r / group * group * fields + f * group + r % group;
    }
}

static void assert_reference(const char *settings)
{
    struct family_run run = run_new(settings);
    enum dtype dtype = run.setup.buffer[0].dtype;
    uint64_t size = dtype_size(dtype), n = run.setup.buffer[1].count;
    int64_t read = point_value(&run.point, "read", 0);
    family_run_reference(&run);
    for (uint64_t r = 0; r < n; r++) {
        unsigned char expected[8];
        uint32_t whole = 0;
        double real = 0;
        for (int64_t f = 0; f < read; f++) {
            const char *field = (char *)run.data[0] + place(&run.point, n, r, (uint64_t)f) * size;
            uint32_t bits = 0;
            memcpy(&bits, field, size < 4 ? size : 4);
            whole += bits;
            double value = dtype_load(dtype, field);
            real = dtype == DTYPE_F64 ? real + value : (double)((float)real + (float)value);
            if (f == 0)
                real = value;
        }
        dtype_store(dtype, expected, real);
        if (dtype == DTYPE_I32)
            memcpy(expected, &whole, 4);
        if (memcmp((char *)run.data[1] + r * size, expected, size) != 0)
            fail_msg("%s: record %llu", settings, (unsigned long long)r);
    }
}

static const char *const shapes[] = {"variant=aos",   "variant=aos vector=2",    "variant=soa",
                                     "variant=aosoa", "variant=aosoa records=1", "variant=aosoa records=64"};

TEST(reference_at_odd_sizes)
{
    static const enum dtype types[] = {DTYPE_I32, DTYPE_F16,  DTYPE_BF16, DTYPE_F32,
                                       DTYPE_F64, DTYPE_E4M3, DTYPE_E5M2};
    static const int counts[] = {1, 31, 33, 127, 129, 255, 257, 1003};
    for (int i = 0; i < 6 * 7 * 8; i++) {
        enum dtype dtype = types[i / 6 % 7];
        int fields = 2 << i % 3, read = i % 6 == 1 ? fields : 1 + i % fields;
        char settings[128];
        snprintf(settings, sizeof settings, "%s dtype=%s fields=%d read=%d size=%d", shapes[i % 6],
                 dtype_words[dtype], fields, read, counts[i / 42] * fields * (int)dtype_size(dtype));
        assert_reference(settings);
    }
    assert_reference("variant=soa fields=3 read=3 dtype=f32 size=12583044"); /* 2^20 + 11 records */
}
