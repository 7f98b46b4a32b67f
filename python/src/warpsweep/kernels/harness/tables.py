"""What other harnesses say of a kernel: as warpsweep emulates them, and they themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from ...columns import reals, texts
from ...derived.marks import measured, remark
from ...directives import Skipped
from ...results import Results

POINT = ["size", "rounds"]
KEY = [".source", "cache", *POINT]
OWN, NCU = "warpsweep", "ncu"
BY = ("emulated", "the tool")
AGREES = 2.0  # %
COUNTER = "gpu__time_duration.sum"  # ns: what ncu prints as Duration


def harnesses(frame: pd.DataFrame) -> pd.DataFrame:
    """duration (us, by warpsweep in the same state of L2), ratio (the harness's time over it), harness, by (of BY), cache,
    size, rounds, compared (harness and state of L2): of each point and harness as emulated, and by the tool itself if a file of its times lies beside the results."""
    rows = measured(frame[frame["kernel"] == "harness"])
    if "harness" not in rows or rows.empty:
        raise Skipped("no point of the family harness was measured")
    rows = rows.assign(
        **{name: texts(rows, name) for name in ("harness", "cache")},
        **{name: reals(rows, name) for name in POINT},
        counted=1e-9 * reals(rows, COUNTER),
        mean=_means(frame.attrs["results"], rows),
    )
    own = rows[rows["harness"] == OWN]
    duration = own.set_index(KEY)["time_median"].rename("duration")
    if duration.index.has_duplicates:
        raise Skipped("points of one size, rounds and cache were measured more than once")
    emulated = rows[rows["harness"] != OWN].assign(seconds=lambda some: some["mean"])
    counted = own[own["cache"] == "clean"].assign(harness=NCU, seconds=own["counted"])
    said = [
        emulated.assign(by=BY[0]),
        counted.assign(by=BY[0]),
        *(of.assign(by=BY[1]) for of in _of_tools(frame.attrs["results"], rows)),
    ]
    made = pd.concat(said)[[*KEY, "harness", "by", "seconds"]].join(duration, on=KEY)
    made["ratio"], made["duration"] = made["seconds"] / made["duration"], 1e6 * made["duration"]
    made = made[np.isfinite(made["ratio"])].reset_index(drop=True).assign(kernel="harness")
    made["compared"] = made["harness"] + ", " + made["cache"] + " L2"
    if made.empty:
        raise Skipped("no point was timed by warpsweep and by another harness in one state of L2")
    return remark(made, [agreement(made)])


def agreement(made: pd.DataFrame) -> str:
    """How near emulations are to the tools."""
    wide = made.pivot_table("ratio", [*KEY, "harness"], "by").reindex(columns=list(BY)).dropna()
    if wide.empty:
        return ""
    off = 100 * (wide[BY[0]] / wide[BY[1]] - 1).abs()
    return (
        f"{(off <= AGREES).sum()} of {len(off)} emulations are within {AGREES:.0f} % of the tool,"
        f" the worst within {off.max():.1f} %"
    )


def _means(files: list[Results], rows: pd.DataFrame) -> pd.Series:
    """The mean over the samples of each row, as harnesses print it."""
    means = pd.Series(np.nan, rows.index)
    for number, results in enumerate(files):
        own, samples = rows[rows[".file_number"] == number], results.samples["seconds"].to_numpy()
        first = results.rows[results.rows["repeat"] == 0].drop_duplicates("id").set_index("id")
        for index, name in own["id"].items():
            begin, count = (int(first.at[name, of]) for of in ("sample_offset", "sample_count"))
            means[index] = samples[begin : begin + count].mean()
    return means


def tools_path(results: Results) -> Path:
    """Where examples/harnesses/tools.py has left the times of the tools: NAME.tools.csv beside NAME.h5."""
    return results.path.with_suffix(".tools.csv")


def _of_tools(files: list[Results], rows: pd.DataFrame) -> list[pd.DataFrame]:
    found = []
    for number, results in enumerate(files):
        own = rows[rows[".file_number"] == number]
        if tools_path(results).exists() and not own.empty:
            source = {".source": own[".source"].iloc[0]}
            found.append(pd.read_csv(tools_path(results)).assign(**source))
    return found
