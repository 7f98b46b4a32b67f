"""Which files are of one run, and what files are called: a name is for people, and tells no file from another."""

from __future__ import annotations

import copy
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from .columns import Shared
from .results import Results
from .stored import printable
from .units import plural


class Files(Shared, list):  # type: ignore[type-arg]
    """Results in the order in which they were given, each with a name of its own."""


def same_run(a: Results, b: Results) -> bool:
    """Whether both files are of one run: copies, or links."""
    known = [(one.attributes.get("lineage"), one.env("start")) for one in (a, b)]
    return bool(known[0][0]) and known[0] == known[1]


def names(paths: Sequence[Path]) -> list[str]:
    """The last part of each path, with as many before it as tell it from the others; a path that is there twice has a number."""
    parts = [Path(printable(path)).parts for path in paths]
    depth = [1] * len(paths)
    while True:
        shown = ["/".join(of[-count:]).replace("//", "/") for of, count in zip(parts, depth)]
        often = Counter(shown)
        deeper = [at for at, of in enumerate(parts) if often[shown[at]] > 1 and depth[at] < len(of)]
        if not deeper:
            break
        for at in deeper:
            depth[at] += 1
    before = [shown[:at].count(name) + 1 for at, name in enumerate(shown)]
    return [f"{name} ({nth})" if nth > 1 else name for name, nth in zip(shown, before)]


def named(files: Iterable[Results]) -> Files:
    """The files, each called so that its name tells it from the others."""
    every = list(files)
    found = Files()
    for file, name in zip(every, names([file.path for file in every])):
        if file.name != name:
            file = copy.copy(file)
            file.name = name
        found.append(file)
    return found


def without_copies(files: list[Results]) -> Files:
    """The files, a run of which there are copies once, with a note; each with a name of its own."""
    once = [
        file
        for at, file in enumerate(files)
        if not any(same_run(file, other) for other in files[:at])
    ]
    if len(once) < len(files):
        print(
            f"warpsweep: note: left out as copies of others: {plural(len(files) - len(once), 'file')}",
            file=sys.stderr,
        )
    return named(once)
