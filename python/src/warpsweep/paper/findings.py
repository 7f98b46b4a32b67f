"""What the points of a file show: each finding says what is seen, why (roof, counter, formula), and what follows.

Effects of an axis are compared within sets of points that are equal in all other axes, so that no axis is given what
another one does. Ratios are geometric means over the sets.
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .. import laws, units
from ..laws import number
from .study import Family, Study, listed

SMALLER = ("latency_p50", "time_median")  # the better ones are smaller
NEAR = 90.0  # % of a roof: near it
ENOUGH = 0.95  # of the best level's rate
NOTABLE = 0.05  # relative: smaller effects are not worth a sentence
SETS = 3  # of points: fewer count less
BUSY = 20.0  # % of a peak: less explains nothing
TOLERANCE = 0.25  # between the logarithms of a rate's change and of its cause
LEAST_VARIANCE = 0.1  # share that an axis must explain
NEAR_TIME = 0.15  # of a predicted time
LAUNCH = 0.25  # of a point's time: more is a launch that decides
BOUNDS = {"dram": "DRAM", "l2": "L2", "l1": "L1", "shared": "shared memory", "issue": "instruction issue",
          "flop": "arithmetic", "latency": "latency", "launch": "the launch", "tail": "the last blocks",
          "link": "the link"}
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
class Finding:
    """One statement. ``why`` and ``follows`` may be empty."""

    seen: str
    why: str = ""
    follows: str = ""

    @property
    def text(self) -> str:
        return " ".join(part for part in (self.seen, self.why, self.follows) if part)


@dataclass
class Effect:
    """What one axis does to the rate of a family on one device: ``means`` has the log rate by level, against the
    best."""

    axis: str
    means: pd.Series
    sets: int  # of points that have both the best and the worst level, and are equal in all other axes
    pairs: pd.DataFrame  # their rows: columns ``best`` and ``worst`` hold positions in the study's rows

    @property
    def best(self) -> object:
        return self.means.idxmax()

    @property
    def worst(self) -> object:
        return self.means.idxmin()

    @property
    def ratio(self) -> float:
        """Rate at the best level over that at the worst."""
        return float(np.exp(-self.means.min()))


def times(ratio: float) -> str:
    return f"{ratio:.3g}" if ratio < 100 else f"{ratio:.0f}"


def percent(share: float) -> str:
    return f"{share:.1f} %" if share < 99.95 else f"{share:.0f} %"


# ---- Axes ----------------------------------------------------------------------------------------------------------


def effect(study: Study, family: Family, rows: pd.DataFrame, axis: str) -> Effect | None:
    """The effect of an axis among measured rows of a family on one device; None: no two points differ in it alone."""
    others = [one for one in ["variant", *family.axes] if one != axis]
    rate = np.log(rows[".value"].where(rows[".value"] > 0))
    if family.quantity in SMALLER:
        rate = -rate
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
    if both.empty or best == worst:
        return None
    means = table.sub(table[best], axis=0).mean().dropna()  # against the best level, in the sets that have it
    if worst not in means:
        return None
    places = cells.reset_index().pivot(index="set", columns="level", values="index").loc[both.index]
    return Effect(axis, means, len(both), pd.DataFrame({"best": places[best], "worst": places[worst]}).astype(int))


def decisive(study: Study, family: Family, most: int) -> list[dict[str, Effect]]:
    """For each of the axes that change a family's rate most: its effect on each device."""
    if family.name not in study.effects:
        study.effects[family.name] = _effects(study, family)
    return study.effects[family.name][:most]


def _effects(study: Study, family: Family) -> list[dict[str, Effect]]:
    rows = study.rows.loc[(study.rows["kernel"] == family.name) & study.rows[".ok"],
                          ["variant", *family.axes, ".value", ".label"]]
    found: list[tuple[float, dict[str, Effect]]] = []
    for axis in ["variant", *family.axes]:
        on = {device: effect(study, family, of, axis) for device, of in rows.groupby(".label", sort=False)}
        known = {device: one for device, one in on.items() if one is not None}
        # A single set of points may be a special case.
        weight = np.mean([np.log(one.ratio) * min(one.sets, SETS) / SETS for one in known.values()]) if known else 0
        if weight > NOTABLE:
            found.append((weight, known))
    return [on for _, on in sorted(found, key=lambda pair: -pair[0])]


def level(study: Study, axis: str, value: object) -> str:
    """``stride 137``; words of some axes need no name."""
    return ("" if axis in ("variant", "dtype") else f"{axis} ") + study.axis_text(axis, value)


def tell_effect(study: Study, family: Family, on: dict[str, Effect]) -> Finding:
    """An effect on each device in words, with what explains it and from which level on the axis no longer matters."""
    device, found = next(iter(on.items()))
    better = "lower" if family.quantity in SMALLER else "higher"
    others = [f"{times(one.ratio)} on {name}" for name, one in on.items() if name != device
              and (one.best, one.worst) == (found.best, found.worst)]
    seen = (f"The {family.words} is {times(found.ratio)} times {better} at {level(study, found.axis, found.best)} "
            f"than at {level(study, found.axis, found.worst)}{f' on {device}' if len(study.devices) > 1 else ''}"
            f"{' (' + listed(others) + ')' if others else ''}, all else equal "
            f"({found.sets} set{'s' if found.sets > 1 else ''} of points).")
    return Finding(seen, why(study, found), _enough(study, found))


def _enough(study: Study, found: Effect) -> str:
    """From which level of a numeric axis on the best rate is nearly reached."""
    levels = found.means
    if not pd.api.types.is_numeric_dtype(levels.index) or len(levels) < 4:
        return ""
    reaching = set(levels[levels >= np.log(ENOUGH)].index)
    rising = found.best > found.worst  # type: ignore[operator]
    ordered = sorted(levels.index, reverse=not rising)
    first = next((one for at, one in enumerate(ordered) if set(ordered[at:]) <= reaching), None)
    if first is None or first in (ordered[0], ordered[-1]):
        return ""
    return (f"{level(study, found.axis, first)} {'and more' if rising else 'and less'} reach {100 * ENOUGH:.0f} % of "
            "the best, so there is little reason to go further.")


def why(study: Study, found: Effect) -> str:
    """The launch, a counter that changes as the rate does, or what the time model says; "": nothing explains it."""
    best, worst = study.rows.loc[found.pairs["best"]], study.rows.loc[found.pairs["worst"]]
    log_ratio = np.log(found.ratio)
    floor, at_best = ((number(side, "device.graph_floor") / number(side, "time_median")).median()
                      for side in (worst, best))
    if floor > LAUNCH and at_best < LAUNCH / 2:
        return f"An empty launch alone takes {100 * floor:.0f} % of the time of the slower points."
    explained = []
    for name, costs, works in COSTS:
        ends = [_mean_log(side, costs, works) for side in (best, worst)]
        if abs(ends[1] - ends[0] - log_ratio) < TOLERANCE * log_ratio:
            explained.append((abs(ends[1] - ends[0] - log_ratio), name, *np.exp(ends)))
    if explained:
        _, name, low, high = min(explained)
        return f"As counted, {name} rise in the same proportion, from {low:.3g} to {high:.3g}."
    loads = [(name, *(number(side, column).median() for side in (best, worst))) for name, column in LOADS]
    followed = [(abs(np.log(high / low) - log_ratio), name, high, low) for name, high, low in loads
                if high >= BUSY and low > 0]
    followed = [one for one in followed if one[0] < TOLERANCE * log_ratio]
    if followed:
        _, name, high, low = min(followed)
        return f"The {name} falls with it, from {high:.0f} to {low:.0f} % of its peak."
    bounds = [BOUNDS.get(side["bound"].mode().iloc[0], "") if "bound" in side and len(side["bound"].mode()) else ""
              for side in (best, worst)]
    if all(bounds) and bounds[0] != bounds[1]:
        return f"By the time model the faster points are bound by {bounds[0]}, the slower ones by {bounds[1]}."
    return ""


def _mean_log(rows: pd.DataFrame, costs: tuple[str, ...], works: tuple[str, ...]) -> float:
    cost, work = (sum(number(rows, name) for name in names) for names in (costs, works))
    with np.errstate(all="ignore"):
        logs = np.log(cost / work)
    return float(logs[np.isfinite(logs)].mean()) if np.isfinite(logs).any() else float("nan")


# ---- Roofs ---------------------------------------------------------------------------------------------------------


def roofs(study: Study) -> list[Finding]:
    """How close the best point of each family comes to its roof on each device, and which family is furthest."""
    best = study.best(["kernel", ".label"])
    best = best[best["kernel"].isin([family.name for family in study.families if family.bounded])]
    if best.empty:
        return []
    many, room = best["kernel"].nunique() > 1, best[".share"].min()
    follows = ("No kernel that moves the same bytes and does the same arithmetic can be more than "
               f"{times(100 / room)} times as fast as the best one of its family here." if room < NEAR else "")
    if not many:
        row = best.iloc[0]
        reached = listed([share(one) + (f" on {one['.label']}" if len(best) > 1 else "") for _, one in best.iterrows()])
        return [Finding(f"The best {row['kernel']} reaches {reached} of {row['.roof']}.", "", follows)]
    counts, furthest = [], []
    for device in study.devices:
        of = best[best[".label"] == device].sort_values(".share")
        on = f" on {device}" if len(study.devices) > 1 else ""
        counts.append(f"{(of['.share'] >= NEAR).sum()} of {len(of)}{on}")
        furthest += [f"{row['kernel']}{on} ({percent(row['.share'])} of {row['.roof']})"
                     for _, row in of[of[".share"] < NEAR].head(3).iterrows()]
    return [Finding(f"Of the families with a roof, {listed(counts)} reach at least {NEAR:.0f} % of it with the best "
                    "variant.",
                    f"Furthest from it: {listed(furthest)}." if furthest else "", follows)]


# ---- Devices -------------------------------------------------------------------------------------------------------


@dataclass
class Gain:
    """How much faster the points of a family are on another device, and how much faster its roofs are there."""

    family: Family
    points: int
    gain: float
    roofs: float
    axis: str = ""  # along which the gain varies most; high and low: its levels, and the gains there
    high: object = None
    low: object = None
    gain_high: float = np.nan
    gain_low: float = np.nan
    busy: tuple[float, ...] = ()  # DRAM's share of its peak in %: both devices at high, both at low


def gains(study: Study, first: str, second: str) -> list[Gain]:
    """The gain of each family with roofs, the furthest from that of its roofs first."""
    found = []
    for family in study.families:
        rows = study.rows[(study.rows["kernel"] == family.name) & study.rows[".ok"]]
        sides = [rows[rows[".label"] == device].set_index("id") for device in (first, second)]
        with np.errstate(all="ignore"):
            time = np.log(number(sides[0], "time_median") / number(sides[1], "time_median"))
            roof = np.log(number(sides[1], "roof_rate") / number(sides[0], "roof_rate"))
        both = time.notna() & roof.notna()
        if both.sum() >= 3:
            gain, roof = time[both], roof[both]
            one = Gain(family, len(gain), float(np.exp(gain.mean())), float(np.exp(roof.mean())))
            _along(one, gain, [side.reindex(gain.index) for side in sides])
            found.append(one)
    return sorted(found, key=lambda one: -abs(np.log(one.gain / one.roofs)))


def _along(one: Gain, gain: pd.Series, sides: list[pd.DataFrame]) -> None:
    """Along which axis the gain varies most: the largest share of its variance lies between the levels."""
    most, total = LEAST_VARIANCE, ((gain - gain.mean()) ** 2).sum()
    for axis in ["variant", *one.family.axes]:
        levels = gain.groupby(sides[0][axis].replace("", np.nan)).agg(["mean", "size"])
        levels = levels[levels["size"] >= min(3, len(gain) // 2)]
        between = (levels["size"] * (levels["mean"] - gain.mean()) ** 2).sum() / total if total > 0 else 0
        if len(levels) > 1 and between > most:
            most, means = between, levels["mean"]
            one.axis, one.high, one.low = axis, means.idxmax(), means.idxmin()
            one.gain_high, one.gain_low = float(np.exp(means.max())), float(np.exp(means.min()))
            one.busy = tuple(number(side[side[axis] == level], "dram_throughput").median()
                             for level in (one.high, one.low) for side in sides)


def ratios(study: Study, names: tuple[str, str], found: list[Gain]) -> list[Finding]:
    """Why a device does not gain what its roofs gain."""
    told = [one for one in found if abs(np.log(one.gain / one.roofs)) > NOTABLE]
    if not told:
        return [Finding(f"All families gain what their roofs gain, within {100 * NOTABLE:.0f} %.")] if found else []
    below = [one for one in told if one.gain < one.roofs]
    head = Finding(f"{len(below)} of {len(found)} families gain at least {100 * NOTABLE:.0f} % less than their roofs.")
    idle = [one for one in below
            if len(one.busy) == 4 and np.isfinite(one.busy).all() and one.busy[3] < 0.9 * one.busy[1]]
    if idle:
        head.why = (f"Where they gain least, the memory of {names[1]} is used less: in the median over these "
                    f"families DRAM is at {np.median([one.busy[1] for one in idle]):.0f} % of its peak where they "
                    f"gain most, and at {np.median([one.busy[3] for one in idle]):.0f} % where they gain least.")
        head.follows = "The ratio of roofs forecasts only points that keep the memory busy on both devices."
    details = []
    for one in told[:3]:
        seen = f"{one.family.name} gains {one.gain:.2f} where its roofs gain {one.roofs:.2f}."
        ends = [(one.gain_high, one.high, one.busy[:2]), (one.gain_low, one.low, one.busy[2:])] if one.axis else []
        parts = [f"{gain:.2f} at {level(study, one.axis, value)}"
                 + f" (DRAM at {busy[0]:.0f} and {busy[1]:.0f} % of its peak)" * bool(busy and np.isfinite(busy).all())
                 for gain, value, busy in ends]
        details.append(Finding(seen, f"The gain varies most with {one.axis}: {' and '.join(parts)}." if parts else ""))
    return [head, *details]


# ---- Formulas, predictions -------------------------------------------------------------------------------------------


def formulas(study: Study, names: list[str]) -> list[Finding]:
    """The formulas of these names, how the counters agree, and where the time does something else."""
    found = []
    for name in names:
        _, _, said = laws.describe(study.all, name, study.labels).partition(": ")
        if not said:
            continue
        contrast = laws.contrast(study.all, name, study.labels)
        ends = [(device, *_busy(laws.points(rows, name))) for device, rows in study.rows.groupby(".label", sort=False)]
        if contrast and all(first > last for _, first, last in ends):
            on = [f"{first:.0f} to {last:.0f} % of its peak on {device}" for device, first, last in ends]
            contrast += f" Over that range DRAM falls from {listed(on)}."
        found.append(Finding(said[0].upper() + said[1:], contrast))
    return found


def _busy(points: pd.DataFrame) -> tuple[float, float]:
    """The median throughput of DRAM in % of its peak, at the first and the last x of a law's largest number of
    bytes."""
    level = points[points["within"] & (points["expected"] == points["expected"].max())]
    return tuple(level[level["x"] == x]["busy"].median() for x in (level["x"].min(), level["x"].max()))  # type: ignore


def predictions(study: Study) -> list[Finding]:
    """How well times were predicted before they were measured, and requests by the access model."""
    found = []
    rows = study.rows[study.rows[".label"].isin(study.on("cuda")) & study.rows[".ok"]]
    if number(rows, "predicted_time").notna().any():
        error = (number(rows, "predicted_time") / number(rows, "time_median") - 1).abs()
        error = error[(number(rows, "predicted_time") > 0) & (number(rows, "time_median") > 0)]
        near = (error <= NEAR_TIME).groupby(rows[".label"], sort=False).agg(["sum", "size"])
        if len(near):
            parts = [f"{row['sum']} of {row['size']} points on {device}" for device, row in near.iterrows()]
            far = error[error > NEAR_TIME].groupby(rows["kernel"]).size() / error.groupby(rows["kernel"]).size()
            worst = far[far > 0.5].sort_values(ascending=False).head(3)
            found.append(Finding(
                f"Before the run the time model predicted {listed(parts)} within {100 * NEAR_TIME:.0f} %, from "
                "addresses, buffers and roofs.",
                f"It misses most points of {listed([f'{name} ({100 * part:.0f} %)' for name, part in worst.items()])}."
                if len(worst) else ""))
    both = equal = 0
    for kind in ("load_sectors", "store_sectors", "shared_load_wavefronts", "shared_store_wavefronts"):
        counted, predicted = number(rows, f"{kind}_per_request"), number(rows, f"predicted_{kind}_per_request")
        of = (counted > 0) & (predicted > 0)
        both += int(of.sum())
        equal += int((of & ((counted - predicted).abs() <= 1e-6 * predicted)).sum())
    if both:
        found.append(Finding("Sectors and wavefronts per request: the access model's prediction equals the count in "
                             f"{equal} of {both} cases (a case is a point and a kind of access)."))
    return found


def rate(row: pd.Series, family: Family) -> str:
    """``4299 ± 4 GB/s``."""
    return f"{units.format(row['.value'], row['.value_half'])} {family.unit}"


def share(row: pd.Series) -> str:
    """``98.7 ± 0.3 %``."""
    return f"{units.format(row['.share'], row['.share_half'])} %"
