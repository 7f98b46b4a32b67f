"""cluster: shared memory of other blocks; own memory is the control."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

from . import Family, Measurement


def chase(q: SimpleNamespace) -> Iterator[Measurement]:
    """Eight bytes are read a hop, in a block's own shared memory or in that of a neighbour."""
    own, hops = (q.of("neighbour") == 0) | (q.of("cluster") == 1), q.of("bytes_read") / 8
    yield "latency_shared", hops, q.is_("variant", "latency") & own
    yield "latency_dsmem", hops, q.is_("variant", "latency") & ~own


FAMILY = Family(
    error={"h100": 1.157, "h200": 1.143, "other": 1.157},
    fitted=False,
    apart=("variant",),
    controls=("cluster=1", "neighbour=0"),
    chase=chase,
)
