"""peer_latency: accesses to another device; those within one, or cached in L1, are controls."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

from . import Family, Measurement


def profile(q: SimpleNamespace) -> Iterator[Measurement]:
    """Latencies of atomics, of a fence, and across the link, in cycles."""
    atomic, load = q.is_("variant", "atomic_add", "atomic_cas"), q.is_("variant", "load")
    remote, small = ~q.is_("pair", "local"), q.size == q.small
    yield "latency_atomic", q.latency, ~remote & q.hot & atomic & small
    yield "latency_fence", q.latency, ~remote & q.is_("variant", "fence")
    yield "link_latency", q.latency, remote & load & q.hot & small
    yield "link_latency_dram", q.latency, remote & load & ~q.hot & (q.size >= 4 * q.l2)


FAMILY = Family(
    error={"h100": 1.108, "h200": 1.1, "other": 1.108},
    apart=("variant",),
    controls=(
        "pair=local",
        "variant=load_l1",
    ),
    parts={"pair!=local": "links between devices"},
    fitted=True,
    profile=profile,
)
