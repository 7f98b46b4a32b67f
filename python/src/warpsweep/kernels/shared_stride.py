"""shared_stride: bank conflicts."""

from __future__ import annotations

import numpy as np

from . import BANKS, EXACT, Family, Law, counted_of

FAMILY = Family(
    error=1.03,
    laws=(
        Law(
            "shared_stride",
            "wavefronts for a request",
            "min(32, words * gcd(stride, 32))",
            "stride",
            "words",
            "shared_stride_ladder",
            EXACT,
            lambda q: (
                (q.stride >= 1) & q.is_("variant", "read", "write"),
                q.stride,
                np.minimum(BANKS, q.words),
                counted_of(
                    q,
                    "write",
                    "shared_store_wavefronts_per_request",
                    "shared_load_wavefronts_per_request",
                ),
            ),
            "Conflicts come from the common divisor of stride and banks alone: odd strides have none.",
        ),
    ),
)
