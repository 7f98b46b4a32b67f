"""tensor_matmul: products on tensor cores; data that take less power are the control."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pandas as pd

from . import Family, Measurement, name_tf32


def profile(q: SimpleNamespace) -> Iterator[Measurement]:
    """The clock of products that keep all tensor cores busy for long, and the rates of the vendor's."""
    side = pd.concat([q.of(name) for name in "mnk"], axis=1).min(axis=1)
    library = q.is_("variant", "cublaslt") & ~(q.of("lt_algorithm") > 0)
    random = q.is_("data", "random")
    yield "clock_tensor", q.of("sm_clock"), library & random & (side >= 8192)
    for name in ("f16", "bf16", "tf32", "f8", "i8", "f4"):
        chosen = library & random & (side >= 4096) & q.is_("arithmetic", f"tensor_{name}")
        yield f"library_{name}", q.of("flops") / q.seconds, chosen


FAMILY = Family(
    choices="variant tile_shape stages cluster group persistent copy lt_algorithm",
    ranked="lt_algorithm",
    error={"h100": 1.296, "h200": 1.275, "other": 1.296},
    error_library={"h100": 1.133, "h200": 1.11, "other": 1.133},
    vendor=("cublaslt",),
    controls=("data=zeros,ones,whole",),
    fitted=True,
    correct=name_tf32,
    profile=profile,
)
