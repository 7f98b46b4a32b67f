"""What the points of a study show: which axis changes a rate, and what a device gains. Effects of an
axis are compared within sets of points that are equal in all other axes; ratios are geometric means over the sets."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..laws import number
from .study import SMALLER, Family, Study

NOTABLE = 0.05  # relative: smaller effects are not worth a sentence
SETS = 3  # of points: fewer count less


@dataclass
class Effect:
    """What an axis does to a family's rate on one device: ``means`` has the log rate by level, against the best."""

    axis: str
    means: pd.Series
    best: object  # levels
    worst: object
    ratio: float  # rate at the best level over that at the worst
    sets: int  # of points that have both the best and the worst level, and are equal in all other axes


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
    return Effect(axis, means, means.idxmax(), means.idxmin(), float(np.exp(-means.min())), len(both))


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


def gains(study: Study, first: str, second: str) -> pd.DataFrame:
    """How much faster the points of families are on the second device (``gain``), and their roofs (``roofs``), the
    furthest apart first."""
    found: dict[str, pd.Series] = {}
    for family in study.families:
        rows = study.rows[(study.rows["kernel"] == family.name) & study.rows[".ok"]]
        sides = [rows[rows[".label"] == device].set_index("id") for device in (first, second)]
        with np.errstate(all="ignore"):
            logs = pd.DataFrame({"gain": np.log(number(sides[0], "time_median") / number(sides[1], "time_median")),
                                 "roofs": np.log(number(sides[1], "roof_rate") / number(sides[0], "roof_rate"))}).dropna()
        if len(logs) >= 3:
            found[family.name] = np.exp(logs.mean())
    table = pd.DataFrame(list(found.values()), list(found), ["gain", "roofs"])
    return table.iloc[np.argsort(-np.log(table["gain"] / table["roofs"]).abs(), kind="stable")]
