"""cluster: shared memory of other blocks; own memory is the control."""

from __future__ import annotations

from . import Family

FAMILY = Family(apart=("variant",), controls=("cluster=1", "neighbour=0"))
