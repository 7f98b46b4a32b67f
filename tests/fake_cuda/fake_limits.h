/* fake_limits.h - limits of L2 of the runtime's only device, and the window of the last launch. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>

extern struct fake_limits {
    int room, window_max; /* bytes, of the device */
    size_t persisting, fetch;
    bool fixed; /* as with MPS: setting the share of L2 has no effect */
    int resets; /* of persisting lines */
} fake_limits;
