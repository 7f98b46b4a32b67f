"""Building a figure: panels, the lines across them, units and ranges of their axes. It measures no texts: gnuplot lays
out the page."""
from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from . import laws, units
from .curves import CURVES_MAX, facet, join_alike, name_curves, ratio_points, styles
from .directives import Directives, Skipped, StatedLaw
from .figure import ACROSS, Axis, Curve, Figure, Line, Panel, heading, short_names, value_name
from .findings import ARITHMETIC, ROOFS
from .frames import Group, sort
from .laws import number, word
from .pivots import person
from .results import Columns
from .selection import measure, select

CROWDED = 6  # curves of several devices in a figure of one panel; with more, each device has a panel
DOTS_TOGETHER = 60  # with more dots each device has a panel
FEW_BARS, LONG_BAR, LONGEST_BAR = 0.05, 0.5, 3.0  # share of the points; of what the points span
TALL_BAR = 0.3  # of the height of a logarithmic panel
ALONE = 0.01  # a smaller share of the bytes does not count: the roof is that of reading, or of writing
LEAST_OF_SCALE = {"log2": 0.0, "log10": 0.0, "log2+1": -1.0}  # what a scale shows is above
SMALL_EFFECT = 0.15  # of the highest point: smaller effects vanish on an axis from zero


# ---- Lines ---------------------------------------------------------------------------------------------------------


def roof_kinds(rows: pd.DataFrame) -> pd.Series:
    """The roof of each row; of DRAM, reading or writing alone if the other is below 1 % of the bytes."""
    roof, read, written = word(rows, "roof"), number(rows, "bytes_read"), number(rows, "bytes_written")
    mix = roof == "dram_mix"
    return roof.mask(mix & (read < ALONE * written), "dram_write").mask(mix & (written < ALONE * read), "dram_read")


def roofs_of(rows: pd.DataFrame, groups: Sequence[Group]) -> pd.DataFrame:
    """kind, rate and source of the roof of each row that has one. Files of release 0.1 name none: theirs is the copy
    peak, for points in DRAM that read as much as they write."""
    kind, rate = roof_kinds(rows), number(rows, "roof_rate")
    if (kind == "").any():
        peak = rows["source"].map({group.label: group.peak_copy for group in groups})
        read, written = number(rows, "bytes_read"), number(rows, "bytes_written")
        old = (kind == "") & ((read - written).abs() <= ALONE * written) & (word(rows, "cache") != "hot") & (peak > 0)
        rate, kind = rate.mask(kind == "", peak), kind.mask(old, "dram_mix")
    # Files give a single message between two devices the roof of both ways.
    single = (word(rows, "kernel") == "contention") & (word(rows, "pattern") == "one") & (kind == "link_peer")
    rate = rate.mask(single, number(rows, "link_peak"))
    return pd.DataFrame({"kind": kind, "rate": rate, "source": rows["source"]})[kind.isin(list(ROOFS)) & (rate > 0)]


def described(roofs: pd.DataFrame) -> list[tuple[str, float, str]]:
    """Kind, rate and words of each kind of roof, in the order of the rows: ``DRAM read 4170 GB/s``."""
    said = []
    for kind, rates in roofs.groupby("kind", sort=False)["rate"]:
        high = float(rates.max())
        unit = units.choose("flop/s" if kind.startswith(ARITHMETIC) else "bytes/s", high)
        up_to = " up to" if rates.min() < 0.99 * high else ""
        said.append((kind, high, f"{ROOFS[kind]}{up_to} {high / unit.scale:.4g} {unit.symbol}"))
    return said


def roof_kind(d: Directives, y: str) -> str:
    return d.one("roof") or {"bandwidth": "byte", "flop_rate": "flop"}.get(y, "none")


def lines_of(d: Directives, rows: pd.DataFrame, roofs: pd.DataFrame, y: str, scale: float, source: str, normalise: bool,
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
            height = float(number(rows.iloc[-1:], at).iloc[0]) / scale
        of = known.unit(y)
        unit = units.choose(of, scale) if of in ("bytes/s", "flop/s") else None
        if np.isfinite(height):
            lines.append(Line(height, f"{words} {height:.4g}{' ' + unit.symbol if unit else ''}", words, source))
    wanted = roof_kind(d, y)
    mine = roofs[roofs.index.isin(rows.index)] if wanted != "none" else None
    for kind, high, text in described(mine) if mine is not None else []:
        if kind.startswith(ARITHMETIC) == (wanted == "flop"):
            lines.append(Line(high / scale, text, text[len(ROOFS[kind]) + 1:], source))
    return lines


def rules_of(d: Directives, rows: pd.DataFrame, x: pd.Series, known: Columns, source: str) -> list[Line]:
    """Vertical lines: the knees of laws that all points keep, and values of columns with points on both sides."""
    rules = [Line(stated.knee, stated.words) for stated in map(StatedLaw.parse, d.all("law"))
             if np.isfinite(stated.knee) and laws.holds(rows, stated.name)]
    for text in d.all("rule"):
        name, _, words = text.partition(" ")
        at = float(number(rows.iloc[-1:], name).iloc[0])
        if x.min() < at < x.max():
            text = str(rows[words[1:]].iloc[-1]) if words.startswith("@") else f"{words} {person(at, known.get(name))}"
            rules.append(Line(at, text, source=source))
    return rules


# ---- Axes ----------------------------------------------------------------------------------------------------------


def y_unit(d: Directives, y: str, top: float, known: Columns, own: bool) -> tuple[str, float]:
    """The label of y, and what its values are divided by: the figure's label says the unit, else the largest value."""
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


def on_scales(d: Directives, points: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The points that have a place on the axes, and how many have none: logarithmic ones have no 0. Raises Skipped."""
    said = []
    for axis in ("x", "y"):
        least = LEAST_OF_SCALE.get(d.one(f"{axis}scale"), -np.inf)
        beside = ~(points[axis] > least)
        if beside.all():
            raise Skipped(f"no point has {d.one(axis)} above {least:g}, which a logarithmic {axis} axis needs")
        if beside.any():
            said.append(f"Left out, because a logarithmic axis cannot show {least:g} or less of {d.one(axis)}: "
                        f"{beside.sum()} of {len(points)} points.")
        points = points[~beside].copy()
        ends = ["low", "high"] if (axis == "x") == (d.one("draw") in ACROSS) else []
        points.loc[~(points["low"] > least), ends] = np.nan
    return points, said


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
    """The y axis of some panels, and which bars would leave it. Drops lines that a logarithmic axis cannot show, and
    those far from points that differ little."""
    if d.one("names"):
        names = places_named(rows, points["y"], d.one("names"))
        return Axis(label, "names", -0.5, len(names) - 0.5, names=names), pd.Series(False, index=points.index)
    across, first, last = d.one("draw") in ACROSS, points["y"].min(), points["y"].max()
    for panel in panels:
        panel.lines = [line for line in panel.lines if line.at > LEAST_OF_SCALE.get(kind, -np.inf)]
    lines = [line.at for panel in panels for line in panel.lines]
    span = max([last, *lines]) - min([first, *lines])
    length = points["high"] - points["low"]
    longest = LONG_BAR if (length > LONG_BAR * span).sum() <= FEW_BARS * len(points) else LONGEST_BAR
    bars = points[((length <= longest * span) | (span == 0)) & (not across)]  # longer ones do not widen the axis

    def ends(lines: Sequence[float]) -> tuple[float, float]:
        every = [first, last, bars["low"].min(), bars["high"].max(), *lines]
        return float(np.nanmin(every)), float(np.nanmax(every))

    low, high = ends(lines)
    hides = bool(first > 0 and (points["y"] < 0.05 * high).sum() * 2 > len(points))
    kind = kind or ("log10" if rate and hides and low > 0 else "linear")
    from_zero = rate and kind == "linear"
    least, most = ends([])
    cut = bool(from_zero and not across and least > 0 and most - least < SMALL_EFFECT * most)
    if cut:
        near = [2 * least - most, 2 * most - least]
        for panel in panels:
            panel.lines = [line for line in panel.lines if near[0] <= line.at <= near[1]]
        low, high = ends([line.at for panel in panels for line in panel.lines])
    axis = Axis(label, kind, low, high, cut=cut)
    if from_zero and not cut and low >= 0:
        axis.low, axis.high = 0.0, 1.04 * high
    else:
        axis.widened(0.06, 0.06)
    outside = (points["low"] < axis.low) | (points["high"] > axis.high)
    if axis.kind.startswith("log"):  # between two kinds of samples: the bar would look like a curve
        outside |= axis.position(points["high"]) - axis.position(points["low"]) > TALL_BAR
    return axis, outside & (not across)


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
    rows, fixed, pinned = select(d, frame, conditions)
    draw, series, y = d.one("draw", "curves"), d.all("series"), d.one("y")
    rows = rows[rows["source"].isin([source.label for source in sources])]
    if rows.empty:
        raise Skipped("no measured point has a device")
    rows = rows.assign(curve=rows[series].astype(str).agg(" ".join, axis=1))
    if known.role(d.one("x")) == "axis":  # curves of one point say nothing, unless all are
        size = rows.groupby(["source", "curve"])["curve"].transform("size")
        rows = rows[size > 1] if size.max() > 1 else rows
    sources = [source for source in sources if source.label in set(rows["source"])]
    normalise = normalise and y in ("bandwidth", "flop_rate")
    y = "fraction_peak" if normalise else y
    if y not in rows:
        raise Skipped(f"no file has the column {y}")
    rows = sort(rows, [*series, d.one("x")])
    whole = "kernel" in rows and set(series) <= set(frame)
    kernel = frame.loc[frame["kernel"].isin(rows["kernel"].unique()), series] if whole else rows
    split = facet(d, rows)
    points = measure(d, rows, y, known).join(name_curves(d, rows, kernel, split, known))
    value = measure(d, rows, d.one("y"), known) if normalise else points
    points["lined"] = rows["lined"] == "yes" if "lined" in rows else False
    points["source"], points["part"] = rows["source"], rows[split].astype(str) if split else ""
    points["title"] = rows[split].map(lambda value: value_name(known, split, value)) if split else ""
    points = points[np.isfinite(points["x"]) & np.isfinite(points["y"])].copy()
    if points.empty:
        raise Skipped(f"no point has a {y}")
    points, left_out = on_scales(d, points)
    label, scale = y_unit(d, y, float(points["y"].max()), known, not normalise)
    points["y"] /= scale
    if draw not in ACROSS:
        points[["low", "high"]] /= scale
    figure = Figure(d, rows.loc[points.index], value.loc[points.index], fixed, pinned, sources,
                    fit_x(d, rows, points, known, draw), shares=y == "fraction_peak")
    figure.remarks += left_out
    if figure.shares or roof_kind(d, y) != "none":
        figure.roofs = roofs_of(figure.rows, sources)
    arrange(figure, points, y, scale, label, known, normalise)
    return figure


def arrange(figure: Figure, points: pd.DataFrame, y: str, scale: float, label: str, known: Columns,
            normalise: bool) -> None:
    """Divide the points among panels, fit their axes, join and style their curves."""
    d, rows, sources, short = figure.directives, figure.rows, figure.sources, short_names(figure.sources)
    parts = points.drop_duplicates("part").set_index("part")["title"]
    own = d.one("scales") == "own" and len(parts) > 1
    points["block"] = points["part"].map(parts.index.get_loc) if own else 0
    panels = []
    for part, title in parts.items():
        for source in short:
            here = rows.loc[points.index[(points["part"] == part) & (points["source"] == source)]]
            if len(here):
                panels.append(Panel(title, part, [source], points.loc[here.index[0], "block"],
                                    lines=lines_of(d, here, figure.roofs, y, scale, source, normalise, known),
                                    rules=rules_of(d, here, points.loc[here.index, "x"], known, source)))
    for block in points["block"].unique():
        fit(figure, points, block, panels, d, label, known.role(y) == "rate", d.one("yscale"))
    if points["label"].nunique() == 1 and points["label"].iloc[0]:  # the key names one of several
        figure.remarks.append(f"All points: {points['label'].iloc[0]}.")
    if figure.draw == "curves":
        points = join_alike(points, figure.y, figure.remarks)
    curves = points.drop_duplicates(["part", "source", "label"]).groupby("part").size().max()
    figure.together = len(sources) > 1 and (
        curves <= (CROWDED if len(parts) == 1 else CURVES_MAX) if figure.draw == "curves"
        else figure.draw == "dots" and len(points) <= DOTS_TOGETHER and known.role(y) != "axis")  # dots that coincide
    if figure.together:
        panels = [merged([panel for panel in panels if panel.part == part]) for part in parts.index]
    elif len(sources) > 1:
        for panel in panels:
            panel.title = ", ".join(filter(None, [panel.title, short[panel.sources[0]]]))
    if normalise and not own and len(sources) > 1:  # below the shares, the other devices' rates over the first one's
        first, found = sources[0].label, ratio_points(points, rows, d.one("y"), sources[0].label)
        below = []
        for panel in panels:
            here = set(found.loc[found["part"] == panel.part, "source"])
            shown = [source for source in panel.sources if source in here]
            title = f"{', '.join(short[source] for source in shown)} / {short[first]}"
            title = ", ".join(filter(None, [parts[panel.part], title]))
            below += [Panel(title, f"ratio {panel.part}", shown, 1, lines=[Line(1.0, "")])] if shown else []
        if below:
            fit(figure, found, 1, below, Directives("", {}), "Ratio (1)", False, "linear")
        points, panels = pd.concat([points, found.assign(part="ratio " + found["part"])]), panels + below
    figure.panels = panels
    add_curves(figure, points)


def fit(figure: Figure, points: pd.DataFrame, block: int, panels: Sequence[Panel], d: Directives, label: str,
        rate: bool, kind: str) -> None:
    """Add the y axis of a block, and take bars that would leave it from the points."""
    axis, outside = fit_y(d, figure.rows, points[points["block"] == block],
                          [panel for panel in panels if panel.block == block], label, rate, kind)
    figure.y.append(axis)
    figure.cut_bars += int(outside.sum())
    points.loc[outside.index[outside], ["low", "high"]] = np.nan


def add_curves(figure: Figure, points: pd.DataFrame) -> None:
    """The curves of the panels, in the order of devices, then of their names."""
    d, short, style = figure.directives, short_names(figure.sources), styles(figure, points)
    extra = [name for name in dict.fromkeys([d.one("x"), *d.all("series"), *d.all("columns")]) if name in figure.rows]
    points = points.join(figure.rows[extra].add_prefix("row."))
    if figure.draw == "curves":
        points = points.sort_values("x", kind="stable")
    shown = ["x", "y", "low", "high", "throttled", *(f"row.{name}" for name in extra)]
    found = dict(iter(points.groupby(["part", "source", "label"], sort=False)))
    for number, panel in enumerate(figure.panels, 1):
        for source in panel.sources:
            for label in (label for label, of in style if of == source and (panel.part, of, label) in found):
                data = found[panel.part, source, label]
                words = [panel.title if len(figure.panels) > 1 else "", short[source] if figure.together else "", label]
                name = re.sub(r"[\x00-\x1f[\]]", " ", ", ".join(filter(None, words)) or figure.name)
                name += f" ({number})" * any(curve.name == name for curve in figure.curves)
                figure.curves.append(Curve(name, panel, label, source, data[shown], *style[label, source]))


def merged(panels: Sequence[Panel]) -> Panel:
    """The panels of one part as one, with every device."""
    lines, rules = ({(line.at, line.text): line for panel in panels for line in getattr(panel, kind)}
                    for kind in ("lines", "rules"))
    return Panel(panels[0].title, panels[0].part, [source for panel in panels for source in panel.sources],
                 panels[0].block, lines=list(lines.values()), rules=list(rules.values()))
