"""reduce: the sum of an array."""

from __future__ import annotations

from . import READ_ONCE, Family

FAMILY = Family(
    choices="variant vector items block grid",
    error_elsewhere=2.73,
    vendor=("cub_device",),
    error={"h100": 1.142, "h200": 1.141, "other": 1.142},
    baseline=("paper",),
    laws=(READ_ONCE,),
)
