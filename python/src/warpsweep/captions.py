"""The caption of a figure: what its points show, what is fixed, counters, bars, and what was measured on what."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from . import laws
from .columns import Columns, is_text, reals, texts
from .condition import LOWERED, unsettled
from .directives import parts
from .errors import UsageError
from .figure import Figure, short_names
from .frames import Group
from .panels import described
from .rows import ABOVE, DISPROVED, is_above_roof
from .selecting import varies, where
from .units import plural, span
from .values import human

PAIRS_MIN = 2  # on each device: one could be a coincidence


def caption(
    figure: Figure, groups: Sequence[Group], remark: str = "", *, brief: bool = False
) -> str:
    """The caption in plain text. ``remark``: a sentence of the computed table; ``brief``: without devices and files."""
    d, curves = figure.directives, [curve.points for curve in figure.curves]
    predicted = any(group.backend == "predicted" for group in groups)
    clipped = sum(bool(end) for points in curves for end in points["clipped"])
    figure.findings = findings(figure)
    said = [
        *figure.findings,
        d.one("title") + ".",
        f"Fixed: {', '.join(figure.fixed)}." if figure.fixed else "",
        remark if remark.endswith(".") or not remark else remark + ".",
        remarked(figure),
        *figure.remarks,
        "The y axis does not start at zero." if any(axis.cut for axis in figure.y) else "",
        *counters(figure),
        "" if brief else flushed(figure),
        "Dashed and hollow: predicted by the time model, not measured." if predicted else "",
        bars(figure, groups) if any(points["low"].notna().any() for points in curves) else "",
        f"Rings: {LOWERED}." if any(points["throttled"].any() for points in curves) else "",
        f"{falling}." if (falling := unsettled(figure.rows)) else "",
        f"Crosses: {ABOVE}." if any(points["above"].any() for points in curves) else "",
        f"Stars: {DISPROVED}." if any(points["disproved"].any() for points in curves) else "",
        f"Arrows: {plural(clipped, 'bar')} beyond the panel." if clipped else "",
    ]
    if not brief:
        said += [
            "Sources:" if predicted else "Measured on:",
            *(measured_on(figure, group) for group in groups),
        ]
    return " ".join(filter(None, said))


def remarked(figure: Figure) -> str:
    """The remark of the figure, if it has points that the remark is about."""
    conditions, words = parts("remark", figure.directives.one("remark"))
    return words if len(where(figure.rows, conditions.split(), strict=False)) else ""


def measured_on(figure: Figure, group: Group) -> str:
    """One device: what it is, its file, and the roofs of the points that are shown; "" if it has no points there."""
    if group.label not in set(figure.rows[".source"]) and not figure.compared:
        return ""
    text = ", ".join(group.caption.strip().split("\n")) + f", file {group.file}"
    if figure.roofs is not None:
        own = figure.roofs[figure.roofs[".source"] == group.label]
        for origin, roofs in own.groupby("origin", sort=False):
            text += f"; roofs {origin}: {', '.join(words for _, _, words in described(roofs))}"
    return text + "."


def bars(figure: Figure, groups: Sequence[Group]) -> str:
    """What the bars are."""
    low, *more = figure.directives.all("interval") or [""]
    if low:
        return f"Bars: {' '.join(more[1:]).replace('_', ' ') or f'from {low} to {more[0]}'}."
    predicted, said = [group.backend == "predicted" for group in groups], []
    if not all(predicted):
        range_of = ", with the range of the roof where the file has one" if figure.shares else ""
        said.append(f"95 % intervals of the median time{range_of}")
    if any(predicted):
        said.append(
            "the time model's error at 95 % of a family's points, beyond the ends of the profile"
        )
    return f"Bars: {'; of predictions, '.join(said)}."


def notice(figure: Figure, groups: Sequence[Group]) -> str:
    """Which devices of the files a picture has no points of; that its only one is a host, or was predicted."""
    shown, short = groups if figure.compared else figure.sources, short_names(groups)
    lacking = [short[group.label] for group in groups if group not in shown]
    if lacking:
        named = ", ".join(lacking) if len(lacking) < 4 else f"{len(lacking)} other devices"
        figure.remarks.append(f"No such points of {named}.")
    told = lacking or {group.backend for group in shown} & {"host", "predicted", "fake"}
    of = ""
    if told and (figure.compared or len(shown) == 1):
        devices = ("CPU" if group.backend == "host" else group.device for group in shown)
        of = ", then ".join(short_names(shown).values())
        of = of if len(shown) <= 2 else ", ".join(dict.fromkeys(devices))
    return ". ".join(filter(None, [of, figure.remarks[-1].rstrip(".") if lacking else ""]))


def flushed(figure: Figure) -> str:
    """Where along x the state of a cold L2 changes: single launches find what a flush has stored, those of a graph what launches
    on other buffers left. "": it is one state."""
    rows, x = figure.rows, figure.directives.one("x")
    cold = (texts(rows, "cache") == "cold") & reals(rows, "l2_dirty").notna()
    single = reals(rows, "launches")[cold] == 1
    known: Columns = rows.attrs.get("columns", Columns())
    if single.all() or not single.any() or x not in rows or is_text(rows[x]):
        return ""
    share = single.groupby(rows.loc[cold, x]).mean()
    some, every = share.index[share > 0], share.index[share == 1]
    where = f"at {len(some)} of {plural(len(share), 'value')} along x some"
    if list(share.index[-len(some) :]) == list(some) and list(some) == list(every):
        where = f"from {human(some[0], known.get(x))} on"
    dirty = reals(rows, "l2_dirty")[cold][~single].median()
    return (
        f"A cold L2 is in two states: {where} launches are single and find it full of a flush's stores; "
        f"those in graphs find what launches on other buffers left there, of which stores are {100 * dirty:.0f} % (median)."
    )


def counters(figure: Figure) -> list[str]:
    """How well the counters of the points agree with each stated law."""
    said = []
    for name, found in figure.laws.items():
        kept, law = laws.kept(found), laws.LAWS[name]
        if kept.points:
            most = 100 * kept.most if kept.most >= 1e-6 else 0
            said.append(
                f"Counters: {law.quantity} = {law.formula} at {kept.within} of {plural(kept.points, 'point')}; "
                f"largest deviation {most:.2g} %."
            )
    return said


def findings(figure: Figure) -> list[str]:
    """The sentences that the points of every device show, and what follows from the laws that all points keep."""
    follows = [
        laws.LAWS[name].meaning for name, found in figure.laws.items() if laws.kept(found).holds(1)
    ]
    rows = figure.rows[~is_above_roof(figure.rows)]
    rows = rows.assign(**{f".{name}": figure.points[name] for name in ("y", "low", "high")})
    stated = figure.directives.all("finding")
    shown = (finding(figure, rows, *parts("finding", text)) for text in stated)
    return [text if text.endswith(".") else text + "." for text in [*filter(None, shown), *follows]]


def unsaid(condition: str, words: str, figure: Figure) -> str:
    """A condition of a finding, if its words do not say it and it leaves out points or curves that are drawn."""
    name, sign, values = re.split("([<>]=?|!?=)", condition, maxsplit=1)
    if sign[0] in "<>":
        (number,) = re.findall(r"^\d*", values)
        return "" if number in words else f"{name} {sign} {values}"
    apart = name in figure.directives.all("series") and varies(figure.rows[name])
    said = all(value in words for value in values.split(","))
    return "" if said or not apart else f"{name} {values.replace(',', ', ')}"


def finding(
    figure: Figure, rows: pd.DataFrame, over: str, under: str, both: str, words: str
) -> str | None:
    """Its words, if on every device two pairs or more, and all, have ``above`` above ``below``, intervals apart."""
    d, series = figure.directives, figure.directives.all("series")
    try:
        above, below = (where(rows, f"{side} {both}", strict=False) for side in (over, under))
    except UsageError:
        return None
    named = [
        {re.split("[=<>!]", condition)[0] for condition in side.split()} for side in (over, under)
    ]
    partners = [".source", *(name for name in series if name not in named[0] | named[1])]
    if not (named[0] & named[1]) - set(series):  # otherwise both sides are apart along x on purpose
        partners.append(d.one("x"))
    pairs = above[[*partners, ".y", ".low"]].merge(
        below[[*partners, ".y", ".high"]], on=partners, suffixes=("", "_below")
    )
    measured = [source.label for source in figure.sources if source.backend != "predicted"]
    sources = measured or [source.label for source in figure.sources]
    pairs = pairs[pairs[".source"].isin(sources)]  # no number of a model is told as a fact
    shown = [source for source in sources if source in set(figure.rows[".source"])]
    if pairs.groupby(".source").size().reindex(shown, fill_value=0).min() < PAIRS_MIN:
        return None
    ratio = pairs[".y"] / pairs[".y_below"]
    if not (pairs[".low"] > pairs[".high"]).all() or ("%" in words and not ratio.min() > 0):
        return None  # changes have signs, and no ratios
    limits = [unsaid(one, words, figure) for one in both.split()]
    words = words.rstrip(".") + "".join(f" ({limit})" for limit in limits if limit)
    mark = "" if measured else " (predicted)"
    return words.replace("%", span(float(ratio.min()), float(ratio.max())), 1) + mark
