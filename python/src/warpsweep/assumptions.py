"""Verdicts of a comparison: which pairs are refused, what other runs and units add, and what the verdicts assume."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from . import profiles, running, verdicts
from .columns import texts
from .comparison import Comparison
from .errors import UsageError
from .identity import same_run
from .program import shipped
from .results import Results
from .rows import ABOVE
from .units import plural, scaled
from .values import human
from .verdicts import Rule, Scatter, widen

# of pairs: effects of order, and of the place of code, may reach it
THRESHOLD, PAIRED_THRESHOLD = 0.01, 0.001
KIND = 0.003  # relative: copy roofs of units of one kind differ by less
SHOWN = 5  # families that are named
ROOFS_DIFFER = 0.01  # relative: roofs that differ by more are told


def unlike(c: Comparison) -> pd.DataFrame:
    """What makes the times of pairs not comparable, in columns: both sides in words where they differ, else ""."""
    on_purpose = {name.split(".")[-1] for name in c.by.split(",")}
    a, b = c.a, c.b
    timed = (
        (a["basis"] != "none") & (b["basis"] != "none")
        if not c.paired
        else (c.texts(0, "status") == "ok") & (c.texts(1, "status") == "ok")
    )
    states = [
        c.texts(side, "cache")
        if "l2_dirty" in c.files[side].rows  # release 0.1 says `cold` of clean lines
        else c.texts(side, "cache").replace("cold", "clean")
        for side in (0, 1)
    ]
    # by the duration
    timers = [c.texts(side, "timer").replace(["graph", "single"], "events") for side in (0, 1)]
    found = {}
    for what, name, (x, y) in (
        ("states of L2", "cache", states),
        ("back ends", "backend", [c.texts(side, "backend") for side in (0, 1)]),
        ("timers", "timer", timers),
    ):
        differ = timed & (x != y) & (name not in on_purpose)
        if name != "cache":
            differ &= ~(a["predicted"] | b["predicted"])
        x, y = (side.replace("", "one not noted") for side in (x, y))
        found[what] = (y + " against " + x).where(differ, "")
    return pd.DataFrame(found, c.pairs.index)


def check(c: Comparison, mixed: bool) -> Comparison:
    """The comparison. UsageError for pairs whose times are not comparable; with `mixed` they are an assumption."""
    found = [
        f"different {what} at {plural(len(differ), 'point')} ({differ.iloc[0]})"
        for what, words in unlike(c).items()
        if len(differ := words[words != ""])
    ]
    above = int(c.above.sum())
    if above:
        c.assumed.append(f"{plural(above, 'pair')} not compared: one side is {ABOVE}.")
    if found and not mixed:
        raise UsageError(
            f"times are not comparable: {', '.join(found)}; --mixed compares them anyway"
        )
    if found:
        c.assumed.append(f"Mixed: {', '.join(found)}. Differences may come from these.")
    return c


def same_kind(a: pd.Series[Any], b: pd.Series[Any]) -> bool:
    """Whether two devices (rows of /devices) of a product are of one kind: by the part numbers of their boards, or,
    where one does not tell, by their copy roofs."""
    boards = [one.get("board_part", "") for one in (a, b)]
    if all(isinstance(board, str) and board for board in boards):
        return bool(boards[0] == boards[1])
    return bool(abs(np.log(a.get("peak_copy", np.nan) / b.get("peak_copy", np.nan))) <= KIND)


@lru_cache(maxsize=None)
def scatter_of(product: str) -> Scatter | None:
    """How runs and units of a product scatter, by its shipped profile; None if it is not known."""
    for path in sorted(shipped("profiles").glob("*.yaml")):
        profile = profiles.read(path)
        if profile.name == product:
            told = {
                name: 0 if math.isnan(profile[name]) else profile[name] for name in profiles.FIELDS
            }
            run, unit = (
                (told[f"spread_{level}_short"] ** 2, told[f"spread_{level}_long"] ** 2)
                for level in ("run", "unit")
            )
            runs, units = int(told["spread_runs"]), int(told["spread_units"])
            return (
                Scatter(
                    run,
                    unit,
                    max(1, runs - units),
                    max(1, units - (told["spread_groups"] or 1)),
                    runs,
                    units,
                    profile.values["spread_units"].source,
                )
                if units
                else None
            )
    return None


def judge(
    comparison: Comparison, threshold: float | None = None, limit: float | None = None
) -> Comparison:
    """With ratios, verdicts and what they assume. Intervals of two files include what other runs and units add, if it is known.
    The standard threshold is not above `limit`: what a gate lets through, it must be able to call."""
    if threshold is not None and (not isinstance(threshold, (int, float)) or not 0 < threshold < 1):
        raise UsageError(f"threshold {threshold!r}: expected a share between 0 and 1, as 0.01")
    products = []  # name and back end of the devices that measured each side; one that the file does not know is of none
    for results, used, e in zip(comparison.files, comparison.devices, (comparison.a, comparison.b)):
        names = [*zip(texts(results.devices, "name"), texts(results.devices, "backend")), ("", "")]
        products.append(
            {("", "predicted")}
            if e["predicted"].any()
            else {names[min(device, len(names) - 1)] for device in used}
        )
    both = products[0] | products[1]
    alike = len(both) == 1 and ("", "predicted") not in both
    standard = PAIRED_THRESHOLD if comparison.paired else THRESHOLD
    c = replace(
        comparison,
        rule=Rule(
            threshold or min(standard, limit or standard),
            alike=alike and not comparison.paired,
        ),
    )
    if not c.by:
        a, b = (scatter_of(list(side)[0][0]) if len(side) == 1 else None for side in products)
        c.scatter = (a, b)
    scatter = c.scatter[0] if alike else None
    others = ~verdicts.same_unit(c.a, c.b)
    c.a, c.b = (widen(scatter, others, e) for e in (c.a, c.b))
    ratios = verdicts.ratios(c.rule, c.a, c.b)
    # If one side borrows the other's deviations, the pooled variances of both are one estimate, whose degrees of
    # freedom must not count twice: the lender takes over the borrower's part.
    lent = (
        (c.a["basis"] == "pooled")
        & (c.b["basis"] == "pooled")
        & (c.a["borrowed"] != c.b["borrowed"])
    )
    if lent.any():
        common = c.a["common"] + c.b["common"]
        c.a["common"] = c.a["common"].where(~lent, np.where(c.a["borrowed"], 0, common))
        c.b["common"] = c.b["common"].where(~lent, np.where(c.b["borrowed"], 0, common))
        again = verdicts.ratios(replace(c.rule, alike=False), c.a[lent], c.b[lent]).set_axis(
            np.flatnonzero(lent)
        )
        ratios = pd.concat([ratios[~lent.to_numpy()], again]).sort_index()
    ratios["p"] = ratios["p"].mask(c.of_one_process.to_numpy())
    verdict = verdicts.decide(c.rule, ratios)
    verdict[(verdict == "not measured") & ratios["ratio"].notna().to_numpy()] = "uncertain"
    c.ratios = ratios.assign(verdict=verdict)
    if scatter is not None:
        judged = ratios["ratio"].notna().to_numpy()
        many, every = int((np.asarray(others) & judged).sum()), int(judged.sum())
        of = [
            file.devices.iloc[device] for file, used in zip(c.files, c.devices) for device in used
        ]
        kinds = (
            "one kind"
            if all(same_kind(one, of[0]) for one in of)
            else "several kinds, which the ratios are of, too"
        )
        whose = f"Units of {kinds}" if many else "Two runs of one unit at each point"
        some = f" at {many} points, and another run at the others" if 0 < many < every else ""
        c.assumed.append(
            f"{whose}: intervals include what another {'unit of its kind' if many else 'run'} adds{some}, by "
            f"{scatter.runs} runs on {scatter.units} units (the product's profile; {scatter.source})."
        )
    if not c.paired:
        _assume(c, alike)
    return c


def _differences(a: Results, b: Results) -> str:
    names = [
        name
        for name, what in a.device_columns.items()
        if name in b.devices
        and not what.meaning.startswith("measured: ")
        and name not in ("ordinal", "pci")
    ]
    found = []
    for name in (*names, "commit", "job", "seed", "hostname"):
        here, there = (
            " and ".join(
                dict.fromkeys(
                    human(value, file.device_columns[name]) for value in file.devices[name]
                )
            )
            if name in file.devices
            else file.env(name) or ""
            for file in (a, b)
        )
        if here != there:
            found.append(f"{name} ({here[:60] or 'unknown'}, {there[:60] or 'unknown'})")
    if a.job != b.job:
        found.append("job")
    found += running.loaded(a, b)
    for name in ("peak_copy", "peak_read"):
        x, y = (
            float(file.devices[name].iloc[0]) if name in file.devices else np.nan for file in (a, b)
        )
        unit = a.device_columns.unit(name)
        if abs(np.log(y / x)) > ROOFS_DIFFER:
            by = [
                "predicted" if (file.devices["backend"] == "predicted").all() else "measured"
                for file in (a, b)
            ]
            found.append(
                f"{name} ({' and '.join(dict.fromkeys(by))}: {scaled(x, unit)}, {scaled(y, unit)})"
            )
    return ", ".join(found)


def _assume(c: Comparison, one_product: bool) -> None:
    """Add what the verdicts assume, and what differs between the sides."""
    say = c.assumed.append
    if not c.by:
        _assume_of_files(c)
    for side, e in (("A", c.a), ("B", c.b)):
        if e["predicted"].any():
            say(
                f"{side} was predicted, not measured. Its error is assumed to be the time model's root mean square "
                "error on the other side's measured points of the family. Points without known addresses are not "
                "compared."
            )
    alone = int((c.ratios["ratio"].notna() & (c.a["own"].isna() | c.b["own"].isna())).sum())
    if alone:
        say(
            f"One sample on one side: {plural(alone, 'point')}. Its scatter is unknown, and so is the verdict."
        )
    _assume_of_processes(c, one_product)
    say(
        "One device product: equal variances are assumed."
        if one_product
        else "Different device products: equal variances are not assumed."
    )
    if c.by:
        say(
            "Both sides are treated as independent. If the same processes measured both, intervals are wider than necessary."
        )


def _assume_of_files(c: Comparison) -> None:
    """Add what two files ran, and what they differ in."""
    say, (a, b), ran = c.assumed.append, c.files, running.of_families(c)
    for part in ran:
        differ = list(ran.index[ran[part] == running.DIFFERS])
        if differ:
            say(f"Different {part} of {', '.join(differ)}: these ratios are of that, too.")
    others = [name for name in ran.index if running.other_reference(name, a, b)]
    if others:
        say(
            f"Different reference of {', '.join(others)}: what was verified, and not what was timed."
        )
    unknown = list(ran.index[ran["code"] == running.UNKNOWN])
    if unknown:
        many = f"{len(unknown)} families" if len(unknown) > SHOWN else ", ".join(unknown)
        say(f"Whether the code of {many} is the same is unknown: one file has no hashes of it.")
    for side, file in (("A", a), ("B", b)):
        if accepted := file.env("accepted"):
            say(f"{side} has points of different {', '.join(accepted.split())}, by --accept.")
    if same_run(a, b):
        say("A and B are the same run.")
    if len(a.devices) and len(b.devices) and (c.pairs[["a", "b"]] >= 0).any().all():
        found = _differences(a, b)
        say(
            f"The sides differ in {found}."
            if found
            else "The sides do not differ in device, driver, commit or job."
        )


def _assume_of_processes(c: Comparison, one_product: bool) -> None:
    """Add what one process measured on a side, and what stands for the difference between processes."""
    say = c.assumed.append
    names, sides = ("The baseline", "The others") if c.by else ("A", "B"), []
    for whose, others, e, results in zip(names, reversed(names), (c.a, c.b), c.files):
        mine = e[c.ratios["ratio"].notna() & ~e["predicted"]]
        sides.append(
            (
                whose,
                others,
                int((mine["basis"].eq("within") & mine["own"].notna()).sum()),
                int(mine["borrowed"].sum()),
                len(mine),
                len(mine) > 0 and "processes" not in results.rows,
            )
        )
    first, second = sides
    if first[2] == second[2] and first[5] == second[5] and first[3] + second[3] == 0:
        sides = [("This file" if c.by else "Both files", *first[1:])]
    for whose, others, within, borrowed, measured, unlabelled in sides:
        if unlabelled:
            say(
                f"{whose}: release 0.1 did not record processes; all samples of a point count as those of one process."
            )
        if borrowed:
            say(
                f"{whose}: one process measured {borrowed} of {plural(measured, 'point')}. Its processes are assumed to differ as "
                f"much as those of {others}{'' if one_product else ', though the device is of another product'}."
            )
        if within:
            say(
                f"{whose}: one process measured {within} of {plural(measured, 'point')}, so the difference between processes is "
                "unknown, and these points are uncertain. `timing: {replicates: 3}` measures it."
            )
