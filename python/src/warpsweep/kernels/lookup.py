"""lookup: a small table."""

from __future__ import annotations

from . import Family

FAMILY = Family(
    error_unknown_elsewhere=32.9,
    unfollowed=("constant", "texture", "texture2d"),
    error=1.19,
    error_unknown=1.27,
    baseline_unknown=("paper",),
)
