"""The command ``predict``: a results file with predicted times, for a device that is not here.

The program expands the job and counts the accesses of its points (``warpsweep points``); the time model adds the times.
"""

from __future__ import annotations

import os
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd

from .errors import UsageError
from .frames import frame
from .options import Arguments
from .outputs import named
from .profiles import read as read_profile
from .program import run_program
from .rates import DERIVED, PREDICTED
from .time_model import errors, latencies, predict
from .units import plural


def complete(
    path: str | os.PathLike[str], profile: Any, output: str | os.PathLike[str]
) -> pd.DataFrame:
    """Write a results file with the points of ``path`` and their predicted times. Returns, of each point, ``kernel``,
    ``status`` and ``message``: why it has no predicted time."""
    rows = frame(path, canaries=True, devices=())
    times = predict(rows, profile, code="none")
    seconds = times["predicted_time"]
    # The interval of a prediction is the model's error on the family, beyond the ends of the profile's intervals. Where
    # that error was never measured, there is none.
    error = errors(rows, profile.name, profile["capability"])
    low, high = times["predicted_time_low"] / error, times["predicted_time_high"] * error
    supported = rows["status"] == "ok"
    done = supported & seconds.notna()
    values = {
        "latency_p50": latencies(rows, profile),
        "time_median": seconds,
        "time_ci_low": low,
        "time_ci_high": high,
        "predicted_time": seconds,
        "predicted_time_low": low,
        "predicted_time_high": high,
    }
    none = supported & ~done
    words = {
        "bound": times["bound"].where(done, "none"),
        "bound_second": times["bound_second"].where(done, "none"),
        "roof": rows["roof"].mask(none, "none"),
        "status": rows["status"].mask(none, "unsupported"),
        "message": rows["message"].mask(none, times["absent"]),
    }
    new: dict[str, np.ndarray[Any, Any]] = {
        name: value.where(done).to_numpy(float) for name, value in values.items()
    }
    new |= {name: np.char.encode(value.to_numpy(str), "utf-8") for name, value in words.items()}
    with h5py.File(path, "r") as source, h5py.File(output, "w") as target:
        target.attrs.update(source.attrs)
        for name in sorted({*source} - {"results", "columns"}):
            source.copy(name, target)
        old = source["results"]
        known = old.dtype.names
        _write(target, old, {**{name: old[name] for name in known}, **new})
        columns = source["columns"]
        added = [
            ("results", of.name, of.type, of.role, of.unit, of.meaning)
            for of in (*DERIVED.values(), *PREDICTED.values())
            if of.name in new and of.name not in known
        ]
        fields = dict(zip(("table", "name", "type", "role", "unit", "meaning"), zip(*added)))
        described = {
            name: np.concatenate([columns[name], np.char.encode(np.array(of), "utf-8")])
            for name, of in fields.items()
        }
        _write(target, columns, described)
    return pd.DataFrame(
        {"kernel": rows["kernel"], "status": words["status"], "message": words["message"]}
    )


def _said(name: str, of: pd.DataFrame) -> str:
    """How many points of a family have a predicted time, and why others have none."""
    done = of["status"] == "ok"
    text = f"{name}: {done.sum()} of {plural(len(of), 'point')} with a predicted time"
    reasons = of.loc[~done, "message"].value_counts()
    return text + "".join(f"; {count}: {reason}" for reason, count in reasons.items())


def _write(target: Any, old: Any, columns: dict[str, np.ndarray[Any, Any]]) -> None:
    """A table as ``old`` is stored, with these columns."""
    new = np.empty(
        len(next(iter(columns.values()))), [(name, of.dtype) for name, of in columns.items()]
    )
    for name, values in columns.items():
        new[name] = values
    filters = {
        "compression": old.compression,
        "compression_opts": old.compression_opts,
        "shuffle": old.shuffle,
    }
    data = target.create_dataset(
        old.name, data=new, chunks=old.chunks, **(filters if old.chunks else {})
    )
    data.attrs["crc32"] = np.int64(zlib.crc32(new.tobytes()))


def run(arguments: Arguments) -> int:
    start, output, path = time.monotonic(), arguments.text("output"), arguments.text("profile")
    assert output and path  # required
    if not arguments.operands and not arguments.given("kernel"):
        raise UsageError("predict needs a job file, or --kernel NAME; see warpsweep predict --help")
    folder, stem = os.path.split(output)
    if os.path.exists(output):
        raise UsageError(f"{output} already exists: choose another output file")
    profile = read_profile(path)
    passed = [
        word
        for name in ("kernel", "set", "only", "kernels")
        for value in arguments.each(name)
        for word in (f"--{name}", value)
    ]
    temporary = [Path(folder, f".{os.getpid()}.{kind}.{stem}") for kind in ("points", "times")]
    try:
        points_of = ["points", "-o", os.fspath(temporary[0]), *arguments.operands, *passed]
        with named(output, *temporary):
            run_program(*points_of, "--profile", path)
            points = complete(temporary[0], profile, temporary[1])
            os.replace(temporary[1], output)
    finally:
        for file in (*temporary, Path(f"{temporary[0]}.journal")):
            file.unlink(missing_ok=True)
    for name, of in points.groupby("kernel", sort=False):
        print(_said(str(name), of), file=sys.stderr)
    count = int((points["status"] == "ok").sum())
    print(
        f"{output}: {count} of {plural(len(points), 'point')} predicted for {profile.name} in "
        f"{time.monotonic() - start:.1f} s; nothing was measured",
        file=sys.stderr,
    )
    return 0 if count else 1
