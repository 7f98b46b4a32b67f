"""The steps from a naive matrix product to the vendor's, as jobs/ladder.yaml measures them."""
from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..directives import Skipped
from ..laws import number
from .rows import measured

MATMUL, TENSOR = {"kernel": "matmul"}, {"kernel": "tensor_matmul", "dtype": "bf16"}
REGISTER = {**MATMUL, "variant": "register", "slice": 8}
TILED = {**MATMUL, "stages": 4, "split": 1}
MMA = {**TENSOR, "variant": "mma", "tile_shape": "128x256"}
WGMMA, TCGEN05 = {**TENSOR, "variant": "wgmma"}, {**TENSOR, "variant": "tcgen05", "tile_shape": "128x256"}
# Name, class, and the values that make the step.
STEPS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("naive", "f32", {**MATMUL, "variant": "naive"}),
    ("tiled", "f32", {**MATMUL, "variant": "tiled", "tile": 32}),
    ("registers, 2 x 2", "f32", {**REGISTER, "block_tile": 64, "outputs": 2}),
    ("16-byte accesses, 8 x 8", "f32", {**REGISTER, "block_tile": 128, "outputs": 8}),
    ("cp.async", "f32", {**TILED, "variant": "cp_async", "tile_shape": "128x128", "slice": 16, "group": 8}),
    ("TMA", "f32", {**TILED, "variant": "tma", "tile_shape": "128x128", "slice": 16, "group": 8}),
    ("tiles of 128 x 256", "f32", {**TILED, "variant": "tma", "tile_shape": "128x256", "group": 16}),
    ("cuBLAS", "f32, library", {**MATMUL, "variant": "cublas"}),
    ("cuBLASLt", "f32, library", {**MATMUL, "variant": "cublaslt"}),
    ("mma", "bf16", {**MMA, "group": 8}),
    ("mma, TMA", "bf16", {**MMA, "group": 16, "copy": "tma"}),
    ("wgmma, 1 stage", "bf16", {**WGMMA, "stages": 1, "persistent": "off", "group": 1, "cluster": 1}),
    ("specialised, 4 stages", "bf16", {**WGMMA, "stages": 4, "persistent": "off", "group": 1, "cluster": 1}),
    ("persistent", "bf16", {**WGMMA, "stages": 4, "persistent": "on", "group": 1, "cluster": 1}),
    ("groups of 8 rows", "bf16", {**WGMMA, "stages": 4, "persistent": "on", "group": 8, "cluster": 1}),
    ("multicast", "bf16", {**WGMMA, "stages": 4, "persistent": "on", "group": 8, "cluster": 2}),
    ("tcgen05, 1 stage", "bf16", {**TCGEN05, "stages": 1, "persistent": "off", "group": 1, "cluster": 1}),
    ("tcgen05, 4 stages", "bf16", {**TCGEN05, "stages": 4, "persistent": "off", "group": 1, "cluster": 1}),
    ("tcgen05, persistent", "bf16", {**TCGEN05, "stages": 4, "persistent": "on", "group": 1, "cluster": 1}),
    ("tcgen05, groups of 8 rows", "bf16", {**TCGEN05, "stages": 4, "persistent": "on", "group": 8, "cluster": 1}),
    ("tcgen05, pairs of SMs", "bf16", {**TCGEN05, "stages": 4, "persistent": "on", "group": 8, "cluster": 2}),
    ("tcgen05, 6 stages", "bf16", {**TCGEN05, "stages": 6, "persistent": "on", "group": 8, "cluster": 2}),
    ("cuBLASLt, bf16", "bf16, library", {**TENSOR, "variant": "cublaslt"}),
)
# What no step is about, unless it names the axis: such products compute something else, or stand beside the ladder.
ASIDE: dict[str, set[Any]] = {
    "copy": {"tma"}, "sparse": {"on"}, "scale": {"e8m0"}, "promote": set(range(1, 17)), "dtype_c": {"f32"},
    "data": {"whole", "ones", "zeros"}}
STEPS_MIN = 3


def ladder(frame: pd.DataFrame) -> pd.DataFrame:
    """start, end (0 and TFLOP/s), place (0: the last step), class (type of the elements; whether it is a library); kernel
    is the step. All steps are of one size: the one that most steps have, the largest on a tie."""
    points = measured(frame)
    points = points[number(points, "flop_rate") > 0]
    parts = []
    for place, (name, kind, values) in enumerate(STEPS):
        if set(values) <= set(points):
            own = points[np.logical_and.reduce([points[column] == value for column, value in values.items()])]
            for column in (column for column in ASIDE if column not in values and column in own):
                own = own[~own[column].isin(ASIDE[column])]
            parts.append(pd.DataFrame({"source": own["source"], "kernel": name, "start": 0.0, "end": own["flop_rate"] / 1e12,
                                       "place": -place, "class": kind, "flops": number(own, "flops")}))
    made = pd.concat(parts) if parts else pd.DataFrame({"flops": [], "place": []})
    count = made.groupby("flops")["place"].nunique()
    made = made[made["flops"] == max(count.index, key=lambda flops: (count[flops], flops), default=np.nan)]
    if made["place"].nunique() < STEPS_MIN:
        raise Skipped("it needs three steps of jobs/ladder.yaml of one size")
    return made.assign(place=made["place"].rank(method="dense") - 1).drop(columns="flops").reset_index(drop=True)
