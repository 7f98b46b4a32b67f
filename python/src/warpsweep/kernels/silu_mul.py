"""silu_mul: an activation."""

from __future__ import annotations

from . import READ_ONCE, Family

FAMILY = Family(
    ways="loop", vendor=("cub_transform",), error=1.21, error_unknown=1.04, laws=(READ_ONCE,)
)
