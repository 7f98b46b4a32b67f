"""What a figure consists of; ``panels.build`` makes one, ``gnuplot`` draws it and ``captions`` describes it."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from . import units
from .directives import Directives
from .frames import Group, words_in_order
from .pivots import person
from .results import Columns

ACROSS = ("across", "cells", "areas")  # ways to draw whose intervals are along x


@dataclass
class Axis:
    """``kind``: one of directives.SCALES, or names. ``values``: the places along x. ``cut``: a rate not from 0."""

    label: str
    kind: str
    low: float
    high: float
    bytes: bool = False
    values: Sequence[float] = ()
    names: Sequence[str] = ()
    cut: bool = False

    def even(self, value: "float | pd.Series") -> "float | pd.Series":
        """The position along the axis, in a unit that is even in print."""
        with np.errstate(all="ignore"):
            return np.log2(value + (self.kind == "log2+1")) if self.kind.startswith("log") else value

    def position(self, value: "float | pd.Series") -> "float | pd.Series":
        """0 at the low end, 1 at the high one."""
        low, high = self.even(self.low), self.even(self.high)
        return (self.even(value) - low) / (high - low)

    def widened(self, below: float, above: float) -> Axis:
        """Extend the range by shares of its length."""
        low, high = float(self.even(self.low)), float(self.even(self.high))
        length = high - low if high > low else abs(low) if self.kind == "linear" and low else 1.0
        ends = np.array([low - below * length, high + above * length])
        ends = 2**ends - (self.kind == "log2+1") if self.kind != "linear" else ends
        self.low, self.high = map(float, ends)
        return self


@dataclass
class Line:
    """A line that a device has across a part, or upright at a place, in units of the axis. ``shared``: of all devices."""

    at: float
    text: str
    brief: str
    part: str
    source: str
    shared: bool = False
    upright: bool = False


@dataclass
class Panel:
    """``block``: index of its y axis. ``sources``: those whose points are in it."""

    title: str
    part: str
    sources: list[str]
    block: int = 0


@dataclass
class Curve:
    """``points``: x, y, low, high (NaN: no bar) in the units of the axes, throttled, and the figure's own columns.
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
    roofs: "pd.DataFrame | None" = None  # kind, rate and source by row, where points are shown beside their roofs
    remarks: list[str] = field(default_factory=list)
    cut_bars: int = 0
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

    def lines_in(self, panel: Panel) -> list[Line]:
        """The lines of a panel; what several devices have alike is one."""
        mine = [line for line in self.lines if line.part == panel.part and line.source in panel.sources]
        return list({(line.at, line.text, line.upright): line for line in mine}.values())


def display_unit(known: Columns, name: str, top: float) -> tuple[str, float]:
    """The unit in which values of a column up to ``top`` are shown, and its scale."""
    unit = units.choose(known.unit(name), top)
    return ("%", 0.01) if name.startswith("fraction_") else (
        unit.symbol if unit else known.unit(name) or "1", unit.scale if unit else 1.0)


def value_name(known: Columns, name: str, value: object) -> str:
    """``items 4``, ``restrict yes``; but only ``load`` and ``f32``, which need no name."""
    text = person(value, known.get(name))
    vague = text[0].isdigit() or text in ("yes", "no", "on", "off", "none", "default", "auto")
    return f"{name} {text}" if vague else text


def in_order(name: str, values: pd.Series) -> list[object]:
    """The distinct values of a column, numbers by size, words in their order; missing ones last."""
    values = values.dropna().unique()
    return words_in_order(name, values) if len(values) and isinstance(values[0], str) else sorted(values)


def short_names(groups: Sequence[Group]) -> dict[str, str]:
    """``H100``; of a host "CPU", of a prediction "B200 (predicted)"; whole labels where short ones are equal."""
    names = {}
    for group in groups:
        short = "CPU" + group.label[len(group.device):] if group.backend == "host" else group.short
        names[group.label] = short + " (predicted)" * (group.backend == "predicted" and "(predicted)" not in short)
    return names if len(set(names.values())) == len(names) else {group.label: group.label for group in groups}
