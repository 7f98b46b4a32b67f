"""Figures as files: NAME.gp and NAME.tsv are plain gnuplot, which anybody can run and edit without warpsweep. Python
says where everything stands on the page; analysis/figure.gp.j2 is the script."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, floor, log10
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .errors import UsageError, WarpsweepError
from .figure import MARKED, Axis, Figure, Line, Panel, short_names
from .outputs import write_into
from .program import shipped
from .units import bytes_text
from .values import heading

ENDS = {"pdf": b"%%EOF", "png": b"IEND", "svg": b"</svg>"}
# A third of gnuplot's SVG is empty groups. Marks of no size are invisible, and librsvg refuses the whole picture for them.
EMPTY = re.compile(rb"<g [^>]*>\s*</g>\s*|<use [^>]*scale\(0\.00\)[^>]*/>\s*")
SIGNATURE = "# Written by warpsweep plot --data, which replaces no edited script. CRC-32 of the lines above: "
LETTERS = 17.5  # an inch of 7 pt holds about so many
NAMES = 0.4  # of the width: room for names along y
EVEN = 0.01  # cells whose ratios are all as near to 1 need no scale
CELL = 0.22  # inches: room for a number in a cell
SHORT_TICK, FEW = 5, 12  # letters; up to so many values may each have a tick
SMALL, RAISED = 1e-3, str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")  # smaller ticks are powers of ten
# Colours for all kinds of colour vision, after Okabe & Ito (2008). The smallest CIEDE2000 difference of two of them is
# 27, as seen with deuteranopia 14.6, protanopia 16.5 and tritanopia 13.1 (simulated after Machado et al. 2009).
COLOURS = ("#0072B2", "#D55E00", "#21A671", "#A6106B", "#7CCBE8", "#E6AC00", "#000000", "#66321F")
GREY = "#555555"


def quoted(text: str) -> str:
    """A text for gnuplot. Single quotes substitute nothing; control characters become spaces. An apostrophe is a string
    of its own: gnuplot misreads a doubled one at the start."""
    lines = ["".join(sign if sign >= " " else " " for sign in line) for line in text.split("\n")]
    return '."\\n".'.join("'" + line.replace("'", "'.\"'\".'") + "'" for line in lines)


@dataclass(frozen=True)
class Look:
    """How a figure is drawn. ``width`` in inches; ``title``: its message is above it; ``below``: a caption in it."""

    width: float = 3.4
    format: str = "pdf"
    title: bool = True
    below: str = ""


def turned(axis: Axis, inches: float) -> bool:
    """Whether names along x have no room side by side."""
    return bool(axis.names) and (max(map(len, axis.names)) + 1) * len(axis.names) > inches * LETTERS


def ticks(axis: Axis, inches: float, vertical: bool, beyond: float) -> list[tuple[str, float]]:
    """Labels and places of the ticks that have room; labels may reach ``beyond`` the axis. Empty: gnuplot chooses, which it
    does well along a linear y axis; elsewhere its labels overlap in narrow panels, and powers of two and names have none."""
    if axis.names:
        return [(name, at) for at, name in enumerate(axis.names)]

    low, high = axis.low, axis.high
    small = axis.kind == "log10" and low < SMALL  # all labels of an axis are written alike

    def label(value: float) -> str:
        if axis.bytes and value >= 1 and value == floor(value):
            return bytes_text(value)
        if not small:
            return f"{value:.7g}"
        digit, _, power = f"{value:.0e}".partition("e")
        of_ten = "10" + f"{int(power)}".translate(RAISED)
        return of_ten if digit == "1" else f"{digit}·{of_ten}"

    def fit(places: Sequence[float]) -> bool:
        at = inches * np.asarray(axis.position(np.asarray(places, float)))
        half = np.array(
            [0.09 if vertical else (len(label(place)) + 1.6) / LETTERS / 2 for place in places]
        )
        ends = half - (0 if vertical else 0.8 / LETTERS)
        return bool(
            at[0] - ends[0] >= -beyond
            and at[-1] + ends[-1] <= inches + beyond
            and (np.diff(at) >= half[1:] + half[:-1]).all()
        )

    values = [value for value in axis.values if low <= value <= high]
    few = 1 < len(values) <= FEW and all(
        len(f"{value:.7g}") <= SHORT_TICK or axis.bytes for value in values
    )
    choices: list[Any] = [values] if few else []  # every value, if each can have a tick
    powers, size = np.arange(-64, 65), floor(log10(high - low))
    if axis.kind == "log10" and not (small and high >= 100 * low):
        choices += [np.outer(10.0**powers, digits).ravel() for digits in ((1, 2, 5), (1, 3))]
    if axis.kind in ("log2", "log10"):
        choices += [
            float(axis.kind[3:]) ** powers[powers % step == shift]
            for step in (1, 2, 3, 4, 5, 6, 8, 10)
            for shift in range(step)
        ]
    if axis.kind.startswith("log") and high < 10 * low or axis.kind == "linear" and not vertical:
        choices += [
            step * np.arange(ceil(low / step), floor(high / step) + 1)
            for step in (digit * 10.0**power for power in (size - 1, size) for digit in (1, 2, 5))
            if high - low < 12 * step
        ]
    fitting = [
        inside
        for places in choices
        if len(inside := [float(place) for place in places if low <= place <= high]) > 1
        and fit(inside)
    ]
    # Two labels do not say what a logarithmic scale is.
    best = next(
        (inside for inside in fitting if len(inside) > 2 or inside == values),
        fitting[0] if fitting else [],
    )
    return [(label(place), place) for place in best]


def widest(axis: Axis, inches: float) -> int:
    """Letters of the longest label along a y axis, also where gnuplot chooses them."""
    if shown := ticks(axis, inches, True, 1.0):
        return max(len(label) for label, _ in shown)
    decimals = max(0, -floor(log10((axis.high - axis.low) / 5)))
    return max(len(f"{end:.{decimals}f}") for end in (axis.low, axis.high))


def headroom(figure: Figure, block: int, inches: float) -> Axis:
    """A y axis with room above the lines of its panels for their names."""
    axis = figure.y[block]
    parts = {panel.part for panel in figure.panels if panel.block == block}
    lines = [
        line.at for line in figure.lines if line.part in parts and line.text and not line.upright
    ]
    above = float(axis.position(max(lines))) + 0.13 / inches - 1 if lines and not axis.names else 0
    return replace(replace(axis).widened(0, above), low=axis.low) if above > 0 else axis


def names(line: Line) -> list[str]:
    """The words of a line, the longest first; what has no words has no name."""
    every = [line.text, line.short, line.brief] if line.text else []
    return [*filter(None, dict.fromkeys(every))]


def lines_of(figure: Figure, panel: Panel, axis: Axis, inches: float, height: float) -> list[str]:
    """Dotted lines with their names, each where it covers the fewest points and no other name: gnuplot avoids nothing."""
    groups = figure.sources if figure.together else []
    colour = {group.label: COLOURS[at % len(COLOURS)] for at, group in enumerate(groups)}
    letter, tall = 1 / (1.15 * LETTERS * inches), 0.1 / height  # of 6 pt, in shares of the panel
    curves = [
        (
            figure.x.position(curve.points["x"].to_numpy()),
            axis.position(curve.points["y"].to_numpy()),
            curve.lined or figure.draw == "curves",
        )
        for curve in figure.curves
        if curve.panel is panel
    ]
    places = [
        (even := np.linspace(x.min(), x.max(), 200), np.interp(even, x, y)) if lined else (x, y)
        for x, y, lined in curves
    ]
    x, y = (np.concatenate([place[k] for place in places] or [[]]) for k in (0, 1))
    mine = [
        line for line in figure.lines if line.part == panel.part and line.source in panel.sources
    ]
    heights = {float(axis.position(line.at)) for line in mine if not line.upright}
    taken: list[tuple[float, float, float, float]] = []
    said = []

    def put(tone: str, choices: Sequence[tuple[str, float, float, str]]) -> None:
        """A name at the best of some places: text, left end (negative: right end), lower end, and gnuplot's words."""
        boxes: list[Any] = []
        for text, end, low, command in choices:
            left = end if end >= 0 else -end - len(text) * letter
            right, top = left + len(text) * letter, low + tall
            inside = ((x > left) & (x < right) & (y > low) & (y < top)).sum()
            others = sum(
                left < x1 and right > x0 and low < y1 and top > y0 for x0, x1, y0, y1 in taken
            )
            outside = max(0, -left) + max(0, right - 1) + max(0, -low) + max(0, top - 1.05)
            through = sum(low < height < top for height in heights)
            boxes.append(
                (
                    inside + 10 * through + 100 * others + 1000 * outside,
                    len(boxes),
                    (left, right, low, top),
                    text,
                    command,
                )
            )
        _, _, box, text, command = min(boxes)
        taken.append(box)
        said.append(f"set label {quoted(text)} {command} font ',6' tc rgb '{tone}'")

    # What several devices have alike is one, and so are roofs whose words are the same.
    alike = {(line.upright, line.text or line.at, line.brief): line for line in mine}
    for line in sorted(
        alike.values(), key=lambda line: (line.upright, -line.at * (not line.upright))
    ):
        tone = GREY if line.shared else colour.get(line.source, GREY)
        at = float((figure.x if line.upright else axis).position(line.at))
        place = "first {0:.9g}, graph {1}" if line.upright else "graph {1}, first {0:.9g}"
        first, last = (place.format(line.at, end) for end in (0, 1))
        said.append(f"set arrow from {first} to {last} nohead back lw 0.8 dt 3 lc rgb '{tone}'")
        if line.upright:
            put(
                tone,
                [
                    (words, end, low, f"at first {line.at:.9g}, graph {low + 0.05:.3g} {side}")
                    for words in dict.fromkeys([line.text, line.brief])
                    for low in (0.0, 0.88, 0.1, 0.78, 0.45)
                    for end, side in (
                        (0.02 - at, "right offset -0.5, 0"),
                        (at + 0.02, "left offset 0.5, 0"),
                    )
                ],
            )
        elif words := [one for one in names(line) if len(one) * letter <= 0.7] or [line.brief]:
            put(
                tone,
                [
                    (
                        one,
                        end,
                        low,
                        f"at graph {abs(end)}, first {line.at:.9g} {side} offset 0, {up}",
                    )
                    for one in words
                    for low, up in ((at, 0.5), (at - tall, -0.5))
                    for end, side in ((-0.99, "right"), (0.01, "left"))
                ],
            )
    return said


class Page:
    """Where everything stands: inches from the left and the lower edge.

    Letters are counted because gnuplot measures a text only when it draws it, and the page must be sized before: it wraps no
    text, tells no height of a key that panels share, and chooses margins for each panel alone, so that axes do not align."""

    def __init__(self, figure: Figure, look: Look) -> None:
        self.figure, self.look, panels = figure, look, figure.panels
        said = (
            [*figure.title.rstrip(".").split("\n"), figure.notice]
            if look.title
            else [figure.notice]
        )
        self.message = "\n".join(
            textwrap.fill(line, int(look.width * 0.92 * LETTERS)) for line in said if line
        )
        self.below = textwrap.fill(look.below, int(look.width * 1.22 * LETTERS))
        # The entries of the key: devices that share a panel with their colours, and the curves if several.
        short, shown = short_names(figure.sources), {curve.source for curve in figure.curves}
        curves = {
            curve.label: curve
            for curve in figure.curves
            if curve.label != curve.panel.part and figure.draw != "cells"
        }
        self.devices = {
            short[group.label]: COLOURS[at % len(COLOURS)]
            for at, group in enumerate(figure.sources)
            if figure.together and group.label in shown and figure.draw != "cells"
        }
        self.curves = curves if len(curves) > 1 else {}
        self.key = [*self.devices, *self.curves]
        longest = max(map(len, self.key), default=0)
        fitting = int((look.width - 0.1) / (0.34 + 1.12 * longest / LETTERS))
        self.key_columns = max(1, min(fitting, len(self.key)))
        # the largest logarithm of a ratio in cells; words of its scale
        self.reach, self.scale = 0.1, ""
        if figure.draw == "cells":
            self.low, self.high = ends = self.ratios()
            furthest = max(map(abs, ends))
            self.reach = max(furthest, self.reach)
            self.scale = heading(figure.directives.all("columns")[0]) if furthest > EVEN else ""
        self.key_height = 0.125 * ceil(len(self.key) / self.key_columns) + 0.34 * bool(self.scale)
        self.own = figure.directives.one("scales") == "own"
        # inches, of two panels
        cells = look.width * (1 - NAMES) / 2 / max(1, len(figure.x.names)) if self.scale else 1.0
        parts, wide = len({panel.part for panel in panels}), look.width > 5
        # ratios have their own rows
        first = len(panels) if self.own else sum(panel.block == 0 for panel in panels)
        self.across = min(first, 4 if wide else 2)
        if max(len(panel.title) for panel in panels) > look.width / self.across * LETTERS:
            self.across = 1
        if (
            len(panels) > parts > 1
            and len(panels) % parts == 0
            and len(panels) // parts <= (4 if wide else 2)
        ):
            self.across = len(panels) // parts  # a row for each part, a column for each device
        if cells < CELL:
            self.across = 1
        self.down = ceil(len(panels) / self.across)
        names = [name for axis in figure.y for name in axis.names]
        self.panel_height = (1.72 if len(panels) == 1 else 1.3) * (1.15 if wide else 1)
        if names:
            self.panel_height = max(0.11 * max(len(axis.names) for axis in figure.y) + 0.05, 0.5)
        self.right, self.row_gap, self.gap = 0.1, 0.3, 0.45 if self.own and not names else 0.2
        labelled = self.own and len({axis.label for axis in figure.y}) > 1
        self.gap += 0.2 * labelled
        if names:
            self.left = 0.3 + min(max(map(len, names)) / LETTERS, NAMES * look.width)
        else:
            heads = (headroom(figure, at, self.panel_height) for at in range(len(figure.y)))
            letters = max(widest(axis, self.panel_height) for axis in heads)
            self.left = max(0.5, 0.25 + 1.1 * letters / LETTERS)
        self.fit_width()
        lines = max(self.title(panel).count("\n") for panel in panels)
        self.row_gap += 0.115 * lines
        self.foot = (
            0.06
            + self.key_height
            + (0.105 * (self.below.count("\n") + 1) + 0.05 if self.below else 0)
        )
        tall = (
            0.65 * max(map(len, figure.x.names)) / LETTERS
            if turned(figure.x, self.panel_width)
            else 0
        )
        self.bottom = self.foot + 0.38 + tall
        self.top = (
            0.08
            + 0.125 * len(self.message.splitlines())
            + (0.14 + 0.115 * lines if any(panel.title for panel in panels[1:]) else 0)
        )
        self.height = (
            self.bottom + self.down * (self.panel_height + self.row_gap) - self.row_gap + self.top
        )

        rows: dict[str, list[int]] = {}  # of panels that share a label
        for row in range(self.down):
            rows.setdefault(figure.y[panels[row * self.across].block].label, []).append(row)
        self.y_labels = [
            (label, 0.09, (self.row(of[0]) + self.row(of[-1]) - self.panel_height) / 2)
            for label, of in rows.items()
        ]
        for number, panel in enumerate(panels):
            row, column = divmod(number, self.across)
            if labelled and column:
                left = self.left + column * (self.panel_width + self.gap) - self.gap + 0.16
                middle = self.row(row) - self.panel_height / 2
                self.y_labels.append((figure.y[panel.block].label, left, middle))
        self.middle = self.left + (look.width - self.right - self.left) / 2

    def title(self, panel: Panel) -> str:
        """That of a panel, in lines that do not reach those of the next one."""
        return textwrap.fill(
            panel.title, max(8, int((self.panel_width + 0.7 * self.gap) * LETTERS))
        )

    def fit_width(self) -> None:
        """The width of a panel. The last label along x stays on the page, and beside the first one of the next panel."""

        def width() -> float:
            inner = self.look.width - self.left - self.right - (self.across - 1) * self.gap
            return inner / self.across

        x, self.panel_width = self.figure.x, width()
        shown = [] if x.names else ticks(x, self.panel_width, False, 1.0)
        if not shown:
            return
        first, last = (
            0.55 * len(label) / LETTERS - self.panel_width * float(inside)
            for (label, at), inside in (
                (shown[0], x.position(shown[0][1])),
                (shown[-1], 1 - x.position(shown[-1][1])),
            )
        )
        self.right = max(self.right, last + 0.02)
        self.gap = max(self.gap, first + last + 0.08)
        self.panel_width = width()

    def row(self, number: int) -> float:
        """The upper edge of a row of panels."""
        return self.height - self.top - number * (self.panel_height + self.row_gap)

    def ratios(self) -> tuple[float, float]:
        """The logarithms of the least and the largest ratio in cells, and of 1."""
        column = f"row.{self.figure.directives.all('columns')[0]}"
        ratios = pd.concat([curve.points[column].astype(float) for curve in self.figure.curves])
        found = np.log(ratios[ratios > 0])
        return min(0.0, float(found.min())), max(0.0, float(found.max()))

    @property
    def scale_ticks(self) -> list[float]:
        """Logarithms that have a number on the scale of tints: its ends, and 1 if it is not beside one."""
        room = 0.15 * (self.high - self.low)
        middle = [0.0] if min(-self.low, self.high) > room else []
        return [self.low, *middle, self.high]

    def panels(self) -> Iterator[tuple[Panel, float, float, list[tuple[Any, ...]], list[str]]]:
        """Each panel, its left and lower edge, axes (name, axis, ticks, labelled, turned), and commands for its lines."""
        figure, look = self.figure, self.look
        for number, panel in enumerate(figure.panels):
            row, column = divmod(number, self.across)
            axis = headroom(figure, panel.block, self.panel_height)
            beside, below = not column or self.own, number + self.across >= len(figure.panels)
            beyond = 0.5 * self.gap + 0.02 if self.across > 1 else 1.0
            most = int(NAMES * 1.3 * LETTERS * look.width)  # letters of a name along y
            named = replace(
                axis,
                names=[
                    name if len(name) <= most else name[: most - 1] + "…" for name in axis.names
                ],
            )
            axes = [
                ("y", axis, ticks(named, self.panel_height, True, 1.0), beside, False),
                (
                    "x",
                    figure.x,
                    ticks(figure.x, self.panel_width, False, beyond),
                    below,
                    turned(figure.x, self.panel_width),
                ),
            ]
            yield (
                panel,
                self.left + column * (self.panel_width + self.gap),
                self.row(row) - self.panel_height,
                axes,
                lines_of(figure, panel, axis, self.panel_width, self.panel_height),
            )


def environment(folder: Path, **options: Any) -> Any:
    """What renders the templates of a folder. Compiling one takes a tenth of a second: it is kept, in the folder of the user's
    own that Jinja makes for that in the one for temporary files."""
    import jinja2

    try:
        kept = jinja2.FileSystemBytecodeCache()
    except (OSError, RuntimeError):  # that folder is somebody else's, or cannot be made
        kept = None
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        bytecode_cache=kept,
        **options,
    )


@lru_cache(maxsize=1)
def template() -> Any:
    """analysis/figure.gp.j2."""
    of = environment(shipped("analysis"), trim_blocks=True, lstrip_blocks=True)
    of.filters.update(quoted=quoted, comment=lambda text: " ".join(text.split()))
    of.globals.update(COLOURS=COLOURS, GREY=GREY, MARKED=MARKED)
    return of.get_template("figure.gp.j2")


def written(value: Any) -> str:
    """A value of a .tsv."""
    if value is None or value != value:
        return "NaN"
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def table(figure: Figure) -> str:
    """NAME.tsv: x, y, low, high in the units of the axes, then the columns that the curve is made of."""
    parts, clipped = [], any(curve.points["clipped"].any() for curve in figure.curves)
    marked = [name for name in MARKED if any(curve.points[name].any() for curve in figure.curves)]
    for curve in figure.curves:
        own = [name for name in curve.points if name not in (*MARKED, "clipped")]
        heads = [name.replace("row.", "", 1) for name in own]
        texts = [[*map(written, curve.points[name].tolist())] for name in own]  # faster than to_csv
        if clipped:
            heads.append("clipped")
            texts.append([end or "no" for end in curve.points["clipped"]])
        for name in marked:
            heads.append(name)
            texts.append([("no", "yes")[bool(mark)] for mark in curve.points[name]])
        parts.append("\n".join([f"# [{curve.name}]", *map("\t".join, [heads, *zip(*texts)]), ""]))
    return "\n\n".join(parts)


class Drawing:
    """A figure with its page, its script and its table."""

    def __init__(self, figure: Figure, look: Look) -> None:
        self.figure, self.look, self.page, self.table = (
            figure,
            look,
            Page(figure, look),
            table(figure),
        )
        self.script: str = template().render(figure=figure, look=look, page=self.page)


def signed(script: str) -> str:
    """The script with its checksum, by which a later plot knows whether somebody has edited it."""
    return f"{script}{SIGNATURE}{zlib.crc32(script.encode('utf-8')):08x}\n"


def refuse_edited(folder: Path, names: Sequence[str]) -> None:
    """UsageError if a script that ``plot --data`` would replace is not as it was written."""
    for path in (folder / f"{name}.gp" for name in names):
        if path.exists():
            text = path.read_text("utf-8", "replace")
            if signed(text.rpartition(SIGNATURE)[0]) != text:
                raise UsageError(
                    f"{path} was edited, or is not of plot --data: rename it, or choose another folder"
                )


def draw(drawings: Sequence[Drawing], folder: Path, *, keep_data: bool = False) -> list[Path]:
    """Draw into a folder, in one gnuplot process, whose warnings go to stderr; returns the pictures. WarpsweepError if
    gnuplot is missing or fails."""
    if not shutil.which("gnuplot"):
        raise WarpsweepError("cannot run gnuplot: install gnuplot 5.2 or later (gnuplot-nox)")
    written: list[Path] = []
    if not drawings:
        return written
    with tempfile.TemporaryDirectory(prefix="warpsweep-plot.") as scratch:
        for drawing in drawings:
            Path(scratch, f"{drawing.figure.name}.tsv").write_text(drawing.table, encoding="utf-8")
            Path(scratch, f"{drawing.figure.name}.gp").write_text(drawing.script, encoding="utf-8")
        # names are UTF-8, and numbers have a decimal point
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            [
                "gnuplot",
                "-d",
                *(f"{drawing.figure.name}.gp" for drawing in drawings),
            ],  # -d: no ~/.gnuplot
            cwd=scratch,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        if done.returncode:
            raise WarpsweepError(f"gnuplot cannot draw: {done.stderr.strip()[-2000:]}")
        sys.stderr.write(done.stdout + done.stderr)
        for drawing in drawings:
            picture = Path(scratch, f"{drawing.figure.name}.{drawing.look.format}")
            made = picture.read_bytes() if picture.exists() else b""
            if ENDS[drawing.look.format] not in made[-256:]:
                raise WarpsweepError(f"{picture.name} is incomplete; is the disk full?")
            written.append(folder / picture.name)
            whole = EMPTY.sub(b"", made) if drawing.look.format == "svg" else made
            write_into(folder, picture.name, whole)
            if keep_data:
                write_into(folder, f"{drawing.figure.name}.gp", signed(drawing.script))
                write_into(folder, f"{drawing.figure.name}.tsv", drawing.table)
    return written
