"""How much of its rate alone something keeps beside something else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...columns import reals, texts
from ...derived.marks import measured, remark
from ...directives import Skipped

MECHANISMS = ("copy_engine", "load", "store", "bulk_load", "bulk_store")
PATTERNS = ("one", "both", "permutation", "all_to_all", "incast", "outcast", "bisection")
# one device sends or receives a message of each other one
SHARED = ("all_to_all", "incast", "outcast")
WORDS = ("variant", "pattern", "beside", "measured", "cache")
NUMBERS = ("size", "blocks", "gpus", "work_bytes", "shift")
TIMES = ("time_median", "time_ci_low", "time_ci_high")


def contention(frame: pd.DataFrame) -> pd.DataFrame:
    """across, up, across_name (mechanism), up_name (pattern or work), over_alone and shown (the rate over that alone),
    spread (half of its 95 % interval): each of the largest message that was measured both ways."""
    rows = measured(frame[frame["kernel"] == "contention"])
    rows = rows[[".source"]].assign(
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
    ).drop_duplicates([".source", "across", "up"])
    # A rate alone is shared by the messages that one device sends or receives, whichever are more. Intervals of both
    # medians are added in quadrature, as logarithms (Zou & Donner 2008).
    messages = pd.Series(1.0, cells.index).mask(cells["pattern"].isin(SHARED), cells["gpus"] - 1)
    messages = messages.mask(cells["pattern"] == "bisection", cells["gpus"] / 2)
    messages = messages.where((cells["measured"] != "work") & (cells["beside"] == "none"), 1)
    median, low, high = (np.log(cells[time]) for time in TIMES)
    alone, alone_low, alone_high = (np.log(cells[f"alone_{time}"]) for time in TIMES)
    ratio = messages * np.exp(alone - median)
    spread = (
        0.5
        * ratio
        * (
            np.exp(np.hypot(alone_high - alone, median - low))
            - np.exp(-np.hypot(alone - alone_low, high - median))
        )
    )
    made = cells[[".source", "across", "up"]].assign(
        kernel="contention",
        across_name=cells["variant"],
        up_name=[name(cell) for cell in cells.itertuples()],
        over_alone=ratio,
        shown=ratio,
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
    same = [".source", "measured", "cache", "size", "blocks"]
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
