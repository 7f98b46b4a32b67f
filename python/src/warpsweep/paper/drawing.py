"""The figures of a paper: 3.4 inches wide, or 7 if one would be too high for a column."""
from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from os import cpu_count
from pathlib import Path

from .. import captions, gnuplot
from ..directives import Directives, Skipped, read_folder
from ..frames import is_text
from ..plots import Request, own, read_rows, write_captions
from .findings import decisive
from .study import Study

COLUMN, PAGE = 3.4, 7.0
HEIGHT_MAX = 7.5  # inches; a higher figure gets both columns, where it is lower
LEVELS_MIN = 3  # of the x axis of a figure of an own family


@dataclass
class Drawn:
    """One figure. ``kernel`` is "*" for one across families; ``caption`` is empty if it was not drawn, for
    ``reason``."""

    name: str
    title: str
    kernel: str
    caption: str = ""
    reason: str = ""
    wide: bool = False
    values: str = ""  # the SVG elements that show the values of marks; on the page they lie over the picture

    @property
    def across(self) -> bool:
        return self.kernel == "*"


def draw(study: Study, analysis: Path, folder: Path) -> list[Drawn]:
    """Draw every figure that the files have data for: NAME.svg, NAME.pdf, NAME.caption.tex, NAME.caption.txt and
    NAME.short.tex. A family without a figure gets one of the axis that decides its rate."""
    folder.mkdir()
    rows = read_rows(study.all)
    known = read_folder(analysis)
    drawn, drawings = _make(Request(rows, caption="brief"), known, folder)
    shown = {one.kernel for one in drawn if not one.reason}
    further = [one for family in study.families if family.name not in shown for one in _own(study, family, rows)]
    for found, made in (_make(Request(rows, caption="brief"), [one], folder) for one in further):
        drawn, drawings = drawn + found, drawings + made
    with ThreadPoolExecutor(cpu_count() or 1) as pool:  # gnuplot's processes
        list(pool.map(lambda one: gnuplot.draw([one], folder),
                      [one for drawing in drawings for one in (drawing, _as(drawing, "svg"))]))
    for one in drawn:
        if not one.reason:
            one.values = _values(folder / f"{one.name}.svg")
    return sorted(drawn, key=lambda one: one.name)


def _make(request: Request, known: list[Directives], folder: Path) -> tuple[list[Drawn], list[gnuplot.Drawing]]:
    drawn, drawings = [], []
    for d in known:
        one = Drawn(d.name, d.one("title", d.name), "*" if d.one("table") else d.one("kernel", "*"))
        drawn.append(one)
        try:
            figure, drawing = request.make(d)
        except Skipped as reason:
            one.reason = re.split("[;\n]", str(reason))[0]
            continue
        if drawing.height > HEIGHT_MAX:
            one.wide, (figure, drawing) = True, replace(request, width=PAGE).make(d)
        if d.all("law"):  # the text beside the figure says what follows from it, and how the counters agree
            for said in [*captions.findings(figure), *captions.counters(figure)]:
                figure.caption = figure.caption.replace(said, "").strip()
        one.caption = re.sub(" +", " ", figure.caption)
        write_captions(folder, figure, d.one("title"))
        drawings.append(drawing)
    return drawn, drawings


def _as(drawing: gnuplot.Drawing, form: str) -> gnuplot.Drawing:
    look = replace(drawing.look, format=form)
    return replace(drawing, look=look, script=gnuplot.script(drawing.figure, look))


def _own(study: Study, family: object, rows: object) -> list[Directives]:
    """A figure of the numeric axis that changes a family's rate most."""
    for on in decisive(study, family, 4):  # type: ignore[arg-type]
        axis = next(iter(on.values())).axis
        of = study.rows[study.rows["kernel"] == family.name]  # type: ignore[attr-defined]
        if not is_text(of[axis]) and of[axis].nunique() >= LEVELS_MIN:
            return [own(rows, axis, family.quantity, ["variant"], None, False, family.name, [])]  # type: ignore
    return []


def _values(svg: Path) -> str:
    """An <img> shows no texts under the mouse, so the page lays them over it."""
    text = svg.read_text(encoding="utf-8")
    box, values = re.search(r'viewBox="[^"]*"', text), re.search(r'<g class="values".*?</g>', text, re.S)
    return f"<svg {box[0]}>\n{values[0]}\n</svg>" if box and values else ""
