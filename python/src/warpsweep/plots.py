"""The command plot: each figure whose data is in the results files; and ``warpsweep.plot`` for notebooks."""

from __future__ import annotations

import os
import re
import tempfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from . import captions, columns, derived, gnuplot, selecting
from .columns import Column, Columns
from .directives import Directives, Skipped, read_folder
from .errors import NoDataError, UsageError, WarpsweepError
from .figure import Figure, display_unit, in_order
from .frames import frame
from .latex import latex
from .options import Arguments
from .outputs import write_into
from .panels import build, needed
from .program import shipped
from .rows import QUANTITIES, quantities
from .selecting import DTYPE_BYTES, where
from .units import plural
from .values import heading

INCHES = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72}
WIDTH_MIN, WIDTH_MAX, HEIGHT_MAX = 2.0, 20.0, 22.0  # inches; a higher figure is no figure
TOGETHER = 12  # figures that one gnuplot process draws
ELEMENT = "bytes of an element"
SIGNS = {"!=": "not", "<=": "to", ">=": "from", "<": "below", ">": "above"}  # in names of files
PLACE = "Place"  # column of the positions of words, and of numbers in a unit of people


@dataclass
class Request:
    """What is to be drawn of some files, the same for all figures. ``width`` in inches."""

    frame: pd.DataFrame
    conditions: Sequence[str] = ()
    width: float = 3.4
    format: str = "pdf"
    caption: str = "beside"

    def __post_init__(self) -> None:
        """UsageError for a condition that cannot be."""
        where(self.frame, list(self.conditions))

    def make(self, d: Directives) -> tuple[Figure, Any]:
        """The figure with title and caption, and its drawing. Raises Skipped if the files have no data for it."""
        groups, rows = list(self.frame.attrs["groups"].values()), self.frame
        if d.one("table"):
            rows = where(rows, list(self.conditions))
            rows = derived.table(
                d.one("table"), rows, self.conditions, d.all("step"), d.all("state")
            ).reset_index(drop=True)
            products = len(groups) == len({group.device for group in groups}) == 2
            files = self.frame.attrs["results"]
            sides = [one.short for one in groups] if products else [file.stem for file in files]
            title = rows.attrs.get("title", d.one("title")).replace(
                "the second file over the first", " over ".join(sides[::-1])
            )
            d = replace(d, values={**d.values, "title": [title]})
        compared = ".source" not in rows  # rows of a table that compares the files have none
        figure = build(
            d,
            rows.assign(**{".source": groups[0].label}) if compared else rows,
            groups,
            self.conditions,
        )
        figure.compared = compared
        figure.notice = captions.notice(figure, groups)
        figure.caption = captions.caption(
            figure, groups, rows.attrs.get("remark", ""), brief=self.caption == "brief"
        )
        unverified = [
            f"{results.name}: wrong checksum of {', '.join(results.unverified)}"
            for results in rows.attrs.get("results", [])
            if results.unverified
        ]
        figure.caption += f" Not verified: {'; '.join(unverified)}." if unverified else ""
        figure.title = next(iter(figure.findings), "") or d.one("title")
        # a figure of one's own says which of several values it shows
        if d.all_axes and figure.pinned:
            figure.title += "\nOnly " + ", ".join(figure.pinned)
        look = gnuplot.Look(
            self.width,
            self.format,
            self.caption != "brief",
            figure.caption if self.caption == "in" else "",
        )
        drawing = gnuplot.Drawing(figure, look)
        if drawing.page.height > HEIGHT_MAX:
            raise Skipped(
                f"it would be {drawing.page.height:.0f} in high: use columns with fewer values, or select points "
                "with --where"
            )
        return figure, drawing


def read_width(text: str) -> float:
    """``3.4in`` or ``86mm`` in inches."""
    match = re.fullmatch(r"(\d+\.?\d*|\.\d+)(in|cm|mm|pt)", text)
    width = float(match[1]) * INCHES[match[2]] if match else 0.0
    if not WIDTH_MIN <= width <= WIDTH_MAX:
        raise UsageError(
            f"--width '{text}': expected a length from {WIDTH_MIN:g} to {WIDTH_MAX:g} in, such as 3.4in or 86mm"
        )
    return width


def read_rows(
    data: Any, asked: object = "bound", columns: Collection[str] | None = None
) -> pd.DataFrame:
    """The rows of files, or those of a frame of ``frame``, with ``dtype.bytes``, from which figures derive the width of accesses.
    The time model takes longer than a figure: its columns are there if ``asked``, whatever it is, names one. ``columns``: those
    that are needed beside the axes; None: all."""
    drawn = isinstance(data, pd.DataFrame)
    if drawn and "columns" not in data.attrs:
        raise UsageError("plot takes files, or rows of warpsweep.frame")
    rows = (
        data
        if drawn
        else frame(
            data,
            predicted=bool(re.search("predicted|headroom|bound", str(asked))),
            columns=columns,
            devices=selecting.may_name([str(asked)]),
        )
    )
    rows = rows.copy()  # in one piece
    if "dtype" in rows:
        known, size = rows.attrs["columns"], rows["dtype"].map(DTYPE_BYTES).astype("float64")
        names = [name for name in ("dtype.bytes", "dtype_bytes") if known.role(name) != "axis"]
        rows = rows.assign(**dict.fromkeys(names, size))  # the second one in figures of your own
        rows.attrs["columns"] = Columns(
            {
                **known,
                **{name: Column(name, "real", "other", "bytes", ELEMENT) for name in names},
            }
        )
    return rows


def own(
    rows: pd.DataFrame,
    x: str,
    y: str,
    by: Sequence[str] = (),
    panel: str | None = None,
    log: bool = False,
    kernel: str | None = None,
    conditions: Sequence[str] = (),
) -> tuple[Directives, pd.DataFrame]:
    """The directives of a figure of any columns, and the rows. UsageError for a column that cannot be drawn."""
    rows = rows[rows["repeat"] == 0]
    chosen = selecting.where(selecting.kernel(rows, kernel), list(conditions))
    families, panels = sorted(set(chosen["kernel"])), [panel] if panel else []
    if not families:
        raise NoDataError("no point meets --where")
    if len(families) > 1 and "kernel" not in (*by, *panels):
        raise UsageError(
            "these are points of several families: choose one with --kernel, or --panel kernel"
        )
    for name in (x, y, *by, *panels):
        selecting.column(rows, name)
        if [*by, *panels].count(name) > 1:
            raise UsageError(f"--by and --panel name '{name}' twice")
        if name.startswith("device."):
            raise UsageError(f"'{name}' is a column of /devices; a figure is of points")
        if name == y and columns.is_text(rows[name]):
            raise UsageError(
                f"'{name}' holds words; the y axis of a figure needs numbers (--by {name})"
            )
    column, dots = selecting.column(rows, x), rows.attrs["columns"].role(x) != "axis"
    named, scale = column.unit or "1", 1.0
    if dots and column.type == "real":
        named, scale = display_unit(rows.attrs["columns"], x, float(chosen[x].max()))
    family = families[0] if len(families) == 1 else ""
    title = f"{heading(y)}{' of ' + family if family else ''} against {x}"
    values = {
        "title": [title],
        "kernel": [family or "*"],
        "x": [x],
        "y": [y],
        "xlabel": [f"{heading(x)} ({named})"],
        "series": [*by, *panels] or ["variant"],
        "panel": panels,
        "yscale": ["log10"] if log else [],
        "draw": ["dots"] if dots else [],
    }
    if columns.is_text(rows[x]):
        places = {
            word: float(place)
            for place, word in enumerate(in_order(chosen[x], selecting.column(rows, x)))
        }
        rows = rows.assign(**{PLACE: rows[x].map(places)})
        values.update(place=[PLACE], xnames=[x], draw=["dots"], xlabel=[heading(x)])
    elif dots and scale != 1:
        values.update(derive=[f"{PLACE}={x}/{scale:.9g}"], place=[PLACE])
    if y == "time_median":
        values["interval"] = ["time_ci_low", "time_ci_high", "95_%_intervals_of_the_median_time"]
    words = [
        family or "kernels",
        y,
        x,
        *(f"by_{name}" for name in by if [*by] != ["variant"]),
        *panels,
        *conditions,
    ]
    return Directives(_file_name("_".join(words)), values, all_axes=True), rows


def _values(points: pd.DataFrame) -> dict[str, tuple[int, int]]:
    """Of each axis, how many values it has at points that differ in no other one, at most, and in all."""
    found = {}
    codes = [pd.factorize(points[axis])[0] for axis in points]
    distinct = np.unique(np.column_stack(codes), axis=0) if codes else np.empty((0, 0))
    for place, axis in enumerate(points):
        there = distinct[distinct[:, place] >= 0]  # -1: no value
        others = Counter(map(bytes, np.delete(there, place, axis=1)))
        found[axis] = (max(others.values(), default=0), len(np.unique(there[:, place])))
    return found


def default(
    rows: pd.DataFrame, family: str, conditions: Sequence[str] = ()
) -> tuple[Directives, pd.DataFrame]:
    """The figure of a family that no file of directives shows: what its points are compared by, by variant, against the axis
    with most values at points that differ in no other one: a number if it has three, else words; of one value, a dot for
    each variant."""
    of = rows[(rows["kernel"] == family) & (rows["status"] == "ok")]
    quantity = quantities(of).mode()
    names = [axis for axis in selecting.axes(of) if axis != "variant"]
    values = _values(of[names])
    numbers = [axis for axis in names if not columns.is_text(of[axis])]
    best = max(numbers, key=lambda axis: values[axis], default="variant")
    few = best not in values or values[best][0] < 3
    x = max(names, key=lambda axis: values[axis], default="variant") if few else best
    x = x if values.get(x, (0,))[0] > 1 else "variant"
    column = QUANTITIES[quantity.iloc[0] if len(quantity) else "time"].column
    return own(rows, x, column, ["variant"], kernel=family, conditions=conditions)


def without_figure(
    rows: pd.DataFrame, drawn: Iterable[Figure], conditions: Sequence[str] = ()
) -> list[str]:
    """The families with measured points of which no figure was drawn but computed tables."""
    rows = rows[(rows["status"] == "ok") & (rows["repeat"] == 0)]
    own = (one.rows["kernel"].unique() for one in drawn if not one.directives.one("table"))
    shown = {family for families in own for family in families}
    found = where(rows, list(conditions), strict=False)["kernel"].unique()
    return [family for family in sorted(found) if family not in shown]


def _file_name(words: str) -> str:
    """A name of a figure that tells its words from all others, though it cannot hold all of their characters."""
    for sign, word in SIGNS.items():
        words = words.replace(sign, f"_{word}_")
    name = re.sub("[^A-Za-z0-9_]+", "_", words)
    if len(name) <= 120 and not re.search("[^A-Za-z0-9_=,.]", words):
        return name
    return f"{name[:111]}_{zlib.crc32(words.encode('utf-8', 'surrogateescape')):08x}"


def check(arguments: Arguments) -> None:
    """Options that exclude or need each other. UsageError."""
    x, y = arguments.given("x"), arguments.given("y")
    if x and y and arguments.given("figure"):
        raise UsageError("--figure names a figure and --x describes another one: choose one")
    if x != y:
        one, other = ("x", "y") if x else ("y", "x")
        raise UsageError(f"--{one} needs --{other} too: plot FILE.h5 -o DIR --x AXIS --y COLUMN")
    for name in ("by", "panel", "log"):
        if not x and arguments.given(name):
            raise UsageError(f"--{name} belongs to a figure of --x AXIS --y COLUMN")
    if not arguments.operands:
        raise UsageError("plot needs FILE.h5...; see warpsweep plot --help")
    if not arguments.given("output"):
        raise UsageError("plot needs a folder to draw into: -o DIR")


def write_captions(folder: Path, figure: Figure, title: str) -> None:
    """NAME.caption.txt, NAME.caption.tex and NAME.short.tex."""
    about = r"% For \caption[\protect\input{NAME.short}]{\input{NAME.caption}}."
    for ending, text in (
        ("caption.txt", figure.caption),
        ("caption.tex", f"{about}\n{latex(figure.caption)}\\unskip"),
        ("short.tex", latex(title) + "\\unskip"),
    ):
        write_into(folder, f"{figure.name}.{ending}", text + "\n")


def run(arguments: Arguments) -> int:
    """Draw; 0 if figures were drawn, 1 if none was or one that was named was skipped."""
    if arguments.given("list"):
        for d in read_folder(Path(arguments.text("analysis") or shipped("analysis"))):
            print(f"{d.name:<22} {d.one('title')}")
        return 0
    check(arguments)
    width, folder = read_width(arguments.text("width") or ""), Path(arguments.text("output") or "")
    conditions, wanted, figures = arguments.each("where"), arguments.each("figure"), []
    if not arguments.given("x"):
        analysis = Path(arguments.text("analysis") or shipped("analysis"))
        figures = read_folder(analysis, wanted)
        if arguments.given("data") and folder.is_dir() and folder.resolve() == analysis.resolve():
            raise UsageError(
                f"--data would write over the figures in {folder}: choose another folder with -o"
            )

    told = [value for _, value in arguments.values]
    of_figures = [needed(d, told) for d in figures or [Directives("", {})]]
    rows = read_rows(
        arguments.operands,
        (told, figures),
        None if None in of_figures else set[str]().union(*filter(None, of_figures)),
    )
    if arguments.given("kernel") and not arguments.given("x"):
        selecting.kernel(rows, arguments.text("kernel"))  # an unknown one is an error
        conditions.append(f"kernel={arguments.text('kernel')}")
    form = arguments.text("format") or "pdf"
    # a PDF is for a paper, whose captions have titles
    usual = "brief" if form == "pdf" else "beside"
    request = Request(rows, conditions, width, form, arguments.text("caption") or usual)
    if arguments.given("x"):
        d, request.frame = own(
            rows,
            arguments.text("x") or "",
            arguments.text("y") or "",
            arguments.each("by"),
            arguments.text("panel"),
            arguments.given("log"),
            arguments.text("kernel"),
            conditions,
        )
        figures, wanted = [d], [d.name]
    reasons = arguments.given("verbose") or bool(wanted)
    drawn, skipped = _draw_all(
        request,
        figures,
        folder,
        defaults=not wanted,
        reasons=reasons,
        keep_data=arguments.given("data"),
    )
    return 0 if drawn and not (wanted and skipped) else 1


def _draw_all(
    request: Request,
    figures: list[Directives],
    folder: Path,
    *,
    defaults: bool,
    reasons: bool,
    keep_data: bool,
) -> tuple[int, int]:
    """How many figures were drawn into a folder, and how many skipped; says which, with ``reasons`` also why. ``defaults``:
    families that none of them shows get their default figure."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if isinstance(error, (FileExistsError, NotADirectoryError)):
            raise UsageError(f"cannot draw into {folder}, which is no folder") from None
        raise WarpsweepError(f"cannot make the folder {folder}: {error.strerror}") from None
    if keep_data:
        gnuplot.refuse_edited(folder, [d.name for d in figures])
    drawings, skipped, said = [], [], []

    def draw(d: Directives) -> None:
        try:
            figure, drawing = request.make(d)
        except Skipped as reason:
            skipped.append(d.name)
            said.extend([f"skipped {d.name}: {brief(reason)}"] if reasons else [])
            return
        drawings.append(drawing)
        said.append(f"{folder / d.name}.{request.format}: {figure.directives.one('title')}")
        if request.caption in ("beside", "brief"):
            write_captions(folder, figure, figure.directives.one("title"))

    for d in figures:
        draw(d)
    if defaults:
        rows = request.frame
        for family in without_figure(rows, [one.figure for one in drawings], request.conditions):
            d, request.frame = default(rows, family, request.conditions)
            if keep_data:
                gnuplot.refuse_edited(folder, [d.name])
            draw(d)
    some = [
        drawings[first : first + TOGETHER] for first in range(0, max(len(drawings), 1), TOGETHER)
    ]
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda one: gnuplot.draw(one, folder, keep_data=keep_data), some))
    print("\n".join(said))
    if skipped and not reasons:
        print(
            f"skipped, without data for them: {plural(len(skipped), 'figure')}; -v names them, with reasons"
        )
    return len(drawings), len(skipped)


def brief(reason: Exception) -> str:
    """The first part of a reason."""
    return re.split("[;\n]", str(reason))[0]


CAPTIONS = ("in", "beside", "brief", "none")
MIME = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}


@dataclass(frozen=True)
class Picture:
    """A drawn figure, which notebooks display. ``script`` and ``table``: what gnuplot drew it from."""

    figure: str
    format: str
    data: bytes = field(repr=False)
    caption: str
    script: str = field(repr=False, default="")
    table: str = field(repr=False, default="")

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture to a file, whose name says no other format."""
        if Path(path).suffix[1:] in {*MIME} - {self.format}:
            raise UsageError(
                f'{path}: this picture is {self.format}; plot(..., format="{Path(path).suffix[1:]}") makes another one'
            )
        Path(path).write_bytes(self.data)
        return Path(path)

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> dict[str, str | bytes]:
        text = self.data.decode("utf-8") if self.format == "svg" else self.data
        return {MIME[self.format]: text, "text/plain": f"{self.figure}: {self.caption}"}


def plot(
    data: Any,
    figure: str | None = None,
    *,
    x: str | None = None,
    y: str | None = None,
    by: Sequence[str] | str = (),
    panel: str | None = None,
    log: bool = False,
    kernel: str | None = None,
    where: Sequence[str] | str = (),
    width: str = "3.4in",
    format: str = "svg",
    caption: str = "beside",
    analysis: str | os.PathLike[str] | None = None,
) -> Picture:
    """A figure of results files, or of the rows and values of a frame.

    data      a path, several, or rows of ``frame``, which are drawn with the values that they have there
    figure    a name, as ``warpsweep plot --list`` prints them: "copy_stride"; or instead ``x`` and ``y``, with ``by``,
              ``panel``, ``log`` and ``kernel``, for a figure of any columns
    where     further conditions as ``--where`` takes them, such as "dtype=f32"
    width     of the picture: "3.4in", "7in", "86mm"
    format    svg, png or pdf
    The other options are those of ``warpsweep plot``. Raises UsageError for wrong options, and WarpsweepError with the
    reason if the data cannot show the figure.
    """
    for name, value, known in (("format", format, MIME), ("caption", caption, CAPTIONS)):
        if value not in known:
            raise ValueError(f"{name} {value!r} is none of {', '.join(known)}")
    if (figure is None) != bool(x and y):
        raise UsageError("plot draws a figure, or x against y: name one of them")
    conditions = where.split() if isinstance(where, str) else list(where)
    by = [by] if isinstance(by, str) else by
    figures = read_folder(Path(analysis or shipped("analysis")), [figure]) if figure else []
    asked = (x, y, by, panel, conditions, figures)
    rows = read_rows([data] if isinstance(data, (str, os.PathLike)) else data, asked)
    request = Request(rows, conditions, read_width(str(width)), format, caption)
    if figure is None:
        d, request.frame = own(
            rows,
            x or "",
            y or "",
            by,
            panel,
            log,
            kernel,
            conditions,
        )
    else:
        (d,) = figures
    try:
        made, drawing = request.make(d)
    except Skipped as reason:
        raise WarpsweepError(f"{d.name}: {reason}") from None
    with tempfile.TemporaryDirectory() as folder:
        (path,) = gnuplot.draw([drawing], Path(folder))
        return Picture(
            d.name, format, path.read_bytes(), made.caption, drawing.script, drawing.table
        )
