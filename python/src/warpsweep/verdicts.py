"""Verdicts on B against A: of points, with a limited false discovery rate, and of groups of points. Faster and slower:
the difference exceeds the threshold (a test of the minimum effect: Murphy & Myors 1999), by the procedure of Benjamini
& Hochberg (1995; valid under the positive dependence of a common shift: Benjamini & Yekutieli 2001). Same: the 95 %
interval lies within the threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .estimates import LONG, finish
from .statistics import Part, beyond, critical, total, total_wide

VERDICTS = ("not measured", "faster", "slower", "same", "uncertain")


@dataclass
class Rule:
    """threshold: the relative difference that matters; rate: of wrong verdicts among faster and slower, at most; alike:
    one kind of device on both sides, so one variance of processes is estimated for both. If the true ones differ
    strongly, 95 % intervals cover about 90 %."""

    threshold: float = 0.01
    rate: float = 0.01
    alike: bool = False


def ratio_of(rule: Rule, log_ratio: Any, sum_: Part) -> pd.DataFrame:
    """ratio, low, high (95 %), log_ratio, error, dof; p of "the difference is at most the threshold"; excluded: the
    interval rules out relative differences above this."""
    log_ratio = np.atleast_1d(np.asarray(log_ratio, float))
    error, dof = np.sqrt(sum_.variance), np.broadcast_to(sum_.dof, log_ratio.shape)
    limit, size = np.log1p(rule.threshold), np.abs(log_ratio)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        p = beyond((size - limit) / error, dof) + beyond((size + limit) / error, dof)
        half = critical(0.05, dof) * error
        return pd.DataFrame(
            {
                "ratio": np.exp(log_ratio),
                "low": np.exp(log_ratio - half),
                "high": np.exp(log_ratio + half),
                "log_ratio": log_ratio,
                "error": error,
                "dof": dof,
                "p": np.where(error > 0, p, np.nan),
                "excluded": np.expm1(size + half),
            }
        )


def _between(e: pd.DataFrame) -> Part:
    return Part(e["between"].to_numpy(), e["between_dof"].to_numpy())


def _shared(e: pd.DataFrame) -> Part:
    """What processes share among points. A point that stands alone has its shift among its own deviations."""
    pooled = (e["basis"] == "pooled").to_numpy()
    return Part(
        np.where(pooled, e["common"], e["own"]), np.where(pooled, e["common_dof"], e["own_dof"])
    )


def ratios(rule: Rule, a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """`ratio_of` of two frames of independent estimates, row by row; NaN where one has no time."""
    a, b = (e.reset_index(drop=True) for e in (a, b))
    variance, dof = total(
        *(Part(np.square(e["error"].to_numpy()), e["dof"].to_numpy()) for e in map(finish, (a, b)))
    )
    if rule.alike:
        same = ["basis", "top", "kind"]
        alike = ((a[same] == b[same]).all(axis=1) & a["basis"].isin(["pooled", "alone"])).to_numpy()
        alike = alike & np.isfinite(_shared(a).dof) & np.isfinite(_shared(b).dof)
        variance[alike], dof[alike] = _of_one_kind(a[alike], b[alike])
    return ratio_of(
        rule, b["log_seconds"].to_numpy() - a["log_seconds"].to_numpy(), Part(variance, dof)
    )


def _of_one_kind(a: pd.DataFrame, b: pd.DataFrame) -> Part:
    """One variance for the units of both files, weighted by degrees of freedom. The class's prior counts once."""
    sides = [(e, _shared(e), e["units"].to_numpy(float)) for e in (a, b)]
    n = sum(1 / units for _, _, units in sides)
    dofs = sum(part.dof for _, part, _ in sides)
    common = Part(
        sum(part.variance * units * part.dof for _, part, units in sides) / dofs * n, dofs
    )
    pooled = (a["basis"] == "pooled").to_numpy()
    own_dofs = sum((e["own_dof"] - 0.5 * e["prior_dof"]).to_numpy(float) for e in (a, b))
    squares = sum(
        (e["own"] * e["units"] * e["own_dof"] - 0.5 * e["prior_dof"] * e["prior"]).to_numpy(float)
        for e in (a, b)
    )
    own = Part(np.where(pooled, squares / own_dofs * n, 0), np.where(pooled, own_dofs, 1))
    return total_wide(common, total(own, _between(a), _between(b)))


def decide(rule: Rule, ratios: pd.DataFrame) -> np.ndarray:
    """The verdicts of all points of a comparison; "not measured" where p is unknown."""
    p = ratios["p"]
    known = np.sort(p.dropna())
    called = known[known <= rule.rate * np.arange(1, len(known) + 1) / max(1, len(known))]
    differs = p <= (called[-1] if called.size else -1)
    return np.select(
        [
            p.isna(),
            differs & (ratios["log_ratio"] < 0),
            differs,
            ratios["excluded"] <= rule.threshold,
        ],
        ["not measured", "faster", "slower", "same"],
        "uncertain",
    ).astype(object)


def detectable(rule: Rule, ratios: pd.DataFrame, share: float = 0.95) -> float:
    """The smallest true difference that would be called at `share` of the points, each alone; NaN: none below e."""
    known = ratios[ratios["p"].notna()]
    error, dof = known["error"].to_numpy(), known["dof"].to_numpy()
    needed, least = critical(2 * rule.rate, dof), float(np.log1p(rule.threshold))

    def is_enough(effect: float) -> bool:
        return bool(len(known)) and beyond(needed - (effect - least) / error, dof).mean() >= share

    low, high = least, 1.0
    if not is_enough(high):
        return np.nan
    while high - low > 1e-5:
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return float(np.expm1(high))


def deviations(medians: pd.Series) -> np.ndarray:
    """Of each point's units from their mean (rows); 0 where it has fewer units than another."""
    size = medians.map(len).to_numpy()
    table = np.zeros((len(medians), size.max()))
    there = np.arange(size.max()) < size[:, None]
    table[there] = np.concatenate([*medians])
    return np.where(there, table - (table.sum(axis=1) / size)[:, None], 0)


def _of_replicates(e: pd.DataFrame) -> tuple[float, float, int]:
    """The variance of the mean over points, its degrees of freedom, and the number of replicates; NaN for one. The r-th
    units of all points are one replicate. Points of a single unit say nothing; they may be half of all."""
    several = e[e["units"] > 1]
    if 2 * len(several) < len(e) or not len(e):
        return np.nan, np.nan, 1
    share = (deviations(several["medians"]) / several["units"].to_numpy()[:, None]).mean(axis=0)
    return float((share**2).sum() * len(share) / (len(share) - 1)), len(share) - 1, len(share)


def repetition(rule: Rule, a: pd.DataFrame, b: pd.DataFrame) -> Part:
    """The variance of the mean log ratio if the runs were repeated on the same points; NaN: unknown. A side of single
    processes is as uncertain as one process of the other side."""
    sides = pd.DataFrame(
        [_of_replicates(a), _of_replicates(b)], columns=["variance", "dof", "replicates"]
    )
    known = sides.dropna()
    if len(known) == 2 and not rule.alike:
        return total(*(Part(side.variance, side.dof) for side in sides.itertuples()))
    dof = known["dof"].sum() if len(known) else np.nan
    of_one = known.prod(axis=1).sum() / dof
    return Part(of_one * (1 / sides["replicates"]).sum(), dof)


def _added(*parts: Part) -> Part:
    """What all points of a group share: the mean of its standard errors counts in full."""
    return total(
        *(
            Part(
                np.sqrt(part.variance).mean() ** 2,
                np.min(np.where(part.variance > 0, part.dof, np.inf)),
            )
            for part in parts
        )
    )


INTERVALS = ("repetition", "units", "shapes")
ENDS = [f"{of}_{end}" for of in INTERVALS for end in ("low", "high")]


def group(
    rule: Rule,
    a: pd.DataFrame,
    b: pd.DataFrame,
    scatter: tuple[Scatter | None, Scatter | None] = (None, None),
) -> pd.Series:
    """The geometric mean of the ratios of the points that both have, as a row of `ratio_of` with a verdict, and the ENDS of three
    intervals: of a repetition on the same points (of predictions, the model's error), of other units of the products by their
    scatter, of other points of the kind. The verdict is that of units if two measured, else of a repetition."""
    measured = (a["basis"] != "none").to_numpy() & (b["basis"] != "none").to_numpy()
    a, b = a[measured], b[measured]
    log_ratio = pd.Series(b["log_seconds"].to_numpy() - a["log_seconds"].to_numpy())
    parts, n = dict.fromkeys(INTERVALS, Part(np.nan, np.nan)), len(log_ratio)
    predicted = bool((a["predicted"] | b["predicted"]).any())
    if n:
        parts["repetition"] = (
            _added(_shared(a), _shared(b)) if predicted else repetition(rule, a, b)
        )
    if n and all(scatter) and not predicted:
        others = _added(*(_between(widen(its, True, e)) for its, e in zip(scatter, (a, b))))
        parts["units"] = total_wide(parts["repetition"], others)
    if n > 1:
        parts["shapes"] = Part(log_ratio.var() / n, n - 1.0)
    variance, dof = np.array([parts[name] for name in INTERVALS], float).T
    found = ratio_of(rule, np.full(len(INTERVALS), log_ratio.mean()), Part(variance, dof)).set_axis(
        INTERVALS
    )
    apart = found.at["units", "p"] == found.at["units", "p"] and not same_unit(a, b).all()
    chosen = found.loc[["units" if apart else "repetition"]]
    verdict = decide(rule, chosen)[0]
    return pd.Series(
        {
            **chosen.iloc[0],
            **dict(zip(ENDS, found[["low", "high"]].to_numpy().ravel())),
            "verdict": "uncertain" if n and verdict == "not measured" else verdict,
        }
    )


def same_unit(a: pd.DataFrame, b: pd.DataFrame) -> np.ndarray:
    """Whether one unit measured both sides of a point; files that do not name their units count as of two."""
    return (a["unit"].to_numpy() == b["unit"].to_numpy()) & (a["unit"] != "").to_numpy()


@dataclass
class Scatter:
    """What a further run, and unit, of a product adds to the variance of a time: of points below and above LONG."""

    run: tuple[float, float] = (0.0, 0.0)
    unit: tuple[float, float] = (0.0, 0.0)
    run_dof: float = 0.0
    unit_dof: float = 0.0
    runs: int = 0
    units: int = 0
    source: str = ""


# What a further run, and a further unit of a kind, adds to the relative standard deviation of points of a part of the machine,
# where that is more than the profile's, which is of copies between DRAM and L2 (tests/python/kinds.py prints them, of the shipped
# files). A run: ten minutes later, by another job. Units of a kind have other distances between SMs, L2 and DRAM.
OF_PARTS = {"DRAM": (0.0003, 0.0), "latency of DRAM": (0.0, 0.006), "latency of L2": (0.0, 0.0154)}


def widen(scatter: Scatter | None, other_unit: Any, e: pd.DataFrame) -> pd.DataFrame:
    """Estimates with what another run adds, and where `other_unit` is true another unit; of a `part`, if they have one, what it
    adds to times of that part."""
    if scatter is None:
        return e
    short, part = (e["seconds"] < LONG).to_numpy(), e.get("part", pd.Series("", e.index))
    run, unit = (
        np.maximum(
            np.where(short, *of),
            part.map({name: sd[at] ** 2 for name, sd in OF_PARTS.items()}).fillna(0),
        )
        for at, of in enumerate((scatter.run, scatter.unit))
    )
    sum_ = total(Part(run, scatter.run_dof), Part(np.where(other_unit, unit, 0), scatter.unit_dof))
    measured = (e["basis"] != "none").to_numpy()
    return e.assign(
        between=np.where(measured, sum_.variance, e["between"]),
        between_dof=np.where(measured, sum_.dof, e["between_dof"]),
    )
