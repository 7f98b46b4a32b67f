"""copy: an array into another; arrays of one repeated value are the control."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pandas as pd

from . import BURST, DRAM, EXACT, SECTOR, WARP, Family, Law, Measurement, counted_of


def profile(q: SimpleNamespace) -> Iterator[Measurement]:
    """Times of a copy of one wave of blocks, which are launch and latency, and rates of scattered accesses."""
    of = q.is_("dtype", "f32")
    one_wave = of & q.is_("variant", "load") & (q.size == q.small) & (q.of("stride", 1) == 1)
    yield "wave_hot", q.seconds, one_wave & q.hot
    yield "wave_cold", q.seconds, one_wave & q.is_("cache", "cold")
    # A share of the accesses is scattered, by how much of the array they skip: seconds are linear in it.
    moved = {
        "read": q.of("predicted_dram_bytes_read"),
        "write": q.of("predicted_dram_bytes_written"),
    }
    total = moved["read"] + moved["write"]
    dense = total / q.rate_of_mix((moved["read"] / total).to_numpy())
    for way, variant in (("read", "load"), ("write", "store")):
        share = (1 - moved[way] / q.size.mask(q.size == 0)).clip(0) ** 3
        scattered = (q.seconds - (1 - share) * dense) / share
        chosen = of & q.is_("variant", variant) & (q.size >= q.large) & (q.of("stride", 1) == 137)
        yield (
            f"scattered_{way}",
            total / scattered,
            chosen & (share > 0.5) & (scattered > dense),
        )


def width(q: SimpleNamespace) -> pd.Series[float]:
    """Bytes of an access."""
    return q.element * q.of("vector")


def distance(q: SimpleNamespace) -> pd.Series[float]:
    """Bytes from one access to the next."""
    return width(q) * q.of("stride")


def accesses(q: SimpleNamespace) -> pd.Series[float]:
    return q.of("bytes_read") / width(q)


def strided(q: SimpleNamespace) -> pd.Series[bool]:
    """Rows in whose arrays each access touches sectors of its own, in DRAM."""
    return (width(q) <= SECTOR) & q.beyond_l2(accesses(q) * distance(q))


def offset(q: SimpleNamespace) -> pd.Series[float]:
    return q.element * q.of("offset")


FAMILY = Family(
    choices="variant vector items block tile_bytes hint carveout",
    vendor=("memcpy", "cub_transform"),
    controls=("fill=zeros,ones,alternating,walking",),
    error={"h100": 1.102, "h200": 1.116, "other": 1.116},
    error_unknown={"h100": 1.164, "h200": 1.084, "other": 1.164},
    profile=profile,
    laws=(
        Law(
            "copy_read",
            "DRAM bytes read for an access",
            "min(distance, 64)",
            "distance",
            "bytes",
            "copy_stride",
            DRAM,
            lambda q: (
                q.is_("variant", "load") & strided(q),
                distance(q),
                np.minimum(distance(q), BURST),
                q.of("dram_bytes_read") / accesses(q),
            ),
            "A strided load moves from DRAM the bytes up to the next load, at most two sectors.",
        ),
        Law(
            "copy_written",
            "DRAM bytes written for an access",
            "min(distance, 32)",
            "distance",
            "bytes",
            "copy_stride",
            DRAM,
            lambda q: (
                q.is_("variant", "store") & strided(q),
                distance(q),
                np.minimum(distance(q), SECTOR),
                q.of("dram_bytes_written") / accesses(q),
            ),
            "A strided store writes at most one sector to DRAM.",
        ),
        Law(
            "copy_filled",
            "DRAM bytes read for a strided store",
            "width + min(distance, 32)",
            "distance",
            "bytes",
            "copy_stride",
            0.05,
            lambda q: (
                q.is_("variant", "store") & strided(q) & (q.of("stride") > 1),
                distance(q),
                width(q) + np.minimum(distance(q), SECTOR),
                q.of("dram_bytes_read") / accesses(q),
            ),
            "A sector that is written in part is read first, so a strided store moves it twice.",
        ),
        Law(
            "copy_offset",
            "sectors for a request at an offset",
            "ceil((32 * width + offset mod 32) / 32)",
            "offset",
            "bytes",
            "copy_offset",
            EXACT,
            lambda q: (
                (offset(q) > 0) & (q.of("stride") == 1) & q.is_("variant", "load", "store"),
                offset(q),
                np.ceil((WARP * width(q) + offset(q) % SECTOR) / SECTOR),
                counted_of(q, "store", "store_sectors_per_request", "load_sectors_per_request"),
            ),
            "A warp whose accesses do not start at a sector's boundary touches one sector more.",
        ),
    ),
)
