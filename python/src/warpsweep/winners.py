"""Which way of doing the same work is the fastest: the ways that cannot be told apart, and what a choice costs that was made on
another device, or by a library. Ways differ in the family's ``choices``; equal in all other axes they do the same work."""

from __future__ import annotations

from collections.abc import Callable

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
# the time over that of the fastest way, and its 95 % interval
OVER = ["over", "over_low", "over_high"]


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
    """The fastest of A as the choice, on B; both files may be the same one."""
    return chosen(a, b, lambda of: of.choices, lambda rows, times: times.idxmin())


def first_choices(results: Results) -> pd.DataFrame:
    """What a library ranks first as the choice, among all that it ranks for the same product."""

    def first(rows: pd.DataFrame, times: pd.Series[float]) -> int | None:
        ranks = rows[kernels.family(str(rows["kernel"].iloc[0])).ranked]
        return next(iter(ranks.index[ranks == 0]), None)

    return chosen(results, results, lambda of: of.ranked, first)


def chosen(
    a: Results,
    b: Results,
    axes_of: Callable[[kernels.Family], str],
    choose: Callable[[pd.DataFrame, pd.Series[float]], int | None],
) -> pd.DataFrame:
    """A row for each problem whose ways both files have, at least two: ``kernel``, ``problem`` (in words), ``ways``,
    ``tied_a`` and ``tied_b`` (how many cannot be told from the fastest), ``same`` (the choice is one of the fastest of B),
    ``choice`` and ``best`` (the fastest of B) in words, and ``regret`` with its ends: how much longer the choice
    takes on B than the best, relative. ``axes_of`` names the axes that ways differ in; ``choose`` takes a problem's rows in A with
    their times, and gives the row of the choice; None: there is none."""
    of_a, of_b = ways(a), ways(b)
    partner = partners(of_a, of_b, a.columns, b.columns)
    of_a, of_b = of_a[partner >= 0], of_b.iloc[partner[partner >= 0]]
    # the host back end runs the reference, whatever the way is
    alike = of_a["backend"].to_numpy() == of_b["backend"].to_numpy()
    of_a, of_b = of_a[alike], of_b[alike]
    found = []
    for kernel, rows in of_a.groupby("kernel", sort=False):
        axes = [name for name in a.columns.axes() if name in rows]
        choices = [name for name in axes if name in axes_of(kernels.family(str(kernel))).split()]
        work = [name for name in axes if name not in choices]
        others = of_b.iloc[of_a.index.get_indexer(rows.index)]
        there = pd.Series(others.index, rows.index)
        problem = point_keys(rows, work)
        on_a, on_b = ranked(a, rows, problem), ranked(b, others, problem)
        both = on_a.index[there[on_a.index].isin(on_b.index)]
        for _, own in on_a.loc[both].groupby("problem"):
            if len(own) < 2:
                continue
            theirs = on_b.loc[there[own.index]]
            choice, best = choose(rows.loc[own.index], own["time"]), theirs["time"].idxmin()
            if choice is None:
                continue
            differ = [name for name in choices if rows.loc[own.index, name].nunique() > 1]
            told = [name for name in work if rows[name].nunique() > 1]
            over = theirs.loc[there[choice], OVER] - 1
            found.append(
                {
                    "kernel": kernel,
                    "problem": values_text(rows.loc[choice], told, a.columns),
                    "choice": values_text(rows.loc[choice], differ, a.columns),
                    "best": values_text(others.loc[best], differ, a.columns),
                    "ways": len(own),
                    "tied_a": int(own["tied"].sum()),
                    "tied_b": int(theirs["tied"].sum()),
                    "same": bool(theirs.loc[there[choice], "tied"]),
                    **dict(zip(REGRET, over.clip(lower=0.0))),
                }
            )
    names = "kernel problem choice best ways tied_a tied_b same".split()
    return pd.DataFrame(found, columns=[*names, *REGRET])
