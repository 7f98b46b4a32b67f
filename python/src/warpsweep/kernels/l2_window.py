"""l2_window: lines that persist in L2; no window is the control."""

from __future__ import annotations

from . import Family

FAMILY = Family(controls=("hit_ratio=0",))
