"""Own kernels beside the vendor's libraries and copy engines that do the same work, and what counters say where the vendor's is faster."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .. import kernels
from ..columns import is_text
from ..condition import STEADY
from ..figure import value_name
from ..findings import STATE, rivals, values_text
from ..latex import DAGGER
from ..laws import listed
from ..orders import Times, of_rows
from ..sheet import Head, Number, Sheet
from . import tables
from .study import Study

DIFFERS = 1.25  # a counter that differs by a smaller factor is not named
NAMED = 3  # counters
LEAST, LEAST_SHARE = 0.1, 5.0  # smaller values of both kernels say nothing; of shares, in %


@dataclass
class Gap:
    """The best own and the best vendor's row of a family on a device, of one work. ``what``: the family, with the type of
    values where several are compared; ``times``: how many times as fast the vendor's is; ``counters``: in words;
    ``counted``: both have some."""

    what: str
    own: pd.Series
    vendor: pd.Series
    names: tuple[str, str]
    times: Times
    counters: list[str]
    counted: bool

    @property
    def clocks(self) -> tuple[float, float] | None:
        """The mean SM clocks of both, in MHz, where one is that much lower that times depend on it."""
        found = [float(row.get("sm_clock", np.nan)) / 1e6 for row in (self.own, self.vendor)]
        return (found[0], found[1]) if min(found) < STEADY * max(found) else None

    @property
    def mark(self) -> str:
        """Of a lowered clock of one of them."""
        return DAGGER if self.own[".slowed"] or self.vendor[".slowed"] else ""


def gaps(study: Study) -> list[Gap]:
    """One for each family, type of values and device with both: of the largest work that both were measured at."""
    rows, found = study.rows, rivals(study.rows, ".label")
    times = of_rows(rows, found.rename(columns={"own": "worse", "vendor": "better"}))
    return [
        _gap(study, one.what, rows.loc[one.own], rows.loc[one.vendor], ratio)
        for one, ratio in zip(found.itertuples(), times)
    ]


def _gap(study: Study, what: str, own: pd.Series, vendor: pd.Series, times: Times) -> Gap:
    counted, differing = False, dict[str, float]()
    for name, column in study.columns.items():
        if column.role != "counter" or column.type != "real" or name not in own:
            continue
        mine, theirs = float(own[name]), float(vendor[name])
        if not (mine >= 0 and theirs >= 0):
            continue
        counted = True
        share = ".pct_of_peak" in name or column.unit == "%"
        if max(mine, theirs) > (LEAST_SHARE if share else LEAST):
            apart = abs(np.log(max(mine, 1e-9) / max(theirs, 1e-9)))
            if apart > np.log(DIFFERS):
                differing[name] = apart
    names = sorted(differing, key=lambda name: -differing[name])[:NAMED]
    said = [
        f"{in_words(name)} {count_text(float(vendor[name]))} instead of {count_text(float(own[name]))}"
        for name in names
    ]
    words = [
        axis
        for axis in study.axes
        if own["variant"] == vendor["variant"]
        and is_text(study.rows[axis])
        and own[axis]
        and vendor[axis]
        and own[axis] != vendor[axis]
    ]
    named = [
        " ".join(
            dict.fromkeys(
                [row["variant"], *(value_name(study.columns, axis, row[axis]) for axis in words)]
            )
        )
        for row in (own, vendor)
    ]
    return Gap(what, own, vendor, (named[0], named[1]), times, said, counted)


def told_together(found: list[Gap]) -> list[list[Gap]]:
    """The gaps that are there. Those of a family on several devices are one if the counters say the same."""
    groups: dict[tuple[str, ...], list[Gap]] = {}
    for one in found:
        if one.times.is_better:
            key = (one.what, *one.names, str(one.counted), *one.counters)
            groups.setdefault(key, []).append(one)
    return list(groups.values())


def in_words(name: str) -> str:
    """The name of a counter in words, which a column of text can break."""
    return re.sub("[_.]+", " ", name)


def count_text(value: float) -> str:
    """``134.2 million``, ``27,760``, ``0.1072``."""
    if value >= 1e6:
        return f"{value / 1e6:.4g} million"
    return f"{float(f'{value:.4g}'):,.0f}" if value >= 1e3 else f"{value:.4g}"


def works(study: Study, found: list[Gap]) -> list[str]:
    """What was computed in which state, of each family: "matmul m 4096, n 4096, k 4096, cache cold"."""
    of: dict[str, dict[str, list[Gap]]] = {}
    for one in found:
        family = study.by_name[one.own["kernel"]]
        known = kernels.family(family.name)
        sizes = [  # of families that say which axes are choices
            name for name in study.columns.axes() if known.choices and not is_text(study.rows[name])
        ]
        names = [
            name
            for name in known.work(study.columns.axes())
            if name != "variant" and name in (*family.axes, *STATE, *sizes)
        ]
        if one.what != family.name:
            names = [name for name in names if name != "dtype"]  # the types are named before
        text = values_text(one.own, names, study.columns)
        of.setdefault(family.name, {}).setdefault(text, []).append(one)
    said = []
    for name, done in of.items():
        for text, alike in done.items():
            types = listed(dict.fromkeys(one.what.removeprefix(name).strip() for one in alike))
            devices = dict.fromkeys(one.own[".label"] for one in alike)
            apart = {*devices} != {one.own[".label"] for every in done.values() for one in every}
            place = f"on {listed(devices)}" if apart else ""
            said.append(" ".join(filter(None, [name, types, place, text])))
    return said


def table(study: Study, caption: str, found: list[Gap]) -> Sheet:
    """A row for each gap."""
    sides = [pd.DataFrame([one.own for one in found]), pd.DataFrame([one.vendor for one in found])]
    return Sheet.of(
        [
            (Head("Family"), [one.what for one in found]),
            (Head("Device"), [one.own[".label"] for one in found]),
            *(
                column
                for at, (words, side) in enumerate(zip(("Own", "Vendor's"), sides))
                for column in (
                    (Head(words, "wraps"), [one.names[at] for one in found]),
                    (
                        Head("Rate", "right"),
                        [tables.rate(row, study) for _, row in side.iterrows()],
                    ),
                )
            ),
            (
                Head("Vendor's over own", "number"),
                [Number(one.times.value, one.times.half, one.mark) for one in found],
            ),
        ],
        "vendors",
        caption,
        True,
    )
