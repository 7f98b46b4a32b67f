"""Figures as plain gnuplot scripts: NAME.gp and NAME.tsv, which anybody can run and edit without warpsweep.

NAME.tsv has a block for each curve, named in a comment; ``index '[NAME]'`` of gnuplot selects it. One gnuplot process
draws all figures of a call.
"""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log2, log10
from pathlib import Path

import numpy as np
import pandas as pd

from . import markup
from .errors import WarpsweepError
from .figure import Axis, Curve, Figure, Line, Panel, short_names
from .units import bytes_text

FORMATS = ("pdf", "png", "svg", "epslatex", "cairolatex")
# Colours for all kinds of colour vision, after Okabe & Ito (2008). The smallest CIEDE2000 difference of two of them is 27,
# as seen with deuteranopia 14.6, protanopia 16.5 and tritanopia 13.1 (simulated after Machado et al. 2009).
COLOURS = ("#0072B2", "#D55E00", "#21A671", "#A6106B", "#7CCBE8", "#E6AC00", "#000000", "#66321F")
# Filled areas for grey print: colours of similar grey have different patterns, on a tint of the colour; 3 is solid.
FILLS = (3, 3, 4, 3, 5, 2, 3, 1)
TINTS = ("#0072B2", "#D55E00", "#B1E0CD", "#A6106B", "#D1EDF7", "#F6E2A6", "#000000", "#C9B7B1")
DASHES = (1, 2, 4, 3)  # gnuplot's dash types: solid, dashed, dashed and dotted, dotted
GREY = "#555555"
LETTERS = 17.5  # an inch of 7 pt holds about so many
ROUND = (1, 2, 5)
SHORT_TICK, FEW = 5, 12  # letters; up to so many values may each have a tick
VALUES_MAX = 1000  # points of an SVG that show their values
ENDS = {"pdf": b"%%EOF", "png": b"IEND", "svg": b"</svg>", "tex": b"\\endgroup", "eps": b"%%Trailer"}
EXTENSIONS = {"epslatex": ("tex", "eps"), "cairolatex": ("tex", "pdf")}  # others have their own name
TERMINALS = """\
if (format eq 'pdf') set terminal pdfcairo noenhanced size width in, height in font 'Arial,7' fontscale 0.75 linewidth 0.8 rounded
if (format eq 'svg') set terminal svg noenhanced size width * 96, height * 96 font 'Arial,7' fontscale 1.33 background 'white'
if (format eq 'png') set terminal pngcairo noenhanced size width * 300, height * 300 font 'Arial,7' fontscale 3.125 linewidth 3.2 pointscale 3.6 rounded
set output {name}.'.'.format"""
LATEX = {"epslatex": "set terminal epslatex color colortext size width in, height in font '' 7 linewidth 1 pointscale 2.2 rounded",
         "cairolatex": "set terminal cairolatex pdf color colortext size width in, height in font '' fontscale 0.6 linewidth 0.8 rounded"}
STYLE = """\
set encoding utf8
set datafile separator tab
set datafile missing 'NaN'
set border 3 lw 0.6 lc rgb '#333333'
set tics nomirror out scale 0.5
set format '%g'
set grid lt 1 lw 0.5 lc rgb '#e4e4e4'
set bars 0.5
set pointintervalbox 0.001 # bars go through to the mark; by default the box around it is blank
set style fill border lc rgb '#222222'"""
CELLS = """\
# tints of two colours by the logarithm of the ratio: blue above 1, vermilion below
tint(r) = 0.65 * abs(log(r)) / {reach:.6g}
mixed(r, c) = int(255 + tint(r) * (c - 255))
shade(r) = r > 1 ? mixed(r, 0) * 65536 + mixed(r, 114) * 256 + mixed(r, 178) : mixed(r, 213) * 65536 + mixed(r, 94) * 256 + mixed(r, 0)
digits(v) = v == v ? sprintf(v >= 100 ? '%.0f' : v >= 10 ? '%.1f' : '%.2f', v) : ''
set object rectangle from graph 0, graph 0 to graph 1, graph 1 behind fillstyle solid 1 noborder fillcolor rgb '#e4e4e4'
unset grid"""


@dataclass(frozen=True)
class Look:
    """How a figure is drawn. ``width`` in inches; ``title``: its message is written above it; ``below``: a caption in it."""

    width: float = 3.4
    format: str = "pdf"
    title: bool = True
    below: str = ""

    @property
    def latex(self) -> bool:
        return self.format in LATEX

    @property
    def format_of_ticks(self) -> str:
        return quoted(r"\fontsize{7}{7}\selectfont $%g$" if self.latex else "%g")

    def text(self, words: str, size: float = 7) -> str:
        """A gnuplot expression of a text. Single quotes substitute nothing; control characters become spaces."""
        lines = ["".join(sign if sign >= " " else " " for sign in line) for line in words.split("\n")]
        if self.latex:
            lines = [markup.latex(line) for line in lines]
            before = rf"\fontsize{{{size:g}}}{{{size:g}}}\selectfont "  # gnuplot would take a leading brace for its own
            return quoted(before + (r"\shortstack[l]{" + r"\\".join(lines) + "}" if len(lines) > 1 else lines[0]))
        return '."\\n".'.join(map(quoted, lines))


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# ---- The data ------------------------------------------------------------------------------------------------------


def blocks(figure: Figure) -> list[tuple[str, Panel, Curve]]:
    """The curves with the names of their blocks: panel, device and curve, as far as several are there."""
    short, found = short_names(figure.sources), []
    for number, panel in enumerate(figure.panels):
        for curve in panel.curves:
            device = short[curve.source] if figure.together else ""
            words = [panel.title if len(figure.panels) > 1 else "", device, curve.label]
            name = ", ".join(filter(None, words)) or figure.name
            name = "".join(sign if sign >= " " and sign not in "[]" else " " for sign in name)
            taken = [other for other, *_ in found]
            found.append((f"{name} ({number + 1})" if name in taken else name, panel, curve))
    return found


def table(figure: Figure) -> str:
    """NAME.tsv: x, y, low, high in the units of the axes, then the columns that the curve is made of."""
    parts = []
    throttled = any(curve.points["throttled"].any() for panel in figure.panels for curve in panel.curves)
    for name, _, curve in blocks(figure):
        data = curve.points.drop(columns="throttled").rename(columns=lambda column: column.replace("row.", "", 1))
        if throttled:
            data["throttled"] = curve.points["throttled"].map({True: "yes", False: "no"})
        parts.append(f"# [{name}]\n" + data.replace("", "-").to_csv(sep="\t", index=False, na_rep="NaN", float_format="%.12g"))
    return "\n\n".join(parts)


# ---- Axes ----------------------------------------------------------------------------------------------------------


def ticks(axis: Axis, inches: float, look: Look, vertical: bool = False, beyond: float = 1.0) -> str:
    """The places of the ticks, in parentheses; "" leaves them to gnuplot. As many as have room for their labels, which may
    reach so many inches ``beyond`` the ends of the axis."""
    def label(value: float) -> str:
        return bytes_text(value) if axis.bytes and value >= 1 and value == floor(value) else f"{value:.7g}"

    if axis.kind == "names":
        places: Sequence[float] = range(len(axis.names))
        room = 0.11 if vertical else 0.0
        each = max(1, ceil(room * len(axis.names) / inches))
        named = "(" + ", ".join(f"{look.text(axis.names[at])} {at}" for at in places[::each]) + ")"
        return named if vertical or not turned(axis, inches) else f"rotate by 40 right {named}"

    def fits(places: Sequence[float]) -> bool:
        at = [inches * float(axis.position(place)) for place in places]
        half = [0.09 if vertical else (len(label(place)) + 1.6) / LETTERS / 2 for place in places]
        gap = 0 if vertical else 0.8 / LETTERS
        ends = not places or (at[0] - half[0] + gap >= -beyond and at[-1] + half[-1] - gap <= inches + beyond)
        return ends and all(at[k] - at[k - 1] >= half[k] + half[k - 1] for k in range(1, len(at)))

    inside = [value for value in axis.values if axis.low <= value <= axis.high]
    few = 1 < len(inside) <= FEW and all(len(f"{value:.7g}") <= SHORT_TICK or axis.bytes for value in inside)
    choices: list[Sequence[float]] = []
    if few:
        choices.append(inside)
    if axis.kind == "log2":
        first, last = ceil(log2(axis.low) - 1e-9), floor(log2(axis.high) + 1e-9)
        for step in (1, 2, 3, 4, 5, 6, 8, 10, 12, 16):
            choices.append([2.0**power for power in range(first + -first % step, last + 1, step)])
    elif axis.kind == "log10":
        powers = range(floor(log10(axis.low)), ceil(log10(axis.high)) + 1)
        for digits in (ROUND, (1, 3), (1,)):
            choices.append([at for power in powers for digit in digits if axis.low <= (at := digit * 10.0**power) <= axis.high])
    elif axis.kind == "log2+1":
        powers_of_2 = [0.0, *(2.0**power for power in range(int(log2(1 + axis.high)) + 1))]
        choices += [[place for place in [0.0, *powers_of_2[1::step]] if place <= axis.high] for step in (1, 2, 3, 4)]
    elif not vertical and few:
        choices += [inside[::each] for each in (2, 3, 4)]
    chosen = next((places for places in choices if len(places) > 1 and fits(places)), None)
    if chosen is None:
        return "" if axis.kind == "linear" or not few else "(" + ", ".join(
            f"{look.text(label(at))} {at:.9g}" for at in thinned(inside, fits)) + ")"
    return "(" + ", ".join(f"{look.text(label(at))} {at:.9g}" for at in chosen) + ")"


def turned(axis: Axis, inches: float) -> bool:
    """Whether names along x have no room side by side."""
    return bool(axis.names) and (max(map(len, axis.names)) + 1) * len(axis.names) > inches * LETTERS


def thinned(values: Sequence[float], fits: Callable[[Sequence[float]], bool]) -> list[float]:
    """Values from the left, without those whose labels would overlap."""
    kept: list[float] = []
    for value in values:
        kept += [value] if fits([*kept, value]) else []
    return kept


def axis_lines(axis: Axis, name: str, inches: float, look: Look, labelled: bool = True, beyond: float = 1.0) -> list[str]:
    """Scale, range and ticks of an axis; without labels where another panel has them."""
    scale = {"log2": f"set logscale {name} 2", "log10": f"set logscale {name} 10",
             "log2+1": f"set nonlinear {name} via log(1 + {name}) / log(2) inverse 2**{name} - 1"}
    places = ticks(axis, inches, look, name == "y", beyond)
    if not labelled:
        places = re.sub(r"'(?:[^']|'')*'(?:\.'(?:[^']|'')*')* ", "'' ", places)
    return [scale.get(axis.kind, f"unset logscale {name}"), f"set {name}range [{axis.low:.9g}:{axis.high:.9g}]",
            f"set {name}tics {places or 'autofreq'}", f"set format {name} {look.format_of_ticks if labelled else quoted('')}"]


def headroom(axis: Axis, panels: Sequence[Panel], inches: float) -> Axis:
    """The y axis with room above the lines for their names."""
    lines = [line.at for panel in panels for line in panel.lines if line.text]
    if not lines or axis.kind == "names":
        return axis
    top = float(axis.position(max(lines)))
    above = top + 0.13 / inches - 1
    if above <= 0:
        return axis
    copy = Axis(**vars(axis))
    low = copy.low
    copy.widened(0, above)
    copy.low = low
    return copy


# ---- Lines and rules -----------------------------------------------------------------------------------------------


class Room:
    """What is drawn in a panel, in shares of its width and height: where names of lines have room."""

    def __init__(self, figure: Figure, panel: Panel, axis: Axis, inches: float, height: float) -> None:
        self.size = 1 / (1.15 * LETTERS * inches), 0.1 / height  # of a letter of 6 pt
        places = [(np.asarray(figure.x.position(curve.points["x"]), float), np.asarray(axis.position(curve.points["y"]), float))
                  for curve in panel.curves]
        if figure.draw == "curves":
            places = [(at := np.linspace(x.min(), x.max(), 60), np.interp(at, x, y)) for x, y in places]
        self.x, self.y = (np.concatenate([place[k] for place in places]) if places else np.empty(0) for k in (0, 1))
        self.taken: list[tuple[float, float, float, float]] = []

    def best(self, choices: Sequence[tuple[str, float, float, str]]) -> tuple[str, str]:
        """Of (text, left or right end, lower end, command) the one that covers least; an end below 0 is a right end."""
        found = []
        for text, end, bottom, command in choices:
            width, top = len(text) * self.size[0], bottom + self.size[1]
            left, right = (end, end + width) if end >= 0 else (-end - width, -end)
            inside = (self.x > left) & (self.x < right) & (self.y > bottom) & (self.y < top)
            others = sum(left < r and right > l and bottom < t and top > b for l, r, b, t in self.taken)
            outside = max(0.0, -left) + max(0.0, right - 1) + max(0.0, -bottom) + max(0.0, top - 1.05)
            found.append((inside.sum() + 100 * others + 1000 * outside, len(found), (left, right, bottom, top), text, command))
        _, _, box, text, command = min(found)
        self.taken.append(box)
        return text, command


def lines_of(figure: Figure, panel: Panel, axis: Axis, inches: float, height: float, look: Look) -> list[str]:
    """Dotted lines with their names; those of a device that shares the panel have its colour."""
    colour = {group.label: COLOURS[at % len(COLOURS)] for at, group in enumerate(figure.sources)} if figure.together else {}
    said, room = [], Room(figure, panel, axis, inches, height)
    dotted = "nohead back lw 0.8 dt 3 lc rgb"

    def place(of: Axis, line: Line) -> float:
        return float(of.position(line.at))

    for line in sorted(panel.lines, key=lambda line: -line.at):
        at, tone = place(axis, line), colour.get(line.source, GREY)
        said.append(f"set arrow from graph 0, first {line.at:.9g} to graph 1, first {line.at:.9g} {dotted} '{tone}'")
        words = line.text if len(line.text) * room.size[0] <= 0.7 else line.brief
        if words:
            text, command = room.best([(words, end, bottom, f"at graph {abs(end)}, first {line.at:.9g} {side} offset 0, {up}")
                                       for bottom, up in ((at, 0.5), (at - room.size[1], -0.5))
                                       for end, side in ((-0.99, "right"), (0.01, "left"))])
            said.append(f"set label {look.text(text, 6)} {command} font ',6' tc rgb '{tone}'")
    for rule in panel.rules:
        at, tone = place(figure.x, rule), colour.get(rule.source, GREY)
        said.append(f"set arrow from first {rule.at:.9g}, graph 0 to first {rule.at:.9g}, graph 1 {dotted} '{tone}'")
        choices = [(words, end, bottom, f"at first {rule.at:.9g}, graph {bottom + 0.05:.3g} {side}")
                   for words in dict.fromkeys([rule.text, rule.text.split(":")[0] if rule.text[-1:].isalpha() else rule.text])
                   for bottom in (0.0, 0.88, 0.1, 0.78, 0.45)
                   for end, side in ((-(at - 0.02), "right offset -0.5, 0"), (at + 0.02, "left offset 0.5, 0"))]
        text, command = room.best(choices)
        said.append(f"set label {look.text(text, 6)} {command} font ',6' tc rgb '{tone}'")
    return said


# ---- What is plotted -----------------------------------------------------------------------------------------------


def plot_command(figure: Figure, panel: Panel, look: Look, key: Sequence[str] = ()) -> str:
    """``plot`` with the curves of a panel, and the entries of the key."""
    file, parts, rings = quoted(f"{figure.name}.tsv"), [], []
    for name, of, curve in blocks(figure):
        if of is panel:
            block = f"{file} index {quoted(f'[{name}]')} using "
            parts += elements(figure, curve, block)
            if curve.points["throttled"].any():
                rings.append(block + "'x':(strcol('throttled') eq 'yes' ? column('y') : NaN) with points pt 6 ps 1 lw 0.7 "
                             "lc rgb '#222222' notitle")
    also = [element if "title" in element else element + " notitle" for element in figure.directives.all("also")]
    return "plot " + ", \\\n     ".join([*also, *parts, *rings, *key])


def elements(figure: Figure, curve: Curve, block: str) -> list[str]:
    """The parts of ``plot`` that draw one curve. Bars come first, so that marks lie on them."""
    style, draw = curve.style, figure.draw
    colour, bars = f"lc rgb '{COLOURS[style.colour]}'", bool(curve.points["low"].notna().any())
    size = 0.42 if style.mark % 2 else 0.55  # hollow marks look smaller
    mark, dash = f"pt {style.mark} ps {size:g}", f"dt {DASHES[style.dash]}"
    if curve.lined:
        return [f"{block}'x':'y' with lines {colour} lw 0.8 {dash} notitle"]
    if draw == "cells":
        square = "(column('x') - 0.5):(column('x') + 0.5):(column('y') - 0.5):(column('y') + 0.5)"
        ratio, *others = figure.directives.all("columns")
        shown = others[0] if others else ratio
        return [f"{block}'x':'y':{square}:(shade(column('{ratio}'))) with boxxyerror lc rgb variable fillstyle solid 1 noborder "
                "notitle", f"{block}'x':'y':(digits(column('{shown}'))) with labels font ',6' notitle"]
    if draw == "areas":
        between = figure.directives.all("columns")[:2]
        low, high = (f"(column('y') - 0.4 + 0.8 * column('{end}'))" for end in between) if len(between) == 2 else \
            ("(column('y') - 0.33)", "(column('y') + 0.33)")
        border = "noborder" if len(between) == 2 else "border lc rgb '#222222'"
        box = f"{block}'x':'y':'low':'high':{low}:{high} with boxxyerror lw 0.4 "
        fill = FILLS[style.colour]
        return [f"{box}lc rgb '{TINTS[style.colour]}' fillstyle solid 1 {border} notitle"] + (
            [f"{box}{colour} fillstyle transparent pattern {fill} {border} notitle"] if fill != 3 else [])
    if draw == "violins":
        lower, middle = figure.directives.all("columns")[:2]
        return [f"{block}'x':'y':'{lower}' with filledcurves {colour} lw 0.6 fillstyle solid 0.6 border notitle",
                f"{block}(0):'{middle}' every ::0::0 with points lc rgb '#222222' pt 6 ps 0.42 notitle"]
    if draw == "steps":
        marked = figure.directives.all("columns")[:1]
        return [f"{block}'x':'y' with steps {colour} lw 1.1 {dash} notitle"] + (
            [f"{block}'x':(strcol('{marked[0]}') eq 'yes' ? column('y') : NaN) with points {colour} {mark} notitle"] if marked else [])
    if draw == "across":
        return [f"{block}'x':'y':'low':'high' with xerrorbars {colour} dt 1 lw 0.9 {mark} notitle"]
    said = [f"{block}'x':'y':'low':'high' with yerrorbars {colour} dt 1 pt 0 lw 0.7 notitle"] if bars else []
    lines = f"with linespoints lw {1.1 * style.width:.3g} {dash}" if draw == "curves" else "with points"
    return [*said, f"{block}'x':'y' {lines} {colour} {mark} notitle"]


def key_entries(figure: Figure, look: Look) -> list[tuple[str, str]]:
    """Titles and styles: with several devices in a panel n + m entries, colours for devices and marks for curves."""
    curves = {curve.label: curve for panel in figure.panels for curve in panel.curves}
    short, draw = short_names(figure.sources), figure.draw
    if draw == "cells" or (draw == "violins" and figure.directives.one("names")):
        return []
    entries = []
    if figure.together:
        shown = {curve.source for panel in figure.panels for curve in panel.curves}
        entries = [(short[group.label], f"with {'lines lw 2.5' if draw == 'curves' else 'points pt 7 ps 0.7'} "
                    f"lc rgb '{COLOURS[at % len(COLOURS)]}'") for at, group in enumerate(figure.sources) if group.label in shown]
    if len(curves) == 1:
        return entries
    for label, curve in curves.items():
        style = curve.style
        colour, mark = (GREY, style.mark | 1) if figure.together else (COLOURS[style.colour], style.mark)
        dash = f"dt {DASHES[style.dash]}"
        kind = (f"with boxes lc rgb '{TINTS[style.colour]}' fillstyle solid 1 border lc rgb '#222222'" if draw in ("areas", "violins")
                else f"with lines lc rgb '{colour}' {dash}" if curve.lined
                else f"with linespoints lc rgb '{colour}' pt {mark} ps 0.42 {dash}" if draw in ("curves", "steps")
                else f"with points lc rgb '{colour}' pt {mark} ps 0.6")
        if draw == "areas" and FILLS[style.colour] != 3:
            kind = f"with boxes lc rgb '{COLOURS[style.colour]}' fillstyle pattern {FILLS[style.colour]} border lc rgb '#222222'"
        entries.append((label, kind))
    return entries


# ---- The page ------------------------------------------------------------------------------------------------------


def key_rows(entries: Sequence[tuple[str, str]], width: float) -> tuple[int, int]:
    """Columns and rows of the key."""
    longest = max((len(title) for title, _ in entries), default=0)
    columns = max(1, int(width / (0.34 + 1.12 * longest / LETTERS)))
    columns = min(columns, len(entries)) or 1
    return columns, ceil(len(entries) / columns)


def balanced(text: str, letters: int) -> str:
    """A text in as few lines as fit, of about the same length."""
    count = len(textwrap.wrap(text, letters))
    return textwrap.fill(text, next((width for width in range(1, letters) if len(textwrap.wrap(text, width)) <= count), letters))


def notice(figure: Figure) -> str:
    """What must be said in the picture: that its only device is a host, or was predicted."""
    short = short_names(figure.sources)
    kinds = {group.backend for group in figure.sources}
    return ", ".join(short.values()) if len(short) == 1 and kinds & {"host", "predicted"} else ""


def script(figure: Figure, look: Look) -> str:
    """The whole script."""
    letters = int(look.width * 0.92 * LETTERS)
    title = figure.title.rstrip(".") if look.title else ""
    message = "\n".join(filter(None, [balanced(title, letters), notice(figure)]))
    below = textwrap.fill(look.below, int(look.width * 1.22 * LETTERS)) if look.below else ""
    entries = key_entries(figure, look)
    columns, rows = key_rows(entries, look.width - 0.1)
    count, titles = len(figure.panels), message.count("\n") + 1 if message else 0
    named = max((len(axis.names) for axis in figure.y), default=0)
    panel_height = max(0.11 * named + 0.05, 0.5) if named else (1.72 if count == 1 else 1.3) * (1.15 if look.width > 5 else 1)
    parts = {panel.part for panel in figure.panels}
    widest = 4 if look.width > 5 else 2
    across = min(count, widest, sum(panel.block == figure.panels[0].block for panel in figure.panels) if len(figure.y) > 1 and
                 figure.directives.one("scales") != "own" else count)
    if max(len(panel.title) for panel in figure.panels) > look.width / across * LETTERS:
        across = 1  # titles that are as long as a page
    if count > len(parts) > 1 and count % len(parts) == 0 and count // len(parts) <= widest:
        across = count // len(parts)  # a row for each part, a column for each device
    down = ceil(count / across)
    # Inches at the edges: title, titles of panels, ticks and labels of x, the key, a caption.
    top, gap = 0.06 + 0.125 * titles + (0.16 if count > 1 else 0.02), 0.3
    foot = 0.06 + 0.125 * rows + (0.105 * (below.count("\n") + 1) + 0.05 if below else 0)
    bottom = 0.38 + foot
    height = top + bottom + down * panel_height + (down - 1) * gap
    name_width = max((len(name) for axis in figure.y for name in axis.names), default=0) / LETTERS
    own = figure.directives.one("scales") == "own"
    name_width *= 1.15 if look.latex else 1  # Computer Modern is wider than Arial
    left = (0.58 if look.latex else 0.5) if not named else 0.3 + min(name_width, 0.4 * look.width)
    column_gap, right = 0.45 if own and not named else 0.2, 0.1
    inner = (look.width - left - right - (across - 1) * column_gap) / across
    if turned(figure.x, inner):
        tall = 0.65 * max(map(len, figure.x.names)) / LETTERS
        bottom, height = bottom + tall, height + tall
    output = LATEX[look.format] + f"\nset output {quoted(figure.name + '.tex')}" if look.latex else \
        f"if (!exists('format')) format = '{look.format}'\n" + TERMINALS.format(name=quoted(figure.name))
    lines = [f"# {figure.name}: `gnuplot {figure.name}.gp` draws it again"
             + (f", `gnuplot -e \"format='png'\" {figure.name}.gp` as PNG." if not look.latex else "."), "reset",
             f"width = {look.width:g}; height = {height:.3f} # inches", *output.split("\n"), *STYLE.split("\n")]
    if figure.draw == "cells":
        values = [curve.points[f"row.{figure.directives.all('columns')[0]}"].astype(float) for panel in figure.panels
                  for curve in panel.curves]
        ratios = pd.concat(values)
        lines += CELLS.format(reach=float(np.log(ratios[ratios > 0]).abs().max(skipna=True)) or 0.1).split("\n")
    axes = [headroom(axis, [panel for panel in figure.panels if panel.block == block], panel_height)
            for block, axis in enumerate(figure.y)]
    lines += ["unset key", "set multiplot"]
    if message:
        lines.append(f"set label 1 {look.text(message, 7.5)} at screen 0.5, {1 - 0.11 / height:.5f} center font ',7.5'")
    if below:
        lines.append(f"set label 2 {look.text(below, 6)} at screen {0.05 / look.width:.5f}, "
                     f"{(foot - 0.125 * rows - 0.1) / height:.5f} left font ',6'")
    middle = (left + (look.width - right - left) / 2) / look.width
    lines.append(f"set label 3 {look.text(figure.x.label)} at screen {middle:.5f}, {(foot + (0.06 if look.latex else 0.09)) / height:.5f} center")
    lines += y_labels(figure, look, across, down, top, panel_height, gap, height)
    for number, panel in enumerate(figure.panels):
        row, column = divmod(number, across)
        x0, y1 = left + column * (inner + column_gap), height - top - row * (panel_height + gap)
        lines += ["", f"# ---- {panel.title}".rstrip(" -#") if not panel.title else f"# ---- {panel.title}",
                  f"set lmargin at screen {x0 / look.width:.5f}; set rmargin at screen {(x0 + inner) / look.width:.5f}",
                  f"set tmargin at screen {y1 / height:.5f}; set bmargin at screen {(y1 - panel_height) / height:.5f}",
                  f"set title {look.text(panel.title)} offset 0, -0.6" if panel.title and count > 1 else "unset title",
                  *axis_lines(axes[panel.block], "y", panel_height, look,
                              not column or own or figure.panels[number - 1].block != panel.block),
                  *axis_lines(figure.x, "x", inner, look, number + across >= count, 0.5 * column_gap + 0.02 if across > 1 else 1.0)]
        lines += lines_of(figure, panel, axes[panel.block], inner, panel_height, look)
        lines += figure.directives.code
        lines += [plot_command(figure, panel, look), "unset label; unset arrow"]
    if entries:
        lines += ["", "# ---- the key", "unset title; unset xlabel; unset ylabel; unset tics; unset border; unset grid; unset object",
                  "unset logscale; set xrange [0:1]; set yrange [0:1]; set lmargin at screen 0; set rmargin at screen 1",
                  f"set bmargin at screen 0.005; set tmargin at screen {(0.05 + 0.125 * rows) / height:.5f}",
                  f"set key inside center center horizontal Left reverse samplen 1.8 spacing {1.1 if look.latex else 0.9} font ',6.5' "
                  f"maxcols {columns}",
                  "plot " + ", \\\n     ".join(f"NaN {kind} title {look.text(title)}" for title, kind in entries)]
    return "\n".join([*lines, "unset multiplot", "set output"]) + "\n"


def y_labels(figure: Figure, look: Look, across: int, down: int, top: float, panel_height: float, gap: float,
             height: float) -> list[str]:
    """The label of y, once for the rows that share it."""
    rows: list[tuple[str, int, int]] = []
    for row in range(down):
        label = figure.y[figure.panels[row * across].block].label
        if rows and rows[-1][0] == label:
            rows[-1] = (label, rows[-1][1], row)
        else:
            rows.append((label, row, row))
    said = []
    for number, (label, first, last) in enumerate(rows):
        middle = top + ((first + last) / 2) * (panel_height + gap) + panel_height / 2
        said.append(f"set label {4 + number} {look.text(label)} at screen {0.09 / look.width:.5f}, "
                    f"{1 - middle / height:.5f} center rotate")
    return said


# ---- Drawing -------------------------------------------------------------------------------------------------------


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
                (folder / one).write_bytes(Path(scratch, one).read_bytes())
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
        axis = headroom(figure.y[panel.block], [other for other in figure.panels if other.block == panel.block],
                        (bottom - top) / 96)
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
