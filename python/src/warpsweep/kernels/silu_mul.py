"""silu_mul: an activation."""

from __future__ import annotations

from . import READ_ONCE, Family

FAMILY = Family(
    choices="loop vector unroll pdl block",
    ways="loop",
    vendor=("cub_transform",),
    error={"h100": 1.201, "h200": 1.126, "other": 1.201},
    error_unknown={"h100": 1.041, "h200": 1.041, "other": 1.041},
    laws=(READ_ONCE,),
)
