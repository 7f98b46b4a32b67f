"""l2_bandwidth: its latency is the time of a line among many."""

from __future__ import annotations

from . import Family

FAMILY = Family(latency=False, apart=("variant",))
