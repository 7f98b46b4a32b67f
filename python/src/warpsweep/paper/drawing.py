"""The figures of a paper, drawn by ``plot``: 3.4 inches wide, or 7 if one would be too high for a column."""
from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path
from typing import Sequence

from ..errors import ProgramError, WarpsweepError
from ..program import run_program

COLUMN, PAGE = "3.4in", "7in"
HEIGHT_MAX = 7.5  # inches; a higher figure gets both columns, where it is lower


@dataclass
class Drawn:
    """One figure. ``kernel`` is "*" for one across families; ``caption`` is empty if it was not drawn, for ``reason``."""

    name: str
    title: str
    kernel: str
    caption: str = ""
    reason: str = ""
    wide: bool = False
    height: float = 0.0  # inches
    values: str = ""  # the SVG elements that show the values of marks; on the page they lie over the picture

    @property
    def across(self) -> bool:
        return self.kernel == "*"


def known(analysis: Path) -> list[Drawn]:
    """The figures of a folder, in the order of their names, not drawn yet."""
    from ..directives import read_folder

    return [Drawn(one.name, one.one("title", one.name), "*" if one.one("table") else one.one("kernel", "*"))
            for one in read_folder(analysis)]


def draw(paths: Sequence[str], analysis: Path, folder: Path, salvage: bool) -> list[Drawn]:
    """Draw every figure that the files have data for: NAME.svg, NAME.pdf, NAME.caption.tex, NAME.caption.txt, NAME.short.tex."""
    figures = known(analysis)
    _plot(figures, paths, analysis, folder, COLUMN, "svg", salvage)
    for figure in (one for one in figures if not one.reason):
        figure.height = _height(folder / f"{figure.name}.svg")
        figure.wide = figure.height > HEIGHT_MAX
    narrow = [one for one in figures if not one.reason and not one.wide]
    wide = [one for one in figures if not one.reason and one.wide]
    for these, width, kind in ((narrow, COLUMN, "pdf"), (wide, PAGE, "pdf"), (wide, PAGE, "svg")):
        _plot(these, paths, analysis, folder, width, kind, salvage)
    for figure in narrow + wide:
        figure.caption = (folder / f"{figure.name}.caption.txt").read_text(encoding="utf-8").strip()
        figure.values = _values(folder / f"{figure.name}.svg")
    return figures


def _plot(figures: list[Drawn], paths: Sequence[str], analysis: Path, folder: Path, width: str, kind: str,
          salvage: bool) -> None:
    """Distribute figures over as many processes as there are processors."""
    workers = min(cpu_count() or 1, 16, len(figures))
    base = ["plot", "--analysis", str(analysis), "-o", str(folder), "--width", width, "--format", kind, "--caption", "brief",
            "-v", *(["--salvage"] if salvage else []), *paths]

    def one(share: list[Drawn]) -> str:
        try:
            return run_program(*base, *(word for figure in share for word in ("--figure", figure.name)))
        except ProgramError as error:
            if error.exit_code == 1:  # some were skipped
                return str(error)
            raise WarpsweepError(f"cannot draw the figures: {error}") from error

    if not workers:
        return
    with ThreadPoolExecutor(workers) as pool:
        said = "\n".join(pool.map(one, [figures[at::workers] for at in range(workers)]))
    reasons = dict(re.findall(r"^skipped ([^:\n]+): (.*)$", said, re.M))
    for figure in figures:
        figure.reason = figure.reason or reasons.get(figure.name, "")
        if not figure.reason and not (folder / f"{figure.name}.{kind}").exists():
            figure.reason = "no data"


def _height(svg: Path) -> float:
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg.read_text(encoding="utf-8"))
    if not box:
        raise WarpsweepError(f"cannot read the size of {svg.name}: gnuplot wrote no viewBox")
    return float(box[2]) / 96


def _values(svg: Path) -> str:
    """An <img> shows no texts under the mouse, so the page lays them over it."""
    text = svg.read_text(encoding="utf-8")
    box, values = re.search(r'viewBox="[^"]*"', text), re.search(r'<g class="values".*?</g>', text, re.S)
    return f"<svg {box[0]}>\n{values[0]}\n</svg>" if box and values else ""
