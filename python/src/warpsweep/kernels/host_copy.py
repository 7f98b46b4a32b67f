"""host_copy: between host and device."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd

from . import Family


def holds(q: SimpleNamespace) -> pd.Series[bool]:
    """Copies of pinned memory alone run at the rates of the link."""
    pinned: pd.Series[bool] = q.is_("variant", "pinned")
    return pinned


FAMILY = Family(
    error_elsewhere=1.17,
    holds=holds,
    error={"h100": 1.094, "h200": 1.094, "other": 1.094},
    baseline=("paper",),
    blocks=False,
)
