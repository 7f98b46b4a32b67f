"""stream: the loops of STREAM."""

from __future__ import annotations

from . import READ_ONCE, Family

FAMILY = Family(laws=(READ_ONCE,))
