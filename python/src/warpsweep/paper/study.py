"""What a paper is about: the points of its files, device by device, and what their families are measured by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .. import units
from ..findings import ROOFS, is_vendor, values_text
from ..frames import Group, axes, frame, is_throttled, reals, sort, texts
from ..panels import roof_kinds
from ..results import Results

# What a family is measured by: its column, unit and name.
QUANTITIES = {
    "bandwidth": ("GB/s", "bandwidth"),
    "flop_rate": ("TFLOP/s", "rate"),
    "latency_p50": ("cycles", "latency"),
    "time_median": ("us", "time"),
}
SMALLER = ("latency_p50", "time_median")  # the better ones are smaller


@dataclass(frozen=True)
class Family:
    """A kernel family: the column that its points are measured by, and the axes that vary beside ``variant``."""

    name: str
    quantity: str
    unit: str
    words: str  # for the quantity
    better: str  # "lower" or "higher"
    bounded: bool  # some of its points have a roof: they are ranked by their share of it
    axes: list[str]
    points: int


def _family(name: str, rows: pd.DataFrame) -> Family:
    ok = rows[rows["status"] == "ok"]
    arithmetic = texts(ok, "roof").str.match("flop_|tensor_").mean() > 0.5
    rates = ("flop_rate", "bandwidth") if arithmetic else ("bandwidth", "flop_rate")
    quantity = next(
        (name for name in ("latency_p50", *rates) if (reals(ok, name) > 0).any()), "time_median"
    )
    varying = [
        axis
        for axis in axes(rows)
        if axis != "variant" and rows[axis].replace("", np.nan).nunique() > 1
    ]
    return Family(
        name,
        quantity,
        *QUANTITIES[quantity],
        "lower" if quantity in SMALLER else "higher",
        bool((reals(ok, "fraction_peak") > 0).any()),
        varying,
        rows["id"].nunique(),
    )


class Study:
    """The files of a paper. ``rows``: a row for each point and device, in the order of families, then of axes. Beside
    the file's columns: ``.label`` (short name of the device), ``.ok``, ``.time_error`` (half of
    the time's interval, relative), ``.share``, ``.share_half`` (% of the roof), ``.value``, ``.value_half`` (in its
    family's unit), ``.rank`` (larger is better), ``.at`` (the axes that vary, in words), ``.roof`` (in words), ``.slowed``, ``.vendor``."""

    def __init__(self, files: list[Results]) -> None:
        self.files = files
        self.all = frame(files)
        self.groups, self.columns = self.all.attrs["groups"], self.all.attrs["columns"]
        short = [group.short for group in self.groups.values()]
        self.labels = {
            label: group.short if group.short and short.count(group.short) == 1 else label
            for label, group in self.groups.items()
        }
        self.devices = list(self.labels.values())
        self.measured = any(group.backend != "predicted" for group in self.groups.values())
        rows = self.all.assign(
            **{".label": self.all["source"].map(self.labels), "variant": texts(self.all, "variant")}
        )
        rows = rows[rows["source"] != ""].drop_duplicates(["kernel", "id", "source"])
        rows.attrs = dict(self.all.attrs)
        self.axes = [
            axis
            for axis in axes(rows)
            if (rows.groupby("kernel")[axis].nunique(dropna=False) > 1).any()
        ]
        self.rows = sort(rows, ["kernel", *self.axes, "id"]).reset_index(drop=True)
        self.families = [_family(name, of) for name, of in self.rows.groupby("kernel", sort=True)]
        self.by_name = {family.name: family for family in self.families}
        self.rows = pd.concat([self.rows, self._measured()], axis=1).copy()  # in one piece
        self.points = self.rows.drop_duplicates(["kernel", "id"])

    def _measured(self) -> pd.DataFrame:
        """What the tables and findings show of each row."""
        rows, ok = self.rows, self.rows["status"] == "ok"
        error = (
            (reals(rows, "time_ci_high") - reals(rows, "time_ci_low"))
            / 2
            / reals(rows, "time_median")
        )
        # What a prediction calls an interval is the model's error at the ends of its profile.
        error = error.mask(rows[".label"].isin(self.on("predicted")))
        share = reals(rows, "fraction_peak").where(ok) * 100
        # With the range of the roof; files before release 0.4 have none.
        half = (reals(rows, "fraction_peak_high") - reals(rows, "fraction_peak_low")) / 2
        share_error = (half / reals(rows, "fraction_peak")).where(error.notna()).fillna(error)
        quantity, bounded = (
            rows["kernel"].map({family.name: getattr(family, of) for family in self.families})
            for of in ("quantity", "bounded")
        )
        timed = quantity != "latency_p50"  # its samples are not of latencies
        value = pd.Series(np.nan, rows.index)
        for name, (unit, _) in QUANTITIES.items():
            value = value.mask(ok & (quantity == name), reals(rows, name) / units.scale(unit))
        at = [
            values_text(row, self.by_name[row["kernel"]].axes, self.columns)
            for row in rows[["kernel", *self.axes]].to_dict("records")
        ]
        return pd.DataFrame(
            {
                ".ok": ok,
                ".vendor": is_vendor(rows),
                ".time_error": error,
                ".share": share,
                ".share_half": share * share_error,
                ".value": value,
                ".value_half": value * error.where(timed),
                ".rank": share.where(
                    bounded.astype(bool), value.mask(quantity.isin(SMALLER), -value)
                ),
                ".slowed": is_throttled(rows),
                ".at": at,
                ".roof": roof_kinds(rows).map({**ROOFS, "none": ""}).fillna(""),
            }
        )

    def best(self, by: list[str]) -> pd.DataFrame:
        """The row that ranks highest in each group; ``.of``: of so many."""
        ranked = self.rows[np.isfinite(self.rows[".rank"])]
        groups = ranked.groupby(by, sort=False)[".rank"]
        return ranked.loc[groups.idxmax()].assign(**{".of": groups.size().to_numpy()})

    def group(self, device: str) -> Group:
        """What rows of a device were measured on; ``device`` is its short name."""
        return next(self.groups[label] for label, name in self.labels.items() if name == device)

    def on(self, backend: str) -> list[str]:
        """The devices of a back end: "cuda", "host", "predicted"."""
        return [device for device in self.devices if self.group(device).backend == backend]
