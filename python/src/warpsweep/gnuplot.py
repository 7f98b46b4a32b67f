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
from math import floor
from pathlib import Path

import numpy as np
import pandas as pd

from . import markup
from .errors import WarpsweepError
from .figure import Axis, Curve, Figure, short_names
from .marks import table
from .outputs import write
from .page import Look, headroom, script
from .units import bytes_text

FORMATS = ("pdf", "png", "svg", "epslatex", "cairolatex")
VALUES_MAX = 1000  # points of an SVG that show their values
ENDS = {"pdf": b"%%EOF", "png": b"IEND", "svg": b"</svg>", "tex": b"\\endgroup", "eps": b"%%Trailer"}
EXTENSIONS = {"epslatex": ("tex", "eps"), "cairolatex": ("tex", "pdf")}  # others have their own name


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
            if drawing.look.format == "svg":
                add_values(Path(scratch, names[0]), drawing.figure)
            for one in names:
                made = Path(scratch, one).read_bytes() if Path(scratch, one).exists() else b""
                if ENDS[one.rpartition(".")[2]] not in made[-256:]:
                    raise WarpsweepError(f"{one} is incomplete; is the disk full?")
            for one in [*names, *([f"{name}.gp", f"{name}.tsv"] if keep_data else [])]:
                write(folder / one, Path(scratch, one).read_bytes())
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


def add_values(path: Path, figure: Figure) -> None:
    """Add transparent circles with a <title> to an SVG of at most 1000 points: a browser shows it at the pointer."""
    drawing = path.read_text(encoding="utf-8")
    # Panels are where their border is: left and lower edge, a path in the colour of the border that is drawn twice.
    border = r"<path stroke='rgb\( 51, +51, +51\)' +d='M([\d.]+),([\d.]+) L\1,([\d.]+) L([\d.]+),\3 "
    corners = list(dict.fromkeys(re.findall(border, drawing)))
    count = sum(len(curve.points) for panel in figure.panels for curve in panel.curves)
    if count > VALUES_MAX or len(corners) != len(figure.panels) or "</svg>" not in drawing:
        return
    said = []
    for panel, corner in zip(figure.panels, corners):
        left, top, bottom, right = map(float, corner)
        axis = headroom(figure, panel.block, (bottom - top) / 96)
        for curve in panel.curves:
            points = curve.points
            x = left + figure.x.position(points["x"]) * (right - left)
            y = bottom - axis.position(points["y"]) * (bottom - top)
            for at, point in points.iterrows():
                if np.isfinite(x[at]) and np.isfinite(y[at]):
                    text = value_text(figure, panel, axis, curve, point)
                    said.append(f'<circle cx="{x[at]:.1f}" cy="{y[at]:.1f}" r="4"><title>{text}</title></circle>')
    group = '<g class="values" fill="#fff" fill-opacity="0">\n' + "\n".join(said) + "\n</g>\n"
    head, end, tail = drawing.rpartition("</svg>")
    path.write_text(head + group + end + tail, encoding="utf-8")


def value_text(figure: Figure, panel: Panel, axis: Axis, curve: Curve, point: pd.Series) -> str:
    """The device, the curve, and its x and y with the interval, in lines."""
    across = figure.draw in ("across", "areas")

    def quantity(of: Axis, value: float, interval: bool) -> str:
        name, unit = re.fullmatch(r"(.*?)(?: \(([^()]*)\))?", of.label).groups()  # type: ignore[union-attr]
        text = (of.names[round(value)] if of.names else bytes_text(value) if of.bytes and value == floor(value)
                else f"{value:.4g}")
        if interval and np.isfinite(point["low"]):
            text += f" ({point['low']:.4g} to {point['high']:.4g})"
        return f"{name}: {text}" + (f" {unit}" if unit and unit != "1" and not of.names and not of.bytes else "")

    lines = [", ".join(filter(None, [short_names(figure.sources)[curve.source] if figure.together else "",
                                     curve.label or panel.title]))]
    lines += [quantity(figure.x, point["x"], across), quantity(axis, point["y"], not across)]
    lines += ["The clock was throttled."] if point["throttled"] else []
    return "&#10;".join(markup.escape("html", line) for line in lines)
