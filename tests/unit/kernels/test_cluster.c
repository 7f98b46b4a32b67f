/* The cluster family: work, launch, reasons, and the reference against accesses made one by one. */
#include "unit_test.h"

#define FAMILY "cluster"
#include "family_test.h"

enum { IN, COUNTER, OUT, CYCLES };

/* A cluster with the shared words of its blocks, through `each` accesses of each thread. */
struct cluster {
    uint32_t size, block, words, distance;
    int64_t variant, pattern;
    uint32_t *shared; /* [rank][thread][word] */
};

static uint32_t *at(const struct cluster *c, uint32_t rank, uint32_t thread)
{
    return c->shared + ((uint64_t)rank * c->block + thread) * c->words;
}

static uint32_t owner(const struct cluster *c, uint32_t rank, uint32_t access)
{
    if (c->pattern == 2)
        return 0;
    return (rank + (c->pattern ? access : c->distance)) % c->size;
}

static void run_cluster(const struct cluster *c, const uint32_t *in, uint32_t *result)
{
    for (uint32_t rank = 0; rank < c->size; rank++)
        for (uint32_t i = 0; i < c->block * c->words; i++)
            at(c, rank, 0)[i] = c->variant == 1 ? in[i] + rank : 0;
    for (uint32_t rank = 0; rank < c->size; rank++)
        for (uint32_t thread = 0; thread < c->block; thread++)
            for (uint32_t access = 0; access < 256; access++)
                for (uint32_t w = 0; w < c->words; w++) {
                    uint32_t *word = at(c, owner(c, rank, access % 16), thread) + w,
                             mine = in[thread * c->words + w];
                    if (c->variant == 1)
                        result[rank * c->block + thread] += *word;
                    else
                        *word = c->variant == 2 ? mine : *word + mine;
                }
    for (uint32_t i = 0; i < c->size * c->block && c->variant != 1; i++)
        for (uint32_t w = 0; w < c->words; w++)
            result[i] += c->shared[i * c->words + w];
}

static void assert_cluster_accesses(const char *settings)
{
    struct family_run run = run_whole(settings);
    struct cluster c = {.size = (uint32_t)run.point.value[1],
                        .block = run.setup.block[0],
                        .words = (uint32_t)point_value(&run.point, "width", 0) / 4,
                        .distance = (uint32_t)point_value(&run.point, "neighbour", 0),
                        .variant = run.point.value[0],
                        .pattern = run.point.value[2]};
    uint64_t threads = c.size * c.block;
    uint32_t *result = calloc(threads, 4);
    c.shared = calloc(threads * c.words, 4);
    run_cluster(&c, run.data[IN], result);
    for (uint64_t i = 0; i < run.setup.buffer[OUT].count; i++) /* all rounds are the same */
        assert_int_equal(((uint32_t *)run.data[OUT])[i], result[i % threads]);
    free(c.shared);
    free(result);
}

TEST(accesses)
{
    for (int variant = 0; variant < 3; variant++)
        for (int pattern = 0; pattern < 3; pattern++)
            for (int i = 0; i < 5; i++) {
                const int size = (const int[]){1, 2, 3, 8, 16}[i];
                static const char *const variants[] = {"read width=8", "write width=16", "atomic width=4"};
                static const char *const patterns[] = {"ring", "all_to_all", "broadcast"};
                char settings[160];
                snprintf(settings, sizeof settings, "variant=%s pattern=%s cluster=%d block=64 rounds=%d",
                         variants[variant], patterns[pattern], size, 2 * size);
                assert_cluster_accesses(settings);
            }
    assert_cluster_accesses("cluster=8 neighbour=5 block=32 rounds=8 width=4");
    assert_cluster_accesses("cluster=8 neighbour=13 block=32 rounds=8 width=4");
    assert_cluster_accesses("cluster=8 neighbour=0 block=32 rounds=8 width=16");
}

TEST(barriers_and_tiles)
{
    struct family_run run = run_whole("variant=sync cluster=4 block=32 rounds=12");
    for (uint32_t i = 0; i < 12 * 32; i++) /* round, rank, thread */
        assert_int_equal(((uint32_t *)run.data[OUT])[i],
                         ((uint32_t *)run.data[IN])[i % 32 * 4] + i / 128 + (i / 32 + 3) % 4);
    run = run_whole("variant=multicast cluster=2 block=64 rounds=74 size=512");
    for (uint32_t i = 0; i < run.setup.buffer[OUT].count; i++) {
        uint32_t sum = 0, round = i / 128;
        for (uint32_t turn = 252; turn < 256; turn++) /* the last four tiles, of 128 words each */
            for (uint32_t word = i % 64; word < 128; word += 64)
                sum += ((uint32_t *)run.data[IN])[(round * 7 + turn) % 128 * 128 + word];
        assert_int_equal(((uint32_t *)run.data[OUT])[i], sum);
    }
}

TEST(chase)
{
    struct family_run run = run_whole("variant=latency cluster=4 neighbour=3 size=8KiB");
    uint32_t place = 0;
    for (int i = 0; i < 1024 * 64; i++)
        place = ((uint32_t *)run.data[IN])[place / 128];
    assert_int_equal(*(uint32_t *)run.data[OUT], place);
}
