"""collective: NCCL, whose users compare the bytes on the bus."""

from __future__ import annotations

from . import Family

FAMILY = Family(
    choices="algorithm protocol",
    error_elsewhere=5.72,
    quantity="bus_bandwidth",
    apart=("variant",),
    error={"h100": 1.073, "h200": 1.073, "other": 1.073},
    baseline=("collectives",),
)
