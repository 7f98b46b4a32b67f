"""block_load: a tile per block."""

from __future__ import annotations

from . import Family

FAMILY = Family(
    choices="variant items block carveout",
    error={"h100": 1.151, "h200": 1.17, "other": 1.17},
    error_unknown={"h100": 1.039, "h200": 1.099, "other": 1.1},
)
