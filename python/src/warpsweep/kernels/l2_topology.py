"""l2_topology: latencies of multiprocessors."""

from __future__ import annotations

from . import Family

FAMILY = Family(apart=("variant",))
