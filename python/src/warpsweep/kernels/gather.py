"""gather: reads through an index."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd

from . import BURST, DRAM, Family, Law

# times larger still than `beyond_l2`: L2 keeps a share of what is accessed at random
RANDOM_BEYOND = 4.0


def index(q: SimpleNamespace) -> pd.Series[float]:
    """Bytes of an index."""
    return q.bytes_of("index_dtype").fillna(4)


def apart(q: SimpleNamespace) -> pd.Series[float]:
    """Bytes from one element to the next that is read."""
    return q.element * q.of("stride")


FAMILY = Family(
    choices="items block hint carveout",
    error_elsewhere=15.0,
    error={"h100": 1.09, "h200": 1.093, "other": 1.093},
    baseline=("paper",),
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
                apart(q),
                index(q) + np.minimum(apart(q), BURST),
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
                index(q) + BURST,
                q.of("dram_bytes_read") / (q.size / q.element),
            ),
            "Out of an array that L2 cannot hold, each element at a random place moves two sectors.",
        ),
    ),
)
