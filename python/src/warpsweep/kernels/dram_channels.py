"""dram_channels: streams at a distance; a skew of a line is the control."""

from __future__ import annotations

from . import Family

FAMILY = Family(
    error={"h100": 1.121, "h200": 1.179, "other": 1.179},
    fitted=False,
    apart=("variant",),
    controls=("skew>0",),
)
