"""add: two arrays."""

from __future__ import annotations

from . import READ_ONCE, Family

FAMILY = Family(
    choices="variant vector items block restrict hint carveout",
    vendor=("cub_transform",),
    error={"h100": 1.055, "h200": 1.062, "other": 1.116},
    error_unknown={"h100": 1.029, "h200": 1.039, "other": 1.039},
    baseline_unknown=("paper",),
    laws=(READ_ONCE,),
)
