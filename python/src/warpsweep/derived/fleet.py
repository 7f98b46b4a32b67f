"""How much slower each GPU of a fleet is than the median GPU."""
from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..directives import Skipped
from ..estimates import cells
from ..fleet import LEAST, fleets
from .rows import remark

NONE = "no three devices of one model measured the same points"


def fleet(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """rank (1: the slowest of its product), effect, effect_low, effect_high (% slower than the median device: median,
    5th and 95th percentile over points), z, judged (outlier, or like the rest)."""
    files = frame.attrs["results"]
    if len(files) != 1:
        raise Skipped("it needs one file, not several")
    if files[0].devices["name"].value_counts().max() < LEAST:  # the samples need not be read
        raise Skipped(NONE)
    made, notes, first = [], [], cells(files[0])
    first = first[((files[0].rows["status"] == "ok") & (files[0].rows["repeat"] == 0)).to_numpy()[first["row"]]]
    for one in fleets(files[0]):
        if not one.points:
            continue
        own = first[first["device"].isin(one.devices["device"])]
        times = own.groupby(["row", "device"])["log_median"].mean().unstack()
        times = times[times.count(axis=1) >= LEAST]
        ends = np.expm1(times.sub(times.median(axis=1), axis=0).quantile([0.05, 0.95]))
        known = one.devices.assign(rank=np.arange(1.0, len(one.devices) + 1)).dropna(subset=["effect"])
        known = known.set_index("device")
        made.append(pd.DataFrame({
            "source": one.product, "kernel": "fleet", "rank": known["rank"], "effect": 100 * np.expm1(known["effect"]),
            "effect_low": 100 * ends.loc[0.05], "effect_high": 100 * ends.loc[0.95], "z": known["z"],
            "judged": known["outlier"].map({True: "outlier", False: "like the rest"})}).sort_values("rank"))
        count = int(one.devices["outlier"].sum())
        notes.append(f"{len(one.devices)} GPUs, {one.nodes} nodes, {one.points} points, {count} "
                     f"outlier{'' if count == 1 else 's'}; bars: 5th to 95th percentile of points")
    if not made:
        raise Skipped(NONE)
    return remark(pd.concat(made, ignore_index=True), notes)
