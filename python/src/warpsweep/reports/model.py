"""The access model against hardware counters: where predicted columns differ from what was counted."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..columns import reals
from ..selecting import axes, points
from ..sheet import Document
from ..time_model import ACCESSES  # inputs of that model, which no counter counts
from ..units import plural
from ..values import point
from .sources import print_sources

SHOWN = 20  # points listed of one column
EXACT, COUNTS, DRAM = 1e-9, 1e-3, 2e-2  # limits of relative differences


def differences(frame: pd.DataFrame) -> pd.DataFrame:
    """`kernel`, `column`, `row` (label of `frame`), `predicted`, `measured` (NaN: not counted), `difference` (relative) and `off`
    (beyond the limit) of each measured point and predicted column. `dram_ratio` is 1 unless caches had an effect."""
    names = [
        name[len("predicted_") :]
        for name in frame
        if name.startswith("predicted_")
        and not name.startswith("predicted_time")
        and name not in ACCESSES
        and frame.attrs["columns"].role(name) == "prediction"
    ]
    rows = frame[(frame["status"] == "ok") & (frame["repeat"] == 0)]
    predicted = rows[[f"predicted_{name}" for name in names]].set_axis(names, axis=1)
    ratio = reals(rows, "dram_ratio")
    predicted = predicted.dropna(axis=1, how="all")  # of many columns none applies
    predicted = predicted.assign(dram_ratio=ratio.where(ratio.isna(), 1.0)).astype(float)
    found = (
        predicted.melt(var_name="column", value_name="predicted", ignore_index=False)
        .rename_axis("row")
        .reset_index()
    )
    found["measured"] = np.concatenate([reals(rows, name) for name in predicted])
    found.insert(0, "kernel", rows["kernel"].reindex(found["row"]).to_numpy())
    found = found.dropna(subset="predicted")
    with np.errstate(all="ignore"):
        apart = (found["measured"] - found["predicted"]).abs() / found["predicted"].abs()
    found["difference"] = apart.mask(found["predicted"] == found["measured"], 0.0)  # 0 of 0, too
    what = found[
        "column"
    ].str  # counts per request are quotients of integers, equal but for rounding
    limit = np.where(
        what.contains("_per_request"), EXACT, np.where(what.startswith("dram_"), DRAM, COUNTS)
    )
    return found.assign(off=found["difference"] > limit).reset_index(drop=True)


def _share(share: float) -> str:
    if np.isinf(share):
        return "predicted 0"
    return "-" if np.isnan(share) else f"{100 * share:.3g} %"


def print_model(document: Document, frame: pd.DataFrame) -> None:
    """The tables of all kernels, and how many numbers disagree."""
    document.heading(1, "Model against hardware")
    print_sources(document, frame)
    every, measured = differences(frame), points(frame)
    for kernel, own in every.groupby("kernel"):
        document.heading(2, kernel)
        sums = own.groupby("column", sort=False).agg(
            counted=("measured", "count"),
            all=("row", "size"),
            largest=("difference", "max"),
            off=("off", "sum"),
        )
        document.frame(
            [
                {
                    "column": name,
                    ">points compared": str(counted),
                    ">not counted": str(number - counted),
                    ">largest difference": _share(largest),
                    ">disagree": str(off),
                }
                for name, counted, number, largest, off in sums.itertuples()
            ]
        )
        varying = axes(measured[(measured["kernel"] == kernel) & (measured["status"] == "ok")])
        for name, off in own[own["off"]].groupby("column", sort=False):
            document.paragraph(
                f"{name} disagrees on {len(off)} of {plural(sums['counted'][name], 'point')}:"
            )
            document.frame(
                [
                    {
                        "id": frame["id"][at],
                        "point": point(frame.loc[at], frame.attrs["columns"], varying),
                        ">predicted": f"{predicted:.9g}",
                        ">measured": f"{counted:.9g}",
                        ">difference": _share(apart),
                    }
                    for at, predicted, counted, apart in off[
                        ["row", "predicted", "measured", "difference"]
                    ]
                    .head(SHOWN)
                    .itertuples(index=False)
                ]
            )
            if len(off) > SHOWN:
                document.paragraph(f"... and {len(off) - SHOWN} more.")
    text = f"{plural(int(every['off'].sum()), 'disagreement')} in total."
    if not len(every):
        text = "These files have no predictions: their predicted columns are missing or empty."
    elif every["measured"].isna().all():
        text = "No counter was read: nothing can be compared with the predictions."
    document.paragraph(text)
