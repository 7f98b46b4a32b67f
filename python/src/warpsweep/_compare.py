"""Comparing two files, by the program: intervals and verdicts are worked out in one place."""
from __future__ import annotations

import json
import os
from collections.abc import Sequence

import pandas as pd

from . import _program
from .errors import ProgramError


def compare(a: str | os.PathLike[str], b: str | os.PathLike[str] | None = None, *, by: str | None = None,
            baseline: str | None = None, points: bool = True, kernel: str | None = None, where: Sequence[str] = (),
            threshold: float | None = None, mixed: bool = False,
            program: str | os.PathLike[str] = "warpsweep") -> pd.DataFrame:
    """B against A by ``warpsweep compare``: a row a point, or with ``points=False`` a row a family.

    by, baseline  in one file: the values of a column against one of them
    where         conditions as ``--where`` takes them, such as "dtype=f32" or "stride<=8"
    threshold     the smallest difference that matters, as a share: 0.01
    mixed         compare times that do not mean the same, all the same
    program       where ``warpsweep`` is, if not on the PATH

    ``verdict`` is a category, times are in seconds, ``ratio`` is that of B's time to A's, ``ratio_interval`` its 95 %
    interval. ``attrs["assumed"]`` has what the program said it assumed. Raises ProgramError with what it said when it
    refused.
    """
    found = _program.find(program)
    command = [found, "compare", os.fspath(a), *([os.fspath(b)] if b is not None else []), "--format", "json"]
    command += ["--points"] if points else []
    command += ["--mixed"] if mixed else []
    for option, value in (("--by", by), ("--baseline", baseline), ("--kernel", kernel)):
        command += [option, value] if value is not None else []
    command += ["--threshold", repr(float(threshold))] if threshold is not None else []
    for condition in where:
        command += ["--where", condition]
    done = _program.run(command)
    try:
        rows = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise ProgramError(f"{' '.join(command)}: what it wrote is no JSON: {error}", done.returncode) from error
    frame = pd.DataFrame(rows)
    for name in ("kernel", "verdict"):
        if name in frame:
            frame[name] = frame[name].astype("category")
    for name in frame.columns:
        if frame[name].isna().all():
            frame[name] = frame[name].astype("float64")
    if "ratio_low" in frame:
        frame["ratio_interval"] = pd.arrays.IntervalArray.from_arrays(
            frame["ratio_low"].astype("float64"), frame["ratio_high"].astype("float64"), closed="both")
    frame.attrs["assumed"] = [line.removeprefix("- ") for line in done.stderr.splitlines() if line.startswith("- ")]
    return frame
