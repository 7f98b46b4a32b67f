"""dram_channels: streams at a distance; a skew of a line is the control."""

from __future__ import annotations

from . import Family

FAMILY = Family(error=1.17, fitted=False, apart=("variant",), controls=("skew>0",))
