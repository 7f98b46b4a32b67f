"""stream: the loops of STREAM."""

from __future__ import annotations

from . import READ_ONCE, Family

FAMILY = Family(choices="vector items block", laws=(READ_ONCE,))
