"""silu_mul: an activation."""

from __future__ import annotations

from . import READ_ONCE, Family

FAMILY = Family(error=1.13, error_unknown=1.04, laws=(READ_ONCE,))
