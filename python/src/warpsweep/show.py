"""The command ``show``: all data of one point."""

from __future__ import annotations

import json
import re
import shlex
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .columns import Column, Columns
from .errors import UsageError, WarpsweepError
from .frames import frame, samples_of
from .options import Arguments
from .outputs import write
from .profiles import of_results
from .reports.bounds import verdicts, with_accesses
from .results import Results
from .rows import roof, units_of, why_missing
from .sheet import print_sheet, texts
from .stored import printable
from .time_model import BOUNDS
from .units import is_count, plural
from .values import human
from .values import point as in_words

BINS, BAR_WIDTH, NAME_WIDTH = 15, 40, 36


def run(arguments: Arguments) -> int:
    """Run the command; returns its exit code."""
    point, path = arguments.operands
    if not re.fullmatch("[0-9a-f]{1,16}", point):
        if re.fullmatch("[0-9a-f]{1,16}", path):
            raise UsageError(
                f"the id comes before the file: warpsweep show {path} {shlex.quote(point)}"
            )
        raise UsageError(
            f"'{point[:40]}' is not an id; expected up to 16 hexadecimal digits, as in the column id"
        )
    rows = frame(path)
    found = rows[rows["id"].str.startswith(point)]
    if not len(found):
        raise UsageError(
            f"{path} has no point whose id begins with '{point}'; `warpsweep table FILE -c id,...` lists the ids"
        )
    if len(found) > 1:
        raise UsageError(
            f"the ids of {len(found)} points begin with '{point}'; type more digits: "
            f"{', '.join(found['id'][:10])}"
        )
    row, known, results = found.iloc[0], rows.attrs["columns"], rows.attrs["results"][0]
    print(f"{row['id']} of {printable(path)}\n{in_words(row, known)}")
    print_columns(
        row,
        Columns({n: replace(of, unit=units_of(found, of).iloc[0]) for n, of in known.items()}),
    )
    if row.get("activity", ""):
        print("\nkernels of one launch")
        print_activity(row)
    if row["device"] == row["device"] and row["status"] == "ok":  # as ``report --bounds`` has it
        rows = with_accesses(rows, results, int(row["device"]))
        judged = verdicts(
            rows[rows["id"] == row["id"]], of_results(results, int(row["device"])), "counted"
        )
        for _, one in judged.iterrows():  # one, or none where there is no prediction
            print("\ntime model, from the peaks of the device and the counters")
            for name in ("bound", "bound_second"):
                _line(name, one[name], BOUNDS.get(one[name], ""))
            _line(
                "measured / predicted",
                f"{one['.ratio']:.2f}",
                "measured time over the predicted time",
            )
    if row["sample_count"] > 0:
        print_samples(samples_of(results, found))
    print_code(row, known)
    if arguments.given("sources"):
        write_sources(results, Path(str(arguments.text("sources"))))
    return 0


def write_sources(results: Results, folder: Path) -> None:
    """The sources of the file's families into a new folder, for ``--kernels``."""
    if not results.sources:
        raise UsageError(
            f"{results.path} has no sources: it has built-in families alone, or they were left out (--no-sources)"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not an empty folder")
    use = " ".join(restore(results, folder, str(folder)))
    objects = {Path(name).suffix for name in results.sources} & {".c", ".cc", ".cpp"}
    first = "compile their shared objects into it, then " if objects else ""
    print(
        f"\n{folder}: {plural(len(results.sources), 'source file')}; {first}measure it again: {use}"
    )


def restore(results: Results, folder: Path, named: str) -> list[str]:
    """Write the stored sources; returns the options of ``run`` that measure with them, if ``named`` is the folder."""
    for name, text in results.sources.items():
        target = folder / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WarpsweepError(f"cannot write {target}: {error.strerror}") from error
        write(target, text)
    told = results.env("pairs") or ""
    versions = told.split()[1:] if told.startswith("version ") else []
    values = [f"{one}={named}/{one}" for one in versions] or [named]
    return [word for value in values for word in ("--kernels", value)]


def _line(name: str, text: str, meaning: str) -> None:
    print(f"  {name:<{NAME_WIDTH}} {text:<22} {meaning}")


def _described(row: Any, column: Column) -> tuple[str, str]:
    """A value with its unit, and its meaning."""
    value, meaning = row[column.name], column.meaning
    if column.name.startswith("roof_rate"):
        column = replace(column, unit=roof(row.get("roof", "")).unit)
    if row["device.backend"] == "predicted":
        meaning = meaning.replace("measured: ", "by the profile: ")
        if column.role in ("time", "rate") and not column.name.startswith("roof"):
            meaning = f"predicted, with the time model's error: {meaning}"
    if (
        column.type == "real"
        and is_count(column.unit)
        and float(value).is_integer()
        and abs(value) < 2**53
    ):
        return f"{value:.0f} {column.unit}", meaning
    return human(value, column), meaning


def print_columns(row: Any, known: Columns) -> None:
    """The columns by role, with unit and meaning, then those of the device; the names of missing ones at the end."""
    every = {
        name: replace(column, name=name)
        for name, column in known.items()
        if name in row
        and name != "activity"
        and not (name in ("bound", "bound_second") and row[name] == "none")
    }
    roles: dict[str, list[str]] = {
        column.role: [] for name, column in known.items() if not name.startswith("device.")
    }
    for name in every:
        role = f"device {row['device']:.0f}" if name.startswith("device.") else every[name].role
        roles.setdefault(role, []).append(name)
    missing: dict[str, list[str]] = {}
    for role, names in roles.items():
        there = [name for name in names if row[name] == row[name] and row[name] != ""]
        for name in (name for name in names if name not in there and role != "axis"):
            if not name.startswith("device."):
                missing.setdefault(why_missing(row, name, role), []).append(name)
        print(f"\n{role}\n" if there else "", end="")
        for name in there:
            _line(known[name].name, *_described(row, every[name]))
    for why, names in missing.items():
        text = f"missing ({why}): {' '.join(names)}"
        print("\n" + textwrap.fill(text, 110, subsequent_indent="  "))


def print_activity(row: Any) -> None:
    """The kernels of a call, as they were recorded, or why they were not."""
    if not row["activity"].startswith("["):
        print(f"  {row['activity']}")
        return
    span, parts = row["activity_span"], json.loads(row["activity"])
    rows = [
        (
            seconds,
            str(count),
            *("x".join(map(str, shape)) if any(shape) else "-" for shape in (grid, block)),
            kernel,
        )
        for kernel, grid, block, count, seconds in parts
    ] + [(span * row["activity_idle"], "", "", "", "nothing ran")]
    print_sheet(
        texts(
            [">us", ">share", ">launches", "grid", "block", "name"],
            [
                [f"{1e6 * seconds:.2f}", f"{100 * seconds / span:.1f}%", *rest]
                for seconds, *rest in rows
            ],
            indent=2,
        )
    )


def print_samples(taken: Any) -> None:
    """The samples as a histogram."""
    processes = taken["process"].nunique(dropna=False) if "process" in taken else 1
    print(f"\nsamples: {len(taken)}, of {processes} process{'' if processes == 1 else 'es'}")
    counts, edges = np.histogram(
        taken["seconds"].dropna(), BINS if taken["seconds"].nunique() > 1 else 1
    )
    for count, edge in zip(counts, edges):
        bar = "#" * -(-int(count) * BAR_WIDTH // int(counts.max()))
        print(f"  from {f'{1e6 * edge:.5g} us':>14} |{bar:<{BAR_WIDTH}} {count}")


def print_code(row: Any, known: Columns) -> None:
    """The command line that prints the machine code: for the point's architecture, or that of its device."""
    kernel, *settings = [
        word for word in in_words(row, known).split() if not word.startswith("arch=")
    ]
    capability = row.get("device.capability", -1)
    own = ""
    if capability > 0:  # of a row without a device it is missing
        own = f"sm_{int(capability)}" + ("a" if capability >= 90 else "")
    arch = row["arch"] if row.get("arch", "") not in ("", "native") else own
    words = [
        "check",
        "--kernel",
        kernel,
        *(word for one in settings for word in ("--set", one)),
        "--arch",
        arch,
        "--sass",
    ]
    print(
        f"\nmachine code: warpsweep {shlex.join(words)}"
        if arch
        else "\nmachine code: none: the point did not run on a GPU"
    )
