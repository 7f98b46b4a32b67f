"""The command ``profile``: what a results file measured of a device, as a profile."""

from __future__ import annotations

import math
import os
import sys

from . import outputs, profiles
from .errors import UsageError, whole
from .options import Arguments
from .results import read


def run(arguments: Arguments) -> int:
    """Run the command; returns its exit code."""
    device, path, output = (
        whole("--device", arguments.text("device") or "0"),
        arguments.operands[0],
        arguments.text("output"),
    )
    if output and os.path.exists(output):
        raise UsageError(f"{output} already exists: choose another output file")
    results = read(path)
    if device >= len(results.devices):
        raise UsageError(
            f"{path}: --device {device} does not exist; devices there, counted from 0: {len(results.devices)}"
        )
    if results.devices.iloc[device].get("backend", "") != "cuda":
        raise UsageError(f"{path}: device {device} is not a GPU, or has no measured point")
    found = profiles.of_results(results, device)
    for name in profiles.FIELDS:
        if profiles.FIELDS[name].kind != profiles.SPREAD and math.isnan(found[name]):
            print(
                f"warpsweep: not measured: {name} ({profiles.FIELDS[name].meaning})",
                file=sys.stderr,
            )
    if output:
        outputs.write(output, profiles.yaml(found))
    else:
        sys.stdout.write(profiles.yaml(found))
    return 0
