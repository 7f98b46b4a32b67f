"""Values that others have published of a device, and a results file beside them.

``profiles/published.csv`` is the one place of these values: a row has the devices, the quantity, its range and unit, the clock
(MHz) and the power (W) that it holds for, and the source; ``field``: the value of a profile that it gives; ``where`` and
``measure``: the points that measure it and their value, in the unit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from .columns import reals
from .errors import UsageError
from .frames import Paths, frame
from .program import shipped
from .selecting import where

TOLERANCE = 0.05  # of two tools that measure the same
NOTHING = {"here": math.nan, "here_low": math.nan, "here_high": math.nan}


@lru_cache(maxsize=None)
def table() -> pd.DataFrame:
    """All rows; ``device`` once for each device of a row."""
    found = pd.read_csv(shipped("profiles/published.csv"), dtype=str, keep_default_na=False)
    found[["low", "high"]] = found[["low", "high"]].astype(float)
    found["device"] = found["device"].str.split(r" \| ", regex=True)
    return found.explode("device").reset_index(drop=True)


def device_of(name: str) -> str:
    """The device of the table in a device's name; "": none. GB200 is no B200."""
    devices = table()["device"].unique()
    words = [one for one in devices if re.search(rf"(?<![A-Z]){one}\b", name)]
    return max(words, key=len, default="")


def compared(paths: Paths, device: str = "") -> pd.DataFrame:
    """Each published value of the file's device beside the file's own: ``here`` with ``here_low`` and ``here_high`` (the
    interval of the largest value), ``low`` and ``high`` as published, ``factor`` (here over the nearest published value; 1
    within), ``verdict`` (``within``, ``above``, ``below`` or ``not measured``) and ``backend`` of the file's values. ``device``: of
    the table, if the file's name has none."""
    rows = frame(paths)
    names = [one for one in rows["device.name"].unique() if one]
    name = device or device_of(str(names[0] if names else ""))
    of = table()
    of = of[(of["device"] == name) & (of["measure"] != "")]
    if of.empty:
        devices = ", ".join(sorted(table()["device"].unique()))
        raise UsageError(
            f"nothing is published here of '{name or ', '.join(names)}'; name a device: {devices}"
        )
    ok = rows[(rows["status"] == "ok") & (rows["repeat"] <= 0)]
    found = of.join(pd.DataFrame([_here(ok, row) for _, row in of.iterrows()], of.index))
    found["factor"] = np.where(
        found["here"] < found["low"], found["here"] / found["low"], found["here"] / found["high"]
    )
    within = (found["here"] >= found["low"]) & (found["here"] <= found["high"])
    found["factor"] = found["factor"].mask(within, 1.0)
    found["verdict"] = np.select(
        [found["here"].isna(), (found["factor"] - 1).abs() <= TOLERANCE, found["factor"] > 1],
        ["not measured", "within", "above"],
        "below",
    )
    return found.assign(backend=rows["backend"].iloc[0]).reset_index(drop=True)


def _here(rows: pd.DataFrame, row: Mapping[str, Any]) -> dict[str, float]:
    """The largest value of the points that a row is about (the smallest of a latency), and its interval."""
    try:
        chosen = where(rows, row["where"].split(), strict=False) if row["where"] else rows
    except UsageError:
        chosen = rows.iloc[:0]
    name, units, factor = _parsed(row["measure"])
    if name not in chosen or chosen.empty:
        return dict(NOTHING)
    values = chosen[name] * factor
    clock = reals(chosen, "sm_clock").fillna(reals(chosen, "device.clock_max"))
    for unit in units:
        values = values / {"sm": reals(chosen, "device.multiprocessors"), "clock": clock}[unit]
    if values.isna().all():
        return dict(NOTHING)
    slowest = row["unit"] in ("cycles", "ns")
    best = values.idxmin() if slowest else values.idxmax()
    here = float(values[best])
    if slowest or not row["where"]:
        return {**NOTHING, "here": here}
    point = chosen.loc[best]
    ends = (here * point["time_median"] / point[f"time_ci_{of}"] for of in ("high", "low"))
    return {"here": here, **dict(zip(("here_low", "here_high"), ends))}


def _parsed(measure: str) -> tuple[str, list[str], float]:
    """A column, what it is divided by, and a factor: flop_rate/sm/clock, bandwidth*1e-12."""
    name, _, factor = measure.partition("*")
    name, *units = name.split("/")
    return name, units, float(factor or 1)
