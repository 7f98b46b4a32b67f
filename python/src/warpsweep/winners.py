"""Which way of doing the same work is the fastest: the ways that cannot be told apart, and what a choice made on one device
costs on another one. Ways differ in the family's ``choices``; equal in all other axes they do the same work."""

from __future__ import annotations

import numpy as np
import pandas as pd

from . import kernels
from .comparison import entries
from .estimates import of_file
from .findings import values_text
from .frames import frame
from .pairing import partners, point_keys
from .results import Results
from .rows import is_control, is_predicted
from .verdicts import Rule, ratios

REGRET = ["regret", "regret_low", "regret_high"]
OVER = [
    "over",
    "over_low",
    "over_high",
]  # the time over that of the fastest way, and its 95 % interval


def ways(results: Results) -> pd.DataFrame:
    """Measured points of families that have choices, without controls, by row of the file, with all columns."""
    rows = frame(results, canaries=True, predicted=False)
    ok = (rows["status"] == "ok") & (rows["repeat"] == 0) & ~is_control(rows) & ~is_predicted(rows)
    choosing = [name for name in rows["kernel"].unique() if kernels.family(name).choices]
    return rows[ok & rows["kernel"].isin(choosing)]


def ranked(results: Results, rows: pd.DataFrame, problem: np.ndarray) -> pd.DataFrame:
    """Of points of a file, by row: ``problem``, ``time``, ``over`` with its ends, and ``tied``: it cannot be told from the
    fastest way of its problem. Points without an estimate are left out."""
    e = entries(of_file(results), rows.index.to_numpy())
    found = pd.DataFrame({"problem": problem, "time": e["seconds"]}, rows.index)
    found = found[found["time"].notna()]
    fastest = found.groupby("problem")["time"].transform("idxmin")
    over = ratios(Rule(), e.loc[fastest], e.loc[found.index])
    found[OVER] = over[["ratio", "low", "high"]].to_numpy()
    own = fastest == found.index
    found.loc[own, OVER] = 1.0
    return found.assign(tied=own | (found["over_low"] <= 1))


def winners(a: Results, b: Results) -> pd.DataFrame:
    """A row for each problem whose ways both files have, at least two: ``kernel``, ``problem`` (in words), ``ways``,
    ``tied_a`` and ``tied_b`` (how many cannot be told from the fastest), ``same`` (the fastest of A is one of those of B),
    ``choice`` (the fastest of A) and ``best`` (that of B) in words, and ``regret`` with its ends: how much longer the choice
    takes on B than the best, relative. Both files may be the same one."""
    of_a, of_b = ways(a), ways(b)
    partner = partners(of_a, of_b, a.columns, b.columns)
    of_a, of_b = of_a[partner >= 0], of_b.iloc[partner[partner >= 0]]
    found = []
    for kernel, rows in of_a.groupby("kernel", sort=False):
        family = kernels.family(str(kernel))
        axes = [name for name in a.columns.axes() if name in rows]
        work = family.work(axes)
        choices = [name for name in axes if name not in work]
        others = of_b.iloc[of_a.index.get_indexer(rows.index)]
        there = pd.Series(others.index, rows.index)
        problem = point_keys(rows, work)
        on_a, on_b = ranked(a, rows, problem), ranked(b, others, problem)
        both = on_a.index[there[on_a.index].isin(on_b.index)]
        for _, own in on_a.loc[both].groupby("problem"):
            if len(own) < 2:
                continue
            theirs = on_b.loc[there[own.index]]
            chosen, best = own["time"].idxmin(), theirs["time"].idxmin()
            differ = [name for name in choices if rows.loc[own.index, name].nunique() > 1]
            told = [name for name in work if rows[name].nunique() > 1]
            over = theirs.loc[there[chosen], OVER] - 1
            found.append(
                {
                    "kernel": kernel,
                    "problem": values_text(rows.loc[chosen], told, a.columns),
                    "choice": values_text(rows.loc[chosen], differ, a.columns),
                    "best": values_text(others.loc[best], differ, a.columns),
                    "ways": len(own),
                    "tied_a": int(own["tied"].sum()),
                    "tied_b": int(theirs["tied"].sum()),
                    "same": bool(theirs.loc[there[chosen], "tied"]),
                    **dict(zip(REGRET, over.clip(lower=0.0))),
                }
            )
    names = "kernel problem choice best ways tied_a tied_b same".split()
    return pd.DataFrame(found, columns=[*names, *REGRET])
