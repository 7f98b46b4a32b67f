"""The family contention: how much of its rate alone something keeps while something else goes on."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..directives import Skipped
from .rows import measured, real, remark, text

MECHANISMS = ("copy_engine", "load", "store", "bulk_load", "bulk_store")
PATTERNS = ("one", "both", "permutation", "all_to_all", "incast", "outcast", "bisection")
SHARED = ("all_to_all", "incast", "outcast")  # one device sends or receives a message of each other one
WORDS = ("variant", "pattern", "beside", "measured", "cache")
NUMBERS = ("size", "blocks", "gpus", "work_bytes", "shift")
TIMES = ("time_median", "time_ci_low", "time_ci_high")


def contention(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """across, up, across_name (mechanism), up_name (pattern or work), speedup (concurrent over alone), shown (the same
    in %), spread (half of its 95 % interval, in %): each of the largest message that was measured both ways."""
    rows = measured(frame[frame["kernel"] == "contention"])
    rows = pd.DataFrame({"source": rows["source"], "order": np.arange(len(rows)),
                         **{name: text(rows, name) for name in WORDS},
                         **{name: real(rows, name) for name in (*NUMBERS, *TIMES)}})
    cells = with_partner(rows)
    if cells.empty:
        raise Skipped("no point of contention has a partner: the same messages, or the same work, alone")
    kind = 3 * (cells["measured"] == "work") + (cells["measured"] != "work") * (cells["beside"] != "none")
    kind += (cells["beside"] == "matmul").astype(int)  # beside a matrix product: below other work
    pattern = cells["pattern"].map({name: i for i, name in enumerate(PATTERNS)}).fillna(len(PATTERNS))
    cells["across"] = cells["variant"].map({name: float(i) for i, name in enumerate(MECHANISMS)})
    cells["place"] = (kind * 16 + cells["gpus"]) * 16 + pattern
    # The larger message, then more blocks and work, and the smaller shift; in the place of the first of a cell.
    key = ["source", "across", "place"]
    cells["first"] = cells.groupby(key)["order"].transform("min")
    cells = cells.sort_values(["size", "blocks", "work_bytes", "shift", "order"], kind="stable",
                              ascending=[False, False, False, True, True], na_position="last")
    cells = cells.drop_duplicates(key).sort_values("first")
    ratio, low, high = ratios(cells)
    made = pd.DataFrame({
        "source": cells["source"], "kernel": "contention",
        "across": cells["across"].rank(method="dense") - 1,
        "up": cells["place"].rank(method="dense", ascending=False) - 1,
        "across_name": cells["variant"], "up_name": [name(cell) for cell in cells.itertuples()],
        "speedup": ratio, "shown": 100 * ratio, "spread": 50 * (high - low)})
    widest = made["spread"].where(np.isfinite(made["spread"])).max()
    return remark(made, [f"±: half of the 95 % interval of the ratio, at most {0 if np.isnan(widest) else widest:.2g}"])


def with_partner(rows: pd.DataFrame) -> pd.DataFrame:
    """Points between devices, of one part, with the times of their partner as `alone_...`. Points that do each part
    once (measured=both) last as long as both parts. The partner of work is the work without messages; of messages
    beside work, the messages without work; of a pattern without work, one message alone."""
    busy = (rows["beside"] != "none") | (rows["pattern"] != "one")
    together = rows[(rows["gpus"] >= 2) & ~rows["measured"].isin(["both"]) & (rows["pattern"] != "none") & busy
                    & rows["variant"].isin(MECHANISMS)]
    work, quiet = together["measured"] == "work", together["beside"] == "none"
    free = rows["beside"] == "none"
    same = ["source", "measured", "cache", "size", "blocks"]
    parts = []
    for some, alone, key in (
            (work, rows["pattern"] == "none", ["beside", "gpus", "work_bytes"]),
            (~work & quiet, free & (rows["pattern"] == "one") & (rows["gpus"] == 2), ["variant"]),
            (~work & ~quiet, free, ["variant", "pattern", "gpus", "shift"])):
        partner = rows[alone].drop_duplicates(same + key, keep="last")[[*same, *key, *TIMES]]
        partner = partner.rename(columns={time: f"alone_{time}" for time in TIMES})
        parts.append(together[some].merge(partner, on=same + key))
    return pd.concat(parts, ignore_index=True)


def ratios(cells: pd.DataFrame) -> tuple[pd.Series, pd.Series, pd.Series]:
    """The rate over that alone, and its interval: those of both medians are added in quadrature, as logarithms (Zou &
    Donner 2008). A rate alone is shared by the messages that one device sends or receives, whichever are more."""
    messages = pd.Series(1.0, cells.index).mask(cells["pattern"].isin(SHARED), cells["gpus"] - 1)
    messages = messages.mask(cells["pattern"] == "bisection", cells["gpus"] / 2)
    messages = messages.where((cells["measured"] != "work") & (cells["beside"] == "none"), 1)
    median, low, high = (np.log(cells[time]) for time in TIMES)
    alone, alone_low, alone_high = (np.log(cells[f"alone_{time}"]) for time in TIMES)
    ratio = messages * cells["alone_time_median"] / cells["time_median"]
    return (ratio, ratio * np.exp(-np.hypot(alone - alone_low, high - median)),
            ratio * np.exp(np.hypot(alone_high - alone, median - low)))


def name(cell: Any) -> str:
    """`both`, `permutation, 4 GPUs`, `one beside local_copy`: first what is measured."""
    more = f", {cell.gpus:.0f} GPUs" if cell.gpus > 2 else ""
    if cell.beside == "none":
        return f"{cell.pattern}{more}"
    both = (cell.beside, cell.pattern) if cell.measured == "work" else (cell.pattern, cell.beside)
    return f"{both[0]} beside {both[1]}{more}"
