"""What a textbook on the performance of CUDA kernels says, and what files have measured.

``profiles/textbook.csv`` is the one place of its statements: a row has the statement, what is printed (its text, and ``low`` to
``high`` in ``unit``), the points of its experiment (``where``; of a ratio also ``before`` and ``after``), the column that is
measured, the counters that say why, and the job of ``jobs/`` that has the points.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from . import units
from .columns import reals
from .comparison import entries
from .errors import UsageError
from .estimates import of_file
from .frames import frame
from .program import shipped
from .results import Results
from .selecting import where
from .sheet import Head, Sheet
from .verdicts import Rule, ratios

RATIO = "times"  # the unit of statements on two points: how much faster the second one is
NEAR = 1.1  # a factor: nearer to what is printed is as printed
NOTHING = 1.05  # a factor: nearer to 1 is no effect


@lru_cache(maxsize=None)
def statements() -> pd.DataFrame:
    """All rows, in the order of the book."""
    with open(shipped("profiles/textbook.csv"), encoding="utf-8", newline="") as file:
        found = pd.DataFrame(list(csv.DictReader(file)))
    found[["low", "high"]] = found[["low", "high"]].astype(float)
    return found


def compared(files: Iterable[Results]) -> pd.DataFrame:
    """A row for each statement and file that has measured its points: the columns of `statements`, ``source`` (the device),
    ``value_low`` and ``value_high`` (of a ratio its 95 % interval, else of all points), ``value`` (between these), ``verdict`` and
    ``counted`` (the counters before and after, in words)."""
    found = pd.DataFrame(
        [
            {**statement, "place": place, **about}
            for results in files
            for place, statement, about in _of_file(results)
        ],
        columns=[*statements(), "place", "source", "value", "value_low", "value_high", "counted"],
    )
    found["verdict"] = [_verdict(row) for row in found.to_dict("records")]
    return found.sort_values("place", kind="stable", ignore_index=True)


def _of_file(results: Results) -> Iterator[tuple[int, dict[str, Any], dict[str, Any]]]:
    rows = frame(results, canaries=True)
    rows = rows[(rows["status"] == "ok") & (rows["repeat"] == 0) & (rows["backend"] == "cuda")]
    for place, statement in enumerate(statements().to_dict("records")):
        sides = [
            _points(rows, f"{statement['where']} {statement[of]}") for of in ("before", "after")
        ]
        if statement["unit"] == RATIO:
            if [len(side) for side in sides] != [1, 1]:
                continue
            value = _speedup(results, *sides)
        else:
            scale = 100 if statement["unit"] == "%" else 1
            values = scale * reals(sides[0], statement["measure"]).dropna()
            if values.empty:
                continue
            value = {"value_low": values.min(), "value_high": values.max()}
            value["value"] = values.iloc[0] if len(values) == 1 else np.nan
            sides = sides[:1]
        source = sides[0][".source"].iloc[0]
        counted = "; ".join(
            filter(None, (_counted(sides, of) for of in statement["counters"].split()))
        )
        yield place, statement, {"source": source, "counted": counted, **value}


def _points(rows: pd.DataFrame, conditions: str) -> pd.DataFrame:
    """The rows that meet them; none if the file does not know an axis or a word."""
    try:
        return where(rows, conditions.split(), strict=False)
    except UsageError:
        return rows.iloc[:0]


def _speedup(results: Results, before: pd.DataFrame, after: pd.DataFrame) -> dict[str, float]:
    """How much faster the point ``after`` is."""
    a, b = (entries(of_file(results), side.index.to_numpy()) for side in (after, before))
    found = ratios(Rule(), a, b).iloc[0]
    return {"value": found["ratio"], "value_low": found["low"], "value_high": found["high"]}


def _counted(sides: Sequence[pd.DataFrame], name: str) -> str:
    """A counter in words, before and after; of several points from the least to the most."""
    values = pd.concat([reals(side, name) for side in sides])
    if values.isna().any():
        return ""
    if len(sides) == 1:
        values = pd.Series([values.min(), values.max()])
    numbers = (f"{one:,.0f}" if one >= 1000 else f"{one:.3g}" for one in values)
    percent = " %" if sides[0].attrs["columns"][name].unit == "%" else ""
    return f"{name.replace('_', ' ')} {' to '.join(dict.fromkeys(numbers))}{percent}"


def _verdict(row: dict[str, Any]) -> str:
    low, high = row["value_low"], row["value_high"]
    if low <= row["high"] * NEAR and high >= row["low"] / NEAR:
        return "as printed"
    if row["unit"] != RATIO:
        return "less" if high < row["low"] else "more"
    if 1 / NOTHING <= low and high <= NOTHING:
        return "no effect"
    if high < 1 < row["low"]:
        return "the opposite"
    return "less" if high < row["low"] else "more"


def sheet(rows: pd.DataFrame, caption: str = "") -> Sheet:
    """Of `compared`: a row for each statement, a column for each device."""
    first = rows.drop_duplicates("place", keep="last")
    devices = list(dict.fromkeys(rows["source"]))
    own = rows.drop_duplicates(["place", "source"]).groupby("place")
    verdicts = own["verdict"].agg(lambda words: " / ".join(dict.fromkeys(words)))
    values = [
        [
            next((_value(row) for _, row in of[of["source"] == device].iterrows()), None)
            for _, of in own
        ]
        for device in devices
    ]
    return Sheet.of(
        [
            (Head("Statement", "wraps"), first["statement"]),
            (Head("The book", "wraps"), first["printed"]),
            *((Head(device, "right"), cells) for device, cells in zip(devices, values)),
            (Head("Verdict"), verdicts),
            (
                Head(f"Counters, {devices[-1]}" if devices else "Counters", "wraps"),
                first["counted"],
            ),
            (Head("Job"), first["job"]),
        ],
        "textbook",
        caption,
        True,
    )


def _value(row: pd.Series[Any]) -> str:
    if row["unit"] == RATIO:
        return units.format(row["value"], (row["value_high"] - row["value_low"]) / 2)
    return f"{units.span(row['value_low'], row['value_high'])} {row['unit']}"
