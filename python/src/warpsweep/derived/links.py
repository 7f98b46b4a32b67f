"""A matrix of the GPUs of a node: what goes between each two of them."""
from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from ..directives import Skipped
from ..units import bytes_text
from .rows import measured, real, remark, text

# Family, variant, column, the ends of its interval, words, unit, its factor, whether the largest size is shown.
QUANTITIES = (
    ("peer_copy", "copy_engine", "bandwidth", ("bandwidth_low", "bandwidth_high"), "copy engine", "GB/s", 1e-9, True),
    ("peer_copy", "load", "bandwidth", ("bandwidth_low", "bandwidth_high"), "loads", "GB/s", 1e-9, True),
    ("peer_copy", "store", "bandwidth", ("bandwidth_low", "bandwidth_high"), "stores", "GB/s", 1e-9, True),
    ("peer_latency", "load", "latency_seconds", ("latency_p05", "latency_p95"), "dependent load", "ns", 1e9, False),
)
# One direction, all multiprocessors, whole lines, L2 as the last launch has left it; of axes that the family has.
STATE = {"direction": "one_way", "cache": "hot", "blocks": 0.0, "width": 16.0}


def links(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """across, up (ordinals of the launching device and the other one), across_name, up_name, shown (GB/s, ns), speedup
    (over the median of the pairs of two devices; 1 within one); kernel names the quantity."""
    points = measured(frame)
    for column, value in STATE.items():
        if column in points:
            points = points[points[column].isna() | points[column].isin(["", value])]
    made, notes = [], []
    for kernel, variant, column, ends, words, unit, scale, largest in QUANTITIES:
        own = points[(points["kernel"] == kernel) & (text(points, "variant") == variant) & (real(points, column) > 0)]
        size, apart = real(own, "size"), text(own, "pair") != "local"
        if not (size[apart] > 0).any():
            continue
        shown = size[apart & (size > 0)].max() if largest else size[apart & (size > 0)].min()
        own, apart = own[size == shown], apart[size == shown]
        value, median = own[column], own.loc[apart, column].median()
        near, far = ends_of(own)
        title = f"{words}, {bytes_text(shown)} ({unit})"
        over = (value / median if largest else median / value).mask(near == far, 1.0)
        part = pd.DataFrame({"source": own["source"], "kernel": title, "across": near, "up": far, "speedup": over,
                             "shown": scale * value})[near.notna() & far.notna()]
        made.append(part.assign(**{f"{end}_name": part[end].map("{:.0f}".format) for end in ("across", "up")}))
        middle = value if largest else real(own, "latency_p50")
        widest = pd.concat([middle - own[ends[0]], own[ends[1]] - middle]).div(pd.concat([middle, middle])).max()
        what = "95 % intervals end" if largest else "5th and 95th percentiles of the samples are"
        notes.append(f"{title}: {what} at most {100 * max(widest, 0):.2g} % from the value")
    if not made:
        raise Skipped("no pair of two devices was measured")
    return remark(pd.concat(made, ignore_index=True), notes)


def ends_of(rows: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """The ordinals of both devices of `pair`, "0-1"; of a local pair, that of the device which measured it."""
    ends = text(rows, "pair").str.extract(r"^(\d+)-(\d+)").astype(float)
    own = real(rows, "device.ordinal")
    return ends[0].fillna(own), ends[1].fillna(own)
