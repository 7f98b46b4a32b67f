"""What the points of a study show: which axis changes a rate, what explains it, and what a device gains. Effects of an
axis are compared within sets of points that are equal in all other axes; ratios are geometric means over the sets."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..laws import number
from ..time_model import BOUNDS
from .study import SMALLER, Family, Study

NOTABLE = 0.05  # relative: smaller effects are not worth a sentence
ENOUGH = 0.95  # of the best level's rate
SETS = 3  # of points: fewer count less
BUSY = 20.0  # % of a peak: less explains nothing
TOLERANCE = 0.25  # between the logarithms of a rate's change and of its cause
LEAST_VARIANCE = 0.1  # share that an axis must explain
LAUNCH = 0.25  # of a point's time: more is a launch that decides
# Quantities that a rate is inversely proportional to where they decide it.
COSTS = (("DRAM bytes moved for a useful byte", ("dram_bytes_read", "dram_bytes_written"),
          ("bytes_read", "bytes_written")),
         ("sectors for a load request", ("load_sectors",), ("load_requests",)),
         ("sectors for a store request", ("store_sectors",), ("store_requests",)),
         ("shared-memory wavefronts for a load request", ("shared_load_wavefronts",), ("shared_load_requests",)),
         ("shared-memory wavefronts for a store request", ("shared_store_wavefronts",), ("shared_store_requests",)),
         ("instructions for a useful byte", ("instructions",), ("bytes_read", "bytes_written")))
# Counters in percent of their peaks: a rate follows the one that falls with it.
LOADS = (("throughput of DRAM", "dram_throughput"), ("throughput of L2", "l2_throughput"),
         ("use of shared memory", "shared_utilization"), ("use of issue slots", "issue_active"),
         ("number of resident warps", "occupancy_achieved"))


@dataclass
class Effect:
    """What an axis does to a family's rate on one device: ``means`` has the log rate by level, against the best."""

    axis: str
    means: pd.Series
    best: object  # levels
    worst: object
    ratio: float  # rate at the best level over that at the worst
    sets: int  # of points that have both the best and the worst level, and are equal in all other axes
    pairs: pd.DataFrame  # their rows: columns ``best`` and ``worst`` hold positions in the study's rows

    @property
    def enough(self) -> object:
        """From which level of a numeric axis on the best rate is nearly reached; None: from the first, or from none."""
        levels = self.means.sort_index(ascending=self.best > self.worst)  # type: ignore[operator]
        if not pd.api.types.is_numeric_dtype(levels.index) or len(levels) < 4:
            return None
        reached = (levels >= np.log(ENOUGH))[::-1].cumprod()[::-1].astype(bool)
        first = reached.idxmax() if reached.any() else None
        return None if first in (levels.index[0], levels.index[-1]) else first


def effect(family: Family, rows: pd.DataFrame, axis: str) -> Effect | None:
    """The effect of an axis among measured rows of a family on one device; None: no two points differ in it alone."""
    others = [one for one in ["variant", *family.axes] if one != axis]
    rate = np.log(rows[".value"].where(rows[".value"] > 0)) * (-1 if family.quantity in SMALLER else 1)
    sets = rows.groupby(others, dropna=False, sort=False).ngroup() if others else pd.Series(0, rows.index)
    cells = pd.DataFrame({"set": sets, "level": rows[axis].replace("", np.nan), "rate": rate}).dropna()
    cells = cells.drop_duplicates(["set", "level"])
    table = cells.pivot(index="set", columns="level", values="rate")
    table = table[table.notna().sum(axis=1) > 1]
    if table.shape[1] < 2 or table.empty:
        return None
    means = table.sub(table.mean(axis=1), axis=0).mean()
    best, worst = means.idxmax(), means.idxmin()
    both = table[[best, worst]].dropna()
    means = table.sub(table[best], axis=0).mean().dropna()  # against the best level, in the sets that have it
    if both.empty or best == worst or worst not in means:
        return None
    places = cells.reset_index().pivot(index="set", columns="level", values="index").loc[both.index]
    return Effect(axis, means, means.idxmax(), means.idxmin(), float(np.exp(-means.min())), len(both),
                  pd.DataFrame({"best": places[best], "worst": places[worst]}).astype(int))


def effects(study: Study, family: Family) -> list[dict[str, Effect]]:
    """The effect of each notable axis on each device, that which changes the family's rate most first."""
    rows = study.rows.loc[(study.rows["kernel"] == family.name) & study.rows[".ok"],
                          ["variant", *family.axes, ".value", ".label"]]
    found: list[tuple[float, dict[str, Effect]]] = []
    for axis in ["variant", *family.axes]:
        on = {device: effect(family, of, axis) for device, of in rows.groupby(".label", sort=False)}
        known = {device: one for device, one in on.items() if one is not None}
        # A single set of points may be a special case.
        weight = np.mean([np.log(one.ratio) * min(one.sets, SETS) / SETS for one in known.values()]) if known else 0
        if weight > NOTABLE:
            found.append((weight, known))
    return [on for _, on in sorted(found, key=lambda pair: -pair[0])]


def why(study: Study, found: Effect) -> str:
    """The launch, a counter that changes as the rate does, or what the time model says; "": nothing explains it."""
    best, worst = study.rows.loc[found.pairs["best"]], study.rows.loc[found.pairs["worst"]]
    log_ratio = np.log(found.ratio)
    floor, at_best = ((number(side, "device.graph_floor") / number(side, "time_median")).median()
                      for side in (worst, best))
    if floor > LAUNCH and at_best < LAUNCH / 2:
        return f"An empty launch alone takes {100 * floor:.0f} % of the time of the slower points."
    costs = [(name, *(_mean(side, of, work) for side in (best, worst))) for name, of, work in COSTS]
    if cause := _nearest(costs, log_ratio):
        return f"As counted, {cause[0]} rise in the same proportion, from {cause[1]:.3g} to {cause[2]:.3g}."
    loads = [(name, *(number(side, column).median() for side in (worst, best))) for name, column in LOADS]
    if cause := _nearest([load for load in loads if load[2] >= BUSY], log_ratio):
        return f"The {cause[0]} falls with it, from {cause[2]:.0f} to {cause[1]:.0f} % of its peak."
    modes = [side["bound"].mode() if "bound" in side else [] for side in (best, worst)]
    bounds = [BOUNDS.get(mode[0], "").partition(":")[0] if len(mode) else "" for mode in modes]
    if all(bounds) and bounds[0] != bounds[1]:
        return f"By the time model the faster points are bound by {bounds[0]}, the slower ones by {bounds[1]}."
    return ""


def _nearest(causes: list[tuple[str, float, float]], log_ratio: float) -> tuple[str, float, float] | None:
    """The cause whose ratio of high to low is nearest to that of the rates, if it is near."""
    apart = [(abs(np.log(high / low) - log_ratio), (name, low, high)) for name, low, high in causes if low > 0]
    near = [one for one in apart if one[0] < TOLERANCE * log_ratio]
    return min(near)[1] if near else None


def _mean(rows: pd.DataFrame, costs: tuple[str, ...], works: tuple[str, ...]) -> float:
    """The geometric mean of a cost over a work; NaN: unknown."""
    cost, work = (sum(number(rows, name) for name in names) for names in (costs, works))
    with np.errstate(all="ignore"):
        logs = np.log(cost / work)
    return float(np.exp(logs[np.isfinite(logs)].mean()))


def gains(study: Study, first: str, second: str) -> pd.DataFrame:
    """How much faster the points of families are on the second device (``gain``), and their roofs (``roofs``), the
    furthest apart first; the ``axis`` along which the gain varies most, its values with the ``most`` and the ``least``
    gain, that gain (``most_gain``), and DRAM's share of its peak in % on both devices there (``most_busy``)."""
    found: dict[str, dict[str, object]] = {}
    for family in study.families:
        rows = study.rows[(study.rows["kernel"] == family.name) & study.rows[".ok"]]
        sides = [rows[rows[".label"] == device].set_index("id") for device in (first, second)]
        with np.errstate(all="ignore"):
            logs = pd.DataFrame({"gain": np.log(number(sides[0], "time_median") / number(sides[1], "time_median")),
                                 "roofs": np.log(number(sides[1], "roof_rate") / number(sides[0], "roof_rate"))}).dropna()
        if len(logs) >= 3:
            found[family.name] = {**np.exp(logs.mean()),
                                  **_along(family, logs["gain"], [side.reindex(logs.index) for side in sides])}
    table = pd.DataFrame(list(found.values()), list(found), [
        "gain", "roofs", "axis", *(f"{end}{of}" for end in ("most", "least") for of in ("", "_gain", "_busy"))])
    return table.iloc[np.argsort(-np.log(table["gain"] / table["roofs"]).abs(), kind="stable")]


def _along(family: Family, gain: pd.Series, sides: list[pd.DataFrame]) -> dict[str, object]:
    """The axis along which the gain varies most: the largest share of its variance lies between the values."""
    most, along, total = LEAST_VARIANCE, {}, ((gain - gain.mean()) ** 2).sum()
    for axis in ["variant", *family.axes] if total > 0 else []:
        levels = gain.groupby(sides[0][axis].replace("", np.nan)).agg(["mean", "size"])
        levels = levels[levels["size"] >= min(3, len(gain) // 2)]
        between = (levels["size"] * (levels["mean"] - gain.mean()) ** 2).sum() / total
        if len(levels) > 1 and between > most:
            busy = [number(side, "dram_throughput").groupby(side[axis]).median() for side in sides]
            most, along = between, {"axis": axis}
            for end, at in (("most", levels["mean"].idxmax()), ("least", levels["mean"].idxmin())):
                along.update({end: at, f"{end}_gain": np.exp(levels["mean"][at]),
                              f"{end}_busy": [side.get(at) for side in busy]})
    return along


def idle(found: pd.DataFrame) -> list[float]:
    """DRAM's share of its peak where families that gain less than their roofs gain most and least, in the median; or
    []."""
    less = found[(found["gain"] < found["roofs"] * (1 - NOTABLE)) & found["axis"].notna()]
    busy = pd.DataFrame({end: [busy[1] for busy in less[f"{end}_busy"]] for end in ("most", "least")}, dtype=float)
    busy = busy[busy["least"] < 0.9 * busy["most"]]
    return busy.median().tolist() if len(busy) else []
