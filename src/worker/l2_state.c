#include "worker/stages.h"

#include <math.h>
#include <stdio.h>

struct footprint {
    double inputs, buffers; /* bytes */
    bool elsewhere;         /* some buffer is not in the memory of the device */
};

static struct footprint footprint_of(const struct setup *setup)
{
    struct footprint footprint = {.buffers = (double)setup_bytes(setup, 1),
                                  .elsewhere = setup_has_parts(setup)};
    for (int b = 0; b < setup->buffers; b++) {
        const struct buffer *buffer = &setup->buffer[b];
        footprint.elsewhere |= buffer->on_host || buffer->device;
        if (buffer->role == BUFFER_INPUT)
            footprint.inputs += (double)(dtype_bytes(buffer->dtype, buffer->count));
    }
    return footprint;
}

/* Everything came from DRAM: nearly all that was read from L2 was not in it; or all inputs did, none of them
 * twice, since no line is evicted. */
static bool is_from_dram(const struct footprint *footprint, bool fits, double dram_read, double l2_read)
{
    return dram_read >= (1 - L2_STATE_TOLERANCE) * l2_read ||
           (fits && dram_read >= (1 - L2_STATE_TOLERANCE) * footprint->inputs);
}

void l2_state_judge(const struct point *point, const struct target *target, enum cache_mode standard,
                    double dram_read, double l2_read, char *out, size_t size)
{
    struct setup setup = point_setup(point, target);
    struct footprint footprint = footprint_of(&setup);
    bool hot = point_value(point, "cache", standard) == CACHE_HOT;
    bool fits = footprint.buffers <= 0.5 * (double)target->l2_bytes;
    double needed = fmin(footprint.inputs, (double)family_of(point)->work(point).bytes_read);
    double from_dram = dram_read / needed,
           missed = dram_read / fmax(needed, l2_read); /* NaN does not count */
    if (isnan(dram_read))
        snprintf(out, size, "unknown: dram_bytes_read was not counted");
    else if (footprint.elsewhere)
        snprintf(out, size, "unknown: not all buffers are in the memory of the device");
    else if (needed < L2_STATE_BYTES_MIN)
        snprintf(out, size, "unknown: it has to read less than 64 KiB of inputs");
    else if (hot ? missed <= L2_STATE_TOLERANCE : is_from_dram(&footprint, fits, dram_read, l2_read))
        snprintf(out, size, "proved");
    else if (hot && !fits)
        snprintf(out, size, "unknown: its buffers are larger than half of L2");
    else if (hot)
        snprintf(out, size, "disproved: DRAM reads are %.3g %% of the reads of L2", 100 * missed);
    else if (from_dram < 1 - L2_STATE_TOLERANCE)
        snprintf(out, size, "disproved: DRAM reads are %.3g %% of the inputs", 100 * from_dram);
    else
        snprintf(out, size, "unknown: it reads data from L2 more than once");
}
