"""The command ``show``: all data of one point."""
from __future__ import annotations

import os
import re
import shlex
from typing import Any

from .errors import ProgramError, UsageError
from .options import Arguments, Command, Option

BINS, BAR_WIDTH, NAME_WIDTH = 15, 40, 36
SCALED = ("", "s", "%", "W", "J", "Hz", "bytes", "bytes/s", "flop", "flop/s")  # others are counts, printed in full


def run(arguments: Arguments) -> int:
    """Run the command; returns its exit code."""
    from . import frames

    point, path = arguments.operands
    if not re.fullmatch("[0-9a-f]{1,16}", point):
        if re.fullmatch("[0-9a-f]{1,16}", path):
            raise UsageError(f"the id comes before the file: warpsweep show {path} {shlex.quote(point)}")
        raise UsageError(f"'{point[:40]}' is not an id; expected up to 16 hexadecimal digits, as in the column id")
    rows = frames.frame(path)
    found = rows[rows["id"].str.startswith(point)]
    if not len(found):
        raise UsageError(f"{path} has no point whose id begins with '{point}'; `warpsweep table FILE -c id,...` lists the ids")
    if len(found) > 1:
        raise UsageError(f"the ids of {len(found)} points begin with '{point}'; type more digits: {', '.join(found['id'][:10])}")
    row, known = found.iloc[0], rows.attrs["columns"]
    axes = {name: row[name] for name, column in known.items() if column.role == "axis" and row.get(name, "") not in ("",)
            and row[name] == row[name]}
    print(f"{row['id']} of {path}\n{describe(row['kernel'], axes, known)}")
    print_columns(row, known)
    print_activity(row)
    print_device(row, known)
    print_model(rows, row)
    print_samples(rows.attrs["results"][0], row)
    if not arguments.given("no-code"):
        print_code(arguments, row, axes, known)
    return 0


def describe(kernel: str, axes: dict[str, Any], known: Any) -> str:
    """``copy variant=load size=64MiB``."""
    from .pivots import person

    return " ".join([kernel, *(f"{name}={person(value, known[name])}" for name, value in axes.items())])


def _line(name: str, text: str, meaning: str) -> None:
    print(f"  {name:<{NAME_WIDTH}} {text:<22} {meaning}")


def _value(column: Any, value: Any, unit: str) -> str:
    from dataclasses import replace

    from .pivots import person

    if column.type == "real" and unit not in SCALED and float(value).is_integer() and abs(value) < 2**53:
        return f"{value:.0f} {unit}"
    return person(value, replace(column, unit=unit))


def print_columns(row: Any, known: Any) -> None:
    """The columns by role, with unit and meaning; the names of missing ones at the end."""
    missing, roles = [], list(dict.fromkeys(column.role for column in known.values()))
    flops = str(row.get("roof", "")).startswith("flop")
    for role in roles:
        lines = []
        for name, column in known.items():
            if column.role != role or name.startswith("device.") or name in ("activity",) or name not in row:
                continue
            if name in ("bound", "bound_second") and row[name] == "none":
                continue
            if row[name] != row[name] or row[name] == "":
                missing.append(name)
                continue
            unit = ("flop/s" if flops else "bytes/s") if name.startswith("roof_rate") else column.unit
            lines.append((name, _value(column, row[name], unit), column.meaning))
        if lines:
            print(f"\n{role}")
        for line in lines:
            _line(*line)
    if missing:
        import textwrap

        print("\n" + textwrap.fill(f"missing: {' '.join(missing)}", 110, subsequent_indent="  "))


def print_activity(row: Any) -> None:
    """The kernels of a call, as they were recorded."""
    import json

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


def print_device(row: Any, known: Any) -> None:
    """What the point's device is."""
    if row["device"] != row["device"]:
        return
    print(f"\ndevice {row['device']:.0f}")
    for name in row.index:
        if name.startswith("device.") and row[name] == row[name] and row[name] != "" and name in known:
            _line(known[name].name, _value(known[name], row[name], known[name].unit), known[name].meaning)


def print_model(rows: Any, row: Any) -> None:
    """What bounds the point by the time model, as ``report --bounds`` has it; nothing where it has no prediction."""
    from .predictions import accesses
    from .profiles import of_results
    from .reports.bounds import has_inputs, verdicts
    from .time_model import BOUNDS

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
    _line("measured / predicted", f"{judged['ratio'].iloc[0]:.2f}", "measured time over the time that the model predicts")


def print_samples(results: Any, row: Any) -> None:
    """The samples as a histogram."""
    import numpy as np

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


def print_code(arguments: Arguments, row: Any, axes: dict[str, Any], known: Any) -> None:
    """The machine code, compiled by the program for the point's architecture. A failure is printed, no error, as the
    data of the file has been shown; but not a wrong --arch."""
    from .pivots import person
    from .program import run_program

    print("\nmachine code compiled by this build", flush=True)
    capability = row.get("device.capability", float("nan"))
    arch = arguments.text("arch") or (axes.get("arch") if axes.get("arch") not in (None, "native") else None)
    if arch is None and capability == capability and capability > 0:
        arch = f"sm_{int(capability)}" + ("a" if capability >= 90 else "")
    if arch is None:
        print("  none: the point did not run on a GPU; name an architecture with --arch, for example sm_90a")
        return
    settings = [word for name, value in axes.items() if name != "arch"
                for word in ("--set", f"{name}={person(value, known[name])}")]
    own = [word for folder in arguments.each("kernels") for word in ("--kernels", os.fspath(folder))]
    try:
        text = run_program("check", "--kernel", row["kernel"], *settings, *own, "--arch", str(arch), "--sass")
        if text.rstrip().endswith(": no kernel to compile"):
            print("  none: the point runs a call, whose kernels are listed above if they were recorded, or vendor code")
            return
        print(text.split("compiles", 1)[-1].lstrip("\n ") or text, end="")
    except ProgramError as error:
        if arguments.given("arch") and error.exit_code == 2:
            raise UsageError(str(error)) from error
        print(f"  {error}")


COMMAND = Command(
    name="show", operands="ID FILE.h5", minimum=2, maximum=2,
    summary="print all data of one point: columns, device, samples, machine code",
    details="""ID is the value of the column `id`, or its first digits if no other point begins with them. Columns
are grouped by role and printed with unit and meaning; missing ones are listed at the end. The
samples are printed as a histogram.

The machine code is compiled by this build for the architecture of the point's device. It shows
registers, the main loop, memory accesses, and whether the family's claims hold. This needs
nvdisasm.
""",
    examples="""  warpsweep show 1ab3c62c802db7c5 results.h5
  warpsweep show 1ab3 results.h5 --no-code
""",
    options=(
        Option("arch", "a", "ARCH", help="architecture of the machine code; default: that of the point or its device"),
        Option("no-code", help="without machine code"),
        Option("kernels", value="DIR", help="folder of your own kernels: NAME.py, or NAME.so with NAME.cu or NAME.code"),
    ),
    run=run,
)
