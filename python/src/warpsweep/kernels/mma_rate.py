"""mma_rate: products in registers; matrices of zeros or ones take less power."""

from __future__ import annotations

from . import Family, name_tf32

FAMILY = Family(
    apart=(
        "dtype",
        "sparse",
    ),
    controls=("data=zeros,ones",),
    correct=name_tf32,
)
