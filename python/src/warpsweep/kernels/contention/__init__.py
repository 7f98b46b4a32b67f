"""contention: messages at the same time; one message alone is the control."""

from __future__ import annotations

from .. import Family

FAMILY = Family(
    error_elsewhere=50.19,
    vendor=("copy_engine",),
    apart=(
        "pattern",
        "beside",
        "measured",
    ),
    controls=(
        "pattern=none",
        "pattern=one beside=none",
    ),
    error={"h100": 1.307, "h200": 1.307, "other": 1.307},
    baseline=("contention",),
    links={("pattern", "both"): 2, ("gpus", 1): 0},
    tables=("contention",),
)
