"""The time model against measured times: what bounds each point, and where the model is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..errors import UsageError
from ..findings import knows_addresses, value_text
from ..frames import axes, frame, points
from ..laws import number as column, word
from ..results import Results
from ..sheet import Document
from ..units import seconds_text
from . import number, share, table

NEAR, WRONG = 0.07, 0.15  # errors up to which predictions are counted, and beyond which they are listed
APART = 1.05  # pairs of variants with a smaller ratio of times are not ordered
IDLE, FULL = 0.6, 0.8  # of a unit's peak, as Nsight Compute has them: below it is no bound, above it is the bound
SHOWN = 200
FEW = 5  # values of an axis that are named
FLAT = ("latency", "launch", "tail")  # bounds that leave every unit idle
SOURCES = {"none": "before a run, --code none", "compiled": "before a run, --code compiled",
           "counted": "after a run, --code counted"}


def verdicts(rows: pd.DataFrame, predicted: pd.DataFrame) -> pd.DataFrame:
    """The measured rows that have a prediction, sorted by kernel, with its columns (time_model.predict) and `ratio`
    (measured over predicted), `plain` (measured over bytes at the copy roof), `addresses` (known to the model),
    `busiest` and `busy`: the busiest unit by the counters ("latency": all are idle; "none": not counted) and its share
    of the peak."""
    rows = rows.drop(columns=[name for name in predicted if name in rows])
    every = pd.concat([rows, predicted], axis=1)[predicted["predicted_time"] > 0].copy()
    useful = column(every, "bytes_read") + column(every, "bytes_written")
    added = pd.DataFrame({"ratio": every["time_median"] / every["predicted_time"],
                          "plain": every["time_median"] / (useful / column(every, "device.peak_copy")),
                          "addresses": knows_addresses(every), **_busiest(every)}, index=every.index)
    every = pd.concat([every, added], axis=1).sort_values("kernel", kind="stable")
    every.attrs = rows.attrs
    return every


def verdicts_of(rows: pd.DataFrame, profile: Any = None, code: str = "counted") -> pd.DataFrame:
    """`verdicts` of the measured rows of a frame: by the model of today where the rows have its inputs, else by the
    predictions that the files hold."""
    from ..time_model import INPUTS, predict

    rows = points(rows)
    rows = rows[(rows["status"] == "ok") & (rows["time_median"] > 0) & (rows["device.backend"] == "cuda")]
    if set(INPUTS) <= set(rows):
        return verdicts(rows, predict(rows, profile, code))
    if "predicted_time" not in rows:
        return rows.head(0)
    return verdicts(rows, rows[["predicted_time", *(name for name in ("bound", "bound_second") if name in rows)]])


def _busiest(rows: pd.DataFrame) -> dict[str, Any]:
    seconds, read = rows["time_median"], column(rows, "dram_bytes_read")
    shares = pd.DataFrame({
        "dram": (read + column(rows, "dram_bytes_written")) / seconds / column(rows, "device.peak_copy"),
        # it counts fills from DRAM again
        "l2": (column(rows, "l2_bytes") - read) / seconds / column(rows, "device.peak_l2_copy"),
        "shared": column(rows, "shared_utilization") / 100,
        "issue": column(rows, "sm_active") / 100 * column(rows, "issue_active") / 100}).fillna(0.0)
    busy = shares.max(axis=1)
    unit = shares.idxmax(axis=1).where(busy > IDLE, "latency").where(column(rows, "issue_active").notna(), "none")
    return {"busiest": unit, "busy": busy.clip(lower=IDLE)}


def within(ratio: pd.Series, error: float) -> pd.Series:
    """Whether a ratio is within an error of 1, either way."""
    return (ratio < 1 + error) & (ratio > 1 / (1 + error))


def ranking(of: pd.DataFrame) -> tuple[int, int]:
    """Of the pairs of points that differ in the variant alone, and in time by over 5 %: how many the model orders as
    they were measured, and how many there are."""
    keys = ["kernel", *(axis for axis in axes(of) if axis != "variant")]
    right = pairs = 0
    for _, group in of.groupby(keys, dropna=False, sort=False):
        if len(group) > 1:
            a, b = np.triu_indices(len(group), 1)
            measured, predicted = ((values[a] / values[b]) for values in (group[name].to_numpy()
                                                                          for name in ("time_median", "predicted_time")))
            apart = (measured >= APART) | (measured <= 1 / APART)
            pairs += int(apart.sum())
            right += int((apart & ((measured > 1) == (predicted > 1)) & (predicted != 1)).sum())
    return right, pairs


def fits(of: pd.DataFrame) -> tuple[int, int]:
    """How many bounds agree with the busiest unit by the counters, of those that counters can tell."""
    told = of[(of["busiest"] != "none") & ~of["bound"].isin(["l1", "link", "peer"])]
    flat = told["bound"].isin(FLAT)
    wanted = told["bound"].replace({"flop": "issue"})
    good = (flat & ((told["busiest"] == "latency") | (told["busy"] < FULL))) | (~flat & (told["busiest"] == wanted))
    return int(good.sum()), len(told)


# ---- Tables ----


def _of(pair: tuple[int, int]) -> str:
    return f"{pair[0]} / {pair[1]}"


def _print_accuracy(document: Document, sources: dict[str, pd.DataFrame]) -> None:
    document.paragraph("Accuracy by what a prediction knew. Useful bytes and flops are all that is known of points "
                       "whose addresses are not.")
    rows = []
    for source, every in sources.items():
        for name, of in (("known", every[every["addresses"]]), ("known or not", every)):
            if len(of):
                rows.append([source, name, str(len(of)), *(share(found.sum(), len(of)) for found in (
                    within(of["ratio"], NEAR), within(of["ratio"], WRONG), of["ratio"] < 1)), _of(ranking(of))])
    table(document, ["prediction", "addresses", ">points", ">within 7 %", ">within 15 %", ">faster than predicted", ">variants in order"],
          rows)


def _print_kernels(document: Document, every: pd.DataFrame) -> None:
    def cells(name: str, of: pd.DataFrame, median: float) -> list[str]:
        return [name, str(len(of)), str(of["addresses"].sum()), share(within(of["ratio"], NEAR).sum(), len(of)),
                share(within(of["ratio"], WRONG).sum(), len(of)), number("{:.2f}", median), share(within(of["plain"], WRONG).sum(), len(of)),
                _of(ranking(of)), _of(fits(of))]

    rows = []
    for kernel, of in every.groupby("kernel", sort=False):  # where addresses of some points are known, only these are judged
        rows.append(cells(kernel, of[of["addresses"]] if of["addresses"].any() else of, of["ratio"].median()))
    known = every[every["addresses"]]
    families = [of for _, of in known.groupby("kernel", sort=False)]
    sums = [_of(tuple(np.sum([[0, 0], *map(count, families)], axis=0))) for count in (ranking, fits)]  # axes differ from family to family
    rows.append([*cells("all whose addresses are known", known, np.nan)[:7], *sums])
    table(document, ["kernel", ">points", ">addresses known", ">within 7 %", ">within 15 %", ">measured / predicted, median",
                     ">bytes / peak within 15 %", ">variants in order", ">bound as counted"], rows)


def _print_where(document: Document, every: pd.DataFrame) -> None:
    from ..time_model import BOUNDS

    rows = []
    for kernel, family in every.groupby("kernel", sort=False):
        varying = axes(family)
        for bound in BOUNDS:
            of = family[family["bound"] == bound]
            values = [(axis, of[axis].drop_duplicates()) for axis in varying] if len(of) else []
            named = [f"{axis}={','.join(value_text(every, axis, value) for value in some)}" for axis, some in values if len(some) <= FEW]
            if len(of):
                rows.append([kernel, bound, str(len(of)), share(within(of["ratio"], WRONG).sum(), len(of)), " ".join(named)])
    document.paragraph("Bounds by kernel (axes with at most five values):")
    table(document, ["kernel", "bound", ">points", ">within 15 %", "where"], rows)


def _print_wrong(document: Document, every: pd.DataFrame) -> int:
    wrong = every[every["addresses"] & ~within(every["ratio"], WRONG)]
    wrong = wrong.loc[np.log(wrong["ratio"]).abs().sort_values(ascending=False, kind="stable").index]
    document.paragraph(f"{len(wrong)} points with known addresses are off by over 15 %, worst first. Points whose "
                       "addresses are not known are not listed:")
    names = axes(every, varying=False)
    if len(wrong):
        table(document, [">measured / predicted", ">measured", ">predicted", "bound", "counted busiest", "id", "point"], [
            [f"{row['ratio']:.2f}", seconds_text(row["time_median"]), seconds_text(row["predicted_time"]),
             f"{row['bound']}, then {row['bound_second']}", row["busiest"], row["id"],
             " ".join([row["kernel"], *(f"{axis}={value_text(every, axis, row[axis])}" for axis in names
                                        if row[axis] != "" and row[axis] == row[axis])])]
            for _, row in wrong.head(SHOWN).iterrows()])
        if len(wrong) > SHOWN:
            document.paragraph(f"... and {len(wrong) - SHOWN} more.")
    return len(wrong)


def _measured(rows: pd.DataFrame) -> int:
    rows = points(rows)
    return int(((rows["status"] == "ok") & (rows["time_median"] > 0)).sum())


def print_bounds(document: Document, results: Results, profile: Any = None, code: str = "counted") -> int:
    """The report of one file; returns how many points are off by over 15 %. `profile`: a time_model Profile instead of the
    device's own numbers. `code`: what is known of the compiled kernel, as for time_model.predict.

    Files of 0.5 and before lack what the model needs: the predictions that they hold are judged."""
    from ..time_model import INPUTS

    every, wrong = frame(results), 0
    for device, name in enumerate(results.devices["name"]):
        document.heading(2, f"{results.path}: {name}")
        rows = every[every["device"] == device]
        stored = rows.drop(columns=[one for one in INPUTS if one in rows])
        sources = {"before the run, as stored in the file": verdicts_of(stored)}
        anew = set(INPUTS) <= set(rows)
        if profile and not anew:
            raise UsageError(f"{results.path}: release {results.env('release')} wrote no columns that --profile could predict from")
        if anew:
            sources.update({SOURCES[use]: verdicts_of(rows, profile, use) for use in dict.fromkeys(["none", code, "counted"])})
        judged = list(sources.values())[0] if not anew else sources[SOURCES[code]]
        if not len(judged):
            document.paragraph("Nothing can be predicted: the file has no measured point of a known kernel on a device with known peaks.")
            continue
        told = int(column(judged, "instructions").notna().sum())
        document.paragraph((f"Predicted by the profile of {profile.name if profile else name}, {'given' if profile else 'as this file measured it'}."
                            if anew else "The predictions are those of the run that wrote this file.")
                           + f" {_measured(rows) - len(judged)} points have no prediction.")
        if anew and code == "counted":
            document.paragraph(f"The hardware counted instructions for {told} of {len(judged)} points; for the others "
                               "issue slots are not a bound.")
        _print_accuracy(document, sources)
        _print_kernels(document, judged)
        if word(judged, "bound").ne("").any():
            _print_where(document, judged)
        wrong += _print_wrong(document, judged)
    return wrong
