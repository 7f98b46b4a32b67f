/* The copy family's arithmetic by hand: bytes, grid, every reason to refuse, and the reference against a
 * plain simulation of the kernel's threads. */
#include "unit_test.h"

#define FAMILY "copy"
#include "family_test.h"
#include "kernels/registry.h"

static const struct target unknown;

static const struct family *copy(void)
{
    return family_find("copy");
}

static void assert_bytes(const char *settings, uint64_t each_way)
{
    assert_work(settings, each_way, each_way, 0);
}

TEST(bytes)
{
    assert_bytes("size=1MiB", 1 << 20);
    assert_bytes("size=1MiB dtype=u8", 1 << 20);
    assert_bytes("size=1MiB dtype=bf16", 1 << 20);
    assert_bytes("size=1MiB stride=2", 1 << 19);
    assert_bytes("size=1MiB stride=2 vector=4", 1 << 19);
    assert_bytes("size=1MiB stride=32 variant=store", 1 << 15);
    assert_bytes("size=1MiB stride=137",
                 4 * 1914); /* ceil(262144 / 137) = 1914: the last starts in the array */
    assert_bytes("size=4000 offset=1", 3996);
    assert_bytes("size=4000 offset=3 stride=2", 4 * 499); /* elements 3, 5 ... 999 */
    assert_bytes("size=4012 vector=4", 4000);             /* 1003 elements: 250 whole vectors */
    assert_bytes("size=4 dtype=f32", 4);
    assert_bytes("size=8 dtype=f64", 8);
    assert_bytes("size=32 dtype=u8 vector=32", 32);
    assert_bytes("size=1MiB variant=memcpy", 1 << 20);
    assert_bytes("size=1MiB variant=cub_transform", 1 << 20);
}

TEST(grid)
{
    assert_grid("size=1GiB variant=gridstride", 132 * 8, 256); /* what 132 multiprocessors hold */
    assert_grid("size=1GiB variant=gridstride block=1024", 132 * 2, 1024);
    assert_grid("size=1MiB variant=gridstride items=8", 128, 256); /* fewer blocks than could be resident */
}

TEST(every_reason)
{
    assert_skip("size=1001 dtype=f32", "1001 bytes are no whole number of f32 elements");
    assert_skip("vector=3", "a vector of 3 elements is no power of two");
    assert_skip("vector=16", "a vector of 64 bytes is wider than 32 bytes");
    assert_skip("dtype=f64 vector=8", "64 bytes");
    assert_skip("vector=4 offset=1", "an offset of 1 elements misaligns accesses of 4 elements");
    assert_skip("vector=4 offset=8", NULL);
    assert_skip("size=16 offset=4", "too small for one access");
    assert_skip("size=16 offset=3", NULL);
    assert_skip("size=16 vector=8", "too small for one access");
    assert_skip("variant=memcpy stride=2", "memcpy is the vendor's copy");
    assert_skip("variant=memcpy vector=2", "memcpy is the vendor's copy");
    assert_skip("variant=memcpy items=2", "memcpy is the vendor's copy");
    assert_skip("variant=memcpy offset=1", "memcpy is the vendor's copy");
    assert_skip("variant=memcpy", NULL);
    assert_skip("variant=cub_transform", NULL);
    assert_skip("variant=cub_transform dtype=f64", NULL);
    assert_skip("variant=cub_transform vector=2", "cub_transform is the vendor's copy: it has no vector");
    assert_skip("variant=cub_transform arch=sm_90", "cub_transform is the vendor's copy: it has no arch");
    assert_skip("variant=cub_transform tile_bytes=4KiB", "only bulk copies have a tile");
    assert_skip("variant=memcpy arch=sm_90", "memcpy is the vendor's copy: it has no arch");
    assert_skip("variant=bulk", NULL);
    assert_skip_on(&unknown, "variant=bulk arch=sm_80",
                   "a bulk copy needs compute capability 9.0; this is 8.0");
    assert_skip("variant=bulk vector=4", "bulk copies have a tile");
    assert_skip("variant=bulk tile_bytes=1032", "multiples of 16 bytes");
    assert_skip("tile_bytes=16KiB", "only bulk copies have a tile");
    assert_skip("variant=bulk_load", NULL);
    assert_skip_on(&on_host, "variant=bulk_load", NULL);
    assert_skip("variant=bulk_load tile_bytes=16KiB", "only bulk copies have a tile");
    assert_skip("variant=bulk_load stride=2", "bulk loads have no stride and no hint");
    assert_skip("variant=bulk_load hint=stream", "bulk loads have no stride and no hint");
    assert_skip("variant=bulk_load vector=8", "32 bytes to shared memory is wider than 16");
    assert_skip("variant=bulk_load offset=2", "an offset of 2 elements misaligns bulk copies");
    assert_skip("variant=bulk_load offset=4", NULL);
    assert_skip("variant=bulk_load block=7", "a block's part of 28 bytes");
    assert_skip("variant=bulk_load block=1024 vector=4 items=16", "more shared memory");
    assert_skip("variant=bulk_load block=16 dtype=u8 size=64GiB", "4294967296 blocks are more");
    assert_skip_on(&unknown, "variant=bulk_load arch=sm_80",
                   "a bulk load needs compute capability 9.0; this is 8.0");
    assert_skip("size=64GiB dtype=u8 block=1", "68719476736 blocks are more than a grid has");
    assert_skip("size=64GiB dtype=u8 block=1 variant=gridstride", NULL);
    assert_skip("size=71GiB", "its buffers need 142 GiB; the device has 141 GiB");
    assert_skip("size=70GiB", NULL);
    assert_skip("arch=sm_100a", "sm_100a code does not run on compute capability 9.0");
    assert_skip("arch=compute_80", NULL);
    assert_skip_on(&on_host, "arch=compute_80", "the host back end runs C, not compute_80 code");
    assert_skip_on(&on_host, "", NULL);
    for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) { /* up to 32 bytes of every type */
        char settings[64];
        int widest = 32 / (int)dtype_size((enum dtype)dtype);
        snprintf(settings, sizeof settings, "dtype=%s vector=%d", dtype_words[dtype], widest);
        assert_skip(settings, dtype < DTYPE_E2M1 ? NULL : "a type of block-scaled products alone");
    }
}

TEST(setup)
{
    struct point point = point_of("size=1MiB dtype=f16 stride=3 vector=2 offset=4 carveout=50");
    struct setup s = copy()->setup(&point, &hopper);
    assert_int_equal(s.engine, ENGINE_KERNEL);
    assert_string_equal(s.entry, "copy_strided");
    assert_int_equal(s.buffers, 2);
    assert_int_equal(s.buffer[0].role, BUFFER_INPUT);
    assert_int_equal(s.buffer[1].role, BUFFER_OUTPUT);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(s.buffer[i].dtype, DTYPE_F16);
        assert_int_equal(s.buffer[i].count, 1 << 19);
    }
    assert_int_equal(s.argument[2].value, (((1 << 19) - 4 - 2) / 6) + 1);
    assert_int_equal(s.argument[3].value, 3);
    assert_int_equal(s.arguments, 4);
    assert_int_equal(s.argument[0].value, BUFFER_FROM(0, 8)); /* 4 elements of 2 bytes */
    assert_int_equal(s.argument[1].value, 1);
    assert_int_equal(s.carveout, 50);
    point = point_of("variant=memcpy");
    s = copy()->setup(&point, &hopper);
    assert_int_equal(s.engine, ENGINE_MEMCPY);
    assert_null(s.entry);
    assert_int_equal(s.carveout, -1);
    struct tolerance tolerance = copy()->tolerance(&point);
    assert_true(tolerance.relative == 0 && tolerance.absolute == 0); /* a copy is exact */
    struct access access;
    point = point_of("variant=cub_transform");
    s = copy()->setup(&point, &hopper);
    assert_int_equal(s.engine, ENGINE_CUB_COPY);
    assert_false(copy()->access(&point, &s, 0, 0, &access));
}

/* Which of the kernels runs: numbers of 32 bits as far as they reach, and a stride only where there is one. */
TEST(entries)
{
    static const struct {
        const char *settings, *entry;
        enum argument_kind number;
    } rows[] = {{"size=8GiB", "copy", ARGUMENT_U32},
                {"size=9GiB", "copy_large", ARGUMENT_U64},
                {"size=2GiB dtype=u8", "copy", ARGUMENT_U32},
                {"size=3GiB dtype=u8", "copy_large", ARGUMENT_U64},
                {"size=8GiB stride=2", "copy_strided", ARGUMENT_U32},
                {"size=9GiB stride=2 variant=store", "copy_strided_large", ARGUMENT_U64},
                {"size=9GiB variant=gridstride", "copy_large", ARGUMENT_U64}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct setup s = setup_of(rows[i].settings);
        assert_string_equal(s.entry, rows[i].entry);
        assert_int_equal(s.argument[2].kind, rows[i].number);
    }
}

/* Bulk: whole 16 bytes by bulk, the rest by lanes; as many blocks as are resident, or tiles. */
TEST(bulk)
{
    struct setup s = setup_of("variant=bulk size=1000003 dtype=u8");
    assert_true(s.argument[2].value == 1000000 && s.argument[3].value == 3);
    assert_grid("variant=bulk size=1000003 dtype=u8", 123, 32);
    assert_int_equal(s.shared_dynamic, 4 * (8192 + 8));
    assert_grid("variant=bulk size=1GiB tile_bytes=16KiB", 132 * 3, 32); /* 228 KiB hold three of 64 */
    assert_grid("variant=bulk size=8 dtype=u8", 1, 32);
    assert_int_equal(setup_of("variant=bulk size=8 dtype=u8").argument[3].value, 8);
}

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
    for (int i = 0; i < 4 * 3; i++) {
        char settings[160];
        uint64_t loaded[SETUP_BUFFERS_MAX], vector = i / 4 == 2 ? 8 : i / 4 ? 2 : 1, tile = 512 * 2 * vector;
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
        assert_int_equal(loaded[0], rest); /* by load instructions */
        assert_int_equal(tile_reads(settings, 1, tile), tile);
        assert_int_equal(tile_reads(settings, 2, tile), 0);
    }
    struct access a = access_of("variant=bulk_load vector=2 items=2 block=64", 3, 1);
    assert_int_equal(a.space, ACCESS_SHARED);
    assert_int_equal(a.address[31], (64 + 63) * 8);
    assert_bytes("size=4012 vector=4 variant=bulk_load", 4000);
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
