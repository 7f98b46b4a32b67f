"""contention: messages at the same time; one message alone is the control."""

from __future__ import annotations

from .. import Family

FAMILY = Family(
    error_elsewhere=50.43,
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
    error={"h100": 1.311, "h200": 1.311, "other": 1.311},
    baseline=("contention",),
    links={("pattern", "both"): 2, ("gpus", 1): 0},
    tables=("contention",),
)
