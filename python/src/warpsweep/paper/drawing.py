"""The figures of a paper: 3.4 inches wide, or 7 if one would be too high for a column."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from .. import captions, gnuplot
from ..directives import Directives, Skipped, read_folder
from ..plots import Request, brief, default, read_rows, without_figure, write_captions
from .study import Study

PAGE = 7.0  # inches
DEFAULT_MIN = 2  # points: a default figure of one shows nothing
HEIGHT_MAX = 7.5  # inches; a higher figure gets both columns, where it is lower


@dataclass
class Drawn:
    """One figure. ``kernel``: "*" across families; ``caption``: empty if it was not drawn, for ``reason``."""

    name: str
    title: str
    kernel: str
    caption: str = ""
    reason: str = ""
    wide: bool = False
    rows: pd.DataFrame | None = None  # of a computed table


def draw(study: Study, analysis: Path, folder: Path, *, data: bool = False) -> list[Drawn]:
    """Draw each figure with data in the files. A family without one gets its default. ``data``: as ``plot --data``."""
    folder.mkdir()
    request, drawings = Request(read_rows(study.all), caption="brief"), list[Any]()
    drawn = [_make(request, d, folder, drawings) for d in read_folder(analysis)]
    results = set(study.rows.loc[study.rows[".result"], "kernel"])
    for family in without_figure(request.frame, [one.figure for one in drawings]):
        if family not in results:
            continue
        d, rows = default(request.frame, family)
        drawn.append(_make(replace(request, frame=rows), d, folder, drawings, DEFAULT_MIN))
    svgs = [gnuplot.Drawing(one.figure, replace(one.look, format="svg")) for one in drawings]
    with ThreadPoolExecutor() as pool:  # a process of gnuplot for each format
        done = pool.submit(gnuplot.draw, svgs, folder)
        gnuplot.draw(drawings, folder, keep_data=data)
        done.result()
    return sorted(drawn, key=lambda one: one.name)


def _make(
    request: Request, d: Directives, folder: Path, drawings: list[gnuplot.Drawing], least: int = 1
) -> Drawn:
    """One figure of at least so many points; its drawing is added to the others."""
    one = Drawn(d.name, d.one("title", d.name), "*" if d.one("table") else d.one("kernel", "*"))
    try:
        figure, drawing = request.make(d)
        if len(figure.points) < least:
            raise Skipped("it has one point, which the tables have")
    except Skipped as reason:
        one.reason = brief(reason)
        return one
    if drawing.page.height > HEIGHT_MAX:
        one.wide, (figure, drawing) = True, replace(request, width=PAGE).make(d)
    # the text beside the figure says what follows from it, and how the counters agree
    if d.all("law"):
        for said in [*figure.findings, *captions.counters(figure)]:
            figure.caption = figure.caption.replace(said, "").strip()
    if d.one("table"):
        one.rows = figure.rows
    one.caption = re.sub(" +", " ", figure.caption)
    write_captions(folder, figure, d.one("title"))
    drawings.append(drawing)
    return one
