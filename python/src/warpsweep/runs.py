"""What a further run of a job, and a further unit of the product, adds to the variance of a time.

Nested analysis of variance by moments (Searle, Casella & McCulloch 1992, chapter 3) of the logarithms of the times:
runs in units in groups of units with equal roofs, less the variance that the processes of each run explain."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Sequence

import numpy as np
import pandas as pd

from .errors import UsageError
from .results import Results

LONG = 1e-4  # s: below, processes differ more than runs or units do; above, units differ
ROOFS_APART = 0.01  # units of one product whose roofs of DRAM differ by more are of two groups
CLASSES = (  # name, from, to (s), kind of work ("": all)
    ("below 2 us", 0, 2e-6, ""), ("2 to 4 us", 2e-6, 4e-6, ""), ("4 to 10 us", 4e-6, 1e-5, ""),
    ("10 to 100 us", 1e-5, 1e-4, ""),
    ("100 us to 1 ms", 1e-4, 1e-3, ""), ("above 1 ms", 1e-3, np.inf, ""), ("all below 100 us", 0, LONG, ""),
    ("all above 100 us", LONG, np.inf, ""), ("cold, below 100 us", 0, LONG, "device"),
    ("cold, above 100 us", LONG, np.inf, "device"))


def between(files: Sequence[Results]) -> pd.DataFrame:
    """A row for each class of points (index: its name; "all" for all) that every file has measured: `points`; `run` and
    `unit`, the variances that they add (NaN: no unit has two runs, or there is one unit); `held_run` and `held_unit`,
    the share of pairs of runs whose difference lies within the 95 % interval of their processes alone. `attrs`: runs,
    units, groups. Files are of one device."""
    from .estimates import Estimator, finish
    from .pairing import partners

    first = files[0].rows[files[0].rows["repeat"] == 0]
    of = pd.DataFrame([_unit(results) for results in files])
    unit, group = _numbered(of)
    found = []
    for results in files:
        own = np.flatnonzero(results.rows["repeat"] == 0)
        partner = partners(first, results.rows.iloc[own], files[0].columns, results.columns)
        there = np.flatnonzero(partner >= 0)
        estimates = finish(Estimator(results).of(own[partner[there]])).set_axis(there)
        found.append(estimates.reindex(range(len(first))))
    known = np.all([one["basis"].isin(["pooled", "alone", "within"]) for one in found], axis=0)
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


def _unit(results: Results) -> dict:
    own = results.rows["device"].dropna()
    measured = own[own >= 0].unique()
    if len(measured) != 1:
        raise UsageError(f"{results.path}: history --spread takes files of one device each")
    return results.devices.iloc[int(measured[0])][["uuid", "peak_copy", "peak_read"]].to_dict()


def _numbered(of: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The unit (by UUID) and the group (by the roofs of DRAM) of each run, numbered by their first runs."""
    roofs = np.log(of[["peak_copy", "peak_read"]].to_numpy(float))
    unit, group = np.arange(len(of)), np.arange(len(of))
    for run in range(len(of)):
        alike = [other for other in range(run) if not (np.abs(roofs[other] - roofs[run]) > ROOFS_APART).any()]
        same = [other for other in range(run) if of["uuid"][other] == of["uuid"][run]]
        group[run] = group[alike[0]] if alike else run
        if same:
            unit[run], group[run] = unit[same[0]], group[same[0]]
    return unit, group


def _class(y: np.ndarray, error: np.ndarray, dof: np.ndarray, unit: np.ndarray, group: np.ndarray) -> dict:
    """Moments of the runs' (rows) logarithms at the points (columns)."""
    points, (units, first) = y.shape[1], np.unique(unit, return_index=True)
    counts = np.array([(unit == one).sum() for one in units])
    means = np.array([y[unit == one].mean(axis=0) for one in units])
    errors = np.array([(error[unit == one] ** 2).mean(axis=0) for one in units])
    place = np.searchsorted(units, unit)
    within = ((y - means[place]) ** 2).sum()
    explained = (((counts - 1) / counts)[place, None] * error**2).sum()
    of_group, squares, explained_units = group[first], 0.0, 0.0
    for one in np.unique(of_group):
        members = of_group == one
        squares += ((means[members] - means[members].mean(axis=0)) ** 2).sum()
        explained_units += ((errors / counts[:, None])[members].mean(axis=0) * (members.sum() - 1)).sum()
    run_dof, unit_dof = len(y) - len(units), len(units) - len(np.unique(of_group))
    run = max(0.0, (within - explained) / (points * run_dof)) if points and run_dof else np.nan
    add = np.nan
    if points and unit_dof:
        add = max(0.0, (squares - explained_units) / (points * unit_dof) - np.nan_to_num(run) * (1 / counts).mean())
    return {"points": points, "run": run, "unit": add, **_held(y, error, dof, unit, group)}


def _held(y: np.ndarray, error: np.ndarray, dof: np.ndarray, unit: np.ndarray, group: np.ndarray) -> dict:
    from .statistics import Part, critical, total

    held: dict[bool, list] = {True: [], False: []}
    for a, b in combinations(range(len(y)), 2):
        if group[a] == group[b]:
            both = total(Part(error[a] ** 2, dof[a]), Part(error[b] ** 2, dof[b]))
            held[unit[a] == unit[b]].append(np.abs(y[a] - y[b]) <= critical(0.05, both.dof) * np.sqrt(both.variance))
    return {name: float(np.concatenate(held[same]).mean()) if held[same] and y.shape[1] else np.nan
            for name, same in (("held_run", True), ("held_unit", False))}


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
