"""What a figure shows: the ``#: KEY VALUE`` lines of a .gp file, checked, and the gnuplot lines beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .errors import UsageError, unknown

SCALES = ("linear", "log2", "log10", "log2+1")
DRAWS = ("curves", "dots", "across", "cells", "areas")
# Keys with one value; a tuple has the words that are allowed.
ONE: Mapping[str, "tuple[str, ...] | None"] = {
    "title": None,
    "kernel": None,
    "table": None,
    "x": None,
    "place": None,
    "xlabel": None,
    "xscale": SCALES,
    "y": None,
    "ylabel": None,
    "yscale": SCALES,
    "roof": ("byte", "flop", "none"),
    "draw": DRAWS,
    "panel": None,
    "scales": ("one", "own"),
    "contrast": None,
    "names": None,
    "xnames": None,
    "baseline": None,
    "remark": None,
}
# words; several lines are one list
LISTS = ("where", "series", "columns", "state", "derive", "interval")
LINES = ("line", "law", "finding", "rule", "step")  # each line is a value of its own
REQUIRED = ("title", "kernel", "x", "y", "series")


class Skipped(Exception):
    """The files have no data for a figure; the message is the reason, in one line."""


@dataclass
class Directives:
    """The directives of one figure. ``code``: gnuplot lines that run in each panel before its data are plotted."""

    name: str
    values: dict[str, list[str]]
    code: list[str] = field(default_factory=list)
    # the caption states every axis that has a value, not only those of `state`
    all_axes: bool = False

    def one(self, key: str, default: str = "") -> str:
        return self.values[key][-1] if self.values.get(key) else default

    def all(self, key: str) -> list[str]:
        """The values of a key that may be repeated; the words of one that is a list."""
        return self.values.get(key, [])

    @property
    def place(self) -> str:
        """The column of the positions along x."""
        return self.one("place", self.one("x"))

    @property
    def roof(self) -> str:
        return self.one("roof") or {"bandwidth": "byte", "flop_rate": "flop"}.get(
            self.one("y"), "none"
        )


# The form of a line, and how a mistake in it is told. A law is one of the access model, with a knee along x or without.
FORMS = {
    "finding": (
        r"\s*(\S.*?)\s+over\s+(\S.*?)(?:\s+with(?:\s+(.*?))?)?\s*: (.*)",
        "CONDITION... over CONDITION... [with CONDITION...]: WORDS",
    ),
    "remark": (r"(?:if\s+(\S.*?)\s*: )?(.*)", "WORDS, or if CONDITION...: WORDS"),
    "law": (r"(\S+)(?:\s+([\d.]+)\s+(.*\S))?\s*", "NAME KNEE WORDS, or NAME"),
    "step": (r"([^|]*)\|([^|]*)\|([^|]*)", "NAME | CLASS | CONDITION..."),
}


def parts(key: str, text: str) -> list[str]:
    """The parts of a line that has a form; "" for one that is not there. Raises UsageError."""
    match = re.fullmatch(FORMS[key][0], text)
    if not match:
        raise UsageError(f"{key}: expected {FORMS[key][1]}, got '{text[:80]}'")
    return [(part or "").strip() for part in match.groups()]


def parse(text: str, name: str, path: "str | None" = None) -> Directives:
    """The directives of a text. Raises UsageError with file and line for what is unknown."""
    figure = Directives(name, {})
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if line.startswith("#:"):
                key, _, value = line[2:].strip().replace("\t", " ").partition(" ")
                value, words = value.strip(), ONE.get(key)
                if key not in (*ONE, *LISTS, *LINES):
                    raise unknown("directive", key, [*ONE, *LISTS, *LINES])
                if words and value not in words:
                    raise unknown(key, value, words)
                if key in FORMS:
                    parts(key, value)
                figure.values.setdefault(key, []).extend(value.split() if key in LISTS else [value])
            elif (
                line.startswith("plot") and line.strip() != "plot @curves"
            ):  # in figures of earlier releases
                raise UsageError(
                    "'plot' stands in the script that is written; for dots: #: draw dots"
                )
            elif line.strip() and not line.startswith(("#", "plot")):
                figure.code.append(line)
        except UsageError as error:
            raise UsageError(f"{path or name}:{number}: {error}") from None
    if not all(figure.values.get(key) for key in REQUIRED):
        raise UsageError(
            f"{path or name}: a figure needs the directives title, kernel, x, y and series"
        )
    return figure


def read_folder(folder: Path, wanted: Sequence[str] = ()) -> list[Directives]:
    """Every figure of a folder, by name, or those of these names. UsageError: none, a mistake, an unknown name."""
    found = {
        path.stem: parse(path.read_text(encoding="utf-8"), path.stem, str(path))
        for path in folder.glob("*.gp")
    }
    if not found:
        raise UsageError(f"the folder {folder} has no .gp files")
    for name in wanted:
        if name not in found:
            raise unknown("figure", name, sorted(found))
    return [found[name] for name in sorted(set(wanted) or found)]
