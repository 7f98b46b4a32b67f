"""block_load: a tile per block."""

from __future__ import annotations

from . import Family

FAMILY = Family(error=1.15, error_unknown=1.2)
