/* Resident blocks of a multiprocessor, by compute capability. */
#include "unit_test.h"

#include "family/rules.h"

TEST(blocks_of_capabilities)
{
    static const int rows[][2] = {{0, 32},   {80, 32},  {86, 16},  {89, 24},  {90, 32},
                                  {100, 32}, {103, 32}, {110, 24}, {120, 24}, {121, 24}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct target target = {
            .capability = rows[i][0], .threads_sm = 1536, .shared_sm_bytes = 102400, .multiprocessors = 1};
        assert_int_equal(rules_blocks_resident(&target, 32, 0),
                         rows[i][1]); /* small blocks: their number decides */
        assert_int_equal(rules_blocks_resident(&target, 1024, 0), 1);
    }
}
