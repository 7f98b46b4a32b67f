"""What goes between each two GPUs."""

from __future__ import annotations

import pandas as pd

from ...columns import reals, texts
from ...derived.marks import measured, remark
from ...directives import Skipped
from ...units import bytes_text

# Family, variant, column, the ends of its interval, words, unit, its factor, whether the largest size is shown.
QUANTITIES = (
    *(
        (
            "peer_copy",
            variant,
            "bandwidth",
            ("bandwidth_low", "bandwidth_high"),
            words,
            "GB/s",
            1e-9,
            True,
        )
        for variant, words in (
            ("copy_engine", "copy engine"),
            ("load", "loads"),
            ("store", "stores"),
        )
    ),
    (
        "peer_latency",
        "load",
        "latency_seconds",
        ("latency_p05", "latency_p95"),
        "dependent load",
        "ns",
        1e9,
        False,
    ),
)
# One direction, all multiprocessors, whole lines, L2 as the last launch has left it; of axes that the family has.
STATE = {"direction": "one_way", "cache": "hot", "blocks": 0.0, "width": 16.0}


def links(frame: pd.DataFrame) -> pd.DataFrame:
    """across, up (ordinals of both devices), across_name, up_name, shown (GB/s, ns), over_median (of all pairs)."""
    points = measured(frame)
    for column, value in STATE.items():
        if column in points:
            points = points[points[column].isna() | points[column].isin(["", value])]
    made, notes = [], []
    for kernel, variant, column, ends, words, unit, scale, largest in QUANTITIES:
        own = points[
            (points["kernel"] == kernel)
            & (texts(points, "variant") == variant)
            & (reals(points, column) > 0)
        ]
        apart, size = texts(own, "pair") != "local", reals(own, "size")
        sizes = size[apart & (size > 0)]
        if sizes.empty:
            continue
        shown = sizes.max() if largest else sizes.min()
        own, apart = own[size == shown], apart[size == shown]
        value, median = own[column], own.loc[apart, column].median()
        # The devices of `pair`, "0-1"; of a local pair, that which measured it.
        near, far = (
            end.fillna(reals(own, "device.ordinal"))
            for _, end in texts(own, "pair").str.extract(r"^(\d+)-(\d+)").astype(float).items()
        )
        title = f"{words}, {bytes_text(shown)} ({unit})"
        over = (value / median if largest else median / value).mask(near == far, 1.0)
        made.append(
            pd.DataFrame(
                {
                    ".source": own[".source"],
                    "kernel": title,
                    "across": near,
                    "up": far,
                    "over_median": over,
                    "shown": scale * value,
                    "across_name": near.map("{:.0f}".format),
                    "up_name": far.map("{:.0f}".format),
                }
            )[near.notna() & far.notna()]
        )
        middle = value if largest else reals(own, "latency_p50")
        widest = pd.concat([1 - own[ends[0]] / middle, own[ends[1]] / middle - 1]).max()
        what = "95 % intervals end" if largest else "5th and 95th percentiles of the samples are"
        notes.append(f"{title}: {what} at most {100 * max(widest, 0):.2g} % from the value")
    if not made:
        raise Skipped("no pair of two devices was measured")
    return remark(pd.concat(made, ignore_index=True), notes)
