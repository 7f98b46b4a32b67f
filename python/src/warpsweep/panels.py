"""Building a figure: panels, the lines across them, units and ranges of their axes."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from . import kernels, laws, units
from .columns import Columns, is_text, reals
from .condition import is_lowered
from .directives import Directives, Skipped, parts
from .errors import UsageError
from .figure import (
    ACROSS,
    CURVES_MAX,
    MARKED,
    Axis,
    Curve,
    Figure,
    Line,
    Panel,
    coinciding,
    display_unit,
    facet,
    join_alike,
    name_curves,
    short_names,
    styles,
    value_name,
)
from .frames import OF_DEVICES, Group
from .rates import ALWAYS
from .results import NEEDED
from .rows import (
    DESCRIBED,
    ROOF_UNITS,
    ROOFS,
    is_above_roof,
    is_disproved,
    roof,
    roof_kinds,
    roof_origins,
    units_of,
)
from .rows import interval as interval_of
from .selecting import axes, derive, may_name, meeting, sort, varies, where
from .values import heading, human

# curves of several devices in a figure of one panel; with more, each device has a panel
CROWDED = 6
DOTS_TOGETHER = 60  # with more dots each device has a panel
FEW_BARS, LONG_BAR, LONGEST_BAR = 0.05, 0.5, 10.0  # share of the points; of what the points span
LEAST_OF_SCALE = {"log2": 0.0, "log10": 0.0, "log2+1": -1.0}  # what a scale shows is above
SAME_ROOF = 0.01  # relative: roofs of one memory that are one line
SMALL_EFFECT = 0.15  # of the highest point: smaller effects vanish on an axis from zero


STATE_OF_L2 = ("launches", "l2_dirty")  # for the caption


def needed(d: Directives, conditions: Iterable[str]) -> set[str] | None:
    """The columns that a figure takes of rows, beside the axes, and other names; None: all, as a computed table does."""
    if d.one("table"):
        return None
    told = may_name([*chain(*d.values.values()), *conditions])
    return DESCRIBED.union(
        told, STATE_OF_L2, *(laws.inputs(parts("law", text)[0]) for text in d.all("law"))
    )


def select(
    d: Directives, frame: pd.DataFrame, conditions: Sequence[str]
) -> tuple[pd.DataFrame, list[str], list[str]]:
    """The rows of a figure, its fixed axes in words, and those of them that have other values, too. Raises Skipped."""
    try:
        rows, narrowed = _meeting(d, frame, conditions)
        if d.all_axes and rows["kernel"].nunique() > 1:  # each family has values of its own
            of = {
                name: pin(d, rows[rows["kernel"] == name], narrowed)
                for name in rows["kernel"].unique()
            }
            rows = rows[rows.index.isin(np.concatenate([kept.index for kept, _, _ in of.values()]))]
            fixed, pinned = (
                [
                    f"{name} ({', '.join(chosen)})"
                    for name, (kept, _, chosen) in of.items()
                    if chosen and varies(kept[d.one("x")])
                ],
                list[str](),
            )
        else:
            rows, fixed, pinned = pin(d, rows, narrowed)
    except UsageError as error:
        raise Skipped(str(error)) from None
    least, draw = 2, d.one("draw", "curves")
    if d.one("table"):
        least = 1 if draw == "dots" else 2
    elif draw == "curves" and not d.all_axes:
        least = 3  # a line through two points is a table
    elif d.all_axes:
        least = 1
    _refuse_few(rows, d.one("x"), least)
    _refuse_few(rows, d.one("contrast"), 2)
    return rows, fixed, pinned


def _refuse_few(rows: pd.DataFrame, name: str, least: int) -> None:
    if name and rows[name].nunique(dropna=False) < least:
        words = ("two", "three")[least > 2]
        raise Skipped(f"fewer than {words} values of {name} were measured")


def _meeting(
    d: Directives, frame: pd.DataFrame, conditions: Sequence[str]
) -> tuple[pd.DataFrame, set[str]]:
    """The measured rows of a figure's kernel that meet all conditions, with its derived columns, and the axes that these
    conditions narrow to one value of several. Raises Skipped."""
    known, kernel = frame.attrs["columns"], d.one("kernel")
    chosen = pd.Series(True, frame.index) if kernel == "*" else frame["kernel"] == kernel
    if "status" in frame and chosen.any():  # of a file, not of a computed table
        chosen &= (frame["status"] == "ok") & (frame["repeat"].fillna(0) == 0)
    if not chosen.any():
        raise Skipped(f"no point of {kernel} was measured")
    names, used = [*frame], needed(d, conditions)
    if used is not None:  # every step copies the columns
        own_axes = frame.attrs.get("axes", {}).get(kernel, known.axes())
        used |= {*NEEDED, *ALWAYS, *OF_DEVICES, *own_axes}
        names = [name for name in frame if name in used or name.startswith(".")]
    rows = frame.loc[chosen, names]
    for definition in d.all("derive"):
        rows = derive(rows, definition)
    named = [
        d.one(key)
        for key in ("x", "place", "y", "panel", "names", "xnames", "contrast")
        if d.one(key)
    ]
    for name in [*named, *d.all("series"), *d.all("columns")]:
        if name not in rows:
            raise Skipped(f"no file has the column {name}")
    holds = pd.Series(True, rows.index)
    for condition in d.all("where"):
        holds &= meeting(rows, [condition], strict=False)
        if not holds.any():
            raise Skipped(f"no measured point has {condition}")
    if not d.one("table"):
        holds &= meeting(rows, list(conditions), strict=False)
    if not holds.any():
        raise Skipped("no point of it matches --where")
    kept, asked = rows[holds], may_name([*d.all("where"), *conditions])
    several = {name for name in axes(rows, varying=True) if name in asked}
    return kept, several - {*axes(kept, varying=True)}


def pin(
    d: Directives, rows: pd.DataFrame, narrowed: Container[str] = ()
) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Keep one value of each axis that varies within a curve: that with most places along x on all devices, on a tie the largest;
    of a choice of how the work is done, that of the highest rate. Rows of a baseline, whose value means nothing, stay, and rows that lack the axis. Measured columns pin none."""
    known: Columns = rows.attrs["columns"]
    x, stated, said, pinned = d.one("x"), d.all("state"), [], []
    choices = {
        name
        for kernel in rows["kernel"].unique()
        for name in kernels.family(kernel).choices.split()
    }
    if known.role(x) != "axis":
        return rows, [], []
    baseline = where(rows, [d.one("baseline")], strict=False).index if d.one("baseline") else []
    places = rows.groupby([".source", x], dropna=False).ngroup()
    for axis in axes(rows, varying=False):
        if (
            axis == x
            or axis in d.all("series")
            or not (d.all_axes or axis in stated or axis in narrowed or varies(rows[axis]))
        ):
            continue
        of_baseline = rows.index.isin(baseline)
        free = of_baseline & (not varies(rows.loc[of_baseline, axis]))
        missing = (rows[axis].isna() | (rows[axis] == "")).to_numpy()
        bound, several = rows.loc[~(free | missing), axis], varies(rows.loc[~free, axis])
        if several and len(bound):
            place, lacking = places[bound.index], places[rows.index[~free & missing]]
            own = place.mask(place.isin(lacking)).groupby(bound).nunique()
            most = own.index[own == own.max()]
            best = _best(d, rows, bound[bound.isin(most)]) if axis in choices else most[-1]
            rows, bound = rows[free | missing | (rows[axis] == best)], bound[bound == best]
        # A count of 0, or of 2^40 and more, stands for "no limit" in the families.
        first = bound.iloc[0] if len(bound) else 0
        if isinstance(first, str) or 0 < first < 2**40:
            said.append(f"{axis} {human(first, known.get(axis))}")
            pinned += said[-1:] * several
    return rows, said, pinned


def _best(d: Directives, rows: pd.DataFrame, values: pd.Series[Any]) -> Any:
    """The one of the values of some rows whose y is highest, if that is a rate; else the largest."""
    known: Columns = rows.attrs["columns"]
    rates = reals(rows, d.one("y"))[values.index]
    is_rate = known.role(d.one("y")) == "rate" and rates.notna().any()
    return values[rates.idxmax()] if is_rate else max(values)


def measure(d: Directives, rows: pd.DataFrame, y: str, known: Columns) -> pd.DataFrame:
    """x, y, low, high of each row in the units of the columns; low and high are NaN without an interval."""
    points = pd.DataFrame({"x": reals(rows, d.place), "y": reals(rows, y)})
    role, interval = known.role(y), d.all("interval")
    low = high = pd.Series(np.nan, index=rows.index)
    if len(interval) > 1:
        low, high = reals(rows, interval[0]), reals(rows, interval[1])
    else:
        low, high = (interval_of(rows, y) if role == "rate" else None) or (low, high)
    inside = (
        low <= high if d.one("draw") in ACROSS else (low <= points["y"]) & (points["y"] <= high)
    )
    points["low"], points["high"], points["clipped"] = low.where(inside), high.where(inside), ""
    for name, marked in (
        ("throttled", is_lowered(rows)),
        ("above", is_above_roof(rows)),
        ("disproved", is_disproved(rows)),
    ):
        points[name] = marked & (role in ("time", "rate") or bool(d.one("table")))
    return points


def described(roofs: pd.DataFrame) -> list[tuple[str, float, str]]:
    """Kind, rate and words of each kind of roof, in the order of the rows: ``DRAM read 4170 GB/s``."""
    said = []
    for kind, rates in roofs.groupby("kind", sort=False)["rate"]:
        high = float(rates.max())
        unit = units.choose(roof(kind).unit, high)
        up_to = " up to" if rates.min() < 0.99 * high else ""
        said.append(
            (kind, high, f"{roof(kind).words}{up_to} {high / unit.scale:.4g} {unit.symbol}")
        )
    return said


# words of a roof that a narrow panel leaves out
SURPLUS = re.compile(" (between|tensor|arithmetic).*")


def is_near(a: float, b: float) -> bool:
    return abs(a / b - 1) <= SAME_ROOF


def lines_of(
    figure: Figure,
    rows: pd.DataFrame,
    x: pd.Series,
    part: str,
    source: str,
    y: str,
    scale: float,
    known: Columns,
) -> list[Line]:
    """The named lines and roofs of a device in a part; upright the knees of laws that hold, and rules."""
    d = figure.directives
    place: dict[str, Any] = {"part": part, "source": source}
    lines = [
        Line(float(knee), words, words.split(":")[0], shared=True, upright=True, **place)
        for name, knee, words in (parts("law", text) for text in d.all("law"))
        if knee and laws.kept(figure.laws[name].filter(rows.index, axis=0)).holds(1)
    ]
    for text in d.all("rule"):
        name, _, words = text.partition(" ")
        at = float(reals(rows.iloc[-1:], name).iloc[0])
        if x.min() < at < x.max():
            said = f"{words} {human(at, known.get(name))}"
            lines.append(Line(at, said, said, upright=True, **place))
    for text in d.all("line"):
        place_or_name, _, words = text.partition(" ")
        try:
            lines.append(Line(float(place_or_name), words, words, shared=True, **place))
        except ValueError:
            height, of = float(reals(rows.iloc[-1:], place_or_name).iloc[0]) / scale, known.unit(y)
            unit = f" {units.choose(of, scale).symbol}" if known.role(y) == "rate" else ""
            lines += (
                [Line(height, f"{words} {height:.4g}{unit}", words, **place)]
                if np.isfinite(height)
                else []
            )
    wanted, drawn = ROOF_UNITS.get(d.roof, ()), list[Line]()
    for kind, high, text in (
        described(figure.roofs[figure.roofs.index.isin(rows.index)]) if wanted else []
    ):
        words, part = roof(kind).words, roof(kind).part
        if roof(kind).unit not in wanted:
            continue
        rate = text[len(words) + 1 :]
        short = f"{part} {rate}" if words.startswith(part) else ""
        brief = short or f"{SURPLUS.sub('', words)} {rate}"  # a roof has always a name
        line = Line(high / scale, text, brief, short=short, **place)
        same = [other for other in drawn if short and other.short.startswith(part)]
        near = next((other for other in same if is_near(line.at, other.at)), None)
        if near:  # reads and writes of one memory are as fast: one line, and one name
            near.text = near.text and near.short
        else:
            drawn.append(line)
            name_together([*same, line], part, scale, roof(kind).unit)
    return lines + drawn


def name_together(lines: Sequence[Line], part: str, scale: float, of: str) -> None:
    """Roofs of one memory are closer than letters are high: the highest of several lines has the names of all."""
    if len(lines) < 2:
        return
    last, *_, first = sorted(lines, key=lambda line: line.at)
    unit, texts = units.choose(of, first.at * scale), [line.text for line in lines if line.text]
    for line in lines:
        line.text = line.brief = ""
    ends = (f"{line.at * scale / unit.scale:.4g}" for line in (last, first))
    first.text = ", ".join(texts)
    first.short = first.brief = f"{part} {' to '.join(ends)} {unit.symbol}"


def places_named(rows: pd.DataFrame, at: pd.Series, column: str) -> list[str]:
    """The words that stand at the places 0, 1, 2 ... of an axis."""
    names = dict(zip(at.round().astype(int), rows.loc[at.index, column].astype(str)))
    return [names.get(place, "") for place in range(max(names) + 1)]


def on_scales(d: Directives, points: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The points that have a place on the axes, and how many have none: logarithmic ones have no 0. Raises Skipped."""
    said = []
    for axis in ("x", "y"):
        least = LEAST_OF_SCALE.get(d.one(f"{axis}scale"), -np.inf)
        beside = ~(points[axis] > least)
        if beside.all():
            raise Skipped(
                f"no point has {d.one(axis)} above {least:g}, which a logarithmic {axis} axis needs"
            )
        if beside.any():
            said.append(
                f"Left out, because a logarithmic axis cannot show {least:g} or less of {d.one(axis)}: "
                f"{beside.sum()} of {units.plural(len(points), 'point')}."
            )
        points = points[~beside].copy()
        if (axis == "x") == (d.one("draw") in ACROSS):
            points.loc[points["low"] <= least, "low"] = -np.inf  # `fit_y` clips it
    return points, said


def fit_x(
    d: Directives, rows: pd.DataFrame, points: pd.DataFrame, known: Columns, draw: str
) -> Axis:
    values = np.unique(points["x"])
    label = d.one("xlabel", d.one("x"))
    if d.one("xnames"):
        names = places_named(rows, points["x"], d.one("xnames"))
        return Axis(label, "names", -0.5, len(names) - 0.5, names=names)
    low, high, powers, whole = (
        values[0],
        values[-1],
        np.frexp(values)[0] == 0.5,
        values == np.floor(values),
    )
    kind = d.one("xscale")
    if not kind:  # logarithmic if values are positive and span a factor of 16 or more
        binary = (high > 2 * low and powers.all(), high >= 16 * low and whole.all())
        kind = "log10" if low > 0 and high >= 16 * low else "linear"
        if low > 0 and (binary[0] or binary[1] and high < 1000 * low):
            kind = "log2"
    if draw in ("across", "areas"):
        low, high = np.nanmin([low, points["low"].min()]), np.nanmax([high, points["high"].max()])
    in_bytes = known.unit(d.one("x")) == "bytes" and (kind == "log2" or values[0] >= 1024)
    return Axis(label, kind, float(low), float(high), in_bytes, values).widened(0.03, 0.03)


def fit_y(
    figure: Figure, points: pd.DataFrame, block: int, label: str, rate: bool, d: Directives
) -> None:
    """Add the y axis of a block. Drops lines that it does not reach, and clips bars that would leave it."""
    own = points[points["block"] == block]
    if d.one("names"):
        names = places_named(figure.rows, own["y"], d.one("names"))
        figure.y.append(Axis(label, "names", -0.5, len(names) - 0.5, names=names))
        return
    kind, parts, across = d.one("yscale"), set(own["part"]), d.one("draw") in ACROSS
    first, last, length = own["y"].min(), own["y"].max(), own["high"] - own["low"]
    lines = [
        line.at
        for line in figure.lines
        if not line.upright and line.part in parts and line.at > LEAST_OF_SCALE.get(kind, -np.inf)
    ]
    span = max([last, *lines]) - min([first, *lines])
    longest = LONG_BAR if (length > LONG_BAR * span).sum() <= FEW_BARS * len(own) else LONGEST_BAR
    # longer ones do not widen the axis
    bars = own[((length <= longest * span) | (span == 0)) & (not across)]

    def ends(lines: Sequence[float]) -> tuple[float, float]:
        every = [first, last, bars["low"].min(), bars["high"].max(), *lines]
        return float(np.nanmin(every)), float(np.nanmax(every))

    low, high = ends(lines)
    hides = bool(first > 0 and (own["y"] < 0.05 * high).sum() * 2 > len(own))
    kind = kind or ("log10" if rate and hides and low > 0 else "linear")
    from_zero, (least, most) = not d.one("table") and kind == "linear", ends([])
    from_zero &= first >= 0 and not across and not any(line.at < 0 for line in figure.lines)
    cut = bool(from_zero and least > 0 and most - least < SMALL_EFFECT * most)
    if cut:
        low, high = ends([at for at in lines if 2 * least - most <= at <= 2 * most - least])
    if high - low <= 1e-6 * abs(high) and (cut or not from_zero):  # one value: a range around it
        low, high = low - 0.01 * abs(low), high + 0.01 * abs(high)
    axis = Axis(label, kind, low, high, cut=cut)
    if from_zero and not cut and low >= 0:
        axis.low, axis.high = 0.0, 1.04 * high
    else:
        axis.widened(0.06, 0.06)
    figure.y.append(axis)
    figure.lines = [
        line
        for line in figure.lines
        if line.upright or line.part not in parts or axis.low <= line.at <= axis.high
    ]
    if across:
        return
    below, above = own["low"] < axis.low, own["high"] > axis.high
    points.loc[own.index, "clipped"] = np.select(
        [below & above, below, above], ["both", "low", "high"], ""
    )
    for end in ("low", "high"):
        points.loc[own.index, end] = own[end].clip(axis.low, axis.high)


def build(
    d: Directives, frame: pd.DataFrame, sources: Sequence[Group], conditions: Sequence[str] = ()
) -> Figure:
    """A figure of the rows of a frame, or of a computed table, on those of its devices ``sources`` that have points.
    Raises Skipped if there is nothing to draw."""
    known: Columns = frame.attrs["columns"]
    rows, fixed, pinned = select(d, frame, conditions)
    draw, series, y = d.one("draw", "curves"), d.all("series"), d.one("y")
    rows = rows[rows[".source"].isin([source.label for source in sources])]
    if rows.empty:
        raise Skipped("no measured point has a device")
    rows = rows.assign(**{".curve": rows.groupby(series, dropna=False).ngroup()})
    if known.role(d.one("x")) == "axis":  # curves of one point say nothing, unless all are
        size = rows.groupby([".source", ".curve"])[".curve"].transform("size")
        rows = rows[size > 1] if size.max() > 1 else rows
    sources = [source for source in sources if source.label in set(rows[".source"])]
    rows = sort(rows, [*series, d.one("x")])
    whole = "kernel" in rows and set(series) <= set(frame)
    kernel = frame.loc[frame["kernel"].isin(rows["kernel"].unique()), series] if whole else rows
    split = facet(d, rows)
    points = measure(d, rows, y, known).join(name_curves(d, rows, kernel, split, known))
    points["lined"] = rows["lined"] == "yes" if d.one("table") and "lined" in rows else False
    points[".source"], points["part"] = rows[".source"], rows[split].astype(str) if split else ""
    points["title"] = (
        rows[split].map(lambda value: value_name(known, split, value)) if split else ""
    )
    points = points[np.isfinite(points["x"]) & np.isfinite(points["y"])].copy()
    if points.empty:
        raise Skipped(f"no point has a value of {y}")
    points, left_out = on_scales(d, points)
    sources = [source for source in sources if source.label in set(points[".source"])]
    filed, of = known.unit(y), units.common(units_of(rows.loc[points.index], known[y]))
    known = Columns({**known, y: replace(known[y], unit=of)})
    label, (symbol, scale) = d.one("ylabel"), display_unit(known, y, float(points["y"].max()))
    if label and not y.startswith("fraction_"):  # the figure's label says the unit
        unit = (
            units.find(label.rpartition("(")[2].rstrip(")"))
            if "(" in label and not d.one("names")
            else None
        )
        scale = unit.scale if unit and unit.of in (filed, of) else 1.0
    label = label or f"{heading(y)} ({symbol})"
    value = points.copy()
    points["y"] /= scale
    if draw not in ACROSS:
        points[["low", "high"]] /= scale
    figure = Figure(
        d,
        rows.loc[points.index],
        value,
        fixed,
        pinned,
        sources,
        fit_x(d, rows, points, known, draw),
        shares=y == "fraction_peak",
    )
    figure.remarks += left_out
    figure.laws = {
        name: laws.points(figure.rows, name)
        for name, *_ in (parts("law", text) for text in d.all("law"))
    }
    if figure.shares or d.roof != "none":
        roofs = figure.rows[[".source"]].assign(
            kind=roof_kinds(figure.rows),
            rate=reals(figure.rows, "roof_rate"),
            origin=roof_origins(figure.rows),
        )
        figure.roofs = roofs[roofs["kind"].isin(list(ROOFS)) & (roofs["rate"] > 0)]
    arrange(figure, points, y, scale, label, known)
    return figure


def arrange(
    figure: Figure, points: pd.DataFrame, y: str, scale: float, label: str, known: Columns
) -> None:
    """Fit the axes of the points, join their curves, and divide them among panels."""
    d, rows, sources, short = (
        figure.directives,
        figure.rows,
        figure.sources,
        short_names(figure.sources),
    )
    parts = points[["part", "title"]].drop_duplicates("part").set_index("part")["title"]
    own = d.one("scales") == "own" and len(parts) > 1
    points["block"] = points["part"].map(parts.index.get_loc) if own else 0
    for (part, source), here in points.groupby(["part", ".source"], sort=False):
        figure.lines += lines_of(
            figure, rows.loc[here.index], here["x"], part, source, y, scale, known
        )
    for block in points["block"].unique():
        panel = str(parts.iloc[block])
        own_label = panel[:1].upper() + panel[1:] if label == "panel" else label
        fit_y(figure, points, block, own_label, known.role(y) == "rate", d)
    if points["label"].nunique() == 1 and points["label"].iloc[0]:  # the key names one of several
        figure.remarks.append(f"All points: {points['label'].iloc[0]}.")
    if figure.draw == "curves":
        points = join_alike(points, figure.y, figure.remarks)
    curves = points[["part", ".source", "label"]].drop_duplicates()["part"].value_counts().max()
    together = figure.draw == "dots" and len(points) <= DOTS_TOGETHER and known.role(y) != "axis"
    if figure.draw == "curves":
        together = curves <= (CROWDED if len(parts) == 1 else CURVES_MAX)
    figure.together = len(sources) > 1 and together  # dots that coincide

    if figure.together and figure.draw == "curves":
        figure.remarks += coinciding(points, figure.y, list(short.values()))
    there = set(zip(points["part"], points[".source"]))
    for part, title in parts.items():  # a panel for each part, or for each part and device
        here = [source for source in short if (part, source) in there]
        for several in [here] if figure.together else [[source] for source in here]:
            named = [
                short[source] for source in several if len(sources) > 1 and not figure.together
            ]
            figure.panels.append(
                Panel(
                    ", ".join(filter(None, [title if label != "panel" else "", *named])),
                    part,
                    several,
                    int(points.loc[points["part"] == part, "block"].iloc[0]),
                )
            )
    add_curves(figure, points)


def add_curves(figure: Figure, points: pd.DataFrame) -> None:
    """The curves of the panels, in the order of devices, then of their names."""
    d, short, style = figure.directives, short_names(figure.sources), styles(figure, points)
    extra = [
        name
        for name in dict.fromkeys([d.one("x"), *d.all("series"), *d.all("columns")])
        if name in figure.rows
    ]
    beside = {f"row.{name}": figure.rows[name] for name in extra}
    for name, values in beside.items():  # texts are in one line
        if is_text(values):
            beside[name] = values.map(lambda text: re.sub(r"[\x00-\x1f]", " ", str(text)) or "-")
    points = points.assign(
        **{name: values.reindex(points.index) for name, values in beside.items()}
    )
    if figure.draw == "curves":
        points = points.sort_values("x", kind="stable")
    shown = ["x", "y", "low", "high", *MARKED, "clipped", *(f"row.{name}" for name in extra)]
    found = points.groupby(["part", ".source", "label"], sort=False).indices
    points = points[shown]
    for number, panel in enumerate(figure.panels, 1):
        for source in panel.sources:
            for label in (
                label for label, of in style if of == source and (panel.part, of, label) in found
            ):
                data = points.iloc[found[panel.part, source, label]]
                words = [
                    panel.title if len(figure.panels) > 1 else "",
                    short[source] if figure.together else "",
                    label,
                ]
                name = re.sub(r"[\x00-\x1f[\]]", " ", ", ".join(filter(None, words)) or figure.name)
                if any(curve.name == name for curve in figure.curves):
                    name += f" ({number})"
                figure.curves.append(Curve(name, panel, label, source, data, *style[label, source]))
