"""Loads from the first launch on: rate, SM clock and power of the samples of a job with `clock: transient`."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..columns import reals
from ..directives import Skipped
from ..results import Results
from ..units import choose
from .marks import measured, point_names, remark

BINS = 48  # of equal width on a logarithmic axis
MEGA = choose("Hz", 1e9)  # as tables have clocks
QUANTITIES = ("rate (% of the first)", f"SM clock ({MEGA.symbol})", "board power (W)")
FIRST = 0.02  # s: the rate of the samples before is 100 %


def transients(frame: pd.DataFrame) -> pd.DataFrame:
    """since (s), value, quantity (of QUANTITIES), point: means of the samples that end in an interval of time, of all
    processes."""
    rows, parts = measured(frame), []
    for number, results in enumerate(frame.attrs["results"]):
        own = rows[rows[".file_number"] == number]
        for index, samples in _samples(results, own):
            part = _course(samples)
            parts.append(part.assign(**{".source": own.at[index, ".source"], ".row": index}))
    if not parts:
        raise Skipped("no samples have a time since the first launch: timing: {clock: transient}")
    made = pd.concat(parts, ignore_index=True)
    chosen = rows.loc[made[".row"].unique()]
    made["point"] = made[".row"].map(point_names(chosen, ("kernel", "variant")))
    made["kernel"] = made[".row"].map(chosen["kernel"])
    last = made[made["quantity"] == QUANTITIES[0]].groupby([".source", "point"])["value"].last()
    return remark(
        made.drop(columns=".row"),
        [
            f"At the end rates are {last.min():.0f} to {last.max():.0f} % of the first {1e3 * FIRST:.0f} ms"
        ],
    )


def _samples(results: Results, rows: pd.DataFrame) -> list[tuple[int, pd.DataFrame]]:
    """The samples of each row that have a time since the first launch."""
    samples = results.samples
    if "since" not in samples:
        return []
    first = results.rows[results.rows["repeat"] == 0].drop_duplicates("id").set_index("id")
    found = []
    for index, name in rows["id"].items():
        begin, count = (int(first.at[name, of]) for of in ("sample_offset", "sample_count"))
        own = samples.iloc[begin : begin + count]
        if own["since"].notna().any():
            found.append((index, own))
    return found


def _course(samples: pd.DataFrame) -> pd.DataFrame:
    """The means of one point."""
    rate = 1 / samples["seconds"]
    of = pd.DataFrame(
        {
            QUANTITIES[0]: 100 * rate / rate[samples["since"] <= FIRST].mean(),
            QUANTITIES[1]: reals(samples, "sm_clock") / MEGA.scale,
            QUANTITIES[2]: reals(samples, "power"),
        }
    )
    since = np.log(samples["since"])
    place = np.floor(BINS * (since - since.min()) / max(float(np.ptp(since)), 1e-9))
    place = place.clip(upper=BINS - 1)  # the end belongs to the last interval
    means = of.groupby(place).mean().assign(since=np.exp(since.groupby(place).mean()))
    return means.melt("since", var_name="quantity", value_name="value").dropna()
