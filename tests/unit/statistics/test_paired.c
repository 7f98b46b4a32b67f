/* Paired comparisons: the order of samples. */
#include "unit_test.h"

#include "statistics/turns.h"

TEST(turns_alternate)
{
    for (uint32_t turn = 0; turn < 4; turn++) {
        char order[9] = "";
        for (uint64_t k = 0; k < 8; k++)
            order[k] = turns_version(turn, k) ? 'B' : 'A';
        assert_string_equal(order, turn % 2 ? "BAABBAAB" : "ABBAABBA");
        assert_int_equal(turns_first(turn), turn % 2);
    }
}

/* Each version comes first and second equally often, and the mean times of both in a quadruple are equal. */
TEST(turns_are_even)
{
    for (uint32_t turn = 0; turn < 2; turn++) {
        int place[2] = {0, 0}, second[2] = {0, 0};
        for (int k = 0; k < TURNS_QUADRUPLE; k++) {
            place[turns_version(turn, (uint64_t)k)] += k;
            second[turns_version(turn, (uint64_t)k)] += k % 2;
        }
        assert_int_equal(place[0], place[1]);
        assert_int_equal(second[0], second[1]);
    }
}
