"""collective: NCCL, whose users compare the bytes on the bus."""

from __future__ import annotations

from . import Family

FAMILY = Family(
    choices="algorithm protocol",
    error_elsewhere=5.72,
    quantity="bus_bandwidth",
    apart=("variant",),
    error={"h100": 1.065, "h200": 1.065, "other": 1.065},
    baseline=("collectives",),
)
