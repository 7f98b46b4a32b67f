"""``artifact --check``: whether an artifact is whole, and everything in it follows from its results files. It needs no GPU."""

from __future__ import annotations

import json
import math
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from .. import paper
from ..errors import ResultsFileError, UsageError, WarpsweepError
from ..identity import named
from ..paper.folder import output
from ..paper.render import release
from ..paper.study import Study
from ..results import Results, read
from ..units import plural
from .kit import ABOUT, CLAIMS, MANIFEST, digest, files_of, write_computed

PICTURES = {".pdf", ".svg"}  # other releases of gnuplot draw the same data otherwise
PARTS = {  # what is made again, by the beginnings of names
    "figures": "paper/figures/",
    "tables": "paper/tables/",
    "text": "paper/",
    "claims": CLAIMS,
}
# Relative. Other releases of numpy and SciPy round otherwise; a number that somebody has edited is further off.
TOLERANCE = 1e-6
NUMBER = re.compile(r"((?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
SHOWN = 5  # faults of a part that are printed


def check(folder: Path, kept: str | None) -> int:
    """Print what was checked and a verdict; 1 if something is wrong. ``kept``: a new folder for what is made again."""
    if not (folder / ABOUT).is_file():
        raise UsageError(f"{folder} is not an artifact: it has no {ABOUT}")
    about = json.loads((folder / ABOUT).read_text("utf-8"))
    if about["release"] != release():
        print(
            f"warpsweep: note: made by release {about['release']}, checked by {release()}: use {folder}/check",
            file=sys.stderr,
        )
    good = _tell("files", f"as in {MANIFEST}", *_files(folder))
    files, faults = _read(folder, about["files"])
    good &= _tell("results", "whole: each table has its checksum", len(about["files"]), faults)
    if faults:
        print("figures, tables, text and claims are not checked: they need all results files")
    else:
        with tempfile.TemporaryDirectory(prefix="warpsweep-artifact.") as scratch:
            made = Path(scratch, "made")
            made.mkdir()
            try:
                write_computed(Study(files), paper.templates(None), made, about["title"])
            except WarpsweepError as error:
                print(f"figures, tables, text and claims cannot be made again: {error}")
                good = False
            else:
                good &= _compare(folder, made)
            if kept:
                with output(kept) as to:
                    shutil.copytree(made, to, dirs_exist_ok=True)
    if good:
        print(
            "verdict: good: the artifact is whole, and its figures, tables, text and claims follow from its results files"
        )
    else:
        print("verdict: not good")
    return 0 if good else 1


def _tell(part: str, what: str, count: int, faults: list[str]) -> bool:
    """One line for a part, and its first faults; whether there are none."""
    wrong = f"{plural(len(faults), 'fault')}" if faults else what
    print(f"{part:<8} {plural(count, 'file')}: {wrong}", flush=True)
    print("".join(f"  {fault}\n" for fault in faults[:SHOWN]), end="")
    if len(faults) > SHOWN:
        print(f"  and {len(faults) - SHOWN} more")
    return not faults


def _files(folder: Path) -> tuple[int, list[str]]:
    """How many files MANIFEST has, and which are missing or changed."""
    listed = _listed(folder)
    if not listed:
        return 0, [f"{MANIFEST} is missing, or names no file"]
    faults = []
    for name, told in listed.items():
        path = folder / name
        if not path.is_file():
            faults.append(f"{name} is missing")
        elif digest(path) != told:
            faults.append(f"{name} was changed: its SHA-256 is not that of {MANIFEST}")
    return len(listed), faults


def _read(folder: Path, names: list[str]) -> tuple[list[Results], list[str]]:
    """The results files with all their tables, and what is wrong with them."""
    found, faults = [], []
    for name in names:
        try:
            file = read(folder / "results" / name)
            for table in ("samples", "timeline", "sources"):
                getattr(file, table)
            found.append(file)
        except ResultsFileError as error:
            faults.append(str(error).removeprefix(f"{folder}/"))
    return list(named(found)), faults


def _compare(folder: Path, made: Path) -> bool:
    """Whether what the artifact has is what was made again."""
    sides = [
        {path.relative_to(of).as_posix(): path for path in files_of(of)} for of in (folder, made)
    ]
    left = {*sides[1], *_listed(folder)}
    good = True
    for part, beginning in PARTS.items():
        names = sorted(name for name in left if name.startswith(beginning))
        left -= {*names}
        faults = [
            fault for name in names for fault in _faults(name, *(of.get(name) for of in sides))
        ]
        good &= _tell(part, "follow from the results files", len(names), faults)
    return good


def _listed(folder: Path) -> dict[str, str]:
    """The files that MANIFEST names, with their SHA-256."""
    path = folder / MANIFEST
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    pairs = [line.partition("  ")[::2] for line in lines]
    return {Path(name).as_posix(): told for told, name in pairs if name}


def _faults(name: str, stored: Path | None, made: Path | None) -> Iterator[str]:
    """How a stored file differs from what was made again: its first line that does."""
    if stored is None:
        yield f"{name} is missing"
    elif made is None:
        yield f"{name} does not follow from the results files"
    elif stored.suffix not in PICTURES:
        texts = [path.read_text("utf-8", "replace").splitlines() for path in (stored, made)]
        for line, (old, new) in enumerate(zip_longest(*texts, fillvalue=""), 1):
            if not same(old, new):
                yield f"{name}:{line}: {_around(old, new)}"
                return


def same(old: str, new: str) -> bool:
    """Whether two lines have equal words, and numbers within TOLERANCE."""
    if old == new:
        return True
    parts = [NUMBER.split(text) for text in (old, new)]
    return len(parts[0]) == len(parts[1]) and all(
        a == b or at % 2 and math.isclose(float(a), float(b), rel_tol=TOLERANCE)
        for at, (a, b) in enumerate(zip(*parts))
    )


def _around(old: str, new: str) -> str:
    """The first words of two lines that differ."""
    words = [re.split(r"(?<=[\s,&])", text) for text in (old, new)]
    for a, b in zip_longest(*words, fillvalue=""):
        if not same(a, b):
            return f"has {a.strip(' ,')[:40]!r}, computed is {b.strip(' ,')[:40]!r}"
    return "differs in blanks"
