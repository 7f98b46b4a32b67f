"""lookup: a small table."""

from __future__ import annotations

from . import Family

FAMILY = Family(
    choices="variant items block carveout",
    error_unknown_elsewhere=32.99,
    unfollowed=("constant", "texture", "texture2d"),
    error={"h100": 1.132, "h200": 1.156, "other": 1.181},
    error_unknown={"h100": 1.214, "h200": 1.267, "other": 1.267},
    baseline_unknown=("paper",),
)
