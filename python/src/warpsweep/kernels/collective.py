"""collective: NCCL, whose users compare the bytes on the bus."""

from __future__ import annotations

from . import Family

FAMILY = Family(
    error_elsewhere=9.02,
    quantity="bus_bandwidth",
    apart=("variant",),
    error=1.07,
    baseline=("collectives",),
)
