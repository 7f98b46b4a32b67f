"""block_load: a tile per block."""

from __future__ import annotations

from . import Family

FAMILY = Family(
    choices="variant items block carveout",
    error={"h100": 1.151, "h200": 1.151, "other": 1.153},
    error_unknown={"h100": 1.039, "h200": 1.098, "other": 1.099},
)
