"""The best point of each family: its share of the roof, and what its warps wait for."""
from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..directives import Skipped
from .rows import measured, places, real, remark, text

# Variants that a library or the driver runs; of silu_mul the loop says it.
LIBRARIES = {
    "copy": {"memcpy", "cub_transform"}, "add": {"cub_transform"}, "silu_mul": {"cub_transform"},
    "transpose": {"cublas"}, "reduce": {"cub_device"}, "matmul": {"cublas", "cublaslt"},
    "tensor_matmul": {"cublaslt"}, "peer_copy": {"copy_engine"}, "contention": {"copy_engine"},
}
ROOFS = {
    "none": "none", "dram_read": "DRAM read", "dram_write": "DRAM write", "dram_mix": "DRAM read and write", "l2": "L2",
    "shared": "shared memory", "link_h2d": "host to device", "link_d2h": "device to host",
    "link_peer": "link between devices", "flop_f16": "FP16 arithmetic", "flop_bf16": "BF16 arithmetic",
    "flop_f32": "FP32 arithmetic", "flop_f64": "FP64 arithmetic", "tensor_f16": "FP16 tensor cores",
    "tensor_bf16": "BF16 tensor cores", "tensor_tf32": "TF32 tensor cores", "tensor_f8": "FP8 tensor cores",
    "tensor_i8": "8-bit integer tensor cores",
}
ALONE = 0.01  # a smaller share of the bytes does not count: the roof is that of reading, or of writing
AMOUNTS = ("bytes_read", "bytes_written", "flops")  # two points with equal ones do the same work
STALLS = ("long scoreboard", "short scoreboard", "barrier", "mio throttle", "lg throttle", "math pipe throttle", "wait",
          "not selected", "drain")
PARTS_SHOWN = 7   # of a bar, beside "others": one for each colour
PART_MIN = 0.05   # of a bar; parts that are smaller in all bars are merged into "others"


def is_library(frame: pd.DataFrame) -> pd.Series:
    """Whether a library or the driver runs the point, not a kernel of the family."""
    words = text(frame, "variant").where(frame["kernel"] != "silu_mul", text(frame, "loop"))
    return pd.Series([word in LIBRARIES.get(kernel, ()) for kernel, word in zip(frame["kernel"], words)], frame.index,
                     dtype=bool)


def roof_names(frame: pd.DataFrame) -> pd.Series:
    """The roof of each point in words; of DRAM, reading or writing alone if the other is below 1 % of the bytes."""
    roof, read, written = text(frame, "roof"), real(frame, "bytes_read"), real(frame, "bytes_written")
    mix = roof == "dram_mix"
    kind = roof.mask(mix & (written < ALONE * read), "dram_read").mask(mix & (read < ALONE * written), "dram_write")
    return kind.map(ROOFS).fillna(kind)


def of_families(frame: pd.DataFrame) -> pd.DataFrame:
    """The best point of each family on each device, sorted by device and family.

    source, kernel   device and family
    row              its best own point: the largest share of its roof (a library's only if the family has no other)
    closest          the point with the largest share, libraries included
    vendor, next     of the points with the same work, the fastest of a library, and the fastest of another variant whose
                     interval does not overlap; labels of the frame's index, or None
    points, shapes   own points (or the library's, if row is one), and those with the same work
    vendors_shapes   a library's points with the same work
    """
    points = measured(frame)
    needed = ["source", "kernel", "variant", "loop", "cache", "fraction_peak", "time_median", "time_ci_low", "time_ci_high",
              *AMOUNTS]
    points = points.loc[real(points, "fraction_peak") > 0, [name for name in needed if name in points]]
    points = points.assign(library=is_library(points))
    sources = {source: i for i, source in enumerate(frame["source"].unique())}
    made = []
    for (source, kernel), own in points.groupby(["source", "kernel"], sort=False):
        ranked = own.sort_values(["library", "fraction_peak"], ascending=[True, False], kind="stable")
        best = ranked.iloc[0]
        same = pd.Series(text(own, "cache") == str(best.get("cache", "")), own.index)
        for amount in AMOUNTS:
            same &= real(own, amount) == best.get(amount, np.nan)
        apart = (own["time_ci_high"] < best["time_ci_low"]) | (own["time_ci_low"] > best["time_ci_high"])
        other = own[same & ~own["library"] & (text(own, "variant") != best.get("variant", "")) & apart]
        vendor, alike = own[same & own["library"]], own["library"] == best["library"]
        made.append({
            "source": source, "kernel": kernel, "row": ranked.index[0], "closest": own["fraction_peak"].idxmax(),
            "vendor": vendor["time_median"].idxmin() if len(vendor) else None,
            "next": other["time_median"].idxmin() if len(other) else None,
            "points": int(alike.sum()), "shapes": int((alike & same).sum()), "vendors_shapes": len(vendor)})
    made.sort(key=lambda one: (sources[one["source"]], one["kernel"]))
    return pd.DataFrame(made, columns=["source", "kernel", "row", "closest", "vendor", "next", "points", "shapes",
                                       "vendors_shapes"], dtype=object)


def best(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """share (% of the roof), share_low, share_high, roof_name, place: the point closest to its roof, of each family."""
    chosen = of_families(frame)
    if chosen.empty:
        raise Skipped("no point has a roof")
    rows = frame.loc[chosen["closest"]]
    share, median = 100 * rows["fraction_peak"], rows["time_median"]
    made = pd.DataFrame({
        "source": rows["source"], "kernel": rows["kernel"], "share": share,
        "share_low": (100 * real(rows, "fraction_peak_low")).fillna(share * median / rows["time_ci_high"]),
        "share_high": (100 * real(rows, "fraction_peak_high")).fillna(share * median / rows["time_ci_low"]),
        "place": places(rows["kernel"]), "roof_name": roof_names(rows)})
    vendors = ", ".join(dict.fromkeys(rows.loc[is_library(rows), "kernel"]))
    return remark(made, [f"A library's kernel is the closest of {vendors}" if vendors else ""])


def stalls(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """reason, start, end (% of all stalls), place: of each family's best own point, a row for each reason."""
    chosen = of_families(frame)
    rows = frame.loc[chosen["row"]]
    cycles = pd.DataFrame({name: real(rows, f"stall_{name.replace(' ', '_')}") for name in STALLS})
    cycles = cycles.where(cycles > 0).dropna(how="all").dropna(axis=1, how="all")
    if cycles.empty:
        raise Skipped("no stalls were counted")
    return stacked(rows.loc[cycles.index, ["source", "kernel"]], cycles, "reason")


def stacked(bars: pd.DataFrame, parts: pd.DataFrame, name: str) -> pd.DataFrame:
    """Parts of bars one after the other, in % of each bar; small parts of all bars become "others", at the end.

    bars   source and kernel of each bar
    parts  a row for each bar, a column for each part; NaN: none
    """
    # The order of parts is that in which bars, from the first one on, have them.
    order = list(dict.fromkeys(part for _, bar in parts.iterrows() for part in bar.dropna().index))
    share = parts[order].fillna(0).div(parts.sum(axis=1), axis=0)
    largest = share.max().sort_values(ascending=False, kind="stable")
    shown = [part for part in order if largest[part] >= PART_MIN and part in largest.index[:PARTS_SHOWN]]
    share = share[shown].assign(others=share.drop(columns=shown).sum(axis=1))
    end = 100 * share.cumsum(axis=1)
    made = pd.concat({"end": end.stack(), "start": (end - 100 * share).stack()}, axis=1).rename_axis([None, name])
    made = made[made["end"] > made["start"] + 1e-9].reset_index(name)
    return made.join(bars.assign(place=places(bars["kernel"])))
