"""The command ``show``: all data of one point."""
from __future__ import annotations

import json
import re
import shlex
import textwrap
from dataclasses import replace
from typing import Any

import numpy as np

from .errors import ProgramError, UsageError
from .frames import frame
from .options import Arguments
from .pivots import person, point as in_words
from .predictions import accesses
from .profiles import of_results
from .program import run_program
from .reports.bounds import has_inputs, verdicts
from .time_model import BOUNDS

BINS, BAR_WIDTH, NAME_WIDTH = 15, 40, 36
SCALED = ("", "s", "%", "W", "J", "Hz", "bytes", "bytes/s", "flop", "flop/s")  # others are counts, printed in full


def run(arguments: Arguments) -> int:
    """Run the command; returns its exit code."""
    point, path = arguments.operands
    if not re.fullmatch("[0-9a-f]{1,16}", point):
        if re.fullmatch("[0-9a-f]{1,16}", path):
            raise UsageError(f"the id comes before the file: warpsweep show {path} {shlex.quote(point)}")
        raise UsageError(f"'{point[:40]}' is not an id; expected up to 16 hexadecimal digits, as in the column id")
    rows = frame(path)
    found = rows[rows["id"].str.startswith(point)]
    if not len(found):
        raise UsageError(f"{path} has no point whose id begins with '{point}'; `warpsweep table FILE -c id,...` lists "
                         "the ids")
    if len(found) > 1:
        raise UsageError(f"the ids of {len(found)} points begin with '{point}'; type more digits: "
                         f"{', '.join(found['id'][:10])}")
    row, known = found.iloc[0], rows.attrs["columns"]
    print(f"{row['id']} of {path}\n{in_words(row, known)}")
    print_columns(row, known)
    print_activity(row)
    print_model(rows, row)
    print_samples(rows.attrs["results"][0], row)
    if not arguments.given("no-code"):
        print_code(arguments, row, known)
    return 0


def _line(name: str, text: str, meaning: str) -> None:
    print(f"  {name:<{NAME_WIDTH}} {text:<22} {meaning}")


def _value(column: Any, value: Any, unit: str) -> str:
    if column.type == "real" and unit not in SCALED and float(value).is_integer() and abs(value) < 2**53:
        return f"{value:.0f} {unit}"
    return person(value, replace(column, unit=unit))


def print_columns(row: Any, known: Any) -> None:
    """The columns by role, with unit and meaning, and those of the device; the names of missing ones at the end."""
    roles: dict[str, list[str]] = {column.role: [] for name, column in known.items() if not name.startswith("device.")}
    for name, column in known.items():
        if name in row and name != "activity" and not (name in ("bound", "bound_second") and row[name] == "none"):
            device = f"device {row['device']:.0f}" if name.startswith("device.") else column.role
            roles.setdefault(device, []).append(name)
    missing = [name for name in sum(roles.values(), []) if row[name] != row[name] or row[name] == ""]
    for role, names in roles.items():
        lines = [name for name in names if name not in missing]
        print(f"\n{role}" if lines else "", end="\n" if lines else "")
        for name in lines:
            rate = "flop/s" if str(row.get("roof", "")).startswith("flop") else "bytes/s"
            unit = rate if name.startswith("roof_rate") else known[name].unit
            meaning = known[name].meaning
            if row["device.backend"] == "predicted":
                meaning = {"time": "predicted, with the time model's error: "}.get(known[name].role, "") + meaning.replace(
                    "measured: ", "by the profile: ")
            _line(known[name].name, _value(known[name], row[name], unit), meaning)
    missing = [name for name in missing if not name.startswith("device.")]
    if missing:
        print("\n" + textwrap.fill(f"missing: {' '.join(missing)}", 110, subsequent_indent="  "))


def print_activity(row: Any) -> None:
    """The kernels of a call, as they were recorded."""
    text = str(row.get("activity", ""))
    if not text:
        return
    print("\nkernels of one launch")
    if not text.startswith("["):
        print(f"  {text}")
        return
    print(f"  {'us':>9} {'share':>6} {'launches':>8} {'grid':<16} {'block':<14} name")
    for kernel, grid, block, count, seconds in json.loads(text):
        shapes = ["x".join(map(str, shape)) if any(shape) else "-" for shape in (grid, block)]
        print(f"  {1e6 * seconds:9.2f} {100 * seconds / row['activity_span']:5.1f}% "
              f"{count:8d} {shapes[0]:<16} {shapes[1]:<14} {kernel}")
    print(f"  {1e6 * row['activity_span'] * row['activity_idle']:9.2f} {100 * row['activity_idle']:5.1f}% nothing ran")


def print_model(rows: Any, row: Any) -> None:
    """What bounds the point by the time model, as ``report --bounds`` has it; nothing where it has no prediction."""
    results, device = rows.attrs["results"][0], row["device"]
    if device != device or row["status"] != "ok":
        return
    if not has_inputs(rows):
        try:
            rows = accesses(results.path, int(device), None)
        except ProgramError:  # the prediction that the file holds
            pass
    judged = verdicts(rows[rows["id"] == row["id"]], of_results(results, int(device)))
    if not len(judged):
        return
    print("\ntime model, from the peaks of the device and the counters")
    for name in ("bound", "bound_second"):
        _line(name, judged[name].iloc[0], BOUNDS.get(judged[name].iloc[0], ""))
    _line("measured / predicted", f"{judged['ratio'].iloc[0]:.2f}", "measured time over the predicted time")


def print_samples(results: Any, row: Any) -> None:
    """The samples as a histogram."""
    if not row["sample_count"] > 0:
        return
    first = int(row["sample_offset"])
    taken = results.samples.iloc[first:first + int(row["sample_count"])]
    processes = taken["process"].nunique(dropna=False) if "process" in taken else 1
    print(f"\nsamples: {len(taken)}, of {processes} process{'' if processes == 1 else 'es'}")
    counts, edges = np.histogram(taken["seconds"].dropna(), BINS if taken["seconds"].nunique() > 1 else 1)
    for count, edge in zip(counts, edges):
        bar = "#" * -(-int(count) * BAR_WIDTH // int(counts.max()))
        print(f"  from {f'{1e6 * edge:.5g} us':>14} |{bar:<{BAR_WIDTH}} {count}")


def print_code(arguments: Arguments, row: Any, known: Any) -> None:
    """The machine code, compiled by the program for the point's architecture. A failure is printed, no error, as the
    data of the file has been shown; but not a wrong --arch."""
    print("\nmachine code compiled by this build", flush=True)
    kernel, *settings = [word for word in in_words(row, known).split() if not word.startswith("arch=")]
    arch, own = arguments.text("arch"), row.get("arch", "")
    if arch is None and own == own and own not in ("", "native"):
        arch = own
    if arch is None and row.get("device.capability", -1) > 0:
        arch = f"sm_{int(row['device.capability'])}" + ("a" if row["device.capability"] >= 90 else "")
    if arch is None:
        print("  none: the point did not run on a GPU; name an architecture with --arch, for example sm_90a")
        return
    given = [word for option, values in (("--set", settings), ("--kernels", arguments.each("kernels")))
             for value in values for word in (option, value)]
    try:
        text = run_program("check", "--kernel", kernel, *given, "--arch", str(arch), "--sass")
        if text.rstrip().endswith(": no kernel to compile"):
            print("  none: the point runs a call, whose kernels are listed above if they were recorded, or vendor code")
            return
        print(text.split("compiles", 1)[-1].lstrip("\n ") or text, end="")
    except ProgramError as error:
        if arguments.given("arch") and error.exit_code == 2:
            raise UsageError(str(error)) from error
        print(f"  {error}")
