#include "family/access/access.h"

#include <assert.h>
#include <string.h>

#include "family/rules.h"

enum {
    SECTOR_SHIFT = 5,
    BANK_SHIFT = 2,
    SECTORS_OF_LINE = LINE_BYTES / SECTOR_BYTES,
    UNITS_MAX = 144, /* words of 16 lanes of 32 bytes that begin within a word; sectors are 64 at most */
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

/* The distinct units of 1 << `shift` bytes that active lanes of a group touch, ascending. Returns their
 * count. */
static inline int find_units(const struct request *request, uint32_t group, int shift,
                             uint64_t numbers[UNITS_MAX])
{
    int count = 0;
    for (uint32_t rest = request->active & group; rest; rest &= rest - 1) {
        uint64_t first = request->address[__builtin_ctz(rest)] + request->shift, unit = first >> shift,
                 last = (first + request->width - 1) >> shift;
        for (; unit <= last && count && unit <= numbers[count - 1]; unit++)
            count = insert(numbers, count, unit);
        for (; unit <= last; unit++)
            numbers[count++] = unit;
    }
    assert(count <= UNITS_MAX);
    return count;
}

/* The number of distinct bytes of a request. */
static uint32_t count_bytes(const struct request *request)
{
    uint64_t starts[LANES], end = 0;
    uint32_t bytes = 0;
    int count = 0;
    for (uint32_t rest = request->active; rest; rest &= rest - 1)
        count = insert(starts, count, request->address[__builtin_ctz(rest)]);
    for (int i = 0; i < count; i++) {
        uint64_t first = i && starts[i] < end ? end : starts[i];
        end = starts[i] + request->width;
        bytes += (uint32_t)(end - first);
    }
    return bytes;
}

/* The number of distinct words in the busiest bank; 1 at once where all lie within one row of the banks. */
static uint32_t count_wavefronts(const struct request *request, uint32_t group)
{
    uint64_t words[UNITS_MAX], low = UINT64_MAX, high = 0;
    uint32_t in_bank[BANKS] = {0}, most = 0;
    for (uint32_t rest = request->active & group; rest; rest &= rest - 1) {
        uint64_t first = request->address[__builtin_ctz(rest)] + request->shift;
        low = first < low ? first : low;
        high = first > high ? first : high;
    }
    if (low <= high && ((high + request->width - 1) >> BANK_SHIFT) - (low >> BANK_SHIFT) < BANKS)
        return 1;
    int count = find_units(request, group, BANK_SHIFT, words);
    for (int i = 0; i < count; i++) {
        uint32_t here = ++in_bank[words[i] % BANKS];
        most = here > most ? here : most;
    }
    return most;
}

/* Within `group`, do each lane and lane ^ `partner` have the same address, or are not both active? */
static bool shares_address(const struct request *request, uint32_t group, int partner)
{
    for (uint32_t rest = request->active & group; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest), other = lane ^ partner;
        if (request->active & group & 1u << other && request->address[lane] != request->address[other])
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
    uint64_t numbers[UNITS_MAX];
    int sectors = find_units(request, UINT32_MAX, SECTOR_SHIFT, numbers);
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

/* An access, moved by whole lines so that it begins in the first one: banks and sectors repeat within them,
 * so that it costs the same. */
struct pattern {
    uint64_t address[LANES]; /* 0 for lanes that are not active */
    uint32_t active, width, widest;
    uint16_t sectored, store; /* truths, as wide as leaves no gap: patterns are compared byte by byte */
};

static struct access_cost cost_of(const struct pattern *access)
{
    struct access_cost cost = {0};
    const uint32_t widest = access->widest;
    for (uint32_t done = 0; access->active && done < access->width; done += widest) {
        uint32_t left = access->width - done;
        struct request request = {access->active, left < widest ? left : widest, access->address, done};
        cost.requests++;
        add_wavefronts(&request, access->store, &cost);
        if (access->sectored)
            add_sectored(&request, &cost);
    }
    assert(cost.lines <= cost.sectors && cost.conflicts <= cost.wavefronts);
    return cost;
}

/* The patterns of a kernel are few: its tiles lie lines apart. */
enum { KEPT = 64 };

struct access_cost access_model_cost(const struct access *access, int capability)
{
    static _Thread_local struct kept {
        struct pattern pattern;
        struct access_cost cost;
    } kept[KEPT];
    struct pattern pattern = {0};
    uint64_t hash = access->active, base = UINT64_MAX;
    assert(access->width >= 1 && access->width <= ACCESS_BYTES_MOST);
    pattern.active = access->active;
    pattern.width = access->width;
    pattern.widest = access->space == ACCESS_GLOBAL && capability >= 100 ? 32 : 16;
    pattern.sectored = access->space != ACCESS_SHARED;
    pattern.store = access->store;
    for (uint32_t rest = access->active; rest; rest &= rest - 1) {
        uint64_t address = access->address[__builtin_ctz(rest)];
        base = address < base ? address : base;
    }
    base -= base % LINE_BYTES;
    for (uint32_t rest = access->active; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        pattern.address[lane] = access->address[lane] - base;
        hash = hash * 31 + pattern.address[lane];
    }
    struct kept *found = &kept[(hash ^ hash >> 12 ^ hash >> 24) % KEPT];
    if (memcmp(&found->pattern, &pattern, sizeof pattern) != 0)
        *found = (struct kept){pattern, cost_of(&pattern)};
    return found->cost;
}
