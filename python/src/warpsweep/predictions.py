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

from .errors import UsageError
from .frames import frame
from .options import Arguments
from .profiles import read as read_profile
from .program import run_program
from .time_model import ERRORS, kinds, predict
from .units import plural

NO_PREDICTION = "the time model has no prediction for this kernel with this profile"


def complete(path: str | os.PathLike[str], profile: Any, output: str | os.PathLike[str]) -> int:
    """Write a results file with the points of ``path`` and their predicted times; returns the number of points."""
    rows = frame(path, canaries=True)
    times = predict(rows, profile, code="none")
    seconds = times["predicted_time"]
    # The interval of a prediction is the model's error on the family, beyond the ends of the profile's intervals.
    kind, largest = kinds(rows), max(factor for family, factor in ERRORS.items() if family)
    error = kind.map(ERRORS).fillna(kind.str.endswith("?").map({False: largest, True: ERRORS[""]}))
    low, high = times["predicted_time_low"] / error, times["predicted_time_high"] * error
    supported = (rows["status"] == "ok").to_numpy()
    done = supported & seconds.notna().to_numpy()
    moved = rows["bytes_read"] + rows["bytes_written"]
    flops = rows["flops_executed"].fillna(rows["flops"])
    arithmetic = rows["roof"].str.startswith(("flop_", "tensor_"))
    at_roof = flops.where(arithmetic, moved) / rows["roof_rate"]
    values = {
        "predicted_time": seconds,
        "predicted_time_low": times["predicted_time_low"],
        "predicted_time_high": times["predicted_time_high"],
        "time_median": seconds,
        "time_ci_low": low,
        "time_ci_high": high,
        "bandwidth": moved / seconds,
        "bandwidth_low": moved / high,
        "bandwidth_high": moved / low,
        "flop_rate": rows["flops"] / seconds,
        "flop_rate_executed": rows["flops_executed"] / seconds,
        "fraction_peak": at_roof / seconds,
        "roof_rate": rows["roof_rate"],
    }
    none = supported & ~done
    words = {
        "bound": times["bound"],
        "bound_second": times["bound_second"],
        "roof": rows["roof"].mask(none, "none"),
        "status": rows["status"].mask(none, "unsupported"),
        "message": rows["message"].mask(none, NO_PREDICTION),
    }
    with h5py.File(path, "r") as source, h5py.File(output, "w") as target:
        target.attrs.update(source.attrs)
        for name in sorted({*source} - {"results"}):
            source.copy(name, target)
        old = source["results"]
        texts = {
            name: np.char.encode(value.to_numpy(str), "utf-8") for name, value in words.items()
        }
        new = np.empty(
            old.shape,
            [
                (name, texts[name].dtype if name in texts else kind[0])
                for name, kind in old.dtype.fields.items()
            ],
        )
        for name in old.dtype.names:
            new[name] = texts.get(name, old[name])
            if name in values and name not in texts:
                new[name] = np.where(done, values[name], np.nan)
        filters = {
            "compression": old.compression,
            "compression_opts": old.compression_opts,
            "shuffle": old.shuffle,
        }
        data = target.create_dataset(
            "results", data=new, chunks=old.chunks, **(filters if old.chunks else {})
        )
        data.attrs["crc32"] = np.int64(zlib.crc32(new.tobytes()))
    return len(rows)


def run(arguments: Arguments) -> int:
    start, output, path = time.monotonic(), arguments.text("output"), arguments.text("profile")
    if not path:
        raise UsageError("predict needs --profile FILE: the device")
    if not output:
        raise UsageError("predict needs -o FILE.h5: the results file to write")
    if not arguments.operands and not arguments.given("kernel"):
        raise UsageError("predict needs a job file, or --kernel NAME; see warpsweep predict --help")
    folder, stem = os.path.split(output)
    if os.path.exists(output):
        raise UsageError(f"{output} already exists: choose another output file")
    if folder and not os.path.isdir(folder):
        raise UsageError(f"{output}: its folder does not exist")
    profile = read_profile(path)
    passed = [
        word
        for name in ("kernel", "set", "only", "kernels")
        for value in arguments.each(name)
        for word in (f"--{name}", value)
    ]
    temporary = [Path(folder, f".{stem}.{os.getpid()}.{kind}") for kind in ("points", "times")]
    try:
        run_program(
            "points", "-o", os.fspath(temporary[0]), *arguments.operands, *passed, "--profile", path
        )
        count = complete(temporary[0], profile, temporary[1])
        os.replace(temporary[1], output)
    finally:
        for file in (*temporary, Path(f"{temporary[0]}.journal")):
            file.unlink(missing_ok=True)
    print(
        f"{output}: {plural(count, 'point')} predicted for {profile.name} in {time.monotonic() - start:.1f} s; "
        "nothing was measured",
        file=sys.stderr,
    )
    return 0
