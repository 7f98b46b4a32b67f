/* The atomics family: work, launch, reasons, accesses, and the reference against operations made one by one
 * in several orders, in the arithmetic of the type. */
#include "unit_test.h"

#define FAMILY "atomics"
#include "family_test.h"

enum { CELLS, TICKETS, HELD, OUT, CYCLES };

/* ---- the kernel's operations, one by one ---- */

static double half_of(const char *type, uint64_t bits)
{
    uint16_t low = (uint16_t)bits;
    return dtype_load(*type == 'b' ? DTYPE_BF16 : DTYPE_F16, &low);
}

/* a + b, rounded to the type as in hardware. */
static uint64_t add(const char *type, uint64_t a, uint64_t b)
{
    uint64_t bits = 0;
    if (!strcmp(type, "u32"))
        return (uint32_t)(a + b);
    if (!strcmp(type, "u64"))
        return a + b;
    if (strchr(type, 'x')) {
        for (int i = 0; i < 2; i++) {
            uint16_t half;
            dtype_store(*type == 'b' ? DTYPE_BF16 : DTYPE_F16, &half,
                        half_of(type, a >> 16 * i) + half_of(type, b >> 16 * i));
            bits |= (uint64_t)half << 16 * i;
        }
        return bits;
    }
    enum dtype dtype = !strcmp(type, "f32") ? DTYPE_F32 : DTYPE_F64;
    dtype_store(dtype, &bits, dtype_load(dtype, &a) + dtype_load(dtype, &b));
    return bits;
}

static uint64_t negative(const char *type, uint64_t bits)
{
    if (*type == 'u')
        return !strcmp(type, "u32") ? (uint32_t)-bits : -bits;
    if (strchr(type, 'x'))
        return bits ^ 0x80008000;
    return bits ^ (!strcmp(type, "f32") ? 0x80000000 : UINT64_C(1) << 63);
}

static uint64_t number_of(const char *type, uint64_t index, uint64_t sharer)
{
    float single = (float)(index % 4 + 1);
    double real = single;
    uint64_t bits = 0;
    if (!strcmp(type, "u32"))
        return index + 1;
    if (!strcmp(type, "u64"))
        return (index + 1) << 32 | (index + 1);
    if (strchr(type, 'x') && sharer >= (*type == 'b' ? 256 : 2048))
        return 0;
    if (strchr(type, 'x'))
        return *type == 'b' ? 0xbf803f80 : 0xbc003c00;
    memcpy(&bits, !strcmp(type, "f32") ? (void *)&single : (void *)&real, !strcmp(type, "f32") ? 4 : 8);
    return bits;
}

/* A thread that shares the address: what is left to do, and what it holds. */
struct thread {
    uint64_t number, operations, done, held;
};

/* Operation by operation; `order` 0: each thread in turn makes all of its operations; 1: one operation of
 * each thread after the other, so that sums become as large as they can; more: at random. Returns what the
 * kernel writes. */
static uint64_t run_address(const struct family_run *run, struct thread *thread, uint64_t threads,
                            uint64_t order)
{
    const struct axis *axes = run->point.space->axes;
    const int64_t *value = run->point.value;
    const char *type = axes[2].words[value[2]];
    int64_t variant = value[0], chained = value[3] == 2;
    uint64_t cell = 0, out = 0, left = 0;
    for (uint64_t t = 0; t < threads; t++) {
        left += thread[t].operations;
        thread[t].held = variant == 2 && chained ? thread[t].number : 0;
    }
    for (uint64_t turn = 0, first = 0; left > 0; turn++) {
        for (; order == 0 && thread[first].done == thread[first].operations; first++)
            continue;
        uint64_t next = order > 1 ? fill_bits(order, turn) : turn;
        struct thread *t = &thread[order == 0 ? first : next % threads];
        if (t->done == t->operations)
            continue;
        uint64_t before = cell;
        if (variant == 1)
            cell = cell > t->number ? cell : t->number;
        else if (variant == 2)
            cell = chained ? t->held : t->number;
        else
            cell = add(type, cell, t->done % 2 ? negative(type, t->number) : t->number);
        t->held = chained ? before : t->held + before;
        if (variant != 2)
            t->held = 0;
        t->done++;
        left--;
    }
    for (uint64_t t = 0; t < threads; t++)
        out += thread[t].held;
    out += cell;
    return run->setup.buffer[OUT].dtype == DTYPE_I32 ? (uint32_t)out : out;
}

/* The threads of an address, from the numbers of grid, block, warp and lane alone. */
static uint64_t threads_of(const struct family_run *run, uint64_t address, struct thread *thread)
{
    const struct point *p = &run->point;
    uint64_t lanes = (uint64_t)point_value(p, "lanes", 0), group = (uint64_t)point_value(p, "warps", 0);
    uint64_t block = run->setup.block[0], blocks = run->setup.grid[0],
             rounds = (uint64_t)point_value(p, "rounds", 0);
    bool shared = p->value[1] == 1, first = p->value[0] == 0 || p->value[0] >= 3;
    uint64_t warps = block / 32 * (shared ? 1 : blocks), count = 0;
    group = group ? group : warps;
    for (uint64_t index = 0; index < block * blocks; index++) {
        uint64_t warp = shared ? index % block / 32 : index / 32;
        uint64_t groups = (warps + group - 1) / group;
        uint64_t own =
            ((shared ? index / block * groups : 0) + warp / group) * (32 / lanes) + index % 32 / lanes;
        if (own != address)
            continue;
        thread[count] =
            (struct thread){.number = number_of(p->space->axes[2].words[p->value[2]], index,
                                                warp % group * lanes + index % lanes),
                            .operations = 16 * (rounds / blocks + (index / block < rounds % blocks)) + first};
        count++;
    }
    return count;
}

static void assert_reference(const char *settings)
{
    struct family_run run = run_whole(settings);
    uint64_t threads = (uint64_t)run.setup.grid[0] * run.setup.block[0], seen = 0;
    struct thread *thread = calloc(threads, sizeof *thread);
    for (uint64_t address = 0; address < run.setup.buffer[OUT].count; address++) {
        uint64_t got = 0, wanted, count = 0;
        memcpy(&got, (char *)run.data[OUT] + address * dtype_size(run.setup.buffer[OUT].dtype),
               dtype_size(run.setup.buffer[OUT].dtype));
        for (uint64_t order = 0; order < 4; order++) {
            count = threads_of(&run, address, thread);
            assert_true(count > 0);
            wanted = run_address(&run, thread, count, order);
            if (got != wanted)
                fail_msg("%s: address %llu, order %llu: %llx, expected %llx", settings,
                         (unsigned long long)address, (unsigned long long)order, (unsigned long long)got,
                         (unsigned long long)wanted);
        }
        seen += count;
    }
    assert_int_equal(seen, threads);
    free(thread);
}

TEST(reference)
{
    static const char *const types[] = {"u32", "u64", "f32", "f64", "f16x2", "bf16x2"};
    static const char *const shapes[] = {"lanes=1 warps=1 blocks=3 rounds=5 block=64",
                                         "lanes=32 warps=0 blocks=7 rounds=9 block=96",
                                         "lanes=4 warps=3 blocks=5 rounds=7 block=64",
                                         "lanes=8 warps=2 blocks=3 rounds=4 block=96 place=shared",
                                         "lanes=32 warps=0 blocks=2 rounds=3 block=320 place=shared"};
    for (int shape = 0; shape < 5; shape++)
        for (int type = 0; type < 6; type++) {
            static const char *const operations[] = {"variant=add", "variant=cas result=chained",
                                                     "variant=max", "variant=exchange result=used",
                                                     "variant=exchange result=chained"};
            for (int i = 0; i < (type < 2 ? 5 : 2); i++) {
                char settings[160];
                snprintf(settings, sizeof settings, "%s type=%s %s", operations[i], types[type],
                         shapes[shape]);
                assert_reference(settings);
            }
        }
    assert_reference("variant=plain result=chained blocks=3 rounds=5 block=64 type=f16x2");
    assert_reference("result=chained blocks=1 rounds=5 block=32 step=4 home=far");
    assert_reference("type=f16x2 lanes=32 warps=0 blocks=5 rounds=5 block=512"); /* more than 2048 sharers */
}

TEST(latency)
{
    uint32_t cycles[100];
    for (uint32_t i = 0; i < 100; i++)
        cycles[i] = 16 * (i * 37 % 100); /* 0 to 99 an operation, shuffled */
    struct observation seen = observe_of("result=chained blocks=1 block=32 rounds=100", cycles);
    assert_true(fabs(seen.latency_p50 - 49.5) < 1e-9);
    assert_true(isnan(observe_of("blocks=1 block=32 rounds=100", cycles).latency_p50));
}
