"""Figures as files: NAME.gp and NAME.tsv are plain gnuplot, which anybody can run and edit without warpsweep."""
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

from .errors import WarpsweepError
from .figure import Figure
from .outputs import write
from .page import Look, script

ENDS = {"pdf": b"%%EOF", "png": b"IEND", "svg": b"</svg>", "tex": b"\\endgroup", "eps": b"%%Trailer"}
EXTENSIONS = {"epslatex": ("tex", "eps"), "cairolatex": ("tex", "pdf")}  # others have their own name
EMPTY = re.compile(rb"<g [^>]*>\s*</g>\s*")  # a third of gnuplot's SVG


def table(figure: Figure) -> str:
    """NAME.tsv: x, y, low, high in the units of the axes, then the columns that the curve is made of."""
    parts, throttled = [], any(curve.points["throttled"].any() for curve in figure.curves)
    for curve in figure.curves:
        data = curve.points.drop(columns="throttled").rename(columns=lambda column: column.replace("row.", "", 1))
        if throttled:
            data["throttled"] = curve.points["throttled"].map({True: "yes", False: "no"})
        parts.append(f"# [{curve.name}]\n" + data.to_csv(sep="\t", index=False, na_rep="NaN", float_format="%.12g"))
    return "\n\n".join(parts)


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
    """Draw into a folder, in one gnuplot process. WarpsweepError if gnuplot is missing or fails, OSError of the folder."""
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
                    made = EMPTY.sub(b"", made)
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
