"""pack_bits: eight truth values to a byte."""

from __future__ import annotations

from . import READ_ONCE, Family

FAMILY = Family(error=1.4, laws=(READ_ONCE,))
