#include "family/access/access.h"

#include <assert.h>

#include "base/divisor.h"

bool progression_of(const struct access *access, struct progression *p)
{
    uint32_t active = access->active;
    const uint64_t *address = access->address;
    if (!active || active & (active + 1)) /* no lane is active, or not the first ones */
        return false;
    uint32_t lanes = active == UINT32_MAX ? LANES : (uint32_t)__builtin_ctz(active + 1);
    uint64_t first = address[0], step = lanes > 1 ? address[1] - first : 0, apart = 0;
    if (lanes > 2 && address[2] - address[1] != step)
        return false;
    if (lanes == LANES) /* the common case: a loop of constant length without branches */
        for (uint32_t lane = 0; lane < LANES; lane += 2)
            apart |= (address[lane] ^ (first + lane * step)) | (address[lane + 1] - address[lane] - step);
    else
        for (uint32_t lane = 1; lane < lanes; lane++)
            apart |= address[lane] - address[lane - 1] - step;
    bool down = step >> 63;
    *p = (struct progression){down ? address[lanes - 1] : first, down ? -step : step, lanes};
    return !apart;
}

uint32_t progression_bytes(const struct progression *p, uint32_t width)
{
    return p->step >= width ? p->lanes * width : (p->lanes - 1) * (uint32_t)p->step + width;
}

/* Lanes at most one unit apart leave no unit out. Otherwise each lane touches one or two units, and may share
 * one with its neighbour. */
uint32_t progression_units(const struct progression *p, uint32_t width, int shift)
{
    uint64_t unit = UINT64_C(1) << shift, at = p->first, last = at + (p->lanes - 1) * p->step;
    uint32_t count = 0;
    assert(p->lanes >= 1 && p->lanes <= LANES && width <= unit);
    if (p->step <= unit)
        return (uint32_t)(((last + width - 1) >> shift) - (at >> shift)) + 1;
    if (!((at | p->step) & (width - 1)) && !(width & (width - 1))) /* aligned: no lane crosses a boundary */
        return p->lanes;
    if (p->step % unit == 0)
        return p->lanes * (uint32_t)(((at + width - 1) >> shift) - (at >> shift) + 1);
    for (uint64_t before = UINT64_MAX; at <= last; at += p->step) {
        uint64_t from = at >> shift, to = (at + width - 1) >> shift;
        count += (uint32_t)(to - from) + (from != before);
        before = to;
    }
    return count;
}

/* Words in the busiest bank, if each lane has its own word. */
static uint32_t busiest_bank(const struct progression *p)
{
    uint8_t words[BANKS] = {0}, most = 0;
    uint64_t at = p->first;
    for (uint32_t lane = 0; lane < p->lanes; lane++, at += p->step) {
        uint8_t here = ++words[at / BANK_BYTES % BANKS];
        most = here > most ? here : most;
    }
    return most;
}

uint32_t progression_wavefronts(const struct progression *p, uint32_t width)
{
    uint64_t last = p->first + (p->lanes - 1) * p->step + width - 1;
    if (width <= BANK_BYTES && p->step <= BANK_BYTES && last / BANK_BYTES - p->first / BANK_BYTES < BANKS)
        return 1; /* consecutive words */
    if (p->lanes == LANES && !p->step)
        return 1; /* all lanes read the same one to four words */
    if (width < BANK_BYTES && p->step >= BANK_BYTES && !((p->first | p->step) & (width - 1)))
        return busiest_bank(p);
    if (width < BANK_BYTES || p->step % width || p->first % width || (p->lanes < LANES && width > BANK_BYTES))
        return 0;
    if (p->lanes < LANES) { /* the number of banks before the first one repeats */
        uint32_t period = BANKS / (uint32_t)common_divisor(BANKS, p->step / BANK_BYTES % BANKS);
        return (p->lanes + period - 1) / period;
    }
    /* View the memory as `group` banks of `width` bytes: the conflicts are the common divisor of stride and
     * bank count. */
    uint32_t group = BANKS * BANK_BYTES / width;
    return (uint32_t)common_divisor(group, p->step / width % group);
}
