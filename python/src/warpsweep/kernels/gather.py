"""gather: reads through an index."""

from __future__ import annotations

import numpy as np

from . import BURST, DRAM, Family, Law

RANDOM_BEYOND = (
    4.0  # times larger still than `beyond_l2`: L2 keeps a share of what is accessed at random
)

FAMILY = Family(
    error=1.09,
    baseline="paper",
    laws=(
        Law(
            "gather_strided",
            "DRAM bytes read for an element",
            "index + min(distance, 64)",
            "distance",
            "bytes",
            "gather_stride",
            DRAM,
            lambda q: (
                q.is_("variant", "strided") & q.beyond_l2(q.size),
                q.apart,
                q.index + np.minimum(q.apart, BURST),
                q.of("dram_bytes_read") / (q.size / q.element),
            ),
            "A strided gather moves from DRAM its index and what a strided load moves.",
        ),
        Law(
            "gather_random",
            "DRAM bytes read for an element",
            "index + 64",
            "array",
            "bytes",
            "gather_size",
            DRAM,
            lambda q: (
                q.is_("variant", "random", "permuted") & q.beyond_l2(q.size / RANDOM_BEYOND),
                q.size,
                q.index + BURST,
                q.of("dram_bytes_read") / (q.size / q.element),
            ),
            "Out of an array that L2 cannot hold, each element at a random place moves two sectors.",
        ),
    ),
)
