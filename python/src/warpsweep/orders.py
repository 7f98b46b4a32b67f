"""How many times as good one point of a file is as another one, and whether the file tells that it is better."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from .assumptions import THRESHOLD
from .comparison import entries
from .estimates import aligned, of_file
from .results import Results
from .statistics import Part
from .verdicts import Rule, decide, ratio_of, ratios

TIME = "time_median"  # the quantity of which less is better


class Times(NamedTuple):
    """How many times as good as another point a point is, with the 95 % interval; NaN: not known. One is called better than the
    other if that holds by more than THRESHOLD at both ends."""

    value: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """Half of the interval."""
        return (self.high - self.low) / 2

    @property
    def is_better(self) -> bool:
        """Whether this point is."""
        return self.low > 1 + THRESHOLD

    @property
    def is_worse(self) -> bool:
        """Whether the other one is better."""
        return self.high < 1 / (1 + THRESHOLD)

    @property
    def inverse(self) -> Times:
        """How many times as good as this point the other one is."""
        return Times(1 / self.value, 1 / self.high, 1 / self.low)


def of_rows(rows: pd.DataFrame, pairs: pd.DataFrame) -> list[Times]:
    """How many times as fast the second row of each pair is: ``worse`` and ``better`` are labels of two rows of one ``.source`` of a
    frame."""
    if pairs.empty:
        return []
    files = {one.name: one for one in rows.attrs["results"]}
    worse, better = (rows.loc[pairs[side]] for side in ("worse", "better"))
    sides = {"worse": worse["id"].to_numpy(), "better": better["id"].to_numpy(), "quantity": TIME}
    of = pd.DataFrame(sides).groupby(worse[".source"].to_numpy(), sort=False)
    parts = [told(files[rows.attrs["groups"][source].file], own) for source, own in of]
    found = pd.concat(parts).loc[range(len(pairs)), ["value", "low", "high"]]
    return [Times(*row) for row in found.to_numpy()]


def told(results: Results, pairs: pd.DataFrame) -> pd.DataFrame:
    """What a file tells of orders: for each pair (``worse``, ``better``: ids; ``quantity``: a column) how many times as good the
    second is, ``value`` with ``low`` and ``high``, and ``verdict``: "faster", the second is better. NaN: not measured."""
    rows = results.rows[results.rows["repeat"] == 0].drop_duplicates("id")
    place = pd.Series(rows.index, rows["id"])
    sides = [place.reindex(pairs[side]).fillna(-1).astype(int) for side in ("worse", "better")]
    every = entries(of_file(results), np.unique(pd.concat(sides)[lambda of: of >= 0]))
    a, b = (aligned(every, side) for side in sides)
    taken = results.rows[list({*pairs["quantity"], TIME})]
    done = [
        pd.Series([row[name] * row[TIME] for row, name in zip(of, pairs["quantity"])])
        for of in (taken.reindex(side).to_dict("records") for side in sides)
    ]
    work = np.log(done[1] / done[0]) * (pairs["quantity"] != TIME).to_numpy()
    found = ratios(Rule(THRESHOLD), a, b)
    found = ratio_of(
        Rule(THRESHOLD), found["log_ratio"] - work, Part(found["error"] ** 2, found["dof"])
    )
    found["p"] = found["p"].mask(a["basis"].eq("within") | b["basis"].eq("within"))
    return pd.DataFrame(
        {
            "value": 1 / found["ratio"],
            "low": 1 / found["high"],
            "high": 1 / found["low"],
            "verdict": decide(Rule(THRESHOLD), found),
        }
    ).set_index(pairs.index)
