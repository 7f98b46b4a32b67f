/* The transpose family: the reference against a plain loop. */
#include "unit_test.h"

#define FAMILY "transpose"
#include "family_test.h"

TEST(reference_at_odd_sizes)
{
    static const uint64_t sides[][2] = {{1, 1},   {1, 1003}, {1003, 1}, {31, 33},
                                        {32, 32}, {63, 65},  {127, 16}, {1048583, 1}};
    static const char *const types[] = {"u8", "f16", "f32", "f64"};
    for (int i = 0; i < 8 * 4; i++) {
        uint64_t rows = sides[i / 4][0], cols = sides[i / 4][1];
        char settings[128];
        snprintf(settings, sizeof settings, "rows=%d columns=%d dtype=%s", (int)rows, (int)cols,
                 types[i % 4]);
        struct family_run run = run_new(settings);
        uint64_t size = dtype_size(run.setup.buffer[0].dtype);
        const char *in = run.data[0], *out = run.data[1];
        family_run_reference(&run);
        for (uint64_t r = 0; r < rows; r++)
            for (uint64_t c = 0; c < cols; c++)
                assert_memory_equal(out + (c * rows + r) * size, in + (r * cols + c) * size, size);
    }
}
