/* The copy family's arithmetic by hand: bytes, grid, every reason to refuse, and the reference against a
 * plain simulation of the kernel's threads. */
#include "unit_test.h"

#define FAMILY "copy"
#include "family_test.h"

/* What the threads of copy.cu do, one access after another. */
static void simulate(const struct point *point, const struct setup *s, const unsigned char *in,
                     unsigned char *out)
{
    uint64_t n = s->argument[2].value, stride = s->arguments > 3 ? s->argument[3].value : 1;
    uint64_t size = dtype_size(s->buffer[0].dtype), vector = (uint64_t)point_value(point, "vector", 1);
    bool store = point_value(point, "variant", 0) == 1;
    uint64_t offset = BUFFER_OFFSET(s->argument[store].value) / size;
    assert_int_equal(BUFFER_OFFSET(s->argument[!store].value), 0);
    if (s->entry)
        assert_int_equal(s->argument[2].kind, ARGUMENT_U32);
    if (s->entry)
        assert_string_equal(s->entry, s->arguments > 3 ? "copy_strided" : "copy");
    for (uint64_t k = 0; k < n; k++) {
        uint64_t from = k * vector * (store ? 1 : stride) + (store ? 0 : offset);
        uint64_t to = k * vector * (store ? stride : 1) + (store ? offset : 0);
        assert_true(from + vector <= s->buffer[0].count && to + vector <= s->buffer[1].count);
        memcpy(out + to * size, in + from * size, vector * size);
    }
}

static void assert_reference(const char *settings)
{
    struct family_run run = run_new(settings);
    uint64_t bytes = dtype_bytes(run.setup.buffer[1].dtype, run.setup.buffer[1].count);
    unsigned char *expected = malloc(bytes);
    memset(expected, 0xff, bytes); /* gaps must stay */
    simulate(&run.point, &run.setup, run.data[0], expected);
    family_run_reference(&run);
    if (memcmp(run.data[1], expected, bytes) != 0)
        fail_msg("%s: the reference is not what the kernel does", settings);
    free(expected);
}

/* One tile a block, and the last block access by access. */
TEST(bulk_load)
{
    static const int rests[] = {0, 1, 300, 511};
    /* by load instructions */
    for (int i = 0; i < 4 * 3; i++) {
        char settings[160];
        uint64_t loaded[SETUP_BUFFERS_MAX], vector = (const uint64_t[]){1, 2, 8}[i / 4],
                                            tile = 512 * 2 * vector;
        uint64_t rest = (uint64_t)rests[i % 4] * 2 * vector;
        snprintf(settings, sizeof settings,
                 "variant=bulk_load dtype=f16 size=%d vector=%d items=%d block=%d offset=16",
                 (int)(2 * tile + rest + 32), (int)vector, i % 4 ? 1 : 4, i % 4 ? 512 : 128);
        struct setup s = setup_of(settings);
        assert_int_equal(s.grid[0], 2 + (rest > 0));
        assert_int_equal(s.shared_dynamic, tile + 8);
        assert_string_equal(s.entry, "copy");
        assert_int_equal(s.arguments, 3);
        assert_accesses(settings, loaded);
        assert_int_equal(loaded[0], rest);
        assert_int_equal(tile_reads(settings, 1, tile), tile);
        assert_int_equal(tile_reads(settings, 2, tile), 0);
    }
    struct access a = access_of("variant=bulk_load vector=2 items=2 block=64", 3, 1);
    assert_int_equal(a.space, ACCESS_SHARED);
    assert_int_equal(a.address[31], (64 + 63) * 8);
}

TEST(reference_at_odd_sizes)
{
    static const char *const variants[] = {"load", "store", "gridstride"};
    static const struct {
        const char *dtype;
        int size;
    } types[] = {{"u8", 1}, {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}, {"e4m3", 1}};
    static const int counts[] = {1, 2, 31, 33, 255, 257, 1003}, strides[] = {1, 2, 8, 137},
                     vectors[] = {1, 2, 4};
    for (int i = 0; i < 3 * 6 * 7 * 4 * 3; i++) {
        int variant = i % 3, type = i / 3 % 6, count = counts[i / 18 % 7], stride = strides[i / 126 % 4];
        int vector = vectors[i / 504 % 3], offset = i % 5 * vector;
        char settings[160];
        if (offset + vector > count)
            continue;
        snprintf(settings, sizeof settings, "variant=%s dtype=%s size=%d stride=%d vector=%d offset=%d",
                 variants[variant], types[type].dtype, count * types[type].size, stride, vector, offset);
        assert_reference(settings);
    }
    assert_reference("size=4194332 dtype=f32 vector=4"); /* 2^20 + 7 elements */
    assert_reference("size=1048583 dtype=u8 stride=5 offset=3");
    assert_reference("size=1048583 dtype=u8 variant=bulk_load offset=48");
    assert_reference("size=1048583 dtype=u8 variant=memcpy");
    assert_reference("size=1048583 dtype=u8 variant=cub_transform");
}
