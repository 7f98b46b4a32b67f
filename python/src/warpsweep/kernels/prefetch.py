"""prefetch: bytes in flight."""

from __future__ import annotations

from . import Family

FAMILY = Family(
    choices="variant stages tile_bytes block resident",
    error={"h100": 1.118, "h200": 1.136, "other": 1.136},
)
