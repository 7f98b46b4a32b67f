"""peer_copy: between devices; within one is the control."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

from .. import Family, Measurement


def profile(q: SimpleNamespace) -> Iterator[Measurement]:
    """The largest copies tell the rate of the link, and the smallest what comes before."""
    of = (q.of("width", 16) == 16) & (q.of("blocks", 0) == 0) & q.hot
    remote, engine, tiny = (
        ~q.is_("pair", "local"),
        q.is_("variant", "copy_engine"),
        q.size == 4 << 10,
    )
    load, both = q.is_("variant", "load"), q.is_("direction", "both_ways")
    for name, how in (("copy", engine), ("read", load), ("write", q.is_("variant", "store"))):
        yield f"link_{name}", q.size / q.seconds, of & remote & ~both & how & (q.size >= q.large)
    yield "link_pair", q.seconds, of & remote & engine & tiny & both
    yield "link_setup", q.seconds, of & remote & engine & tiny & ~both
    yield "copy_setup", q.seconds, of & ~remote & engine & tiny & ~both
    for name, place in (("link_kernels", remote), ("link_fork", ~remote)):
        yield name, q.seconds, of & load & tiny & both & place
        yield f"one {name}", q.seconds, of & load & tiny & ~both & place


FAMILY = Family(
    error={"h100": 1.137, "h200": 1.13, "other": 1.137},
    vendor=("copy_engine",),
    controls=("pair=local",),
    fitted=True,
    profile=profile,
    links={("pair", "local"): 0},
    tables=("links",),
)
