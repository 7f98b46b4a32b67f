"""What a paper is about: the points of its files, device by device, and what their families are measured by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from .. import kernels, units
from ..columns import reals, texts
from ..figure import marked
from ..findings import values_text
from ..frames import Group, frame
from ..reports.bounds import verdicts
from ..results import Results
from ..rows import QUANTITIES, candidates, interval, roof, with_description
from ..selecting import axes, sort


@dataclass(frozen=True)
class Family:
    """A kernel family: what most of its points are measured by (of `rows.QUANTITIES`), in a unit for its tables, and the
    axes that vary beside ``variant``. ``group``: of comparable points, the largest."""

    name: str
    quantity: str
    unit: str
    group: str
    bounded: bool  # some of its points have a roof: they are ranked by their share of it
    axes: list[str]
    points: int

    @property
    def column(self) -> str:
        return QUANTITIES[self.quantity].column

    @property
    def words(self) -> str:
        return QUANTITIES[self.quantity].words


def _column(quantity: str) -> str:
    return QUANTITIES[quantity].column


def _family(name: str, rows: pd.DataFrame) -> Family:
    ranked = rows[rows[".result"]]
    bounded = bool(ranked[".share"].notna().any())
    group = "" if bounded else ranked[".group"].value_counts(sort=True).index[:1]
    mine = rows[rows[".group"].isin([group] if bounded else group)]
    counts = mine.loc[mine[".result"], ".quantity"].value_counts()
    quantity = counts.index[0] if len(counts) else "time"
    same = rows[rows[".quantity"].map(_column) == _column(quantity)]
    of = units.common(QUANTITIES[name].unit for name in {quantity, *same[".quantity"]})
    unit = units.choose(of, float(same[".value"].max()))
    varying = [
        axis
        for axis in axes(rows)
        if axis != "variant" and rows[axis].replace("", np.nan).nunique() > 1
    ]
    return Family(
        name,
        quantity,
        unit.name if unit else of,
        "".join(group),
        bounded,
        varying,
        rows.loc[rows["status"] == "ok", "id"].nunique(),
    )


def short_labels(groups: Mapping[str, Group]) -> dict[str, str]:
    """The names of devices in a paper, by the labels of their groups."""
    short = [group.short for group in groups.values()]
    return {
        label: marked(group.short if short.count(group.short) == 1 else label, group)
        for label, group in groups.items()
    }


class Study:
    """The files of a paper. ``rows``: a row for each point and device, in the order of families, then of axes. Beside
    the file's columns: ``.label`` (short name of the device), those of `rows.with_description`,
    ``.ok``, ``.time_error`` (half of the time's interval, relative), ``.share``, ``.share_half`` (% of the roof),
    ``.value``, ``.value_half`` (in its family's unit), ``.at`` (the axes that vary, in words; of a library's kernel without those that it ignores), ``.roof`` (in words)."""

    def __init__(self, files: list[Results]) -> None:
        self.all = frame(files).copy()  # in one piece
        self.files = list(self.all.attrs["results"])
        self.groups, self.columns = self.all.attrs["groups"], self.all.attrs["columns"]
        self.labels = short_labels(self.groups)
        self.devices = list(self.labels.values())
        self.measured = any(group.backend != "predicted" for group in self.groups.values())
        rows = self.all.assign(
            **{
                ".label": self.all[".source"].map(self.labels),
                "variant": texts(self.all, "variant"),
            }
        )
        rows = rows[rows[".source"] != ""].drop_duplicates(["kernel", "id", ".source"])
        rows.attrs = dict(self.all.attrs)
        self.axes = [
            axis
            for axis in axes(rows)
            if (rows.groupby("kernel")[axis].nunique(dropna=False) > 1).any()
        ]
        rows = sort(with_description(rows), ["kernel", *self.axes, "id"]).reset_index(drop=True)
        rows = rows.assign(**{".result": candidates(rows, ["kernel", ".label"])})
        self.families = [_family(name, of) for name, of in rows.groupby("kernel", sort=True)]
        self.by_name = {family.name: family for family in self.families}
        self.rows = rows.assign(**self._shown(rows)).copy()  # in one piece
        self._best: dict[tuple[str, ...], pd.DataFrame] = {}
        self.shown = self.rows[self.rows[".ok"]].drop_duplicates(["kernel", "id"])

    def _shown(self, rows: pd.DataFrame) -> dict[str, Any]:
        """What the tables and findings show of each row."""
        measured, family = ~rows[".predicted"], rows["kernel"].map(self.by_name)
        scale = family.map(lambda one: units.scale(one.unit)).astype(float)  # also without rows
        own = rows[".quantity"].map(_column) == family.map(lambda one: one.column)
        bounded = family.map(lambda one: one.bounded).astype(bool)
        group = rows[".group"] == family.map(lambda one: one.group)
        low, high = interval(rows, "time_median") or (np.nan, np.nan)
        shown = {
            (of.name, vendor): self._named_axes(of, rows[rows[".vendor"]] if vendor else None)
            for of in self.families
            for vendor in (False, True)
        }
        return {
            ".ok": rows["status"] == "ok",
            ".time_error": ((high - low) / 2 / reals(rows, "time_median")).where(measured),
            ".share": 100 * rows[".share"],
            ".share_half": (50 * (rows[".share_high"] - rows[".share_low"])).where(measured),
            ".value": rows[".value"].where(own) / scale,
            ".value_half": ((rows[".high"] - rows[".low"]) / 2).where(own & measured) / scale,
            # What is told as the best of a family is of its largest group of comparable points.
            ".main": bounded | group,
            ".rank": rows[".rank"].where(~bounded | rows[".share"].notna()).where(bounded | own),
            ".at": [
                values_text(row, shown[row["kernel"], row[".vendor"]], self.columns)
                for row in rows[["kernel", ".vendor", *self.axes]].to_dict("records")
            ],
            ".roof": rows[".roof"].map(lambda name: roof(name).words).replace("none", ""),
        }

    @staticmethod
    def _named_axes(family: Family, vendor: pd.DataFrame | None) -> list[str]:
        """The axes that ``.at`` names. A library's kernel has no choices of ours: an axis that is the same at all its points is
        a default that it ignores."""
        if vendor is None:
            return family.axes
        known, own = kernels.family(family.name), vendor[vendor["kernel"] == family.name]
        ours = {name for name in known.choices.split() if name in own} - {known.ways}
        return [
            axis for axis in family.axes if axis not in ours or own[axis].nunique(dropna=False) > 1
        ]

    def best(self, by: list[str]) -> pd.DataFrame:
        """The result that ranks highest in each group; ``.of``: of so many. Of a family without its variants, among the
        points that are comparable."""
        if (made := self._best.get(tuple(by))) is not None:
            return made
        ranked = self.rows[np.isfinite(self.rows[".rank"]) & self.rows[".result"]]
        ranked = ranked if "variant" in by else ranked[ranked[".main"]]
        groups = ranked.groupby(by, sort=False)[".rank"]
        found = ranked.loc[groups.idxmax()].assign(**{".of": groups.size().to_numpy()})
        self._best[tuple(by)] = found
        return found

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """Of the time model, on the rows of all files."""
        return verdicts(self.all)

    @cached_property
    def lacking(self) -> dict[str, str]:
        """The verdict on each file that is not good."""
        found = {file.name: file.told_verdict for file in self.files}
        return {name: verdict.text for name, verdict in found.items() if not verdict.good}

    def unit(self, row: pd.Series) -> str:
        """The unit of ``.value`` of a row: that of its family's table, of its own quantity."""
        name = self.by_name[row["kernel"]].unit
        of, scale = QUANTITIES[row[".quantity"]].unit, units.scale(name)
        own = (unit.name for unit in units.UNITS if (unit.of, unit.scale) == (of, scale))
        return next(own, name)

    def group(self, device: str) -> Group:
        """What rows of a device were measured on; ``device`` is its short name."""
        return next(self.groups[label] for label, name in self.labels.items() if name == device)

    def file(self, device: str) -> Results:
        """The file that rows of a device are of."""
        return next(one for one in self.files if one.name == self.group(device).file)

    def on(self, backend: str) -> list[str]:
        """The devices of a back end: "cuda", "host", "predicted"."""
        return [device for device in self.devices if self.group(device).backend == backend]
