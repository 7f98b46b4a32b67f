"""The time model against measured times: what bounds each point, and where the model is wrong."""

from __future__ import annotations

from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from ..columns import reals, texts
from ..condition import is_transient
from ..errors import ProgramError
from ..frames import frame
from ..profiles import Profile, of_results
from ..profiles import read as read_profile
from ..program import run_program
from ..results import Results
from ..rows import knows_addresses
from ..selecting import axes, points
from ..sheet import Document
from ..stored import printable
from ..time_model import (
    BASELINE,
    FITTED,
    TIMES,
    WRONG,
    at_reference,
    has_inputs,
    predict,
    within,
)
from ..units import formatted, plural, seconds_text, share
from ..values import point

NEAR = (
    0.07  # errors up to which predictions are counted, beside WRONG, beyond which they are listed
)
APART = 1.05  # pairs of variants with a smaller ratio of times are not ordered
# of a unit's peak, as Nsight Compute has them: below it is no bound, above it is the bound
IDLE, FULL = 0.6, 0.8
FLAT = ("latency", "launch", "tail")  # bounds that leave every unit idle
WORK = (
    "bytes_read",
    "bytes_written",
    "flops",
    "flops_executed",
    "grid_blocks",
    "block_threads",
    "shared_dynamic",
)
SOURCES = {
    "roofs": "before counting, from the roofs of the run",
    "none": "before a run, --code none",
    "compiled": "before a run, --code compiled",
    "counted": "after a run, --code counted",
}


def verdicts(
    rows: pd.DataFrame, profile: Profile | None = None, code: str = "roofs"
) -> pd.DataFrame:
    """The measured rows that have a prediction, sorted by kernel. ``code``: of SOURCES; "roofs" is what a
    frame has, and what reports, papers and figures count. Files without inputs of the model have no other. Beside the columns of `predict`: `.ratio` (measured over predicted), `.plain` (measured over
    bytes at the copy roof), `.known` (the model knows the addresses), `.busiest` (the unit by the counters; "latency":
    all are idle; "none": not counted) and `.busy` (its share of the peak)."""
    rows = timed(rows)
    predicted = (
        predict(rows, profile, code)
        if code != "roofs" and has_inputs(rows)
        else rows.filter(["predicted_time", "bound", "bound_second"])
    )
    if "predicted_time" not in predicted:
        return rows.head(0)
    of = rows.drop(columns=[name for name in predicted if name in rows])
    every = pd.concat([of, predicted], axis=1)[predicted["predicted_time"] > 0]
    every.attrs = rows.attrs
    useful = reals(every, "bytes_read") + reals(every, "bytes_written")
    added = pd.DataFrame(
        {
            ".ratio": every["time_median"] / every["predicted_time"],
            ".plain": every["time_median"] / (useful / reals(every, "device.peak_copy")),
            ".known": knows_addresses(every),
            **_busiest(every),
        },
        index=every.index,
    )
    every = pd.concat([every, added], axis=1).sort_values("kernel", kind="stable")
    every.attrs = rows.attrs
    return every


def timed(rows: pd.DataFrame) -> pd.DataFrame:
    """The points that a GPU measured, and whose times a prediction can be compared with."""
    rows = points(rows)
    return rows[
        (rows["status"] == "ok")
        & (rows["time_median"] > 0)
        & (texts(rows, "device.backend") == "cuda")
        & ~is_transient(rows)  # the model knows the settled state
    ]


def _busiest(rows: pd.DataFrame) -> dict[str, pd.Series]:
    seconds, read = rows["time_median"], reals(rows, "dram_bytes_read")
    shares = pd.DataFrame(
        {
            "dram": (read + reals(rows, "dram_bytes_written"))
            / seconds
            / reals(rows, "device.peak_copy"),
            # it counts fills from DRAM again
            "l2": (reals(rows, "l2_bytes") - read) / seconds / reals(rows, "device.peak_l2_copy"),
            "shared": reals(rows, "shared_utilization") / 100,
            "issue": reals(rows, "sm_active") / 100 * reals(rows, "issue_active") / 100,
        }
    ).fillna(0.0)
    busy = shares.max(axis=1)
    unit = (
        shares.idxmax(axis=1)
        .where(busy > IDLE, "latency")
        .where(reals(rows, "issue_active").notna(), "none")
    )
    return {".busiest": unit, ".busy": busy.clip(lower=IDLE)}


def baseline(rows: pd.DataFrame, other: pd.DataFrame, peak_copy: pd.Series | float) -> pd.Series:
    """Measured over what `other`, measured points of another device, says of the same points: see at_reference."""
    return rows["time_median"] / at_reference(rows, other, peak_copy)


def ranking(of: pd.DataFrame) -> tuple[int, int]:
    """Of pairs that differ in the variant alone, and in time by over 5 %: how many the model orders rightly, and all."""
    keys = ["kernel", *(axis for axis in axes(of) if axis != "variant")]
    one = of[["time_median", "predicted_time"]].assign(
        set=of.groupby(keys, dropna=False).ngroup(), at=range(len(of))
    )
    both = one.merge(one, on="set").query("at_x < at_y")
    measured, predicted = (
        both[f"{name}_x"] / both[f"{name}_y"] for name in ("time_median", "predicted_time")
    )
    apart = ~within(measured, APART - 1)
    return int((apart & ((measured > 1) == (predicted > 1)) & (predicted != 1)).sum()), int(
        apart.sum()
    )


def fits(of: pd.DataFrame) -> tuple[int, int]:
    """How many bounds agree with the busiest unit by the counters, of those that counters can tell."""
    told = of[(of[".busiest"] != "none") & ~of["bound"].isin(["l1", "link", "peer"])]
    flat = told["bound"].isin(FLAT)
    wanted = told["bound"].replace({"flop": "issue"})
    good = (flat & ((told[".busiest"] == "latency") | (told[".busy"] < FULL))) | (
        ~flat & (told[".busiest"] == wanted)
    )
    return int(good.sum()), len(told)


def cells(of: pd.DataFrame) -> dict[str, str]:
    """What the tables say of points, by head."""

    def near(name: str, error: float) -> str:
        return share(within(of[name], error).sum(), len(of))

    return {
        ">points": str(len(of)),
        ">addresses known": str(of[".known"].sum()),
        ">within 7 %": near(".ratio", NEAR),
        ">within 15 %": near(".ratio", WRONG),
        ">faster than predicted": share((of[".ratio"] < 1).sum(), len(of)),
        ">measured / predicted, median": formatted("{:.2f}", of[".ratio"].median()),
        ">bytes / peak within 15 %": near(".plain", WRONG),
        ">variants in order": "{} / {}".format(*ranking(of)),
        ">bound as counted": "{} / {}".format(*fits(of)),
    }


def _print_accuracy(document: Document, sources: dict[str, pd.DataFrame]) -> None:
    document.paragraph(
        "Accuracy by what a prediction knew. Useful bytes and flops are all that is known of points "
        "whose addresses are not."
    )
    shown = [
        ">points",
        ">within 7 %",
        ">within 15 %",
        ">faster than predicted",
        ">variants in order",
    ]
    rows = [
        {"prediction": source, "addresses": name, **cells(of)}
        for source, every in sources.items()
        if len(every)
        for name, of in (("known", every[every[".known"]]), ("known or not", every))
        if len(of)
    ]
    document.frame(pd.DataFrame(rows)[["prediction", "addresses", *shown]])


def _print_kernels(document: Document, every: pd.DataFrame) -> None:
    middle = ">measured / predicted, median"
    constants = {**dict.fromkeys(FITTED, "fitted here"), **dict.fromkeys(BASELINE, "baseline")}
    # only points of known addresses, where there are any
    rows = [
        {
            "kernel": kernel,
            **cells(of[of[".known"]] if of[".known"].any() else of),
            middle: formatted("{:.2f}", of[".ratio"].median()),
            "constants": constants.get(kernel, "not seen"),
        }
        for kernel, of in every.groupby("kernel", sort=False)
    ]
    rows.append(
        {
            "kernel": "all whose addresses are known",
            **cells(every[every[".known"]]),
            middle: "-",
            "constants": "-",
        }
    )
    document.frame(pd.DataFrame(rows).drop(columns=">faster than predicted"))


def _print_wrong(document: Document, every: pd.DataFrame) -> None:
    wrong = every[every[".known"] & ~within(every[".ratio"], WRONG)]
    wrong = wrong.loc[
        np.log(wrong[".ratio"]).abs().sort_values(ascending=False, kind="stable").index
    ]
    document.paragraph(
        f"Off by over 15 %, worst first: {plural(len(wrong), 'point')} with known addresses. Points whose "
        f"addresses are not known are not listed{':' if len(wrong) else '.'}"
    )
    document.frame(
        [
            {
                ">measured / predicted": f"{row['.ratio']:.2f}",
                ">measured": seconds_text(row["time_median"]),
                ">predicted": seconds_text(row["predicted_time"]),
                "bound": f"{row['bound']}, then {row['bound_second']}",
                "counted busiest": row[".busiest"],
                "id": row["id"],
                "point": point(row, every.attrs["columns"]),
            }
            for _, row in wrong.iterrows()
        ]
    )


def with_accesses(
    rows: pd.DataFrame, results: Results, device: int, profile: str | None = None
) -> pd.DataFrame:
    """The measured points of a device. The program, if it is there, counts accesses of files of 0.5 and before anew, for
    the device of the file or that of a profile file; points of kernels that it does not have are left out."""
    rows = timed(rows[rows["device"] == device])
    if not len(rows) or has_inputs(rows) and profile is None:
        return rows
    try:
        with TemporaryDirectory() as folder:
            run_program(
                "points",
                "-o",
                f"{folder}/points.h5",
                "--of",
                str(results.path),
                "--device",
                str(device),
                *(["--profile", profile] if profile else []),
            )
            counted = frame(f"{folder}/points.h5", devices=())
    except ProgramError as error:
        if profile or error.exit_code is None:  # without the program, other numbers
            raise
        return rows
    taken = [
        name
        for name in map(str, counted.columns)
        if name not in rows or name.startswith("predicted_") or name in WORK
    ]
    merged = rows.drop(columns=taken, errors="ignore").merge(counted[["id", *taken]], on="id")
    merged.attrs.update(rows.attrs)
    return merged.drop(columns=[*TIMES], errors="ignore")


def print_bounds(
    document: Document, results: Results, profile: str | None = None, code: str = "counted"
) -> None:
    """The report of one file, or by another `profile` than its own."""
    whole, given = frame(results, devices=()), read_profile(profile) if profile else None
    for device, name in enumerate(results.devices["name"]):
        document.heading(2, f"{printable(results.path)}: {name}")
        stored, rows = (
            timed(whole[whole["device"] == device]),
            with_accesses(whole, results, device, profile),
        )
        anew, sources = has_inputs(rows), {SOURCES["roofs"]: verdicts(stored)}
        if anew:
            own = given or of_results(results, device)
            for use in dict.fromkeys(["none", code, "counted"]):
                sources[SOURCES[use]] = verdicts(rows, own, use)
        judged = sources[SOURCES[code]] if anew else next(iter(sources.values()))
        if not len(judged):
            document.paragraph(
                "Nothing can be predicted: the file has no point of a known kernel that a GPU with known "
                "peaks has measured."
            )
            continue
        by = (
            f"the profile of {given.name}, given"
            if given
            else f"the profile of {name}, as this file measured it"
        )
        document.paragraph(
            f"Predicted by {by if anew else 'the run that wrote this file'}. "
            f"Without a prediction: {plural(len(stored) - len(judged), 'point')}."
        )
        if anew and code == "counted":
            told = int(reals(judged, "instructions").notna().sum())
            document.paragraph(
                f"The hardware counted instructions for {told} of {plural(len(judged), 'point')}; for the others "
                "issue slots are not a bound."
            )
        _print_accuracy(document, sources)
        _print_kernels(document, judged)
        _print_wrong(document, judged)
