"""Formulas of the access model, checked against the hardware counters of a file.

A law computes a physical quantity from the axes of a point, such as the bytes between neighbouring accesses, and says what the
counters must show. No constant of it is fitted to measurements. The constants are those of the hardware: L2 writes and requests
move sectors of 32 bytes, DRAM is read in bursts of two sectors, shared memory has 32 banks of 4 bytes."""

from __future__ import annotations

from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Iterable, Iterator, NamedTuple

import numpy as np
import pandas as pd

from . import kernels
from .columns import reals, texts
from .kernels import EXACT, Law
from .selecting import DTYPE_BYTES
from .units import bytes_text, plural

BEYOND_L2 = 4.0  # arrays this many times as large as L2: what L2 keeps does not matter
LEAST = 3  # fewer points show no law


def _quantities(rows: pd.DataFrame) -> SimpleNamespace:
    """What the formulas of all families are made of: columns, bytes, and which rows a formula speaks of."""

    def is_(name: str, *values: str) -> pd.Series:
        return texts(rows, name).isin(values)

    q = SimpleNamespace(of=lambda name: reals(rows, name), is_=is_)
    q.bytes_of = lambda name: texts(rows, name).map(DTYPE_BYTES).astype(float)  # of a type
    q.element = q.bytes_of("dtype")
    q.size = q.of("size")
    q.beyond_l2 = lambda size: is_("cache", "cold") & (size >= BEYOND_L2 * q.of("device.l2_bytes"))
    return q


class _Asked(set):  # type: ignore[type-arg]
    """Stands for rows without columns: the names that are asked for."""

    index, attrs = pd.RangeIndex(0), dict[str, Any]()

    def __contains__(self, name: object) -> bool:
        self.add(name)
        return False


@lru_cache(maxsize=None)
def inputs(name: str) -> frozenset[str]:
    """The columns that a law takes."""
    asked: Any = _Asked()
    LAWS[name].apply(_quantities(asked))
    return frozenset(asked)


def _all() -> Iterator[Law]:
    """Each law with all families that state it."""
    owners: dict[Law, list[str]] = {}
    for name, family in kernels.every().items():
        for law in family.laws:
            owners.setdefault(law, []).append(name)
    for law, names in sorted(owners.items(), key=lambda one: one[0].figure == ""):
        yield law._replace(kernels=tuple(names))


LAWS = {law.name: law for law in _all()}


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
    law, of = LAWS[name], frame["kernel"].isin(LAWS[name].kernels)
    if not of.any():
        names = ("x", "expected", "counted", "deviation", "within")
        return pd.DataFrame(0.0, frame.index[:0], names).astype({"within": bool})
    used = {*inputs(name), "kernel", "device", "status", "repeat"}
    rows = frame.loc[of, [column for column in frame if column in used]]
    good = texts(rows, "status").replace("", "ok") == "ok"
    rows = rows[good & (reals(rows, "repeat").fillna(0) == 0)]
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
        for source, kept in _by_source(frame, points(frame, law.name))
    ]
    return pd.DataFrame(rows)


formulas = table  # its name in the package, where `laws` is this module


def _by_source(frame: pd.DataFrame, found: pd.DataFrame) -> list[tuple[str, Kept]]:
    of = frame[".source"] if ".source" in frame else pd.Series("", frame.index)
    return [
        (source, kept(found[of[found.index] == source]))
        for source in pd.unique(of)
        if source or ".source" not in frame
    ]


def describe(frame: pd.DataFrame, name: str, labels: dict[str, str] | None = None) -> str:
    """One sentence on a law with how each device agrees; "" if no device has three points. `labels` renames sources."""
    law, found, parts = LAWS[name], points(frame, name), list[str]()
    of = [(source, kept) for source, kept in _by_source(frame, found) if kept.points >= LEAST]
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
    families = ", ".join(pd.unique(frame.loc[found.index, "kernel"]))
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
