#include "family/access/access.h"

#include <assert.h>

#include "family/rules.h"

enum {
    SECTOR_SHIFT = 5,
    LINE_SHIFT = 7,
    SECTORS_OF_LINE = LINE_BYTES / SECTOR_BYTES,
    SECTORS_MAX = 64, /* of a request: 32 lanes, each across a sector boundary */
};

/* One request: up to `width` bytes of each active lane. */
struct request {
    uint32_t active, width;
    const uint64_t *address;
    uint32_t shift; /* bytes to add to each lane's address */
};

/* Insert into ascending distinct numbers, when `number` is below the last. Returns the new count. */
static int insert_below(uint64_t *numbers, int count, uint64_t number)
{
    int at = count;
    while (at > 0 && numbers[at - 1] > number)
        at--;
    if (at > 0 && numbers[at - 1] == number)
        return count;
    for (int i = count; i > at; i--)
        numbers[i] = numbers[i - 1];
    numbers[at] = number;
    return count + 1;
}

/* Insert into ascending distinct numbers. Lanes are mostly ascending, so most numbers go to the end or equal
 * the last. */
static inline int insert(uint64_t *numbers, int count, uint64_t number)
{
    if (count && number == numbers[count - 1])
        return count;
    if (count && number < numbers[count - 1])
        return insert_below(numbers, count, number);
    numbers[count] = number;
    return count + 1;
}

/* The distinct sectors of a request, ascending. Returns their count. */
static int find_sectors(const struct request *request, uint64_t numbers[SECTORS_MAX])
{
    int count = 0;
    for (int lane = 0; lane < LANES; lane++) {
        if (!(request->active >> lane & 1))
            continue;
        uint64_t first = request->address[lane] + request->shift;
        uint64_t last = (first + request->width - 1) / SECTOR_BYTES;
        for (uint64_t number = first / SECTOR_BYTES; number <= last; number++)
            count = insert(numbers, count, number);
    }
    return count;
}

/* The number of distinct bytes of a request. */
static uint32_t count_bytes(const struct request *request)
{
    uint64_t starts[LANES], end = 0;
    uint32_t bytes = 0;
    int count = 0;
    for (int lane = 0; lane < LANES; lane++)
        if (request->active >> lane & 1)
            count = insert(starts, count, request->address[lane]);
    for (int i = 0; i < count; i++) {
        uint64_t first = i && starts[i] < end ? end : starts[i];
        end = starts[i] + request->width;
        bytes += (uint32_t)(end - first);
    }
    return bytes;
}

/* The number of distinct words in the busiest bank. */
static uint32_t count_wavefronts(const struct request *request, uint32_t group)
{
    uint64_t words[BANKS][LANES];
    uint32_t count[BANKS] = {0}, most = 0;
    for (int lane = 0; lane < LANES; lane++) {
        if (!((request->active & group) >> lane & 1))
            continue;
        uint64_t first = request->address[lane] + request->shift;
        for (uint64_t word = first / BANK_BYTES; word <= (first + request->width - 1) / BANK_BYTES; word++) {
            uint32_t bank = word % BANKS, i = 0;
            while (i < count[bank] && words[bank][i] != word)
                i++;
            if (i < count[bank])
                continue;
            words[bank][count[bank]++] = word;
            most = count[bank] > most ? count[bank] : most;
        }
    }
    return most;
}

/* Within `group`, do each lane and lane ^ `partner` have the same address, or are not both active? */
static bool shares_address(const struct request *request, uint32_t group, int partner)
{
    for (int lane = 0; lane < LANES; lane++) {
        uint32_t both = 1u << lane | 1u << (lane ^ partner);
        if ((request->active & group & both) == both &&
            request->address[lane] != request->address[lane ^ partner])
            return false;
    }
    return true;
}

static void add_group(const struct request *request, uint32_t group, struct access_cost *cost)
{
    uint32_t wavefronts = count_wavefronts(request, group);
    cost->wavefronts += wavefronts;
    cost->conflicts += wavefronts ? wavefronts - 1 : 0;
}

/* Groups of `lanes` lanes; two of them merge if all pairs of lanes of a load share addresses. */
static void add_groups(const struct request *request, int lanes, bool store, struct access_cost *cost)
{
    uint32_t one = (1u << lanes) - 1;
    for (int first = 0; first < LANES; first += 2 * lanes) {
        uint32_t low = one << first, high = low << lanes;
        if (!store && (shares_address(request, low | high, 1) || shares_address(request, low | high, 2))) {
            add_group(request, low | high, cost);
        } else {
            add_group(request, low, cost);
            add_group(request, high, cost);
        }
    }
}

static void add_sectored(const struct request *request, struct access_cost *cost)
{
    uint64_t numbers[SECTORS_MAX];
    int sectors = find_sectors(request, numbers);
    assert(sectors <= SECTORS_MAX);
    cost->bytes += count_bytes(request);
    cost->sectors += (uint32_t)sectors;
    for (int i = 0; i < sectors; i++)
        cost->lines += !i || numbers[i] / SECTORS_OF_LINE != numbers[i - 1] / SECTORS_OF_LINE;
}

static void add_wavefronts(const struct request *request, bool store, struct access_cost *cost)
{
    if (request->width > 8)
        add_groups(request, 8, store, cost);
    else if (request->width > 4)
        add_groups(request, 16, store, cost);
    else
        add_group(request, UINT32_MAX, cost);
}

/* Wavefronts of evenly spaced lanes. False if progression.h has no rule for them; then the lanes are counted
 * one by one. */
static bool add_even_wavefronts(const struct progression *p, uint32_t width, bool store,
                                struct access_cost *cost)
{
    uint32_t groups = width > BANK_BYTES ? width / BANK_BYTES : 1;
    uint32_t wavefronts = progression_wavefronts(p, width);
    if (!p->step && !store && groups > 1) /* one address for all lanes: two groups of a load merge */
        groups /= 2;
    cost->wavefronts += groups * wavefronts;
    cost->conflicts += wavefronts ? groups * (wavefronts - 1) : 0;
    return wavefronts != 0;
}

static void add_even(const struct progression *p, uint32_t width, struct access_cost *cost)
{
    cost->bytes += progression_bytes(p, width);
    cost->sectors += progression_units(p, width, SECTOR_SHIFT);
    cost->lines += progression_units(p, width, LINE_SHIFT);
}

struct access_cost access_model_cost(const struct access *access, int capability)
{
    struct access_cost cost = {0};
    struct progression p = {0};
    bool global = access->space == ACCESS_GLOBAL, even = progression_of(access, &p);
    bool sectored = access->space != ACCESS_SHARED;
    uint32_t widest = global && capability >= 100 ? 32 : 16;
    assert(access->width >= 1 && access->width <= ACCESS_BYTES_MOST);
    for (uint32_t done = 0; access->active && done < access->width; done += widest) {
        uint32_t left = access->width - done;
        struct request request = {access->active, left < widest ? left : widest, access->address, done};
        cost.requests++;
        if (!even || !add_even_wavefronts(&p, request.width, access->store, &cost))
            add_wavefronts(&request, access->store, &cost);
        if (sectored && even)
            add_even(&p, request.width, &cost);
        else if (sectored)
            add_sectored(&request, &cost);
        p.first += widest;
    }
    assert(cost.lines <= cost.sectors && cost.conflicts <= cost.wavefronts);
    return cost;
}
