"""Several GPUs: what goes between each two, and how much of its rate alone something keeps beside something else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..directives import Skipped
from ..frames import reals, texts
from ..units import bytes_text
from . import measured, remark

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
MECHANISMS = ("copy_engine", "load", "store", "bulk_load", "bulk_store")
PATTERNS = ("one", "both", "permutation", "all_to_all", "incast", "outcast", "bisection")
SHARED = (
    "all_to_all",
    "incast",
    "outcast",
)  # one device sends or receives a message of each other one
WORDS = ("variant", "pattern", "beside", "measured", "cache")
NUMBERS = ("size", "blocks", "gpus", "work_bytes", "shift")
TIMES = ("time_median", "time_ci_low", "time_ci_high")


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
                    "source": own["source"],
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


def contention(frame: pd.DataFrame) -> pd.DataFrame:
    """across, up, across_name (mechanism), up_name (pattern or work), over_alone (the rate over that alone), shown (%),
    spread (half of its 95 % interval, in %): each of the largest message that was measured both ways."""
    rows = measured(frame[frame["kernel"] == "contention"])
    rows = rows[["source"]].assign(
        **{name: texts(rows, name) for name in WORDS},
        **{name: reals(rows, name) for name in (*NUMBERS, *TIMES)},
    )
    cells = with_partner(rows)
    if cells.empty:
        raise Skipped(
            "no point of contention has a partner: the same messages, or the same work, alone"
        )
    # From above: without work, beside a copy, beside a matrix product, and both works.
    kind = 3 * (cells["measured"] == "work") + cells["beside"].map(
        {"local_copy": 1, "matmul": 2}
    ).fillna(0)
    pattern = cells["pattern"].map({name: i for i, name in enumerate(PATTERNS)})
    cells["across"] = cells["variant"].map(MECHANISMS.index).rank(method="dense") - 1
    cells["up"] = -1.0 - cells.groupby([kind, "gpus", pattern], dropna=False).ngroup()
    cells["up"] -= cells["up"].min()
    # The larger message, then more blocks and work, and the smaller shift.
    cells = cells.sort_values(
        ["size", "blocks", "work_bytes", "shift"],
        kind="stable",
        ascending=[False, False, False, True],
    ).drop_duplicates(["source", "across", "up"])
    # A rate alone is shared by the messages that one device sends or receives, whichever are more. Intervals of both
    # medians are added in quadrature, as logarithms (Zou & Donner 2008).
    messages = pd.Series(1.0, cells.index).mask(cells["pattern"].isin(SHARED), cells["gpus"] - 1)
    messages = messages.mask(cells["pattern"] == "bisection", cells["gpus"] / 2)
    messages = messages.where((cells["measured"] != "work") & (cells["beside"] == "none"), 1)
    median, low, high = (np.log(cells[time]) for time in TIMES)
    alone, alone_low, alone_high = (np.log(cells[f"alone_{time}"]) for time in TIMES)
    ratio = messages * np.exp(alone - median)
    spread = (
        50
        * ratio
        * (
            np.exp(np.hypot(alone_high - alone, median - low))
            - np.exp(-np.hypot(alone - alone_low, high - median))
        )
    )
    made = cells[["source", "across", "up"]].assign(
        kernel="contention",
        across_name=cells["variant"],
        up_name=[name(cell) for cell in cells.itertuples()],
        over_alone=ratio,
        shown=100 * ratio,
        spread=spread,
    )
    widest = spread.where(np.isfinite(spread)).max()
    return remark(
        made,
        [
            f"±: half of the 95 % interval of the ratio, at most {0 if np.isnan(widest) else widest:.2g}"
        ],
    )


def with_partner(rows: pd.DataFrame) -> pd.DataFrame:
    """Points between devices, of one part, with the times of their partner as `alone_...`: of work that without
    messages, of messages beside work those without work, of a pattern without work one message alone."""
    free = rows["beside"] == "none"
    together = rows[
        (rows["gpus"] >= 2)
        & (rows["measured"] != "both")
        & (rows["pattern"] != "none")
        & (~free | (rows["pattern"] != "one"))
        & rows["variant"].isin(MECHANISMS)
    ]
    work, quiet = together["measured"] == "work", together["beside"] == "none"
    same = ["source", "measured", "cache", "size", "blocks"]
    parts = []
    for some, alone, key in (
        (work, rows["pattern"] == "none", ["beside", "gpus", "work_bytes"]),
        (~work & quiet, free & (rows["pattern"] == "one") & (rows["gpus"] == 2), ["variant"]),
        (~work & ~quiet, free, ["variant", "pattern", "gpus", "shift"]),
    ):
        partner = rows[alone].drop_duplicates(same + key, keep="last")[[*same, *key, *TIMES]]
        partner = partner.rename(columns={time: f"alone_{time}" for time in TIMES})
        parts.append(together[some].merge(partner, on=same + key))
    return pd.concat(parts, ignore_index=True)


def name(cell: Any) -> str:
    """`both`, `permutation, 4 GPUs`, `one beside local_copy`: first what is measured."""
    more = f", {cell.gpus:.0f} GPUs" if cell.gpus > 2 else ""
    both = [cell.pattern] if cell.beside == "none" else [cell.pattern, cell.beside]
    return " beside ".join(both[::-1] if cell.measured == "work" else both) + more
