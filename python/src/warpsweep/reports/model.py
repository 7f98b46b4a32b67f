"""The access model against hardware counters: where predicted columns differ from what was counted."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..findings import point_text
from ..frames import axes, points
from ..laws import number as column
from ..sheet import Document
from . import plural, print_sources

SHOWN = 20  # points listed of one column
HEADS = ["column", ">points compared", ">not counted", ">largest difference", ">disagree"]


def limit(name: str) -> float:
    """The accepted difference relative to the prediction. Counts per request are quotients of integers, equal but for
    rounding."""
    return 1e-9 if "_per_request" in name else 2e-2 if name.startswith("dram_") else 1e-3


def differences(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each measured point and column of the access model that has a prediction: `kernel`, `column`, `row`
    (label of `frame`), `predicted`, `measured` (NaN: not counted), `difference` (relative; infinite where 0 was
    predicted), `off` (beyond the limit). The column `dram_ratio` is 1 unless the state of the caches had another
    effect."""
    from ..time_model import ACCESSES  # inputs of that model, which no counter counts

    rows = points(frame)
    rows = rows[rows["status"] == "ok"]
    known = frame.attrs["columns"]
    names = [name[len("predicted_"):] for name in rows.columns if name.startswith("predicted_")
             and not name.startswith("predicted_time") and name not in ACCESSES and known.role(name) == "prediction"]
    parts = [_of(rows, name, column(rows, "predicted_" + name)) for name in names]
    ratio = column(rows, "dram_ratio")
    parts.append(_of(rows, "dram_ratio", ratio.where(ratio.isna(), 1.0)))
    return pd.concat(parts, ignore_index=True)


def _of(rows: pd.DataFrame, name: str, predicted: pd.Series) -> pd.DataFrame:
    measured = column(rows, name)
    with np.errstate(all="ignore"):
        apart = ((measured - predicted).abs() / predicted.abs()).mask(predicted == measured, 0.0)
    apart = apart.mask((predicted == 0) & measured.notna() & (measured != 0), np.inf)
    found = pd.DataFrame({"kernel": rows["kernel"], "column": name, "row": rows.index, "predicted": predicted,
                          "measured": measured,
                          "difference": apart, "off": apart > limit(name)})
    return found[predicted.notna()]


def _share(share: float) -> str:
    return "-" if np.isnan(share) else "predicted 0" if np.isinf(share) else f"{100 * share:.3g} %"


def print_model(document: Document, frame: pd.DataFrame) -> int:
    """The tables of all kernels; returns how many numbers disagree."""
    document.heading(1, "Model against hardware")
    print_sources(document, frame)
    every = differences(frame)
    measured = points(frame)
    measured = measured[measured["status"] == "ok"]
    for kernel, own in every.groupby("kernel"):
        document.heading(2, kernel)
        sums = own.groupby("column", sort=False).agg(counted=("measured", "count"), all=("row", "size"),
                                                     largest=("difference", "max"), off=("off", "sum"))
        document.texts(HEADS, [[name, str(row["counted"]), str(row["all"] - row["counted"]), _share(row["largest"]),
                                 str(row["off"])]
                                for name, row in sums.astype(object).iterrows()])
        family = measured[measured["kernel"] == kernel]
        for name, off in own[own["off"]].groupby("column", sort=False):
            document.paragraph(f"{name} disagrees on {len(off)} of {sums['counted'][name]} points:")
            document.texts(["id", "point", ">predicted", ">measured", ">difference"],
                           _listed(frame, family, off.head(SHOWN)))
            if len(off) > SHOWN:
                document.paragraph(f"... and {len(off) - SHOWN} more.")
    if not every["measured"].notna().any() and len(every):
        document.paragraph("No counter was read: nothing can be compared with the predictions.")
    elif not len(every):
        document.paragraph("These files have no predictions: their predicted columns are missing or empty.")
    else:
        document.paragraph(f"{plural(int(every['off'].sum()), 'disagreement')} in total.")
    return int(every["off"].sum())


def _listed(frame: pd.DataFrame, family: pd.DataFrame, off: pd.DataFrame) -> list[list[str]]:
    varying = axes(family)
    return [[frame["id"][one["row"]], point_text(frame, frame.loc[one["row"]], varying), f"{one['predicted']:.9g}",
             f"{one['measured']:.9g}", _share(one["difference"])] for _, one in off.iterrows()]
