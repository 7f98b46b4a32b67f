"""Rates of arithmetic against operations per byte (Williams, Waterman & Patterson, Roofline, CACM 52 (4), 2009)."""
from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..directives import Skipped
from .rows import measured, real

SAME_INTENSITY = 0.02  # relative: points of a family with one intensity would be a column of dots
SAME_ROOF = 0.05       # relative: one line for FP16 and FP32
LINES = {"DRAM": "device.peak_copy", "L2": "device.peak_l2_copy", "shared memory": "device.peak_shared"}
PEAKS = {"fp16": "device.peak_flop_f16", "fp32": "device.peak_flop_f32", "fp64": "device.peak_flop_f64"}


def roofline(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """intensity (flop/byte), rate, fp16, fp32, fp64 (TFLOP/s), lined: the fastest point of each family at an intensity,
    and with lined "yes" the corners of the roofs of bytes."""
    points = measured(frame)
    intensity = real(points, "flops") / (real(points, "bytes_read") + real(points, "bytes_written"))
    points = points[["source", "kernel"]].assign(intensity=intensity, rate=real(points, "flop_rate"))
    points = points[(intensity > 0) & np.isfinite(intensity) & (points["rate"] > 0)]
    if points.empty:
        raise Skipped("no point has operations")
    kept = [row for _, own in points.groupby(["source", "kernel"], sort=False) for row in fastest(own)]
    marks = points.loc[kept, ["source", "kernel", "intensity", "rate"]].assign(lined="no")
    span = points["intensity"].min() / 2, points["intensity"].max() * 2
    known = frame[frame["source"] != ""]
    highest = pd.DataFrame({column: real(known, column) for column in (*LINES.values(), *PEAKS.values())})
    highest = highest.groupby(known["source"], sort=False).max()
    corners = []
    for source, peak in highest.iterrows():
        top = peak["device.peak_flop_f32"]
        for name, column in LINES.items():
            if top > 0 and peak[column] > 0:
                at = np.array([span[0], min(max(top / peak[column], span[0]), span[1]), span[1]])
                corners.append(pd.DataFrame({"source": source, "kernel": name, "intensity": at, "lined": "yes",
                                             "rate": np.minimum(top, at * peak[column])}))
    made: pd.DataFrame = pd.concat([marks, *corners], ignore_index=True)
    made["rate"] /= 1e12
    for name, column in PEAKS.items():
        made[name] = made["source"].map(highest[column]) / 1e12
    same = (made["fp16"] / made["fp32"] - 1).abs() <= SAME_ROOF
    made["fp16"] = made["fp16"].mask(same)
    return made


def fastest(points: pd.DataFrame) -> list[object]:
    """The index of the fastest point at each intensity of a family, in the order of the rows."""
    kept: list[tuple[object, float, float]] = []
    for row, intensity, rate in zip(points.index, points["intensity"], points["rate"]):
        near = next((i for i, one in enumerate(kept) if abs(intensity / one[1] - 1) < SAME_INTENSITY), None)
        if near is None:
            kept.append((row, intensity, rate))
        elif rate > kept[near][2]:
            kept[near] = row, intensity, rate
    return [row for row, *_ in kept]
