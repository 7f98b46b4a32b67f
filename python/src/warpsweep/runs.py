"""What a further run of a job, and a further unit of the product, adds to the variance of a time.

Nested analysis of variance by moments (Searle, Casella & McCulloch 1992, chapter 3) of the logarithms of the times:
runs in units in groups of units with equal roofs, less the variance that the processes of each run explain."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Sequence

import numpy as np
import pandas as pd

from .errors import UsageError
from .estimates import LONG, Estimator, aligned, finish
from .pairing import partners
from .results import Results
from .statistics import Part, critical, total

ROOFS_APART = 0.01  # units of one product whose roofs of DRAM differ by more are of two groups
CLASSES = (  # name, from, to (s), kind of work ("": all)
    ("all below 100 us", 0, LONG, ""), ("all above 100 us", LONG, np.inf, ""),
    ("cold, below 100 us", 0, LONG, "device"), ("cold, above 100 us", LONG, np.inf, "device"))


def between(files: Sequence[Results]) -> pd.DataFrame:
    """A row for each class of points (index: its name; "all" for all) that every file has measured: `points`; `run` and
    `unit`, the variances that they add (NaN: no unit has two runs, or there is one unit); `held_run` and `held_unit`,
    the share of pairs of runs whose difference lies within the 95 % interval of their processes alone. `attrs`: runs,
    units, groups. Files are of one device."""
    first = files[0].rows[files[0].rows["repeat"] == 0]
    unit, group = _numbered(pd.DataFrame([_unit(results) for results in files]))
    found = []
    for results in files:
        own = results.rows.index[results.rows["repeat"] == 0].to_numpy()
        partner = partners(first, results.rows.loc[own], files[0].columns, results.columns)
        found.append(finish(aligned(Estimator(results).of(own), np.append(own, -1)[partner])))
    known = np.all([one["basis"] != "none" for one in found], axis=0)
    kinds = np.array([one["kind"] for one in found], dtype=object)
    y, error, dof = (np.array([one[name].to_numpy(float) for one in found]) for name in ("log_seconds", "error", "dof"))
    seconds = np.exp(y.mean(axis=0))
    table = {}
    for name, low, high, kind in (*CLASSES, ("all", 0, np.inf, "")):
        chosen = known & (seconds >= low) & (seconds < high) & ((kinds == kind).all(axis=0) if kind else True)
        if chosen.any() or name == "all":
            table[name] = _class(y[:, chosen], error[:, chosen], dof[:, chosen], unit, group)
    result = pd.DataFrame.from_dict(table, orient="index")
    result.attrs = {"runs": len(files), "units": len(set(unit)), "groups": len(set(group))}
    return result


def _unit(results: Results) -> pd.Series:
    measured = results.rows.loc[results.rows["device"] >= 0, "device"].unique()
    if len(measured) != 1:
        raise UsageError(f"{results.path}: history --spread takes files of one device each")
    return results.devices.loc[int(measured[0]), ["uuid", "peak_copy", "peak_read"]]


def _numbered(of: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The unit (by UUID) and the group (by the roofs of DRAM) of each run, numbered by their first runs."""
    roofs = np.log(of[["peak_copy", "peak_read"]].to_numpy(float))
    unit, group = pd.factorize(of["uuid"])[0], np.arange(len(of))
    for run in range(len(of)):
        same = np.flatnonzero(unit[:run] == unit[run])
        alike = np.flatnonzero((np.abs(roofs[:run] - roofs[run]) <= ROOFS_APART).all(axis=1))
        group[run] = group[next(iter([*same, *alike]), run)]
    return unit, group


def _class(y: np.ndarray, error: np.ndarray, dof: np.ndarray, unit: np.ndarray, group: np.ndarray) -> dict:
    """Moments of the runs' (rows) logarithms at the points (columns)."""
    points, count = y.shape[1], pd.Series(unit).groupby(unit).transform("size").to_numpy()
    means = pd.DataFrame(y).groupby(unit).mean()
    errors = (pd.DataFrame(error**2).groupby(unit).mean()).div(np.bincount(unit), axis=0)
    of_group = pd.Series(group).groupby(unit).first().to_numpy()
    run_dof, unit_dof = len(y) - len(means), len(means) - len(np.unique(of_group))
    run = add = np.nan
    if points and run_dof:
        explained = ((1 - 1 / count)[:, None] * error**2).sum()
        run = max(0.0, (((y - means.to_numpy()[unit]) ** 2).sum() - explained) / (points * run_dof))
    if points and unit_dof:
        squares = ((means - means.groupby(of_group).transform("mean")) ** 2).to_numpy().sum()
        others = np.bincount(of_group)[np.unique(of_group)] - 1
        explained = errors.groupby(of_group).mean().mul(others, axis=0).to_numpy().sum()
        of_runs = np.nan_to_num(run) * (1 / np.bincount(unit)).mean()
        add = max(0.0, (squares - explained) / (points * unit_dof) - of_runs)
    held: dict[bool, list] = {True: [], False: []}
    for a, b in combinations(range(len(y)), 2):
        if group[a] == group[b]:
            both = total(Part(error[a] ** 2, dof[a]), Part(error[b] ** 2, dof[b]))
            held[unit[a] == unit[b]].append(np.abs(y[a] - y[b]) <= critical(0.05, both.dof) * np.sqrt(both.variance))
    return {"points": points, "run": run, "unit": add,
            **{name: float(np.concatenate(held[same]).mean()) if held[same] and points else np.nan
               for name, same in (("held_run", True), ("held_unit", False))}}


def print_spread(document: Any, files: Sequence[Results]) -> None:
    """What another run and another unit add, by class of duration, and as values of a device profile."""
    def percent(value: float, form: str) -> str:
        return "-" if np.isnan(value) else form.format(100 * value)

    found = between(files)
    every, of = found.loc["all"], found.attrs
    document.heading(1, "What runs and units add")
    document.texts(["time", ">points", ">run adds, %", ">unit adds, %", ">one unit held, %", ">two units held, %"],
                   [[name, f"{row['points']:.0f}", *(percent(row[one] ** 0.5, "{:.3f}") for one in ("run", "unit")),
                     *(percent(row[one], "{:.1f}") for one in ("held_run", "held_unit"))]
                    for name, row in found.drop("all").iterrows()])
    document.paragraph(
        f"{of['runs']} runs on {of['units']} units (by UUID) in {of['groups']} groups (by the roofs of DRAM, within 1 "
        f"%); {every['points']:.0f} points that all have measured. Units are compared within their group. Standard "
        "deviations, beyond what the processes of a run explain. Held: pairs of runs whose difference lies within the "
        "95 % interval of their processes alone.")
    document.paragraph("For a device profile, by which compare widens its intervals (of cold points; 0 is left out):")
    values = {f"spread_{level}_{length}": found[level].get(f"cold, {side} 100 us", 0.0) ** 0.5
              for level in ("run", "unit") for length, side in (("short", "below"), ("long", "above"))}
    values.update({f"spread_{what}": float(of[what]) for what in ("runs", "units", "groups")})
    document.items([f"{name}: {value:.3g}" for name, value in values.items() if value > 0])
