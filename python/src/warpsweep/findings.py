"""The best variant of each family, and what the vendor and other variants reach at the same work."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from . import units
from .frames import axes, is_throttled, points, reals, texts
from .pivots import human
from .results import Column, Columns
from .sheet import DAGGER

ROOFS = {
    "none": "none",
    "dram_read": "DRAM read",
    "dram_write": "DRAM write",
    "dram_mix": "DRAM read and write",
    "l2": "L2",
    "shared": "shared memory",
    "link_h2d": "host to device",
    "link_d2h": "device to host",
    "link_peer": "link between devices",
    "flop_f16": "FP16 arithmetic",
    "flop_bf16": "BF16 arithmetic",
    "flop_f32": "FP32 arithmetic",
    "flop_f64": "FP64 arithmetic",
    "tensor_f16": "FP16 tensor cores",
    "tensor_bf16": "BF16 tensor cores",
    "tensor_tf32": "TF32 tensor cores",
    "tensor_f8": "FP8 tensor cores",
    "tensor_i8": "8-bit integer tensor cores",
    "tensor_f4": "FP4 tensor cores",
}
ARITHMETIC = ("flop_", "tensor_")  # roofs of these names are in flop/s
NO_ADDRESSES = (
    "constant",
    "texture",
    "texture2d",
)  # variants whose accesses the access model cannot follow
VENDOR = (
    "memcpy",
    "cub_transform",
    "cub_device",
    "cublas",
    "cublaslt",
    "copy_engine",
)  # variants or loops
WORK = [
    "bytes_read",
    "bytes_written",
    "flops",
    "cache",
    "roof",
]  # points equal in these do the same work in the same place
NO_LIMIT = 2.0**40  # axes from here on, and often 0, stand for "as much as there is"


def is_vendor(rows: pd.DataFrame) -> pd.Series:
    """Rows that a library or engine of the vendor ran."""
    return texts(rows, "variant").isin(VENDOR) | texts(rows, "loop").isin(VENDOR)


def knows_addresses(rows: pd.DataFrame) -> pd.Series:
    """Rows whose accesses the models know; of others they know the bytes, and predict the least time that these take."""
    told, known = reals(rows, "addresses"), reals(rows, "predicted_load_sectors").notna()
    known |= reals(rows, "predicted_store_sectors").notna()
    return (told == 1).where(
        told.notna(), known & ~texts(rows, "variant").isin(NO_ADDRESSES)
    )  # older files have no such column


def roof_text(row: pd.Series) -> str:
    """The roof of a row in words; release 0.1 has no such column."""
    roof = row.get("roof", "")
    return ROOFS.get(roof, roof) or "which its release does not name"


def is_predicted(row: pd.Series) -> bool:
    """Whether a row's time was predicted: its interval is that of the profile's values, not one of a measurement."""
    return row["device.backend"] == "predicted"


def best(frame: pd.DataFrame) -> pd.DataFrame:
    """The best point of each family on each device by the share of its roof, own kernels before the vendor's: `row`, a
    label of `frame`. At the same work: `vendor`, the vendor's fastest point, `next`, that of another own variant whose
    interval lies apart (NaN: none), `shapes`, `vendors_shapes`; of any work: `points`."""
    rows = points(frame)
    rows = rows[
        (rows["status"] == "ok") & (reals(rows, "fraction_peak") > 0) & (rows["source"] != "")
    ]
    vendor, found, same = is_vendor(rows), [], rows.columns.intersection(WORK)
    for (source, kernel), family in rows.groupby(["source", "kernel"]):
        theirs = vendor[family.index]
        chosen = family[~theirs] if not theirs.all() else family
        top = family.loc[chosen["fraction_peak"].idxmax()]
        work = family[(family[same] == top[same]).all(axis=1)]
        vendors, own = work[theirs[work.index]], work[~theirs[work.index]]
        others = own[(own["variant"] != top["variant"]) & told_apart(own, top)]
        found.append(
            {
                "source": source,
                "kernel": kernel,
                "row": top.name,
                "points": len(chosen),
                "shapes": len(vendors if theirs[top.name] else own),
                "vendors_shapes": len(vendors),
                **{
                    name: of["time_median"].idxmin() if len(of) else np.nan
                    for name, of in (("vendor", vendors), ("next", others))
                },
            }
        )
    table = pd.DataFrame(
        found, columns="source kernel row points shapes vendors_shapes vendor next".split()
    )
    order = list(frame.attrs.get("groups", pd.unique(frame["source"])))
    return table.sort_values(
        "source", key=lambda values: values.map(order.index), kind="stable", ignore_index=True
    )


def told_apart(rows: pd.DataFrame, row: pd.Series) -> pd.Series:
    """Rows whose interval of time does not overlap that of `row`."""
    return (rows["time_ci_high"] < row["time_ci_low"]) | (rows["time_ci_low"] > row["time_ci_high"])


def _half(row: pd.Series, low: str, high: str, middle: str) -> float:
    """Half of an interval, relative to its middle; NaN: the file has none, or nothing was measured."""
    return (
        np.nan
        if is_predicted(row)
        else (row.get(high, np.nan) - row.get(low, np.nan)) / 2 / row[middle]
    )


def rate_text(row: pd.Series) -> str:
    """ "4299 ± 4 GB/s" of a row of a frame, with a dagger if its clock was lowered"""
    is_flop = str(row.get("roof", "")).startswith(ARITHMETIC)
    of, rate = ("flop/s", row["flop_rate"]) if is_flop else ("bytes/s", row["bandwidth"])
    dagger = DAGGER if is_throttled(row.to_frame().T).iloc[0] else ""
    return (
        units.scaled(rate, of, rate * _half(row, "time_ci_low", "time_ci_high", "time_median"))
        + dagger
    )


def share_text(row: pd.Series) -> str:
    """ "98.7 ± 0.3 %" of the roof"""
    half = _half(row, "fraction_peak_low", "fraction_peak_high", "fraction_peak")
    half = half if np.isfinite(half) else _half(row, "time_ci_low", "time_ci_high", "time_median")
    share = 100 * row["fraction_peak"]
    return units.format(share, share * half) + " %"


def gain_text(row: pd.Series, other: pd.Series) -> str:
    """How much faster `row` is than `other`, at least and at most, by the ends of their intervals."""
    least = other["time_ci_low"] / row["time_ci_high"] - 1
    most = other["time_ci_high"] / row["time_ci_low"] - 1
    if least >= 1:
        return f"is {units.span(1 + least, 1 + most)} times as fast as"
    return f"is faster by {units.span(100 * least, 100 * most)} % than"


def values_text(row: Mapping[str, Any], names: Iterable[str], known: Columns) -> str:
    """Axes with their values: "size 1GiB, f32"; without those that do not apply, or are no limit."""
    said = [(axis, axis_text(row[axis], known[axis])) for axis in names]
    return ", ".join(
        text if axis in ("variant", "dtype") else f"{axis} {text}" for axis, text in said if text
    )


def axis_text(value: Any, column: Column) -> str:
    """A value of an axis as it is typed in a job file: "64MiB", "4"; "" where the axis does not apply, or is no limit."""
    missing = (
        value is None
        or value != value
        or value == ""
        or not isinstance(value, str)
        and value >= NO_LIMIT
    )
    return "" if missing else human(value, column)


def describe(frame: pd.DataFrame, entry: pd.Series) -> str:
    """The sentences on a family: a row of `best`."""
    top = frame.loc[entry["row"]]
    rows = points(frame)
    rows = rows[
        (rows["kernel"] == entry["kernel"])
        & (rows["source"] == entry["source"])
        & (rows["status"] == "ok")
    ]
    rows = rows if is_vendor(top.to_frame().T).iloc[0] else rows[~is_vendor(rows)]
    place = values_text(
        top,
        [axis for axis in axes(rows) if axis != "variant" and top[axis] != 0],
        rows.attrs["columns"],
    )
    guess, told_by = (
        ("predicted ", "by the profile") if is_predicted(top) else ("", "measured in the same run")
    )
    text = (
        f"{entry['kernel']}: {guess}best of {entry['points']} points is {top['variant']}"
        f"{f' ({place})' if place else ''} at {rate_text(top)}, {share_text(top)} of the roof ({roof_text(top)}, {told_by})."
    )
    if not guess and entry["vendor"] == entry["vendor"] and entry["vendor"] != entry["row"]:
        theirs = frame.loc[entry["vendor"]]
        first, second = (
            (top, theirs) if top["time_median"] < theirs["time_median"] else (theirs, top)
        )
        text += (
            f" The vendor's {theirs['variant']} does the same work at {rate_text(theirs)} (best of "
            f"{entry['vendors_shapes']}; {top['variant']}: best of {entry['shapes']}): "
            + (
                f"{first['variant']} {gain_text(first, second)} {second['variant']}."
                if told_apart(theirs.to_frame().T, top).iloc[0]
                else "not told apart."
            )
        )
    if (
        not guess
        and entry["next"] == entry["next"]
        and frame.at[entry["next"], "time_median"] > top["time_median"]
    ):
        other = frame.loc[entry["next"]]
        text += (
            f" At this work {top['variant']} {gain_text(top, other)} {other['variant']}, the fastest other "
            "variant whose interval does not overlap."
        )
    return text


def disproved(frame: pd.DataFrame) -> Sequence[str]:
    """Ids of points whose counters disprove the state of L2 that their axis `cache` names."""
    rows = points(frame)
    return list(rows.loc[texts(rows, "l2_state").str.startswith("disproved"), "id"])


def best_variants(frame: pd.DataFrame) -> pd.DataFrame:
    """The best of each family on each device of a `warpsweep.frame`: `source`, `kernel`, `id`, `variant`, `rate` (bytes/s or
    flop/s), `share` of the roof, `roof`, `points`, `vendor_rate` (at the same work; NaN: none) and `sentence`."""
    entries, roof = best(frame), texts(frame, "roof")
    rate = reals(frame, "bandwidth").mask(
        roof.str.startswith(ARITHMETIC), reals(frame, "flop_rate")
    )
    top = frame[["id", "variant"]].assign(rate=rate, share=frame["fraction_peak"], roof=roof)
    top = top.loc[entries["row"]].reset_index(drop=True)
    return pd.concat([entries[["source", "kernel"]], top, entries[["points"]]], axis=1).assign(
        vendor_rate=rate.reindex(entries["vendor"]).to_numpy(),
        sentence=[describe(frame, entry) for _, entry in entries.iterrows()],
    )
