"""pack_bits: eight truth values to a byte."""

from __future__ import annotations

from . import READ_ONCE, Family

FAMILY = Family(
    choices="variant items block",
    error={"h100": 1.172, "h200": 1.37, "other": 1.41},
    laws=(READ_ONCE,),
)
