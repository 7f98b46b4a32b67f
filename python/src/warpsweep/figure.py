"""What a figure consists of; ``panels.build`` makes one, ``gnuplot`` draws it and ``captions`` describes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from . import units
from .columns import Column, Columns
from .directives import Directives
from .frames import Group
from .selecting import words_in_order
from .values import human

CURVES_MAX = 8  # of a panel: more are divided among panels
# of a panel's height, of two rates on a logarithmic axis: closer curves are one
ALIKE, ALIKE_RATIO = 0.02, 1.03
HIDDEN = 0.01  # of a panel's height: closer curves of devices cover each other
NAME_LENGTH = 56  # of joined names; a longer list stands in the caption
COLOURS, DASHES = 8, 4
MARKS, HOLLOW = (7, 5, 9, 13, 11, 15), (6, 4, 8, 12, 10, 14)  # gnuplot's point types, in pairs
# the most frequent first
TYPES = ("f32", "f64", "f16", "u8", "bf16", "i32", "i64", "e4m3", "e5m2", "e2m1", "e8m0")
# Colours of words that mean the same in every figure: vermilion (1) is worse, green (2) is better.
SLOTS: dict[str, dict[str, int]] = {
    "dtype": {name: slot for slot, name in enumerate(TYPES)},
    "kernel": {"DRAM": 6, "L2": 6, "shared memory": 6},
    "verdict": {"same": 0, "slower": 1, "faster": 2, "uncertain": 4},
    "class": {"known addresses": 0, "host link": 1, "bytes only": 4},
    "reason": {
        "long scoreboard": 0,
        "lg throttle": 1,
        "barrier": 2,
        "mio throttle": 3,
        "drain": 3,
        "short scoreboard": 4,
        "math pipe throttle": 5,
        "not selected": 6,
        "wait": 7,
        "others": 1,
    },
    "roof_name": {
        "DRAM read and write": 0,
        "shared memory": 1,
        "L2": 2,
        "DRAM write": 3,
        "DRAM read": 4,
        "host to device": 5,
        "FP32 arithmetic": 6,
        "device to host": 7,
    },
    "bound": {
        "dram": 0,
        "shared": 1,
        "l2": 2,
        "tail": 2,
        "issue": 3,
        "link": 3,
        "l1": 4,
        "latency": 5,
        "flop": 6,
        "launch": 7,
    },
}
# columns of points that say which have a mark: gnuplot's pointtype
MARKED = {"throttled": 6, "above": 2, "disproved": 3}
ACROSS = ("across", "cells", "areas")  # ways to draw whose intervals are along x


@dataclass
class Axis:
    """``kind``: one of directives.SCALES, or names. ``values``: the places along x. ``cut``: a rate not from 0."""

    label: str
    kind: str
    low: float
    high: float
    bytes: bool = False
    values: Sequence[float] | np.ndarray = ()
    names: Sequence[str] = ()
    cut: bool = False

    def even(self, value: Any) -> Any:
        """The position along the axis, in a unit that is even in print."""
        with np.errstate(all="ignore"):
            return (
                np.log2(value + (self.kind == "log2+1")) if self.kind.startswith("log") else value
            )

    def position(self, value: Any) -> Any:
        """0 at the low end, 1 at the high one."""
        low, high = self.even(self.low), self.even(self.high)
        return (self.even(value) - low) / (high - low)

    def widened(self, below: float, above: float) -> Axis:
        """Extend the range by shares of its length."""
        low, high = float(self.even(self.low)), float(self.even(self.high))
        alone = abs(low) if self.kind == "linear" and low else 1.0
        length = high - low if high > low else alone
        ends = np.array([low - below * length, high + above * length])
        ends = 2**ends - (self.kind == "log2+1") if self.kind != "linear" else ends
        self.low, self.high = map(float, ends)
        return self


@dataclass
class Line:
    """A line that a device has across a part, or upright at a place, in units of the axis. ``shared``: of all devices. Its
    words are ``text``, or ``short`` or ``brief`` where they have no room."""

    at: float
    text: str
    brief: str
    part: str
    source: str
    shared: bool = False
    upright: bool = False
    short: str = ""


@dataclass
class Panel:
    """``block``: index of its y axis. ``sources``: those whose points are in it."""

    title: str
    part: str
    sources: list[str]
    block: int = 0


@dataclass
class Curve:
    """``points``: x, y, low, high (NaN: no bar) in the units of the axes, those of MARKED, clipped (the ends of the bar that
    are beyond the panel: "low", "high", "both", ""), and the figure's own columns.
    ``name`` is that of its block in NAME.tsv, ``mark`` gnuplot's pointtype."""

    name: str
    panel: Panel
    label: str
    source: str
    points: pd.DataFrame
    colour: int
    mark: int
    dash: int
    lined: bool


@dataclass
class Figure:
    """``rows``: those that are shown, with all their columns; ``points``: value, low and high of y without a unit;
    ``fixed``: axes and their values in words; ``pinned``: those that have other values in the file."""

    directives: Directives
    rows: pd.DataFrame
    points: pd.DataFrame
    fixed: list[str]
    pinned: list[str]
    sources: list[Group]
    x: Axis
    y: list[Axis] = field(default_factory=list)
    panels: list[Panel] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    together: bool = False  # devices share panels and differ in colour
    compared: bool = False  # each row is of all files
    shares: bool = False  # y is a share of the roof
    # a frame: kind, rate, origin and source by row, where points are shown beside their roofs
    roofs: Any = None
    # by name: the points that each speaks of
    laws: dict[str, pd.DataFrame] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    title: str = ""
    caption: str = ""
    notice: str = ""  # that a device is a host, or was predicted, if no curve has its name

    @property
    def name(self) -> str:
        return self.directives.name

    @property
    def draw(self) -> str:
        return self.directives.one("draw", "curves")


def display_unit(known: Columns, name: str, top: float) -> tuple[str, float]:
    """The unit in which values of a column up to ``top`` are shown, and its scale."""
    if name.startswith("fraction_"):
        return "%", 0.01
    unit = units.choose(known.unit(name), top)
    return (unit.symbol, unit.scale) if unit else (known.unit(name) or "1", 1.0)


def value_name(known: Columns, name: str, value: object) -> str:
    """``items 4``, ``restrict yes``; but only ``load`` and ``f32``, which need no name."""
    text = human(value, known.get(name))
    vague = text[0].isdigit() or text in ("yes", "no", "on", "off", "none", "default", "auto")
    return f"{name} {text}" if vague else text


def in_order(values: pd.Series, known: Column | None) -> list[Any]:
    """The distinct values of a column, numbers by size, words in their order; missing ones last."""
    values = values.dropna().unique()
    return (
        words_in_order(values, known)
        if len(values) and isinstance(values[0], str)
        else sorted(values)
    )


def marked(name: str, group: Group) -> str:
    """A device's name; of a prediction it says so."""
    guess = group.backend == "predicted" and "(predicted)" not in name
    return f"{name} (predicted)" if guess else name


def short_names(groups: Sequence[Group]) -> dict[str, str]:
    """``H100``; of a host "CPU", of a prediction "B200 (predicted)"; whole labels where short ones are equal."""
    names = {}
    for group in groups:
        short = "CPU" + group.label[len(group.device) :] if group.backend == "host" else group.short
        names[group.label] = marked(short, group)
    return (
        names
        if len(set(names.values())) == len(names)
        else {group.label: group.label for group in groups}
    )


def facet(d: Directives, rows: pd.DataFrame) -> str:
    """The column that divides curves into panels: ``panel``, or that with the fewest uncrowded panels; "": none."""

    def crowd(*names: str) -> int:
        return int(rows.groupby([*names, ".source"], dropna=False)[".curve"].nunique().max())

    series = d.all("series")
    if d.one("panel") in series:
        return d.one("panel")
    if d.one("draw", "curves") != "curves" or crowd() <= CURVES_MAX:
        return ""
    count = rows[series].nunique(dropna=False)
    return min(
        (name for name in series if count[name] > 1),
        default="",
        key=lambda name: (max(crowd(name), CURVES_MAX), count[name]),
    )


def name_curves(
    d: Directives, rows: pd.DataFrame, kernel: pd.DataFrame, split: str, known: Columns
) -> pd.DataFrame:
    """label, and slot: the place of its first word among those of the kernel, so that a word has one colour in all
    figures. Names of a panel leave out what all its curves share, later axes first."""
    series, named = d.all("series"), pd.DataFrame({"label": "", "slot": 0}, index=rows.index)
    rows = rows[list(dict.fromkeys([".source", *series, *filter(None, [split])]))]
    for _, part in rows.groupby(split, dropna=False, sort=False) if split else [("", rows)]:
        curves = part.drop_duplicates([".source", *series])
        kept = [name for name in series if name != split]
        for name in reversed(list(kept)):
            rest = [other for other in kept if other != name]
            kept = kept if curves.duplicated([".source", *rest]).any() else rest
        # one curve per panel
        kept = kept or [next((name for name in reversed(series) if name != split), series[0])]
        words = {
            value: place
            for place, value in enumerate(in_order(kernel[kept[0]], known.get(kept[0])))
        }
        for here, of in part.groupby(kept if len(kept) > 1 else kept[0], dropna=False, sort=False):
            values = here if isinstance(here, tuple) else (here,)
            there = [(name, one) for name, one in zip(kept, values) if one == one and one != ""]
            # A curve without any of these values, such as that of another family, is called by the first axis.
            there = there or [(series[0], rows[series[0]].loc[of.index].iloc[0])]
            named.loc[of.index, "label"] = " ".join(
                value_name(known, name, one) for name, one in there
            )
            named.loc[of.index, "slot"] = SLOTS.get(kept[0], {}).get(
                values[0], words.get(values[0], 0)
            )
    return named


def join_alike(points: pd.DataFrame, y: Sequence[Axis], remarks: list[str]) -> pd.DataFrame:
    """Curves that nobody can tell apart are drawn as one: in the same panels, and at most 2 % of a panel's height apart
    (on a logarithmic axis: 3 % of the value) wherever both have a point, at two places or more in each."""
    heights = [points.loc[points["block"] == block, "y"] for block in range(len(y))]
    position = pd.concat(
        [
            axis.position(height) / ALIKE
            if axis.kind == "linear"
            else np.log(height) / np.log(ALIKE_RATIO)
            for axis, height in zip(y, heights)
        ]
    )
    place, labels = ["part", ".source", "x"], list(dict.fromkeys(points["label"]))
    wide = (
        points[[*place, "label"]]
        .assign(position=position)
        .drop_duplicates([*place, "label"])
        .pivot(index=place, columns="label", values="position")
    )
    values, panel = (
        wide[labels].to_numpy(float),
        wide.groupby(level=["part", ".source"]).ngroup().to_numpy(),
    )
    present = np.stack(
        [np.bincount(panel[~np.isnan(one)], minlength=panel.max() + 1) > 0 for one in values.T]
    )

    def alike(a: int, b: int) -> bool:
        if not present[a].any():  # all are at one height of a panel without one
            return False
        apart = np.abs(values[:, a] - values[:, b])
        common = np.bincount(panel[~np.isnan(apart)], minlength=panel.max() + 1)[present[a]]
        return (present[a] == present[b]).all() and common.min() > 1 and np.nanmax(apart) <= 1

    kinds, groups = {axis.kind == "linear" for axis in y}, list[list[str]]()
    said = {True: f"{100 * ALIKE:.0f} % of the height", False: f"{100 * ALIKE_RATIO - 100:.0f} %"}
    near = f"within {' or '.join(said[kind] for kind in sorted(kinds, reverse=True))}"
    for at, label in enumerate(labels):
        group = next(
            (group for group in groups if all(alike(at, labels.index(other)) for other in group)),
            None,
        )
        if group is None:
            groups.append([label])
        else:
            group.append(label)
    for group in (group for group in groups if len(group) > 1):
        members = points[points["label"].isin(group)]
        # The curve with most points is drawn, with the points of the others at places where it has none.
        lead, joined = (
            members["label"].value_counts(sort=False).reindex(group).idxmax(),
            ", ".join(group),
        )
        kept = members.sort_values("label", key=lambda labels: labels != lead, kind="stable")
        remarks.append(f"Drawn as one curve, {near}: {joined}.")
        names = (
            joined if len(joined) <= NAME_LENGTH else "all others",
            f"{len(group)} alike: {lead} ...",
        )
        name = next(one for one in names if one not in set(points["label"]))
        kept = kept.drop_duplicates(place).assign(slot=kept["slot"].iloc[0], label=name)
        for name in MARKED:
            kept[name] |= members.groupby(place)[name].transform("max").reindex(kept.index)
        points = pd.concat([points.drop(members.index), kept]).sort_index()
    return points


def coinciding(points: pd.DataFrame, y: Sequence[Axis], names: Sequence[str]) -> list[str]:
    """In which curves all devices lie on each other, so that the last one hides the others."""
    at = pd.concat(
        [axis.position(points.loc[points["block"] == block, "y"]) for block, axis in enumerate(y)]
    )
    wide = points.assign(at=at).pivot_table(
        index=["title", "label", "x"], columns=".source", values="at", sort=False
    )
    apart = (wide.max(axis=1) - wide.min(axis=1)).where(wide.notna().all(axis=1), np.inf)
    same = apart.groupby(level=["title", "label"], sort=False).max() <= HIDDEN
    which = [" ".join(filter(None, key)) for key in same.index[same]]
    if not which:
        return []
    where = "all curves" if same.all() else ", ".join(which)
    return [f"{' and '.join(names)} coincide in {where}."]


def styles(
    figure: Figure, points: pd.DataFrame
) -> dict[tuple[str, str], tuple[int, int, int, bool]]:
    """Colour, mark, dash and whether it is a line, of each label and source. Devices that share panels differ in colour, their
    curves in mark and dash; otherwise curves differ in colour first. What is predicted is hollow and dashed."""
    chosen: dict[tuple[str, str], tuple[int, int, int, bool]] = {}
    predicted = {source.label for source in figure.sources if source.backend == "predicted"}
    colours: dict[int, int] = {}  # of slots
    dashes: dict[int, int] = {}  # so many curves of a slot, or lines, have been seen
    labels = points.drop_duplicates("label")[["label", "slot", "lined"]]
    for place, (label, slot, lined) in enumerate(labels.itertuples(index=False)):
        kind = -1 if lined else slot
        kind = place if figure.draw in ("areas", "cells") else kind
        if kind not in colours:
            free = [(slot + step) % COLOURS for step in range(COLOURS)]
            colours[kind] = next(
                (one for one in free if lined or one not in colours.values()), slot % COLOURS
            )
        nth = dashes[kind] = dashes.get(kind, -1) + 1
        for device, source in enumerate(figure.sources):
            hollow = source.label in predicted or (
                not predicted and (device if figure.together else nth) % 2 == 1
            )
            mark = (place if figure.together else slot + slot // COLOURS + nth // DASHES) % len(
                MARKS
            )
            dash = (place if figure.together else nth) % DASHES
            if source.label in predicted and not lined:
                dash = 1 + dash % (DASHES - 1)
            chosen[label, source.label] = (
                device % COLOURS if figure.together else colours[kind],
                (HOLLOW if hollow else MARKS)[mark],
                dash,
                lined,
            )
    return chosen
