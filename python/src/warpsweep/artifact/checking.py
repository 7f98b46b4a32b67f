"""``artifact --check``: whether an artifact is whole, and everything in it follows from its results files. It needs no GPU."""

from __future__ import annotations

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
from ..paper.folder import output, refuse_taken
from ..paper.render import release
from ..paper.study import Study
from ..results import Results, read
from ..units import plural
from .appendix import TO_FILL
from .kit import ABOUT, CLAIMS, MANIFEST, digest, files_of, read_about, write_again

PICTURES = {".pdf", ".svg"}  # other releases of gnuplot draw the same data otherwise
PARTS = {  # what is made again, by the beginnings of names
    "figures": "paper/figures/",
    "tables": "paper/tables/",
    "text": "paper/",
    "claims": CLAIMS,
    "jobs": "jobs/",
    "kernels": "kernels/",
    "others": "",
}
APART = ("readers/", "results/", ABOUT)  # what the rest is made with
EXACT = ("jobs/", "kernels/", "check", "measure")  # nothing in them is computed
FOLDERS = {"jobs", "kernels", "paper", "readers", "results"}
# What latexmk makes beside them, and measure of the sources.
COMPILED = re.compile(
    r"(paper/paper|ad-ae)\.(aux|bbl|blg|fdb_latexmk|fls|log|out|pdf|toc)|(kernels/.*)\.so"
)
# Relative. Other releases of numpy and SciPy round otherwise; a number that somebody has edited is further off.
TOLERANCE = 1e-6
NUMBER = re.compile(r"((?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
SHOWN = 5  # faults of a part that are printed


def check(folder: Path, kept: str | None) -> int:
    """Print what was checked and a verdict; 1 if something is wrong. ``kept``: a new folder for what is made again."""
    if not (folder / ABOUT).is_file():
        raise UsageError(f"{folder} is not an artifact: it has no {ABOUT}")
    if kept:
        refuse_taken(kept)
    try:
        about = read_about(folder)
    except WarpsweepError as error:
        print(f"{error}\nverdict: not good")
        return 1
    if about.release != release():
        print(
            f"warpsweep: note: made by release {about.release}, checked by {release()}: use {folder}/check",
            file=sys.stderr,
        )
    good = _tell("files", f"as in {MANIFEST}", *_files(folder))
    files, faults = _read(folder, about.files)
    good &= _tell("results", "whole: each table has its checksum", len(about.files), faults)
    if len(files) < len(about.files):
        print("the rest is not checked: it needs all results files")
    else:
        study = Study(files)
        print("".join(f"{name} is {verdict}\n" for name, verdict in study.lacking.items()), end="")
        with tempfile.TemporaryDirectory(prefix="warpsweep-artifact.") as scratch:
            made = Path(scratch, "made")
            made.mkdir()
            try:
                write_again(study, paper.templates(None), made, about)
            except WarpsweepError as error:
                print(f"the rest cannot be made again: {error}")
                good = False
            else:
                good &= _compare(folder, made)
            if kept:
                with output(kept) as to:
                    shutil.copytree(made, to, dirs_exist_ok=True)
    if good:
        print(
            f"verdict: good: every file is as in {MANIFEST}, and all but readers and pictures follows from results/ and {ABOUT}"
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
    """How many files MANIFEST has, and which are missing, changed, or not in it."""
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
    outside = set()
    for path in files_of(folder):
        name = path.relative_to(folder).as_posix()
        if _outside(name):
            outside.add(f"{name.partition('/')[0]}/")
        elif name not in listed and name != MANIFEST and not _compiled(name, listed):
            faults.append(f"{name} is not in {MANIFEST}")
    if outside:
        print(f"folders that are not of the artifact: {', '.join(sorted(outside))}")
    return len(listed), faults


def _outside(name: str) -> bool:
    """Whether a file is in a folder that `artifact` does not make: measured/, that of -o, a venv."""
    first, below, _ = name.partition("/")
    return bool(below) and first not in FOLDERS


def _compiled(name: str, listed: dict[str, str]) -> bool:
    """Whether a file is what comes of compiling a listed one."""
    found = COMPILED.fullmatch(name)
    return found is not None and (not found[3] or f"{found[3]}.c" in listed)


def _read(folder: Path, names: list[str]) -> tuple[list[Results], list[str]]:
    """The results files with all their tables, and what is wrong with them."""
    found, faults = [], []
    for path in files_of(folder / "results"):
        name = path.relative_to(folder / "results").as_posix()
        if name not in names:
            faults.append(f"results/{name} is not one of the files of {ABOUT}")
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
    listed = _listed(folder)
    left = {
        name
        for name in (*sides[1], *listed)
        if not (_outside(name) or name.startswith(APART) or _compiled(name, listed))
    }
    good = True
    for part, beginning in PARTS.items():
        names = sorted(name for name in left if name.startswith(beginning))
        left -= {*names}
        faults = [
            fault for name in names for fault in _faults(name, *(of.get(name) for of in sides))
        ]
        if names:
            good &= _tell(part, "follow from the results files", len(names), faults)
    return good


def _listed(folder: Path) -> dict[str, str]:
    """The files that MANIFEST names, with their SHA-256."""
    path = folder / MANIFEST
    lines = path.read_text("utf-8", "replace").splitlines() if path.is_file() else []
    pairs = [line.partition("  ")[::2] for line in lines]
    return {Path(name).as_posix(): told for told, name in pairs if name}


def _faults(name: str, stored: Path | None, made: Path | None) -> Iterator[str]:
    """How a stored file differs from what was made again: its first line that does."""
    if stored is None:
        yield f"{name} is missing"
    elif made is None:
        yield f"{name} does not follow from the results files"
    elif name.startswith(EXACT):
        if stored.read_bytes() != made.read_bytes():
            yield f"{name} is not what the results files hold"
    elif stored.suffix not in PICTURES:
        texts = [path.read_text("utf-8", "replace").splitlines() for path in (stored, made)]
        for line, (old, new) in enumerate(zip_longest(*texts, fillvalue=""), 1):
            if not (same(old, new) or _filled(old, new)):
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


def _filled(old: str, new: str) -> bool:
    """Whether a line is one with marks that somebody has filled in."""
    parts = new.split(TO_FILL)
    return len(parts) > 1 and bool(re.fullmatch(".+".join(map(re.escape, parts)), old))


def _around(old: str, new: str) -> str:
    """The first words of two lines that differ."""
    words = [re.split(r"(?<=[\s,&])", text) for text in (old, new)]
    for a, b in zip_longest(*words, fillvalue=""):
        if not same(a, b):
            return f"has {a.strip(' ,')[:40]!r}, computed is {b.strip(' ,')[:40]!r}"
    return "differs in blanks"
