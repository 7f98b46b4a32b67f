"""Tables of single rows: predictions against measurements, and repetitions of canaries."""
from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..comparison import knows_addresses
from ..directives import Skipped
from .rows import measured, real, remark, text

EQUAL = 1e-9  # relative: quotients of whole numbers differ only by rounding
NEAR = 1.15   # the factor of the band that the figure draws
COUNTS = {"loads": "load_sectors", "stores": "store_sectors", "shared loads": "shared_load_wavefronts",
          "shared stores": "shared_store_wavefronts"}
CLASSES = ("addresses unknown: lower bound", "host link", "addresses known")


def residuals(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """access, predicted, counted (sectors, of shared memory wavefronts, per request), residual (%): the points whose
    counter differs from the access model."""
    points, parts = measured(frame), []
    for access, counter in COUNTS.items():
        counts = pd.DataFrame({"source": points["source"], "kernel": points["kernel"], "access": access,
                               "predicted": real(points, f"predicted_{counter}_per_request"),
                               "counted": real(points, f"{counter}_per_request")})
        parts.append(counts[(counts["predicted"] > 0) & (counts["counted"] > 0)])
    counts = pd.concat(parts, ignore_index=True)
    if counts.empty:
        raise Skipped("no point has both counters and predictions")
    off = counts["counted"] / counts["predicted"] - 1
    unlike = counts.assign(residual=100 * off)[off.abs() > EQUAL]
    if unlike.empty:
        raise Skipped(f"all {len(counts)} counts are as predicted")
    return remark(unlike, [f"{len(counts) - len(unlike)} of {len(counts)} counts are as predicted"])


def predicted(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """predicted, measured (ms), class (whether the model knows the addresses; host link): measured CUDA points with a
    predicted time. Later classes are drawn on top."""
    points = measured(frame)
    points = points[(text(points, "backend") == "cuda") & (real(points, "predicted_time") > 0)
                    & (real(points, "time_median") > 0)]
    if points.empty:
        raise Skipped("no point has a predicted time")
    number = pd.Series(knows_addresses(points), points.index).astype(int) * 2
    number = number.mask(text(points, "roof").isin(["link_h2d", "link_d2h"]), 1)
    made = pd.DataFrame({"source": points["source"], "kernel": points["kernel"],
                         "predicted": 1e3 * points["predicted_time"], "measured": 1e3 * points["time_median"],
                         "class": number.map(dict(enumerate(CLASSES)))})
    known = made[number == 2]
    near = np.abs(np.log(known["measured"] / known["predicted"])) <= np.log(NEAR)
    made = made.loc[number.sort_values(kind="stable").index]
    return remark(made, [f"Of {len(known)} points with known addresses, {near.sum()} are within 15 % of the prediction"
                         if len(known) else ""])


def canaries(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """order, quantity (time, SM clock, power), change, change_low, change_high (% from its first repetition)."""
    points = frame[(real(frame, "canary") == 1) & (frame["status"] == "ok") & (text(frame, "source") != "")]
    points = points.sort_values("repeat", kind="stable")
    parts = []
    for quantity, column in (("time", "time_median"), ("SM clock", "sm_clock"), ("power", "power")):
        own = real(points, column)
        base = own.groupby([points["source"], points["id"]]).transform(lambda values: values.iloc[0])
        ends = {"change_low": "time_ci_low", "change_high": "time_ci_high"} if quantity == "time" else {}
        part = pd.DataFrame({"source": points["source"], "kernel": points["kernel"], "quantity": quantity,
                             "order": points["repeat"], "change": 100 * (own / base - 1),
                             "change_low": np.nan, "change_high": np.nan,
                             **{end: 100 * (real(points, of) / base - 1) for end, of in ends.items()}})
        parts.append(part[(base > 0) & (own > 0)])
    made = pd.concat(parts, ignore_index=True) if len(points) else pd.DataFrame()
    if made.empty:
        raise Skipped("no canary was repeated")
    throttled = (text(points, "throttle") != "").sum()
    return remark(made, [f"{throttled} of {len(points)} repetitions while the clock was throttled"])
