"""The points of a figure, its axes and its curves: what ``gnuplot`` writes as a script, and ``captions`` describes.

``build`` selects the rows that a figure's directives ask for, pins the axes that would vary within a curve, divides the
points into panels and curves, and chooses units, scales and ranges. It measures no texts: gnuplot lays out the page.
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from . import laws, units
from .directives import Directives, Skipped, StatedLaw
from .errors import UsageError
from .frames import Group, derive, is_text, is_throttled, sort, where, words_in_order
from .results import Columns

CURVES_MAX = 8  # of a panel: more are divided among panels
CROWDED = 6  # curves of several devices in a figure of one panel; with more, each device has a panel
DOTS_TOGETHER = 60  # with more dots each device has a panel
FEW_BARS, LONG_BAR = 0.05, 0.5  # share of the points; of what the points span
SMALL_EFFECT = 0.15  # of the highest point: smaller effects vanish on an axis from zero
ALIKE = 0.02  # of a panel's height: closer curves are one
NAME_LENGTH = 30  # of joined names; a longer list stands in the caption
COLOURS, DASHES = 8, 4
MARKS, HOLLOW = (7, 5, 9, 13, 11, 15), (6, 4, 8, 12, 10, 14)  # gnuplot's point types, in pairs
TYPES = ["f32", "f64", "f16", "u8", "bf16", "i32", "i64", "e4m3", "e5m2", "e2m1", "e8m0"]  # the most frequent first
HEADINGS = {"time_median": "Time", "fraction_peak": "Share of roof", "fraction_nominal": "Share of nominal",
            "fraction_datasheet": "Share of data sheet", "flop_rate": "Rate", "sm_clock": "SM clock", "dtype": "Type"}
ROOFS = {"dram_read": "DRAM read", "dram_write": "DRAM write", "dram_mix": "DRAM read and write", "l2": "L2",
         "shared": "shared memory", "link_h2d": "host to device", "link_d2h": "device to host",
         "link_peer": "link between devices", "flop_f16": "FP16 arithmetic", "flop_bf16": "BF16 arithmetic",
         "flop_f32": "FP32 arithmetic", "flop_f64": "FP64 arithmetic", "tensor_f16": "FP16 tensor cores",
         "tensor_bf16": "BF16 tensor cores", "tensor_tf32": "TF32 tensor cores", "tensor_f8": "FP8 tensor cores",
         "tensor_i8": "8-bit integer tensor cores"}
# Colours of words that mean the same in every figure: vermilion (1) is worse, green (2) is better.
SLOTS: dict[str, dict[str, int]] = {
    "dtype": {name: slot for slot, name in enumerate(TYPES)},
    "kernel": {"shared_stride": 4, "DRAM": 6, "L2": 6, "shared memory": 6},
    "verdict": {"same": 0, "slower": 1, "faster": 2, "uncertain": 4},
    "judged": {"like the rest": 0, "outlier": 1},
    "access": {"loads": 0, "stores": 1, "shared loads": 2, "shared stores": 3},
    "class": {"addresses known": 0, "host link": 1, "addresses unknown: lower bound": 4},
    "phase": {"sampling": 0, "verify": 1, "file": 2, "count": 3, "warm-up": 4, "prepare": 5, "other": 6, "start, compile": 7},
    "reason": {"long scoreboard": 0, "lg throttle": 1, "barrier": 2, "mio throttle": 3, "drain": 3, "short scoreboard": 4,
               "math pipe throttle": 5, "not selected": 6, "wait": 7, "others": 1},
    "roof_name": {"DRAM read and write": 0, "shared memory": 1, "L2": 2, "DRAM write": 3, "DRAM read": 4,
                  "host to device": 5, "FP32 arithmetic": 6, "device to host": 7},
    "bound": {"dram": 0, "DRAM": 0, "DRAM read and write": 0, "shared": 1, "shared memory": 1, "shared memory: wavefronts": 1,
              "l2": 2, "L2": 2, "issue": 3, "instructions issued": 3, "DRAM write": 3, "l1": 4, "L1: requests": 4,
              "DRAM read": 4, "latency": 5, "latency: too little in flight": 5, "host to device": 5, "flop": 6,
              "arithmetic": 6, "FP32 arithmetic": 6, "launch": 7, "launches of the kernel and its blocks": 7,
              "device to host": 7, "tail": 2, "multiprocessors without a block": 2, "others": 2, "link": 3, "host link": 3}}


@dataclass
class Axis:
    """``kind``: one of directives.SCALES, or names. ``values``: the places along x. ``cut``: a rate that does not start at 0."""

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
            return np.log2(value) if self.kind in ("log2", "log10") else np.log2(1 + value) if self.kind == "log2+1" else value

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
    """A line across a panel at a height, in the unit of the axis, or at a place. ``source``: "" for all devices."""

    at: float
    text: str
    brief: str = ""
    source: str = ""


@dataclass
class Style:
    """``mark``: gnuplot's pointtype. ``width``: a factor, above 1 for curves below others that coincide."""

    colour: int
    mark: int
    dash: int = 0
    width: float = 1.0


@dataclass
class Curve:
    """``points``: x, y, low, high (NaN: no bar) in the units of the axes, throttled, and the figure's own columns."""

    label: str
    source: str
    points: pd.DataFrame
    style: Style
    lined: bool = False


@dataclass
class Panel:
    """``block``: index of its y axis. ``sources``: those whose points are in it."""

    title: str
    part: str
    sources: list[str]
    block: int = 0
    curves: list[Curve] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    rules: list[Line] = field(default_factory=list)
    ratios: "pd.DataFrame | None" = None  # points of a panel of ratios


@dataclass
class Figure:
    """``rows``: those that are shown, with all their columns; ``points``: value, low and high of y without a unit."""

    directives: Directives
    rows: pd.DataFrame
    points: pd.DataFrame
    pinned: list[str]
    sources: list[Group]
    x: Axis
    y: list[Axis]
    panels: list[Panel]
    draw: str
    together: bool  # devices share panels and differ in colour
    shares: bool = False  # y is a share of the roof
    roofs: bool = False  # points are shown beside their roofs, or as shares of them
    remarks: list[str] = field(default_factory=list)
    cut_bars: int = 0
    nested: bool = False
    findings: list[str] = field(default_factory=list)
    title: str = ""
    caption: str = ""

    @property
    def name(self) -> str:
        return self.directives.name


# ---- Words ---------------------------------------------------------------------------------------------------------


def human(known: Columns, name: str, value: object) -> str:
    """A cell for people: ``64KiB``, ``4299 GB/s``, a word as it is."""
    if isinstance(value, str):
        return value or "—"
    number, column = float(value), known.get(name)  # type: ignore[arg-type]
    if np.isnan(number):
        return "—"
    unit = column.unit if column else ""
    if unit == "bytes" and number == np.floor(number):
        return units.bytes_text(int(number))
    if number == np.floor(number) and column and column.type == "integer":
        return f"{int(number)}"
    chosen = units.choose(unit, number)
    text = f"{number / (chosen.scale if chosen else 1):.4g}"
    return f"{text} {chosen.name if chosen else unit}" if unit else text


def heading(name: str) -> str:
    """The name of a column in words."""
    text = name.replace("_", " ").replace(".", " ")
    whole = "_" in name or not any(letter.isdigit() for letter in name)  # f32 stays
    return HEADINGS.get(name, text[:1].upper() + text[1:] if whole else text)


def value_name(known: Columns, name: str, value: object) -> str:
    """``items 4``, ``restrict yes``; but only ``load`` and ``f32``, which need no name."""
    text = human(known, name, value)
    return f"{name} {text}" if text[0].isdigit() or text in ("yes", "no", "on", "off", "none", "default", "auto") else text


def in_order(name: str, values: pd.Series) -> list[object]:
    """The distinct values of a column, numbers by size, words in their order; missing ones last."""
    values = values.dropna().unique()
    return words_in_order(name, values) if len(values) and isinstance(values[0], str) else sorted(values)


def short_names(groups: Sequence[Group]) -> dict[str, str]:
    """``H100``; of a host "CPU", of a prediction "B200 (predicted)"; whole labels where short ones would be the same."""
    names = {}
    for group in groups:
        short = "CPU" + group.label[len(group.device):] if group.backend == "host" else group.short
        names[group.label] = short + (" (predicted)" if group.backend == "predicted" else "")
    return names if len(set(names.values())) == len(names) else {group.label: group.label for group in groups}


def distinct(values: pd.Series) -> int:
    return int(values.nunique(dropna=False))


def numbers(rows: pd.DataFrame, name: str) -> pd.Series:
    """A column as float64; NaN where it is missing or holds words."""
    column = rows.get(name)
    if column is None or is_text(column):
        return pd.Series(np.nan, index=rows.index)
    return column.astype("float64")


# ---- Rows ----------------------------------------------------------------------------------------------------------


def select(d: Directives, frame: pd.DataFrame, conditions: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
    """The rows of a figure, and its pinned axes in words. Raises Skipped."""
    rows = frame
    if "status" in rows:
        rows = rows[rows["status"] == "ok"]
    if "repeat" in rows:
        rows = rows[rows["repeat"].fillna(0) == 0]
    kernel = d.one("kernel")
    if kernel != "*":
        rows = rows[rows["kernel"] == kernel]
    if rows.empty:
        raise Skipped(f"no point of {kernel} was measured")
    try:
        for definition in d.all("derive"):
            rows = derive(rows, definition)
        needed = [d.one(key) for key in ("x", "place", "y", "panel", "names", "xnames", "contrast") if d.one(key)]
        for name in [*needed, *d.all("series"), *d.all("columns")]:
            if name not in rows:
                raise Skipped(f"no file has the column {name}")
        for condition in d.all("where"):
            rows = where(rows, [condition], strict=False)
            if rows.empty:
                raise Skipped(f"no measured point has {condition}")
        if not d.one("table"):
            rows = where(rows, list(conditions), strict=False)
        if rows.empty:
            raise Skipped("no point of it matches --where")
        rows, pinned = pin(d, rows)
    except UsageError as error:
        raise Skipped(str(error)) from None
    one_will_do = d.one("table") and d.one("draw") == "dots"
    if distinct(rows[d.one("x")]) < (1 if one_will_do else 2):
        raise Skipped(f"fewer than two values of {d.one('x')} were measured")
    if d.one("contrast") and distinct(rows[d.one("contrast")]) < 2:
        raise Skipped(f"fewer than two values of {d.one('contrast')} were measured")
    return rows, pinned


def pin(d: Directives, rows: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Keep one value of each axis that varies within a curve: that with most places along x, on a tie the largest.

    Places are counted on each device, so that values measured on all are preferred. Rows of a baseline have one value of
    such an axis, which means nothing, and stay; so do rows that lack the axis. Two measured columns pin nothing.
    """
    known: Columns = rows.attrs["columns"]
    x = d.one("x")
    if known.role(x) != "axis":
        return rows, []
    said: list[str] = []
    baseline = where(rows, [d.one("baseline")], strict=False).index if d.one("baseline") else rows.index[:0]
    for axis in (name for name in known if known.role(name) == "axis" and name in rows):
        if axis == x or axis in d.all("series"):
            continue
        missing = rows[axis].isna() | (rows[axis] == "")
        stated = not missing.iloc[0] if d.all_axes else axis in d.all("state")
        if distinct(rows[axis]) < 2 and not stated:
            continue
        beside = rows.index.isin(baseline)
        free = beside if distinct(rows.loc[beside, axis]) < 2 else np.zeros(len(rows), bool)
        bound = rows[~free]
        if distinct(bound[axis]) > 1:
            lacking = missing[~free]
            places = {value: bound[(bound[axis] == value) | lacking].groupby("source")[x].nunique(dropna=False).sum()
                      for value in sorted(bound.loc[~lacking, axis].unique())}
            best = max(reversed(list(places)), key=lambda value: places[value])  # on a tie the largest
            rows = rows[free | missing | (rows[axis] == best)]
            bound = bound[lacking | (bound[axis] == best)]
        values = bound.loc[~(bound[axis].isna() | (bound[axis] == "")), axis]
        # A count of 0, or of 2^40 and more, stands for "no limit" in the families.
        limitless = len(values) and not isinstance(values.iloc[0], str) and (values.iloc[0] == 0 or values.iloc[0] >= 2**40)
        if len(bound) and not limitless:
            said.append(f"{axis} {human(known, axis, values.iloc[0]) if len(values) else '—'}")
    return rows, said


# ---- Panels and curves ---------------------------------------------------------------------------------------------


def crowd(rows: pd.DataFrame, part: pd.Series) -> int:
    """The largest number of curves of one device in a panel."""
    return int(rows.groupby([part, "source"], dropna=False)["curve"].nunique().max())


def facet(d: Directives, rows: pd.DataFrame) -> str:
    """The column that divides curves into panels: that of ``panel``, or if a panel would have too many curves the one that
    gives the fewest panels that are not crowded; "" for none."""
    if d.one("panel") in d.all("series"):
        return d.one("panel")
    alone = pd.Series(0, index=rows.index)
    if d.one("draw", "curves") != "curves" or crowd(rows, alone) <= CURVES_MAX:
        return ""
    choices = []
    for place, name in enumerate(d.all("series")):
        parts, most = distinct(rows[name]), crowd(rows, rows[name])
        if parts > 1:
            choices.append((most if most > CURVES_MAX else 0, parts, place, name))
    return min(choices)[-1] if choices else ""


def name_curves(d: Directives, rows: pd.DataFrame, kernel: pd.DataFrame, split: str, known: Columns) -> pd.DataFrame:
    """Columns label, slot and second of each row. Names of a panel leave out what all its curves share, later axes first.

    slot is the place of the first word among those that the kernel has, so that a word has one colour in all figures.
    """
    words = {name: {value: place for place, value in enumerate(in_order(name, kernel[name]))} for name in d.all("series")}
    named = pd.DataFrame({"label": "", "slot": 0, "second": 0}, index=rows.index)
    series = d.all("series")
    parts = rows.groupby(split, dropna=False, sort=False) if split else [("", rows)]
    for _, part in parts:
        curves = part.drop_duplicates(["source", *series])[["source", *series]]
        kept = [name for name in series if name != split]
        for name in reversed(list(kept)):
            rest = [other for other in kept if other != name]
            if not curves.duplicated(["source", *rest]).any():
                kept = rest
        if not kept:  # one curve per panel
            kept = [next((name for name in reversed(series) if name != split), series[0])]
            curves = curves.drop_duplicates(kept)
        for row, here in part.groupby(kept, dropna=False, sort=False).groups.items():
            values = row if isinstance(row, tuple) else (row,)
            slots = [SLOTS.get(name, {}).get(value, words[name].get(value, 0)) for name, value in zip(kept, values)]
            named.loc[here, "label"] = " ".join(value_name(known, name, value) for name, value in zip(kept, values))
            named.loc[here, ["slot", "second"]] = slots[0], int("0" + "".join(str(slot % 2) for slot in slots[1:]), 2)
    return named


def measure(d: Directives, rows: pd.DataFrame, y: str, known: Columns) -> pd.DataFrame:
    """x, y, low, high of each row in the units of the columns; low and high are NaN without an interval of use."""
    across = d.one("draw") in ("across", "cells", "areas")
    points = pd.DataFrame({"x": numbers(rows, d.place), "y": numbers(rows, y)})
    role, interval = known.role(y), d.all("interval")
    median, first, last = (numbers(rows, name) for name in ("time_median", "time_ci_low", "time_ci_high"))
    low = high = pd.Series(np.nan, index=rows.index)
    if role == "rate":
        low, high = points["y"] * median / last, points["y"] * median / first
    if len(interval) > 1:
        low, high = numbers(rows, interval[0]), numbers(rows, interval[1])
    elif y == "fraction_peak" and "fraction_peak_low" in rows:
        own = rows["fraction_peak_low"].notna()
        low, high = low.mask(own, rows["fraction_peak_low"]), high.mask(own, rows["fraction_peak_high"])
    unknown = (last - median > median.abs()) if role == "rate" else False
    inside = low <= high if across else (low <= points["y"]) & (points["y"] <= high)
    points["low"], points["high"] = low.where(inside & ~unknown), high.where(inside & ~unknown)
    points["throttled"] = is_throttled(rows) & (role in ("time", "rate"))
    return points


def y_unit(d: Directives, y: str, top: float, known: Columns, own: bool) -> tuple[str, float]:
    """The label of y, and what its values are divided by. A label of the figure says the unit; else the largest value."""
    label = d.one("ylabel") if own else ""
    if d.one("names"):
        return label, 1.0
    of = known.unit(y)
    if y.startswith("fraction_"):
        return label or f"{heading(y)} (%)", 0.01
    unit = units.choose(of, top)
    if label:
        unit = units.find(label.rpartition("(")[2].rstrip(")")) if "(" in label else None
        unit = unit if unit and unit.of == of else None
    return label or f"{heading(y)} ({unit.symbol if unit else of or '1'})", unit.scale if unit else 1.0


# ---- Lines ---------------------------------------------------------------------------------------------------------


def roofs_of(rows: pd.DataFrame, peak_copy: float) -> pd.DataFrame:
    """The roofs of rows of one device: kind, low and high rate, in the order of the rows. Files of release 0.1 name none:
    theirs is the copy peak, for points in DRAM that read as much as they write."""
    word = rows["roof"].fillna("") if "roof" in rows else pd.Series("", index=rows.index)
    rate, read, written = (numbers(rows, name) for name in ("roof_rate", "bytes_read", "bytes_written"))
    cold = rows["cache"] != "hot" if "cache" in rows else True
    old = (word == "") & ((read - written).abs() <= 0.01 * written) & cold & (peak_copy > 0)
    rate, word = rate.mask(word == "", peak_copy), word.mask(old, "dram_mix")
    mix = word == "dram_mix"
    word = word.mask(mix & (read < 0.01 * written), "dram_write").mask(mix & (written < 0.01 * read), "dram_read")
    found = pd.DataFrame({"kind": word, "rate": rate})[word.isin(list(ROOFS)) & (rate > 0)]
    return found.groupby("kind", sort=False)["rate"].agg(["min", "max"]).reset_index()


def describe_roof(kind: str, low: float, high: float) -> str:
    """``DRAM read 4170 GB/s``."""
    unit = units.choose("bytes/s" if not kind.startswith(("flop", "tensor")) else "flop/s", high)
    return f"{ROOFS[kind]}{' up to' if low < 0.99 * high else ''} {high / unit.scale:.4g} {unit.symbol}"


def roof_kind(d: Directives, y: str) -> str:
    return d.one("roof") or {"bandwidth": "byte", "flop_rate": "flop"}.get(y, "none")


def lines_of(d: Directives, rows: pd.DataFrame, y: str, scale: float, source: Group, normalise: bool,
             known: Columns) -> list[Line]:
    """The lines across a panel of the rows of one device: those that the figure names, and the roofs of its points."""
    if normalise:
        return [Line(100.0, "measured roof", "roof")]
    lines = []
    for text in d.all("line"):
        at, _, words = text.partition(" ")
        try:
            lines.append(Line(float(at), words, words))
            continue
        except ValueError:
            height = float(numbers(rows.iloc[-1:], at).iloc[0]) / scale
        of = known.unit(y)
        unit = units.choose(of, scale) if of in ("bytes/s", "flop/s") else None
        if np.isfinite(height):
            lines.append(Line(height, f"{words} {height:.4g}{' ' + unit.symbol if unit else ''}", words, source.label))
    wanted = roof_kind(d, y)
    if wanted != "none":
        for kind, low, high in roofs_of(rows, source.peak_copy).itertuples(index=False):
            if kind.startswith(("flop", "tensor")) == (wanted == "flop"):
                text = describe_roof(kind, low, high)
                lines.append(Line(high / scale, text, text[len(ROOFS[kind]) + 1:], source.label))
    return lines


def rules_of(d: Directives, rows: pd.DataFrame, x: pd.Series, known: Columns, source: str) -> list[Line]:
    """Vertical lines: the knees of laws that all points keep, and values of columns with points on both sides."""
    rules = []
    for stated in map(StatedLaw.parse, d.all("law")):
        if np.isfinite(stated.knee) and laws.holds(rows, stated.name):
            rules.append(Line(stated.knee, stated.words))
    for text in d.all("rule"):
        name, _, words = text.partition(" ")
        at = float(numbers(rows.iloc[-1:], name).iloc[0]) if name in rows else np.nan
        if x.min() < at < x.max():
            own = words.startswith("@")
            text = str(rows[words[1:]].iloc[-1]) if own else f"{words} {human(known, name, at)}"
            rules.append(Line(at, text, source=source))
    return rules


# ---- Axes ----------------------------------------------------------------------------------------------------------


def scale_of(values: np.ndarray) -> str:
    """The default scale along x: logarithmic if values are positive and span a factor of 16 or more."""
    low, high = values.min(), values.max()
    if not low > 0:
        return "linear"
    if high > 2 * low and (np.frexp(values)[0] == 0.5).all():
        return "log2"
    whole = (values == np.floor(values)).all()
    return "linear" if high < 16 * low else "log2" if whole and high < 1000 * low else "log10"


def places_named(rows: pd.DataFrame, at: pd.Series, column: str) -> list[str]:
    """The words that stand at the places 0, 1, 2 ... of an axis."""
    names = dict(zip(at.round().astype(int), rows.loc[at.index, column].astype(str)))
    return [names.get(place, "") for place in range(max(names) + 1)]


def fit_x(d: Directives, rows: pd.DataFrame, points: pd.DataFrame, known: Columns, draw: str) -> Axis:
    values = np.unique(points["x"])
    label = d.one("xlabel", d.one("x"))
    if d.one("xnames"):
        names = places_named(rows, points["x"], d.one("xnames"))
        return Axis(label, "names", -0.5, len(names) - 0.5, names=names)
    kind = d.one("xscale") or scale_of(values)
    low, high = values[0], values[-1]
    if draw in ("across", "areas"):
        low, high = np.nanmin([low, points["low"].min()]), np.nanmax([high, points["high"].max()])
    in_bytes = known.unit(d.one("x")) == "bytes" and (kind == "log2" or values[0] >= 1024)
    return Axis(label, kind, float(low), float(high), in_bytes, values).widened(0.03, 0.03)


def fit_y(d: Directives, rows: pd.DataFrame, points: pd.DataFrame, panels: Sequence[Panel], label: str, rate: bool,
          kind: str) -> tuple[Axis, pd.Series]:
    """The y axis of some panels, and which bars would leave it. Lines far from points that differ little are dropped."""
    if d.one("names"):
        names = places_named(rows, points["y"], d.one("names"))
        return Axis(label, "names", -0.5, len(names) - 0.5, names=names), pd.Series(False, index=points.index)
    across = d.one("draw") in ("across", "cells", "areas")
    length = points["high"] - points["low"]
    lines = [line.at for panel in panels for line in panel.lines]
    span = max([points["y"].max(), *lines]) - min([points["y"].min(), *lines])
    longer = length > LONG_BAR * span
    few = bool(span > 0 and longer.sum() <= FEW_BARS * len(points))  # they do not widen the axis
    bars = points[~longer if few else slice(None)] if not across else points[:0]

    def ends(lines: Iterable[float]) -> tuple[float, float]:
        every = [points["y"].min(), points["y"].max(), bars["low"].min(), bars["high"].max(), *lines]
        return float(np.nanmin(every)), float(np.nanmax(every))

    low, high = ends(lines)
    hides = bool((points["y"] > 0).all() and (points["y"] < 0.05 * high).sum() * 2 > len(points))
    kind = kind or ("log10" if rate and hides and low > 0 else "linear")
    cut = False
    if rate and kind == "linear" and not across:
        first, last = ends([])
        if cut := first > 0 and last - first < SMALL_EFFECT * last:
            for panel in panels:
                panel.lines = [line for line in panel.lines if 2 * first - last <= line.at <= 2 * last - first]
            low, high = ends(line.at for panel in panels for line in panel.lines)
    axis = Axis(label, kind, low, high, cut=cut)
    if not cut and rate and kind == "linear" and low >= 0:
        axis.low, axis.high = 0.0, 1.04 * high
    else:
        axis.widened(0.06, 0.06)
    outside = (points["low"] < axis.low) | (points["high"] > axis.high)
    return axis, outside & (not across)


# ---- Curves that are one -------------------------------------------------------------------------------------------


def join_alike(points: pd.DataFrame, y: Sequence[Axis], remarks: list[str]) -> pd.DataFrame:
    """Curves that are one are drawn as one, with one name: nested, nobody can tell them apart. They are in the same panels
    and at most 2 % of a panel's height apart wherever both have a point, at two places or more in each."""
    position = pd.concat([axis.position(points.loc[points["block"] == block, "y"]) for block, axis in enumerate(y)])
    where_ = ["part", "source", "x"]
    wide = points.assign(position=position).drop_duplicates([*where_, "label"]).pivot(
        index=where_, columns="label", values="position")
    present = wide.notna().groupby(level=["part", "source"], sort=False).any()
    labels = list(dict.fromkeys(points["label"]))
    if len(labels) == 1:
        remarks.append(f"The curve is of {labels[0]}.")
        return points

    def one(a: str, b: str) -> bool:
        both = (wide[a] - wide[b]).abs().dropna()
        panels = present.index[present[a]]
        return (bool((present[a] == present[b]).all()) and len(both) > 0 and both.max() <= ALIKE
                and both.groupby(level=["part", "source"]).size().reindex(panels, fill_value=0).min() > 1)

    groups: list[list[str]] = []
    for label in labels:
        group = next((group for group in groups if all(one(label, other) for other in group)), None)
        if group is None:
            groups.append([label])
        else:
            group.append(label)
    count = points.groupby("label").size()
    for group in groups:
        if len(group) < 2:
            continue
        lead = max(group, key=lambda label: (count[label], -group.index(label)))
        joined = ", ".join(group)
        name = (joined if len(joined) <= NAME_LENGTH else f"all {len(group)}" if len(group) == len(labels)
                else f"{lead} and {len(group) - 1} alike")
        members = points[points["label"].isin(group)]
        values = members.groupby(where_)["y"].agg(["min", "max"])
        logarithmic = y[0].kind != "linear"
        apart = (100 * (values["max"] / values["min"] - 1) if logarithmic else values["max"] - values["min"]).max()
        unit = "%" if logarithmic else y[0].label.rpartition("(")[2].rstrip(")") if "(" in y[0].label else ""
        remarks.append(f"Drawn as one curve: {joined}; at equal x they are at most {apart:.2g} {unit} apart.".replace("  ", " "))
        # The curve with most points is drawn, with the points of the others at places where it has none.
        rank = members["label"].map({label: -1 if label == lead else at for at, label in enumerate(group)})
        kept = members.assign(rank=rank).sort_values("rank", kind="stable").drop_duplicates(where_)
        kept["throttled"] |= members.groupby(where_)["throttled"].transform("max").reindex(kept.index)
        style = members.loc[members["label"] == lead, ["slot", "second"]].iloc[0]
        kept = kept.assign(label=name, slot=style["slot"], second=style["second"]).drop(columns="rank")
        points = pd.concat([points.drop(members.index), kept.sort_index()]).sort_index()
    return points


# ---- Styles --------------------------------------------------------------------------------------------------------


def styles(points: pd.DataFrame, sources: Sequence[Group], together: bool, areas: bool) -> dict[tuple[str, str], Style]:
    """The style of each label and source. Devices that share panels differ in colour, their curves in mark and dash;
    otherwise curves differ in colour first. What is predicted is hollow and dashed."""
    chosen: dict[tuple[str, str], Style] = {}
    labels = points.drop_duplicates("label")[["label", "slot", "second", "lined"]]
    predicted = {source.label for source in sources if source.backend == "predicted"}
    used: list[tuple[int, int]] = []
    lines = 0
    for place, (label, slot, second, lined) in enumerate(labels.itertuples(index=False)):
        colour, dash = slot % COLOURS, 1 + (second - 1) % (DASHES - 1) if second else 0
        for step in range(COLOURS * DASHES):  # the first free colour, then the next dash
            colour, dash = (slot + step) % COLOURS, 0 if areas else (dash + (step > 0 and step % COLOURS == 0)) % DASHES
            if (colour, dash) not in used and (not areas or all(colour != other for other, _ in used)):
                break
        if lined:
            colour, dash, lines = slot % COLOURS, lines % DASHES, lines + 1
        else:
            used.append((colour, dash))
        for device, source in enumerate(sources):
            hollow = source.label in predicted or (not predicted and (device if together else second) % 2 == 1)
            mark = (place if together else slot + slot // COLOURS) % len(MARKS)
            style = Style(device % COLOURS if together else colour, (HOLLOW if hollow else MARKS)[mark],
                          place % DASHES if together else dash)
            if source.label in predicted and not lined:
                style.dash = 1 + style.dash % (DASHES - 1)
            chosen[label, source.label] = style
    return chosen


def widen(panel: Panel, axis: Axis) -> bool:
    """Curves below others that coincide at four of five common places are drawn wider, so that all are visible."""
    near = 0.012
    series = [axis.position(curve.points.drop_duplicates("x").set_index("x")["y"]) for curve in panel.curves]
    depth = [0] * len(series)
    for below in reversed(range(len(series))):
        for above in range(below + 1, len(series)):
            apart = (series[below] - series[above]).abs().dropna()
            if depth[above] >= depth[below] and len(apart) > 1 and (apart <= near).mean() >= 0.8:
                depth[below] = depth[above] + 1
    for curve, deep in zip(panel.curves, depth):
        curve.style.width = 1 + deep * min(0.9, 3.2 / max(depth)) if deep else 1.0
    return any(depth)


# ---- Ratios of devices ---------------------------------------------------------------------------------------------


def ratio_points(points: pd.DataFrame, rows: pd.DataFrame, y: str, first: str) -> pd.DataFrame:
    """Each device's rate over the first device's at the same x of the same curve, with the interval of both times."""
    time = {end: (numbers(rows, end) / numbers(rows, "time_median") - 1).abs() for end in ("time_ci_low", "time_ci_high")}
    every = points.assign(rate=numbers(rows, y), up=time["time_ci_low"], down=time["time_ci_high"])
    key = ["part", "label", "x"]
    base = every[every["source"] == first].drop_duplicates(key)
    both = every[every["source"] != first].reset_index().merge(base[[*key, "rate", "up", "down", "throttled"]], on=key,
                                                               suffixes=("", "_first")).set_index("index")
    ratio = both["rate"] / both["rate_first"]
    return both.assign(y=ratio, low=ratio * (1 - np.hypot(both["down"], both["up_first"])),
                       high=ratio * (1 + np.hypot(both["up"], both["down_first"])),
                       throttled=both["throttled"] | both["throttled_first"])[points.columns]


# ---- The figure ----------------------------------------------------------------------------------------------------


def build(d: Directives, frame: pd.DataFrame, sources: Sequence[Group], conditions: Sequence[str] = (), *,
          normalise: bool = False) -> Figure:
    """A figure of the rows of a frame (``frame.frame``), or of a computed table.

    sources     the devices of the frame, in their order; only those with points are kept
    conditions  of --where, besides those of the directives
    normalise   shares of each point's roof instead of rates, and ratios of devices below them
    Raises Skipped if there is nothing to draw.
    """
    known: Columns = frame.attrs["columns"]
    rows, pinned = select(d, frame, conditions)
    draw, series = d.one("draw", "curves"), d.all("series")
    x_of_axis = known.role(d.one("x")) == "axis"
    labels = [source.label for source in sources]
    rows = rows[rows["source"].isin(labels)]
    if rows.empty:
        raise Skipped("no measured point has a device")
    rows = rows.assign(curve=rows[series].astype(str).agg(" ".join, axis=1) if len(series) > 1 else rows[series[0]].astype(str))
    if x_of_axis:  # curves of one point say nothing, unless all are
        size = rows.groupby(["source", "curve"])["curve"].transform("size")
        rows = rows[size > 1] if size.max() > 1 else rows
    used = set(rows["source"])
    sources = [source for source in sources if source.label in used]
    y = d.one("y")
    normalise = normalise and y in ("bandwidth", "flop_rate")
    if normalise:
        y = "fraction_peak"
    if y not in rows:
        raise Skipped(f"no file has the column {y}")
    rows = sort(rows, [*series, d.one("x")])
    named = [name for name in series if name in frame] if "kernel" in rows else []
    kernel = frame.loc[frame["kernel"].isin(rows["kernel"].unique()), named] if len(named) == len(series) else rows
    split = facet(d, rows)
    points = measure(d, rows, y, known)
    value = measure(d, rows, d.one("y"), known) if normalise else points
    points = points.join(name_curves(d, rows, kernel, split, known))
    points["lined"] = rows["lined"] == "yes" if "lined" in rows else False
    points["source"], points["part"] = rows["source"], rows[split].astype(str) if split else ""
    points["title"] = rows[split].map(lambda value: value_name(known, split, value)) if split else ""
    points = points[np.isfinite(points["x"]) & np.isfinite(points["y"])].copy()
    if points.empty:
        raise Skipped(f"no point has a {y}")
    label, scale = y_unit(d, y, float(points["y"].max()), known, not normalise)
    points["y"] /= scale
    if draw not in ("across", "cells", "areas"):
        points[["low", "high"]] /= scale
    figure = Figure(d, rows.loc[points.index], value.loc[points.index], pinned, list(sources), fit_x(d, rows, points, known, draw),
                    [], [], draw, False, y == "fraction_peak", y == "fraction_peak" or roof_kind(d, y) != "none")
    arrange(figure, points, y, scale, label, known, normalise)
    return figure


def arrange(figure: Figure, points: pd.DataFrame, y: str, scale: float, label: str, known: Columns, normalise: bool) -> None:
    """Divide the points among panels, fit their axes, join and style their curves."""
    d, rows, sources = figure.directives, figure.rows, figure.sources
    parts = list(dict.fromkeys(points["part"]))
    own = d.one("scales") == "own" and len(parts) > 1
    points["block"] = points["part"].map(parts.index) if own else 0
    titles = dict(zip(points["part"], points["title"]))
    cells = {(part, source.label): group.index for source in sources for part, group in
             points[points["source"] == source.label].groupby("part", sort=False)}
    panels = [Panel(titles[part], part, [source.label], parts.index(part) if own else 0,
                    lines=lines_of(d, rows.loc[cells[part, source.label]], y, scale, source, normalise, known),
                    rules=rules_of(d, rows.loc[cells[part, source.label]], points.loc[cells[part, source.label], "x"], known,
                                   source.label))
              for part in parts for source in sources if (part, source.label) in cells]
    rate = known.role(y) == "rate"
    for block in range(len(parts) if own else 1):
        mine = points["block"] == block
        axis, outside = fit_y(d, rows, points[mine], [panel for panel in panels if panel.block == block], label, rate,
                              d.one("yscale"))
        figure.y.append(axis)
        figure.cut_bars += int(outside.sum())
        points.loc[outside[outside].index, ["low", "high"]] = np.nan
    if figure.draw == "curves":
        points = join_alike(points, figure.y, figure.remarks)
    curves = points.drop_duplicates(["part", "source", "label"]).groupby("part").size().max()
    figure.together = len(sources) > 1 and (
        curves <= (CROWDED if len(parts) == 1 else CURVES_MAX) if figure.draw == "curves"
        else figure.draw == "dots" and len(points) <= DOTS_TOGETHER)
    if figure.together:
        panels = [merge_panels([panel for panel in panels if panel.part == part]) for part in parts]
    elif len(sources) > 1:
        short = short_names(sources)
        for panel in panels:
            panel.title = ", ".join(filter(None, [panel.title, short[panel.sources[0]]]))
    if normalise and not own and len(sources) > 1:
        panels += ratio_panels(figure, points, d.one("y"), panels)
    figure.panels = panels
    style = styles(points, sources, figure.together, figure.draw in ("areas", "cells", "violins"))
    for panel in panels:
        add_curves(panel, points, rows, style, d)
        if figure.draw == "curves" and len(panel.curves) <= CURVES_MAX:
            figure.nested |= widen(panel, figure.y[panel.block])


def add_curves(panel: Panel, points: pd.DataFrame, rows: pd.DataFrame, style: dict[tuple[str, str], Style],
               d: Directives) -> None:
    """The curves of a panel, in the order of devices, then of their names."""
    extra = list(dict.fromkeys(name for name in [d.one("x"), *d.all("series"), *d.all("columns")] if name in rows))
    if panel.ratios is not None:
        points = panel.ratios
    here = points[(points["part"] == panel.part) & points["source"].isin(panel.sources)]
    here = here.join(rows[extra].add_prefix("row."))
    if d.one("draw", "curves") == "curves":
        here = here.sort_values("x", kind="stable")
    curves = dict(iter(here.groupby(["source", "label"], sort=False)))
    names = list(dict.fromkeys(points["label"]))
    for source, label in sorted(curves, key=lambda key: (panel.sources.index(key[0]), names.index(key[1]))):
        data, look = curves[source, label], style[label, source]
        panel.curves.append(Curve(label, source, data[["x", "y", "low", "high", "throttled", *(f"row.{name}" for name in extra)]],
                                  Style(look.colour, look.mark, look.dash), bool(data["lined"].iloc[0])))


def merge_panels(panels: Sequence[Panel]) -> Panel:
    """The panels of one part as one, with every device."""
    first = panels[0]
    lines = {(line.at, line.text): line for panel in panels for line in panel.lines}
    rules = {(rule.at, rule.text): rule for panel in panels for rule in panel.rules}
    return Panel(first.title, first.part, [source for panel in panels for source in panel.sources], first.block,
                 lines=list(lines.values()), rules=list(rules.values()))


def ratio_panels(figure: Figure, points: pd.DataFrame, y: str, panels: Sequence[Panel]) -> list[Panel]:
    """Below the shares: the ratios of the other devices' rates to the first one's."""
    first, *others = figure.sources
    names = short_names(figure.sources)
    ratios = ratio_points(points, figure.rows, y, first.label).assign(block=1)
    ratios = ratios[np.isfinite(ratios["y"])]
    added = []
    for panel in panels:
        shown = [source.label for source in others if source.label in panel.sources]
        here = ratios[(ratios["part"] == panel.part) & ratios["source"].isin(shown)]
        if not here.empty:
            title = f"{', '.join(names[label] for label in shown)} / {names[first.label]}"
            added.append(Panel(", ".join(filter(None, [panel.title.rpartition(", ")[0] if not figure.together else panel.title,
                                                       title])), panel.part, shown, 1, lines=[Line(1.0, "")]))
            added[-1].ratios = ratios
    if added:
        axis, outside = fit_y(Directives("", {}), figure.rows, ratios, added, "Ratio (1)", False, "linear")
        figure.y.append(axis)
        ratios.loc[outside, ["low", "high"]] = np.nan
        figure.cut_bars += int(outside.sum())
    return added
