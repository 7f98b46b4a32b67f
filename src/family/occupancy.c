#include "family/occupancy.h"

#include <math.h>

enum {
    QUARTERS = 4,
    QUARTER_REGISTERS = 16384,
    REGISTER_UNIT = 256,
    SHARED_UNIT = 128,
};

double occupancy_blocks(const struct code_needs *needs, double threads, double shared_dynamic,
                        double threads_sm, double shared_sm)
{
    if (needs->registers <= 0 || !(threads > 0))
        return NAN;
    double warps = ceil(threads / 32);
    double warp_registers = ceil(32.0 * needs->registers / REGISTER_UNIT) * REGISTER_UNIT;
    double by_registers = floor(floor(QUARTER_REGISTERS / warp_registers) * QUARTERS / warps);
    double shared =
        ceil((needs->shared_static + shared_dynamic + OCCUPANCY_RESERVED) / SHARED_UNIT) * SHARED_UNIT;
    double most = fmin(OCCUPANCY_BLOCKS_MAX, fmin(floor(threads_sm / (32 * warps)), by_registers));
    return fmax(1, fmin(most, floor(shared_sm / shared)));
}
