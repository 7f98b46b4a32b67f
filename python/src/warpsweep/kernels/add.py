"""add: two arrays."""

from __future__ import annotations

from . import READ_ONCE, Family

FAMILY = Family(
    vendor=("cub_transform",),
    error=1.12,
    error_unknown=1.04,
    baseline_unknown=("paper",),
    laws=(READ_ONCE,),
)
