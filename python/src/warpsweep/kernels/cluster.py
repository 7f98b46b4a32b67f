"""cluster: shared memory of other blocks; a cluster of one block is the control."""

from __future__ import annotations

from . import Family

FAMILY = Family(apart=("variant",), controls=("cluster=1",))
