"""What a textbook on the performance of CUDA kernels says, and what files have measured.

``profiles/textbook.csv`` is the one place of its statements: a row has the statement, its name in figures, what is printed (its text, and ``low`` to
``high`` in ``unit``), the points of its experiment (``kernel``, ``where``; of a ratio also ``before`` and ``after``), the column that is
measured, the counters that say why, and the job of ``jobs/`` that has the points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from . import units
from .columns import reals
from .comparison import entries
from .errors import UsageError
from .estimates import of_file
from .frames import Groups, add_groups, frame
from .program import shipped
from .results import Results
from .rows import meets
from .selecting import may_name, where
from .sheet import Head, Sheet
from .verdicts import Rule, ratios

RATIO = "times"  # the unit of statements on two points: how much faster the second one is
NEAR = 1.1  # a factor: nearer to what is printed is as printed
VALUES = ["value", "value_low", "value_high"]
NOTHING = 1.05  # a factor: nearer to 1 is no effect


@lru_cache(maxsize=None)
def statements() -> pd.DataFrame:
    """All rows, in the order of the book."""
    found = pd.read_csv(shipped("profiles/textbook.csv"), dtype=str, keep_default_na=False)
    found[["low", "high"]] = found[["low", "high"]].astype(float)
    return found


def compared(files: Iterable[Results]) -> pd.DataFrame:
    """A row for each statement and file that has measured its points: the columns of `statements`, ``place`` (of the statement),
    ``source`` (the device's label in a frame of all files), ``value_low`` and ``value_high`` (of a ratio its 95 %
    interval, else of all points), ``value`` (between these), ``verdict`` and ``counted`` (the counters before and after, in words)."""
    parts, groups = [], Groups()
    for results in files:
        if results.statements[0] is not results.rows:  # a paper has them in a table and a figure
            results.statements = results.rows, _of_file(results)
        # Several files of a product have labels of their own beside each other.
        labels = dict(zip(add_groups(Groups(), results), add_groups(groups, results)))
        of = results.statements[1]
        parts.append(of.assign(source=of["source"].replace(labels)))
    found = pd.concat(parts, ignore_index=True)
    found["verdict"] = [_verdict(row) for row in found.to_dict("records")]
    return found.sort_values("place", kind="stable", ignore_index=True)


def _of_file(results: Results) -> pd.DataFrame:
    """The same of one file, without verdicts."""
    of = statements()
    named = may_name(of[["where", "before", "after", "measure", "counters"]].to_numpy().ravel())
    rows = frame(results, canaries=True, predicted=False, columns=named)
    rows = rows[meets(rows, ["status=ok", "repeat=0", "backend=cuda"])]
    rows = rows[[name for name in rows if name in {*named, "kernel", "id", ".source"}]]
    kernels, found = dict(list(rows.groupby("kernel"))), []
    for place, statement in of[of["kernel"].isin(kernels)].iterrows():
        needed = ("before", "after") if statement["unit"] == RATIO else ("before",)
        sides = [points(kernels[statement["kernel"]], statement, side) for side in needed]
        counts = [len(side) for side in sides]
        if counts == [1, 1] or len(counts) == 1 and counts[0]:
            values = reals(sides[0], statement["measure"])
            counters = (_counted(sides, name) for name in statement["counters"].split())
            found.append(
                {
                    **statement,
                    "place": place,
                    "source": sides[0][".source"].iloc[0],
                    "counted": "; ".join(filter(None, counters)),
                    "at": [side.index[0] for side in sides],
                    "ids": " ".join(side["id"].iloc[0] for side in sides),
                    "value": values.iloc[0] if len(values) == 1 else np.nan,
                    "value_low": values.min(),
                    "value_high": values.max(),
                }
            )
    made = pd.DataFrame(found, columns=[*of, "place", "source", "counted", "at", "ids", *VALUES])
    # A file without statements beside others must not make their numbers objects.
    made = made.astype(dict.fromkeys(["low", "high", *VALUES], float) | {"place": int})
    made.loc[made["unit"] == "%", VALUES] *= 100
    ratio = made["unit"] == RATIO
    if ratio.any():
        made.loc[ratio, VALUES] = _speedups(results, *zip(*made.loc[ratio, "at"]))
    return made.drop(columns="at")


def points(rows: pd.DataFrame, statement: Mapping[str, Any], side: str) -> pd.DataFrame:
    """The rows of its kernel that a statement is about, ``before`` or ``after``; none if the file does not know an axis or a word."""
    try:
        return where(rows, f"{statement['where']} {statement[side]}", strict=False)
    except UsageError:
        return rows.iloc[:0]


def _speedups(results: Results, before: Sequence[int], after: Sequence[int]) -> np.ndarray:
    """How much faster each point ``after`` is, and the ends of the interval; both are rows of the file."""
    a, b = (entries(of_file(results), np.array(side)) for side in (after, before))
    return ratios(Rule(), a, b)[["ratio", "low", "high"]].to_numpy()


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


def sheet(rows: pd.DataFrame, caption: str = "", *, jobs: bool = True) -> Sheet:
    """Of `compared`: a row for each statement, a column for each device; ``jobs``: and the job that measures it."""
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
            *([(Head("Job"), first["job"])] * jobs),
        ],
        "textbook",
        caption,
        True,
    )


def _value(row: pd.Series[Any]) -> str:
    if row["unit"] == RATIO:
        return units.format(row["value"], (row["value_high"] - row["value_low"]) / 2)
    return f"{units.span(row['value_low'], row['value_high'])} {row['unit']}"
