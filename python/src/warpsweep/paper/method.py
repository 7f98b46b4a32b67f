"""How files were measured, in numbers: the words are the macros `method`, `file` and `device` of sentences.txt."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..frames import is_shared, points
from ..laws import listed, number, word
from ..results import Results

REPLICATED = ("processes", "between")  # known of files whose points were timed by several processes


def is_timed(results: Results) -> pd.Series:
    """Rows, repetitions included, whose time was measured: neither predicted nor failed."""
    return np.isfinite(number(results.rows, "time_median")) & (word(results.rows, "backend") != "predicted")


def counted(results: Results) -> int:
    """The number of points whose hardware counters were read."""
    rows = points(results.rows)
    if "counters_status" in rows:
        return int((rows["counters_status"] == "counted").sum())
    counters = [name for name, one in results.columns.items() if one.role == "counter" and name in rows]
    return int(rows[counters].notna().any(axis=1).sum())


def drift(results: Results) -> float:
    """The largest relative deviation of a repeated point from its first measurement on the same device."""
    rows, keys = results.rows[is_timed(results)], ["id", "device"]
    both = rows.loc[rows["repeat"] != 0, [*keys, "time_median"]].merge(points(rows)[[*keys, "time_median"]], on=keys)
    return float((both["time_median_x"] / both["time_median_y"] - 1).abs().max())


def numbers(results: Results) -> dict[str, float]:
    """Points by what was done with them, and medians over timed rows."""
    every, rows = results.rows[is_timed(results)], points(results.rows)
    found = {value: (word(points(every), name) == value).sum() for name, values in (
        ("timer", ("graph", "single", "clock")), ("cache", ("cold", "clean", "hot", "rotate")), ("backend", ("fake",)))
        for value in values}
    medians = {"samples": ("sample_count", 1), "processes": ("processes", 1), "within": ("sd_sample", 100),
               "clock_mhz": ("sm_clock", 1e-6)}
    found.update({name: number(every, of).median() * scale for name, (of, scale) in medians.items()})
    # between: zero at half of the points of quiet devices, so a median says nothing
    return {**found, "between": 100 * number(every, "sd_process").quantile(0.9), "counted": counted(results),
            "verified": ((number(rows, "verified") > 0) & (word(rows, "backend") == "cuda")).sum(),
            "throttled": (word(rows, "throttle") != "").sum(), "shared": is_shared(rows).sum(), "drift": 100 * drift(results)}


def facts(files: Sequence[Results]) -> dict[str, Any]:
    """What the macro `method` says of files: numbers as texts, of each file where they differ. Empty: nothing measured."""
    files = [file for file in files if is_timed(file).any()]
    if not files:
        return {}
    of = pd.DataFrame([numbers(file) for file in files]).astype(float)
    several = of["between"].notna()
    rules = {(file.env("timing") or "").partition(", ")[2] for file in files}
    return {**{name: _each(values[several] if name in REPLICATED else values) for name, values in of.items()},
            "rule": rules.pop() if len(rules) == 1 else "", "replicated": several.any(), "alone": not several.all(),
            "notes": sorted({file.env("counters_note") or "" for file in files} - {""})}


def _each(values: pd.Series) -> str:
    if not np.isfinite(values).all() or not values.any():
        return ""
    shown = [f"{value:.2g}" if value < 10 else f"{value:.0f}" for value in values]
    return listed(shown if len(set(shown)) > 1 else shown[:1])
