"""transpose: of a matrix."""

from __future__ import annotations

from . import Family

FAMILY = Family(
    choices="variant vector tile layout store stages group carveout",
    error_elsewhere=2.12,
    vendor=("cublas",),
    error={"h100": 1.142, "h200": 1.168, "other": 1.168},
    baseline=("paper",),
)
