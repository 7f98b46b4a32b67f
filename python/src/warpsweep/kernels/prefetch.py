"""prefetch: bytes in flight."""

from __future__ import annotations

from . import Family

FAMILY = Family(error=1.14)
