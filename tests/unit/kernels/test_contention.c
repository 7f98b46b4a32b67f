/* The contention family: who sends to whom, where messages lie, what they count, the work beside them, and the reasons to refuse. */
#include "unit_test.h"

#define FAMILY "contention"
#include "family_test.h"

enum { MIB = 1 << 20 };

/* Messages and their bytes by pattern, as read where they are pulled, else as written. */
TEST(work)
{
    static const struct {
        const char *settings;
        uint64_t messages;
    } cases[] = {
        {"pattern=one gpus=1", 1},         {"pattern=both gpus=2", 2},
        {"pattern=permutation gpus=8", 8}, {"pattern=permutation gpus=8 shift=3", 8},
        {"pattern=all_to_all gpus=8", 56}, {"pattern=incast gpus=8", 7},
        {"pattern=outcast gpus=5", 4},     {"pattern=bisection gpus=4", 8},
        {"pattern=bisection gpus=8", 32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char settings[128];
        snprintf(settings, sizeof settings, "%s size=1MiB", cases[i].settings);
        assert_work(settings, 0, cases[i].messages * MIB, 0);
        snprintf(settings, sizeof settings, "%s size=1MiB variant=bulk_load", cases[i].settings);
        assert_work(settings, cases[i].messages * MIB, 0, 0);
    }
    /* the work of the devices that send; with `both`, the messages alone count */
    assert_work("pattern=outcast gpus=4 beside=local_copy measured=work work_bytes=2MiB", 2 * MIB, 2 * MIB,
                0);
    assert_work("pattern=both gpus=2 beside=matmul measured=both size=1MiB", 0, 2 * MIB, 0);
    assert_work("pattern=none beside=matmul measured=work work_bytes=128KiB blocks=2", 0,
                UINT64_C(2) * 2 * 512 * 16, UINT64_C(2) * 2 * 16 * 4 * 4096);
}

/* Each device has two buffers; who runs no copy is idle, and the first device launches even then. */
TEST(parts)
{
    struct point in = point_of("pattern=incast gpus=4 size=1MiB"),
                 pull = point_of("pattern=incast gpus=4 size=1MiB variant=load"), local = point_of("");
    struct setup s = family_setup(&in), p = family_setup(&pull);
    struct devices four = family_devices(&in);
    assert_true(four.count == 4 && four.ordinal[0] == 0 && four.ordinal[3] == 3);
    assert_int_equal(family_devices(&local).count, 0);
    assert_true(s.parts == 4 && s.group == 2 && s.buffers == 8);
    assert_int_equal(s.idle, 1);
    assert_int_equal(p.idle, 2 + 4 + 8);
    for (int b = 0; b < 8; b++)
        assert_int_equal(s.buffer[b].device, b / 2);
    assert_int_equal(s.buffer[1].count * 4, 3 * MIB); /* the receiver's slots */
    assert_int_equal(s.buffer[2].count * 4, MIB);
    assert_int_equal(setup_part_buffer(&s, 3, 2), 0); /* the device one further than the last is the first */
    assert_int_equal(s.engine, ENGINE_KERNEL);
    family_set(&in, "variant=copy_engine");
    s = family_setup(&in);
    assert_true(s.engine == ENGINE_PEER_COPIES && !s.entry && s.shape[0] == MIB && !s.shape[3]);
    assert_int_equal(s.shape[1], 0x02040800); /* devices 1 to 3 send three, two and one further */
    assert_int_equal(s.shape[2], 0x0e);
    family_set(&in, "beside=local_copy");
    s = family_setup(&in);
    assert_true(setup_has_code(&s) && s.shape[3] && s.grid[0] == 64);
}

/* Blocks are shared evenly by the messages of a device, and the work has as many again. */
TEST(grid)
{
    static const struct {
        const char *settings;
        uint32_t blocks, threads;
    } cases[] = {{"", 64, 512},
                 {"pattern=all_to_all gpus=8", 63, 512},
                 {"pattern=all_to_all gpus=8 blocks=3", 7, 512},
                 {"pattern=both gpus=2 beside=local_copy blocks=20", 40, 512},
                 {"pattern=none beside=matmul measured=work", 64, 512}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct point point = point_of(cases[i].settings);
        struct setup s = family_setup(&point);
        assert_int_equal(s.grid[0], cases[i].blocks);
        assert_int_equal(s.block[0], cases[i].threads);
        assert_int_equal(s.arguments, SETUP_ARGUMENTS_MAX);
    }
}

/* The words of a slot of `out` are those of a slot of the sender's `in`. */
static void assert_slot(const struct family_run *run, int receiver, int slot, int sender, int its_slot)
{
    uint64_t message = (uint64_t)point_value(&run->point, "size", 0);
    assert_memory_equal((char *)run->data[2 * receiver + 1] + (uint64_t)slot * message,
                        (char *)run->data[2 * sender] + (uint64_t)its_slot * message, message);
}

TEST(reference)
{
    struct family_run run = run_new("pattern=all_to_all gpus=4 size=4000");
    family_run_reference(&run);
    for (int receiver = 0; receiver < 4; receiver++)
        for (int further = 1; further < 4; further++) /* its slots: of the devices 1, 2, 3 further on */
            assert_slot(&run, receiver, further - 1, (receiver + further) % 4, 4 - further - 1);
    run = run_new("pattern=bisection gpus=4 size=4000");
    family_run_reference(&run);
    assert_slot(&run, 0, 0, 2, 0); /* 2 sends to 0 (two further on) and 1 (three) */
    assert_slot(&run, 0, 1, 3, 0); /* 3 sends to 0 (one further on) and 1 (two) */
    assert_slot(&run, 1, 0, 2, 1);
    assert_slot(&run, 1, 1, 3, 1);
}

TEST(reference_of_work)
{
    struct family_run run = run_new("beside=local_copy measured=both size=4000 work_bytes=8000");
    family_run_reference(&run);
    assert_slot(&run, 1, 0, 0, 0);
    assert_memory_equal(run.data[1], (char *)run.data[0] + 4000, 8000); /* behind the message that it sends */

    run = run_new("pattern=none beside=matmul measured=work work_bytes=256KiB blocks=1");
    family_run_reference(&run);
    const float *sums = run.data[1];
    for (int i = 0; i < 4 * 512; i += 37) { /* by a whole product of 16 x 16 and 16 x 8 */
        int lane = i / 4 % 32, row = lane / 4 + (i % 4 >= 2 ? 8 : 0), column = 2 * (lane % 4) + i % 2;
        int sum = 0;
        for (int k = 0; k < 16; k++)
            sum += ((row + 3 * k) % 5 - 2) * ((2 * k + column) % 5 - 2);
        assert_float_equal(sums[i], 2 * 4 * sum, 0);
    }
}

TEST(refusals)
{
    static const struct target ampere = {80,        108,       40 << 20, UINT64_C(40) << 30,
                                         163 << 10, 164 << 10, 2048,     false},
                               turing = {75,       40,       4 << 20, UINT64_C(16) << 30,
                                         64 << 10, 64 << 10, 1024,    false},
                               small = {90,        132,       60 << 20, UINT64_C(3) << 30,
                                        227 << 10, 228 << 10, 2048,     false};
    assert_skip("pattern=both gpus=2", NULL);
    assert_skip_on(&on_host, "pattern=both gpus=2", "only gpus=1");
    assert_skip_on(&on_host, "pattern=both", NULL);
    assert_skip("pattern=both gpus=3", "have two devices");
    assert_skip("pattern=incast gpus=2", "fewer than three");
    assert_skip("pattern=bisection gpus=5", "even number");
    assert_skip("pattern=permutation gpus=4 shift=4", "shifts by less");
    assert_skip("pattern=all_to_all gpus=4 shift=2", "only a permutation");
    assert_skip("measured=work", "no work to measure");
    assert_skip("work_bytes=1MiB", "no work_bytes to choose");
    assert_skip("pattern=none beside=matmul measured=both", "work alone");
    assert_skip("pattern=none beside=matmul measured=work variant=load", "work alone");
    assert_skip("beside=local_copy measured=work variant=copy_engine", "only copies by loads and stores");
    assert_skip("beside=matmul work_bytes=1KiB", "4096 rounds");
    assert_skip("size=1000", "16 bytes");
    assert_skip_on(&ampere, "variant=bulk_store", "a bulk copy");
    assert_skip_on(&turing, "beside=matmul", "a product of tensor cores");
    assert_skip("variant=copy_engine arch=sm_90", "no arch to choose");
    /* memory is that of each device: seven messages of 256 MiB in and out do not fit into 3 GiB, one does */
    assert_skip_on(&small, "pattern=all_to_all gpus=8", "need 3.5 GiB");
    assert_skip_on(&small, "pattern=permutation gpus=8", NULL);
}
