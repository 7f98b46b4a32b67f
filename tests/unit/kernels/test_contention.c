/* The contention family: who sends to whom, where messages lie, what they count, the work beside them, and
 * the reasons to refuse. */
#include "unit_test.h"

#define FAMILY "contention"
#include "family_test.h"

/* The words of a slot of `out` are those of a slot of the sender's `in`. */
static void assert_slot(const struct family_run *run, int receiver, int slot, int sender, int its_slot)
{
    uint64_t message = (uint64_t)point_value(&run->point, "size", 0);
    assert_memory_equal((char *)run->data[2 * receiver + 1] + (uint64_t)slot * message,
                        (char *)run->data[2 * sender] + (uint64_t)its_slot * message, message);
}

TEST(reference)
{
    struct family_run run = run_whole("pattern=all_to_all gpus=4 size=4000");
    for (int receiver = 0; receiver < 4; receiver++)
        for (int further = 1; further < 4; further++) /* its slots: of the devices 1, 2, 3 further on */
            assert_slot(&run, receiver, further - 1, (receiver + further) % 4, 4 - further - 1);
    run = run_whole("pattern=bisection gpus=4 size=4000");
    assert_slot(&run, 0, 0, 2, 0); /* 2 sends to 0 (two further on) and 1 (three) */
    assert_slot(&run, 0, 1, 3, 0); /* 3 sends to 0 (one further on) and 1 (two) */
    assert_slot(&run, 1, 0, 2, 1);
    assert_slot(&run, 1, 1, 3, 1);
}

TEST(reference_of_work)
{
    struct family_run run = run_whole("beside=local_copy measured=both size=4000 work_bytes=8000");
    assert_slot(&run, 1, 0, 0, 0);
    assert_memory_equal(run.data[1], (char *)run.data[0] + 4000, 8000); /* behind the message that it sends */

    run = run_whole("pattern=none beside=matmul measured=work work_bytes=256KiB blocks=1");
    const float *sums = run.data[1];
    for (int i = 0; i < 4 * 512; i += 37) { /* by a whole product of 16 x 16 and 16 x 8 */
        int lane = i / 4 % 32, row = lane / 4 + (i % 4 >= 2 ? 8 : 0), column = 2 * (lane % 4) + i % 2;
        int sum = 0;
        for (int k = 0; k < 16; k++)
            sum += ((row + 3 * k) % 5 - 2) * ((2 * k + column) % 5 - 2);
        assert_float_equal(sums[i], 2 * 4 * sum, 0);
    }
}
