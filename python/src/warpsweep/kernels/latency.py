"""latency: a pointer chase in one level of memory."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

from . import Family, Measurement


def profile(q: SimpleNamespace) -> Iterator[Measurement]:
    """Latencies of the levels of memory, in cycles."""
    for name in ("shared", "dsmem", "l1"):
        yield f"latency_{name}", q.latency, q.is_("variant", name)
    fits = (q.size <= q.l2 / 3) & (q.size >= 256 << 10)
    yield "latency_l2", q.latency, q.is_("variant", "l2") & fits
    yield "latency_dram", q.latency, q.is_("variant", "dram") & (q.size >= 16 * q.l2)


def chase(q: SimpleNamespace) -> Iterator[Measurement]:
    """Four bytes are read a hop. Rings between a third of L2 and four times it are partly in DRAM."""
    hops, loads = q.of("bytes_read") / 4, q.is_("through", "load", "")
    for name in ("shared", "dsmem", "l1"):
        yield f"latency_{name}", hops, q.is_("variant", name) & loads
    yield "latency_l2", hops, q.is_("variant", "l2") & loads & (q.of("size") <= q.l2 / 3)
    far = q.is_("variant", "l2", "dram") & (q.of("size") >= 4 * q.l2)
    yield "latency_dram", hops, far & loads


FAMILY = Family(
    error={"h100": 1.032, "h200": 1.019, "other": 1.032},
    unfollowed=("constant",),
    apart=(
        "variant",
        "through",
    ),
    parts={"variant=dram": "latency of DRAM", "variant=l2": "latency of L2"},
    profile=profile,
    chase=chase,
)
