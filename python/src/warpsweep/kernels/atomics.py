"""atomics: rates and latencies of atomic operations; plain ones are the control."""

from __future__ import annotations

from . import Family

FAMILY = Family(
    quantity="operations",
    apart=(
        "variant",
        "place",
        "type",
        "result",
    ),
    controls=("variant=plain",),
)
