"""Figures as files: NAME.gp and NAME.tsv are plain gnuplot, which anybody can run and edit without warpsweep.

One gnuplot process draws all figures of a call.
"""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from . import markup
from .errors import WarpsweepError
from .figure import Axis, Figure
from .marks import HOVER, table
from .outputs import write
from .page import Look, script
from .units import bytes_text

ENDS = {"pdf": b"%%EOF", "png": b"IEND", "svg": b"</svg>", "tex": b"\\endgroup", "eps": b"%%Trailer"}
EXTENSIONS = {"epslatex": ("tex", "eps"), "cairolatex": ("tex", "pdf")}  # others have their own name
VALUE = re.compile(rf"""<g onmousemove="[^"]*'{HOVER}(\d+)\.(\d+)'[^>]*><title> </title>\s*<use [^>]*"""
                   r"translate\(([-\d.]+),([-\d.]+)\)[^>]*/></g>")

EMPTY = re.compile(r"<g [^>]*>\s*</g>\s*")  # a third of gnuplot's SVG


def files_of(name: str, form: str) -> list[str]:
    """The files of a drawing; the first is what a document includes."""
    return [f"{name}.{extension}" for extension in EXTENSIONS.get(form, (form,))]


@dataclass
class Drawing:
    """A figure with its script and its table."""

    figure: Figure
    look: Look
    script: str
    table: str

    @classmethod
    def of(cls, figure: Figure, look: Look) -> Drawing:
        return cls(figure, look, script(figure, look), table(figure))

    @property
    def height(self) -> float:
        """Of the page, in inches."""
        return float(re.search(r"height = ([\d.]+)", self.script)[1])  # type: ignore[index]


def draw(drawings: Sequence[Drawing], folder: Path, *, keep_data: bool = False) -> list[Path]:
    """Write the drawings into a folder, with NAME.gp and NAME.tsv if ``keep_data``; one gnuplot process draws all.

    Raises WarpsweepError if gnuplot is missing or fails, OSError if the folder cannot be written.
    """
    if not shutil.which("gnuplot"):
        raise WarpsweepError("cannot run gnuplot: install gnuplot 5.2 or later (gnuplot-nox)")
    written = []
    with tempfile.TemporaryDirectory(prefix="warpsweep-plot.") as scratch:
        for drawing in drawings:
            Path(scratch, f"{drawing.figure.name}.tsv").write_text(drawing.table, encoding="utf-8")
            Path(scratch, f"{drawing.figure.name}.gp").write_text(drawing.script, encoding="utf-8")
        if drawings:
            run([f"{drawing.figure.name}.gp" for drawing in drawings], scratch)
        for drawing in drawings:
            name = drawing.figure.name
            names = files_of(name, drawing.look.format)
            for one in [*names, *[f"{name}.gp", f"{name}.tsv"] * keep_data]:
                made = Path(scratch, one).read_bytes() if Path(scratch, one).exists() else b""
                if one in names and ENDS[one.rpartition(".")[2]] not in made[-256:]:
                    raise WarpsweepError(f"{one} is incomplete; is the disk full?")
                if one.endswith(".svg"):
                    text = VALUE.sub(lambda at, of=drawing.figure: circle(of, *at.groups()),  # type: ignore[misc]
                                     made.decode("utf-8"))
                    made = EMPTY.sub("", text).encode("utf-8")
                write(folder / one, made)
            written.append(folder / names[0])
    return written


def run(scripts: Sequence[str], folder: str) -> None:
    """Run scripts in one gnuplot process. Its warnings go to stderr. -d ignores ~/.gnuplot."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}  # names are UTF-8, and numbers have a decimal point
    done = subprocess.run(["gnuplot", "-d", *scripts], cwd=folder, env=environment, capture_output=True, text=True,
                          encoding="utf-8", errors="replace")
    if done.returncode:
        raise WarpsweepError(f"gnuplot cannot draw: {done.stderr.strip()[-2000:]}")
    sys.stderr.write(done.stdout + done.stderr)


# ---- Values at the pointer -----------------------------------------------------------------------------------------


def circle(figure: Figure, block: str, row: str, x: str, y: str) -> str:
    """A transparent mark with a <title>, which a browser shows at the pointer: the curve, x and y with its interval.

    gnuplot's own hypertext needs its JavaScript.
    """
    curve = figure.curves[int(block)]
    point = curve.points.iloc[int(row)]
    axes = [(figure.x, point["x"], figure.across), (figure.y[curve.panel.block], point["y"], not figure.across)]
    lines = [curve.name, *(quantity(axis, value, point if interval else None) for axis, value, interval in axes),
             *["The clock was throttled."] * bool(point["throttled"])]
    title = "&#10;".join(markup.escape("html", line) for line in lines)
    return f'<circle class="value" cx="{x}" cy="{y}" r="4" fill-opacity="0"><title>{title}</title></circle>'


def quantity(axis: Axis, value: float, point: pd.Series | None) -> str:
    """``Bandwidth: 4299 (4295 to 4303) GB/s``."""
    name, unit = re.fullmatch(r"(.*?)(?: \(([^()]*)\))?", axis.label).groups()  # type: ignore[union-attr]
    if axis.names or (axis.bytes and value == int(value)):
        return f"{name}: {axis.names[round(value)] if axis.names else bytes_text(value)}"
    bounds = f" ({point['low']:.4g} to {point['high']:.4g})" if point is not None and np.isfinite(point["low"]) else ""
    return f"{name}: {value:.4g}{bounds}" + (f" {unit}" if unit and unit != "1" else "")
