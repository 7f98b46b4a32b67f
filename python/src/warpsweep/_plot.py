"""``frame.ws``: what a frame of ``load`` can do beyond what every frame can."""
from __future__ import annotations

import os
import pathlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from . import _program
from .errors import ProgramError, WarpsweepError
from ._file import opened, plain

MIME = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}


@dataclass(frozen=True)
class Picture:
    """A figure that ``warpsweep plot`` drew. Notebooks display it."""

    figure: str
    format: str
    data: bytes = field(repr=False)
    caption: str

    def save(self, path: str | os.PathLike[str]) -> pathlib.Path:
        """Write the file, with the bytes that the program wrote."""
        written = pathlib.Path(path)
        written.write_bytes(self.data)
        return written

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, "str | bytes"]:
        text = self.data.decode("utf-8") if self.format == "svg" else self.data
        return {MIME[self.format]: text, "text/plain": f"{self.figure}: {self.caption}"}


@pd.api.extensions.register_dataframe_accessor("ws")
class Accessor:
    """``warpsweep.load(...).ws``."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def plot(self, figure: str, *, where: Sequence[str] = (), width: str = "3.4in", format: str = "svg",
             program: str | os.PathLike[str] = "warpsweep") -> Picture:
        """A figure of these rows, drawn by ``warpsweep plot`` from the files that they are of.

        figure   a name, as `warpsweep plot --help` lists them: "copy_stride"
        where    further conditions as ``--where`` takes them, such as "dtype=f32"
        width    of the picture: "3.4in", "7in", "86mm"
        format   svg, png or pdf
        program  where ``warpsweep`` is, if not on the PATH

        Values come from the files: a changed value of the frame is not drawn. Raises ProgramError if the program
        refuses, or has no data for the figure.
        """
        if format not in MIME:
            raise ValueError(f"format {format!r} is none of {', '.join(MIME)}")
        paths, ids = self._selection()
        command = [_program.find(program), "plot", *paths, "--figure", figure, "--format", format, "--width", width]
        command += ["--where", "id=" + ",".join(ids)] if ids is not None else []
        for condition in where:
            command += ["--where", condition]
        with tempfile.TemporaryDirectory() as folder:
            done = _program.run([*command, "-o", folder])
            drawn = pathlib.Path(folder, f"{figure}.{format}")
            if not drawn.exists():
                raise ProgramError(done.stderr.strip() or done.stdout.strip() or f"{figure} was not drawn", 0)
            caption = drawn.with_suffix(".caption.txt").read_text(encoding="utf-8").strip()
            return Picture(figure, format, drawn.read_bytes(), caption)

    def _selection(self) -> tuple[list[str], "list[str] | None"]:
        """The files of the rows, and the ids of the points that are kept of them; None: all."""
        known = [entry["path"] for entry in self._frame.attrs.get("files", [])]
        if not known or "id" not in self._frame:
            raise WarpsweepError("the frame does not say which files it is of: it is not of load(), or lost its attrs")
        if "file" in self._frame:
            paths = [path for path in known if (self._frame["file"] == path).any()]
            kept = {path: set(self._frame.loc[self._frame["file"] == path, "id"]) for path in paths}
        else:
            paths, kept = known, {known[0]: set(self._frame["id"])}
        if not any(kept.values()):
            raise WarpsweepError("the frame has no rows to draw")
        points = {path: _points(path) for path in paths}
        union = set().union(*kept.values())
        for path in paths:
            if points[path] & union != kept[path]:
                raise WarpsweepError(f"other points of {path} are kept than of the other files; a figure has the same "
                                     "points of all files: select points by their axes, or one file")
        whole = all(points[path] == kept[path] for path in paths)
        return paths, None if whole else sorted(union)


def _points(path: str) -> set[str]:
    with opened(path) as file:
        return set(plain(file, "results")["id"])
