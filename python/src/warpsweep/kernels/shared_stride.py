"""shared_stride: bank conflicts."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd

from . import BANKS, EXACT, WORD, Family, Law, counted_of


def words(q: SimpleNamespace) -> pd.Series[float]:
    """Wavefronts but for the limit: words of an access, times the threads whose words share a bank."""
    common = q.of("stride").fillna(0).map(lambda value: float(np.gcd(int(value), int(BANKS))))
    return q.of("width") / WORD * common


FAMILY = Family(
    error={"h100": 1.035, "h200": 1.033, "other": 1.035},
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
                (q.of("stride") >= 1) & q.is_("variant", "read", "write"),
                q.of("stride"),
                np.minimum(BANKS, words(q)),
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
