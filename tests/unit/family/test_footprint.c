/* What accesses touch, by arithmetic and by groups of bits, against going through every byte. */
#include "unit_test.h"

#include "base/hash.h"
#include "family/access/access.h"

enum { BYTES = 1 << 18, TRIALS = 20000, ACCESSES = 24 };

/* Evenly apart, up or down, all lanes or the first ones; every third time in an order of its own. */
static struct access made_up(uint64_t trial)
{
    static const uint64_t steps[] = {0,  1,  2,  4,   5,   8,   12,  16,  24,  32,
                                     36, 48, 64, 100, 128, 132, 256, 548, 1024};
    const uint64_t r = hash_mix(trial), step = steps[r % (sizeof steps / sizeof *steps)];
    struct access access = {.space = r >> 8 & 1 ? ACCESS_GLOBAL : ACCESS_SHARED,
                            .store = r >> 9 & 1,
                            .width = 1u << (r >> 10) % 6,
                            .times = 1};
    access_evenly(&access, 40000 + (r >> 16) % 300, r >> 13 & 1 ? -step : step, 1 + (r >> 32) % 48);
    if (trial % 3 == 0) { /* shuffled, and some lanes do not take part */
        for (uint32_t lane = 0; lane < 32; lane++)
            access.address[lane] = 40000 + hash_mix(r + lane) % (1 + (r >> 40) % 5000);
        access.active = (uint32_t)hash_mix(r);
    }
    return access;
}

/* Bytes that the lanes' parts [from, end) touch. */
static void touch(const struct access *access, uint32_t from, uint32_t end, unsigned char touched[BYTES])
{
    for (uint32_t lane = 0; lane < 32; lane++)
        if (access->active >> lane & 1)
            memset(touched + access->address[lane] + from, 1, end - from);
}

static uint32_t units_of(const unsigned char touched[BYTES], uint32_t unit)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < BYTES; i += unit)
        count += memchr(touched + i, 1, unit) != NULL;
    return count;
}

TEST(global_cost)
{
    static unsigned char touched[BYTES];
    for (uint64_t trial = 0; trial < TRIALS / 20; trial++) {
        struct access access = made_up(trial);
        uint32_t bytes = 0, sectors = 0, lines = 0;
        access.space = ACCESS_GLOBAL;
        for (uint32_t done = 0; done < access.width; done += 16) {
            memset(touched, 0, sizeof touched);
            touch(&access, done, done + 16 < access.width ? done + 16 : access.width, touched);
            bytes += units_of(touched, 1);
            sectors += units_of(touched, SECTOR_BYTES);
            lines += units_of(touched, LINE_BYTES);
        }
        struct access_cost cost = access_model_cost(&access, 90);
        if (cost.bytes != bytes || cost.sectors != sectors || cost.lines != lines)
            fail_msg("trial %d: %u bytes, %u sectors, %u lines; by every byte %u, %u, %u", (int)trial,
                     cost.bytes, cost.sectors, cost.lines, bytes, sectors, lines);
    }
}

/* Words of the busiest bank, lanes of up to 4 bytes. */
static uint32_t wavefronts_of(const struct access *access)
{
    static unsigned char touched[BYTES];
    uint32_t banks[32] = {0}, most = 0;
    memset(touched, 0, sizeof touched);
    touch(access, 0, access->width, touched);
    for (uint32_t word = 0; word < BYTES / 4; word++)
        if (memchr(touched + 4 * (size_t)word, 1, 4) && ++banks[word % 32] > most)
            most = banks[word % 32];
    return most;
}

TEST(shared_cost)
{
    for (uint64_t trial = 0; trial < TRIALS / 20; trial++) {
        struct access access = made_up(trial);
        access.space = ACCESS_SHARED;
        access.width = 1u << trial % 3;
        uint32_t wavefronts = wavefronts_of(&access), told = access_model_cost(&access, 90).wavefronts;
        if (told != wavefronts)
            fail_msg("trial %d: %u wavefronts; by every word %u", (int)trial, told, wavefronts);
    }
}

/* Of the second half of `touched`, and of all: units, and those that are touched in every byte. */
static void assert_part(const struct footprint *footprint, bool store, const unsigned char touched[BYTES],
                        double cost, int trial)
{
    uint32_t unit = store ? SECTOR_BYTES : footprint_granule(footprint), units = 0, whole = 0, runs = 0;
    bool before = false;
    for (uint32_t i = 0; i < BYTES; i += unit) {
        bool here = memchr(touched + i, 1, unit) != NULL;
        units += here;
        whole += here && !memchr(touched + i, 0, unit);
        runs += here && !before;
        before = here;
    }
    struct footprint_part part = footprint_part(footprint, 0, store);
    if (!units) {
        assert_true(isnan(part.share) && isnan(part.run));
        return;
    }
    double partial = store ? 1 - (double)whole / units : 0;
    if (part.run != (double)unit * units / runs || part.partial != partial ||
        part.share != units * (double)unit / cost)
        fail_msg("trial %d, %s: %g bytes in a row, %g in part, share %g; by every byte %g, %g, %g", trial,
                 store ? "stores" : "loads", part.run, part.partial, part.share, (double)unit * units / runs,
                 partial, units * (double)unit / cost);
}

TEST(footprint)
{
    static unsigned char touched[2][BYTES];
    for (uint64_t trial = 0; trial < TRIALS / 200; trial++) {
        struct footprint *footprint = footprint_new(SECTOR_BYTES << trial % 4);
        double cost[2] = {0};
        memset(touched, 0, sizeof touched);
        for (uint64_t i = 0; i < ACCESSES; i++) {
            struct access access = made_up(ACCESSES * trial + i);
            access.space = ACCESS_GLOBAL;
            double sectors = access_model_cost(&access, 90).sectors;
            touch(&access, 0, access.width, touched[access.store]);
            footprint_add(footprint, &access, sectors);
            cost[access.store] += access.active ? sectors : 0;
        }
        for (int store = 0; store < 2; store++)
            assert_part(footprint, store, touched[store], cost[store], (int)trial);
        footprint_free(footprint);
    }
}

/* Nothing new in the second half: all there is has been seen. And what is full takes no more. */
TEST(saturated_and_full)
{
    struct access access = {.space = ACCESS_GLOBAL, .width = 4, .times = 1};
    struct footprint *footprint = footprint_new(GRANULE_BYTES);
    access_evenly(&access, 0, 4, 32);
    footprint_add(footprint, &access, 4);
    footprint_halfway(footprint);
    footprint_add(footprint, &access, 4);
    assert_true(footprint_part(footprint, 0, false).saturated == 2 * GRANULE_BYTES);
    assert_true(footprint_part(footprint, 0, false).share == 2.0 * GRANULE_BYTES / 8);
    for (uint64_t i = 0; !footprint_full(footprint) && i < 1000; i++) {
        access_evenly(&access, i << 20, 4096, 32);
        footprint_add(footprint, &access, 32);
    }
    assert_true(footprint_full(footprint));
    double share = footprint_part(footprint, 0, false).share;
    access_evenly(&access, UINT64_C(1) << 40, 4, 32);
    footprint_add(footprint, &access, 4);
    assert_true(footprint_part(footprint, 0, false).share == share);
    assert_true(isnan(footprint_part(footprint, 0, false).saturated));
    footprint_free(footprint);
}
