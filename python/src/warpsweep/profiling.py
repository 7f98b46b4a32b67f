"""The command ``profile``: what results files measured of a device, as a profile."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence

from . import outputs, profiles, scatter
from .errors import UsageError, whole
from .identity import without_copies
from .options import Arguments
from .results import Results, read


def of_files(files: Sequence[Results], device: int = 0) -> profiles.Profile:
    """The profile of several files of a product: roofs of all of them, all else of the first file that has it; what others have
    otherwise is said. Files of one job are runs: they say how much runs and units scatter, of any product; those of
    the first one's product say the rest if no other file does."""
    jobs = [one.job_path for one in files]
    runs = [one for one in files if len(one.devices) == 1 and jobs.count(one.job_path) > 1]
    single = [one for one in files if one not in runs]
    if not single:
        single = [one for one in runs if one.devices["name"][0] == runs[0].devices["name"][0]]
    profile = profiles.of_results(single[0], device)
    for one in single[1:]:
        names = list(one.devices["name"])
        if profile.name not in names:
            raise UsageError(
                f"{one.path}: expected {profile.name}, as in {single[0].path}, found {names[0]}"
            )
        otherwise = profile.widen(profiles.of_results(one, names.index(profile.name)))
        if otherwise:
            print(
                f"warpsweep: note: {one.path} has other values of {', '.join(otherwise)}, which are those of {single[0].path}",
                file=sys.stderr,
            )
    for name, value in scatter.values(scatter.between(runs)).items() if runs else ():
        profile.take(name, value, f"{len(runs)} runs of {runs[0].job_path}")
    return profile


def run(arguments: Arguments) -> int:
    """Run the command; returns its exit code."""
    device, output = whole("--device", arguments.text("device") or "0"), arguments.text("output")
    if output and os.path.exists(output):
        raise UsageError(f"{output} already exists: choose another output file")
    files = without_copies([read(path) for path in arguments.operands])
    path, first = arguments.operands[0], files[0]
    if device >= len(first.devices):
        raise UsageError(
            f"{path}: no device has measured a point"
            if first.devices.empty
            else f"{path}: there is no device {device}; expected one from 0 to {len(first.devices) - 1}"
        )
    if first.devices.iloc[device].get("backend", "") != "cuda":
        raise UsageError(f"{path}: device {device} is not a GPU, or has no measured point")
    found = of_files(files, device)
    for name in profiles.FIELDS:
        if profiles.FIELDS[name].kind != profiles.SPREAD and math.isnan(found[name]):
            print(
                f"warpsweep: not measured: {name} ({profiles.FIELDS[name].meaning})",
                file=sys.stderr,
            )
    text = profiles.yaml(found, " ".join(["warpsweep profile", *arguments.operands]))
    if output:
        outputs.write(output, text)
    else:
        sys.stdout.write(text)
    return 0
