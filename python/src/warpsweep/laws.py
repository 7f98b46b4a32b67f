"""Formulas of the access model, checked against the hardware counters of a file.

A law computes a physical quantity from the axes of a point, such as the bytes between neighbouring accesses, and says what the
counters must show. No constant of it is fitted to measurements. The constants are those of the hardware: L2 writes and requests
move sectors of 32 bytes, DRAM is read in bursts of two sectors, shared memory has 32 banks of 4 bytes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Callable, Iterable, NamedTuple

import numpy as np
import pandas as pd

from .frames import DTYPE_BYTES, reals, texts
from .reports import plural
from .units import bytes_text

SECTOR, BURST, BANKS, WORD, WARP = 32.0, 64.0, 32.0, 4.0, 32.0
BEYOND_L2 = 4.0  # arrays this many times as large as L2: what L2 keeps does not matter
RANDOM_BEYOND = 4.0  # times larger still: L2 keeps a share of what is accessed at random
LEAST = 3  # fewer points show no law
EXACT = 1e-4
DRAM = 0.025  # counters of DRAM contain what else goes on


class Law(NamedTuple):
    """`quantity` = `formula` of the variable `x` (in `unit`), for the families `kernels`, within the `tolerance`."""

    name: str
    kernels: tuple[str, ...]
    quantity: str
    formula: str
    x: str
    unit: str
    figure: str  # of analysis/, which shows it; "" if none does
    tolerance: float
    apply: Callable[
        [SimpleNamespace], tuple[Any, ...]
    ]  # quantities -> selected rows, x, expected, counted
    meaning: str  # what follows from it, as a sentence


def _quantities(rows: pd.DataFrame) -> SimpleNamespace:
    """What the formulas are made of: bytes, distances, and which rows each kind of them speaks of."""

    def is_(name: str, *values: str) -> pd.Series:
        return texts(rows, name).isin(values)

    q = SimpleNamespace(of=lambda name: reals(rows, name), is_=is_)
    q.element = texts(rows, "dtype").map(DTYPE_BYTES).astype(float)
    q.width = q.element * q.of("vector")
    q.distance, q.accesses = q.width * q.of("stride"), q.of("bytes_read") / q.width
    q.size, q.stride, q.record = q.of("size"), q.of("stride"), q.element * q.of("fields")
    q.index, q.apart = (
        texts(rows, "index_dtype").map(DTYPE_BYTES).astype(float).fillna(4),
        q.element * q.stride,
    )
    q.offset = q.element * q.of("offset")
    q.beyond_l2 = lambda size: is_("cache", "cold") & (size >= BEYOND_L2 * q.of("device.l2_bytes"))
    q.strided = (q.width <= SECTOR) & q.beyond_l2(q.accesses * q.distance)
    q.words = (
        q.of("width")
        / WORD
        * q.stride.fillna(0).map(lambda value: float(np.gcd(int(value), int(BANKS))))
    )
    return q


def _counted(q: SimpleNamespace, variant: str, of_variant: str, of_others: str) -> pd.Series:
    return q.of(of_others).mask(q.is_("variant", variant), q.of(of_variant))


# families, quantity, formula, x, unit, figure, tolerance; of the quantities: rows, x, expected, counted; meaning
_ALL: tuple[tuple[Any, ...], ...] = (
    (
        "copy_read",
        "copy",
        "DRAM bytes read for an access",
        "min(distance, 64)",
        "distance",
        "bytes",
        "copy_stride",
        DRAM,
        lambda q: (
            q.is_("variant", "load") & q.strided,
            q.distance,
            np.minimum(q.distance, BURST),
            q.of("dram_bytes_read") / q.accesses,
        ),
        "A strided load moves from DRAM the bytes up to the next one, at most two sectors.",
    ),
    (
        "copy_written",
        "copy",
        "DRAM bytes written for an access",
        "min(distance, 32)",
        "distance",
        "bytes",
        "copy_stride",
        DRAM,
        lambda q: (
            q.is_("variant", "store") & q.strided,
            q.distance,
            np.minimum(q.distance, SECTOR),
            q.of("dram_bytes_written") / q.accesses,
        ),
        "A strided store writes at most one sector to DRAM.",
    ),
    (
        "copy_filled",
        "copy",
        "DRAM bytes read for a strided store",
        "width + min(distance, 32)",
        "distance",
        "bytes",
        "copy_stride",
        0.05,
        lambda q: (
            q.is_("variant", "store") & q.strided & (q.stride > 1),
            q.distance,
            q.width + np.minimum(q.distance, SECTOR),
            q.of("dram_bytes_read") / q.accesses,
        ),
        "A sector that is written in part is read first, so a strided store moves it twice.",
    ),
    (
        "gather_strided",
        "gather",
        "DRAM bytes read for an element",
        "index + min(distance, 64)",
        "distance",
        "bytes",
        "gather_stride",
        DRAM,
        lambda q: (
            q.is_("variant", "strided") & q.beyond_l2(q.size),
            q.apart,
            q.index + np.minimum(q.apart, BURST),
            q.of("dram_bytes_read") / (q.size / q.element),
        ),
        "A strided gather moves from DRAM its index and what a strided load moves.",
    ),
    (
        "gather_random",
        "gather",
        "DRAM bytes read for an element",
        "index + 64",
        "array",
        "bytes",
        "gather_size",
        DRAM,
        lambda q: (
            q.is_("variant", "random", "permuted") & q.beyond_l2(q.size / RANDOM_BEYOND),
            q.size,
            q.index + BURST,
            q.of("dram_bytes_read") / (q.size / q.element),
        ),
        "Out of an array that L2 cannot hold, each element at a random place moves two sectors.",
    ),
    (
        "shared_stride",
        "shared_stride",
        "wavefronts for a request",
        "min(32, words * gcd(stride, 32))",
        "stride",
        "words",
        "shared_stride_ladder",
        EXACT,
        lambda q: (
            (q.stride >= 1) & q.is_("variant", "read", "write"),
            q.stride,
            np.minimum(BANKS, q.words),
            _counted(
                q,
                "write",
                "shared_store_wavefronts_per_request",
                "shared_load_wavefronts_per_request",
            ),
        ),
        "Conflicts come from the common divisor of stride and banks alone: odd strides have none.",
    ),
    (
        "layout_aos",
        "layout",
        "DRAM bytes read for a record of an array of structures",
        "the record",
        "record",
        "bytes",
        "layout_read",
        DRAM,
        lambda q: (
            q.is_("variant", "aos") & (q.record <= SECTOR) & q.beyond_l2(q.size),
            q.record,
            q.record,
            q.of("dram_bytes_read") / (q.size / q.record),
        ),
        "An array of structures moves the whole record from DRAM, whatever fields are read.",
    ),
    (
        "layout_soa",
        "layout",
        "DRAM bytes read for a record of structures of arrays",
        "the fields read",
        "fields",
        "bytes",
        "layout_read",
        DRAM,
        lambda q: (
            ~q.is_("variant", "aos") & (q.record <= SECTOR) & q.beyond_l2(q.size),
            q.element * q.of("read"),
            q.element * q.of("read"),
            q.of("dram_bytes_read") / (q.size / q.record),
        ),
        "Structures of arrays move only the fields that are read from DRAM.",
    ),
    (
        "matmul_tiled",
        "matmul",
        "bytes loaded for a flop",
        "4 / tile",
        "tile",
        "elements",
        "",
        EXACT,
        lambda q: (
            q.is_("variant", "tiled"),
            q.of("tile"),
            WORD / q.of("tile"),
            SECTOR * q.of("load_sectors") / q.of("flops"),
        ),
        "Twice the tile halves the bytes that are loaded.",
    ),
    (
        "read_once",
        "add pack_bits reduce silu_mul stream",
        "DRAM bytes read",
        "the inputs, once",
        "inputs",
        "bytes",
        "",
        DRAM,
        lambda q: (
            q.beyond_l2(q.of("bytes_read")),
            q.of("bytes_read"),
            q.of("bytes_read"),
            q.of("dram_bytes_read"),
        ),
        "No input is fetched twice: only the rate of DRAM is left to improve.",
    ),
    (
        "copy_offset",
        "copy",
        "sectors for a request at an offset",
        "ceil((32 * width + offset mod 32) / 32)",
        "offset",
        "bytes",
        "copy_offset",
        EXACT,
        lambda q: (
            (q.offset > 0) & (q.stride == 1) & q.is_("variant", "load", "store"),
            q.offset,
            np.ceil((WARP * q.width + q.offset % SECTOR) / SECTOR),
            _counted(q, "store", "store_sectors_per_request", "load_sectors_per_request"),
        ),
        "A warp whose accesses do not start at a sector's boundary touches one sector more.",
    ),
)
LAWS = {name: Law(name, tuple(kernels.split()), *rest) for name, kernels, *rest in _ALL}


class Kept(NamedTuple):
    """How the points of one device agree with a law."""

    points: int
    within: int  # within the law's tolerance
    most: float  # largest relative deviation
    low: float  # range of x
    high: float
    values: int  # of x, that differ

    def holds(self, share: float = 0.9) -> bool:
        """Whether at least `share` of at least three points are within the tolerance."""
        return self.points >= LEAST and self.within >= share * self.points - 1e-9


def points(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """The points with counters that a law speaks of, indexed as in `frame` (of `warpsweep.frame` or `load`): `x`,
    `expected`, `counted`, `deviation` (relative), `within` (its tolerance)."""
    law = LAWS[name]
    rows = frame[
        frame["kernel"].isin(law.kernels)
        & (texts(frame, "status").replace("", "ok") == "ok")
        & (reals(frame, "repeat").fillna(0) == 0)
    ]
    with np.errstate(all="ignore"):
        chosen, x, expected, counted = law.apply(_quantities(rows))
        found = pd.DataFrame({"x": x, "expected": expected, "counted": counted})
        found = found[chosen & (found["expected"] > 0) & np.isfinite(found["counted"])]
    found["deviation"] = (found["counted"] / found["expected"] - 1).abs()
    found["within"] = found["deviation"] <= law.tolerance
    return found


def kept(found: pd.DataFrame) -> Kept:
    """How `points` of a law agree with it."""
    return Kept(
        len(found),
        int(found["within"].sum()),
        float(found["deviation"].max()) if len(found) else 0.0,
        found["x"].min(),
        found["x"].max(),
        found["x"].nunique(),
    )


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each law and device (`source`) with `points`, `within`, `most`, `low`, `high`, `holds`."""
    rows = [
        {
            "law": law.name,
            "kernels": " ".join(law.kernels),
            "quantity": law.quantity,
            "formula": law.formula,
            "source": source,
            **kept._asdict(),
            "holds": kept.holds(),
            "tolerance": law.tolerance,
        }
        for law in LAWS.values()
        for source, kept in _by_source(frame, law)
    ]
    return pd.DataFrame(rows)


formulas = table  # its name in the package, where `laws` is this module


def _by_source(frame: pd.DataFrame, law: Law) -> list[tuple[str, Kept]]:
    of, found = (
        frame["source"] if "source" in frame else pd.Series("", frame.index),
        points(frame, law.name),
    )
    return [
        (source, kept(found[of[found.index] == source]))
        for source in pd.unique(of)
        if source or "source" not in frame
    ]


def describe(frame: pd.DataFrame, name: str, labels: dict[str, str] | None = None) -> str:
    """One sentence on a law with how each device agrees; "" if no device has three points. `labels` renames sources."""
    law, parts = LAWS[name], list[str]()
    of = [(source, kept) for source, kept in _by_source(frame, law) if kept.points >= LEAST]
    if not of:
        return ""
    for source, kept in of:
        first = not parts
        part = (
            f"{'' if kept.holds() else 'only '}at {kept.within} of {kept.points}{' points' if first else ''} on "
            f"{(labels or {}).get(source, source)}"
        )
        if law.tolerance > EXACT:
            most = f"{100 * kept.most:.2g}" if kept.most < 0.1 else f"{100 * kept.most:.0f}"
            part += f" ({'largest deviation ' if first else ''}{most} %)"
        parts.append(part + (" exactly" if first and law.tolerance <= EXACT else ""))
    families = ", ".join(pd.unique(frame.loc[points(frame, name).index, "kernel"]))
    meaning = f"{law.meaning} Counted: " if all(kept.holds() for _, kept in of) else ""
    low, high = min(kept.low for _, kept in of), max(kept.high for _, kept in of)
    sizes = law.unit == "bytes" and low >= 1024
    write = bytes_text if sizes else "{:.0f}".format
    over = f"{law.x} {write(low)}{f' to {write(high)}' if high > low else ''}{'' if sizes else f' {law.unit}'}"
    values = max(kept.values for _, kept in of)
    return f"{families}: {meaning}{law.quantity} = {law.formula}, for {over}, {plural(values, 'value')}: {listed(parts)}."


def described(
    frame: pd.DataFrame, names: Iterable[str] = tuple(LAWS), labels: dict[str, str] | None = None
) -> list[str]:
    """Of each formula that has points: how the counters agree."""
    return list(filter(None, (describe(frame, name, labels) for name in names)))


def listed(parts: Iterable[str]) -> str:
    """ "a, b and c" """
    *first, last = list(parts) or [""]
    return f"{', '.join(first)} and {last}" if first else last
