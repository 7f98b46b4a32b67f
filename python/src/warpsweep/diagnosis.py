"""Is a device as it should be? Its times by the part of the machine that they depend on, against runs of good devices of
the product, and what its driver says of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from . import program, running, verdicts
from .assumptions import same_kind, scatter_of
from .columns import texts
from .comparison import of_files, opened
from .errors import UsageError
from .estimates import VARIANCE_FLOOR, Estimator, cells_of
from .identity import same_run
from .results import Results
from .rows import part_of
from .selecting import is_shared
from .statistics import Part, total_wide
from .units import plural, scaled
from .values import human

SHORT = 1e-5  # s: points bound by DRAM that take less depend on launches
RATE = 0.001  # of wrong verdicts on a part
FINE = "as it should be"
CLOCK_LOWER = 0.005  # relative: clocks that differ by less are equal
# The parts, and the smallest difference that is judged where no reference of the device's kind is known: good devices differ
# by up to 2 % in links and 5 % in latencies. Those of a kind differ by up to 2.3 % in the latency of L2, 1.2 % in that of
# DRAM and 1.1 % in links, which depend on the host, too, and by 0.6 % in other parts.
PARTS = {
    "arithmetic": 0.01,
    "shared memory": 0.01,
    "latency of shared memory and L1": 0.03,
    "L2": 0.01,
    "latency of L2": 0.1,
    "DRAM": 0.01,
    "latency of DRAM": 0.1,
    "kernels of less than 10 us": 0.02,
    "host to device": 0.05,
    "device to host": 0.05,
    "links between devices": 0.05,
    "points without a roof": 0.01,
}
LINKS = ("host to device", "device to host", "links between devices")
# Single points of such devices have differed by up to 4 % in L2, 2 % in DRAM, and 5.1 % in the latency of constants.
POINT, POINT_OF = 1.05, {"latency of shared memory and L1": 1.06}
OF_KIND = {"latency of L2": 0.03, **dict.fromkeys(("latency of DRAM", *LINKS), 0.015)}
# Properties of /devices: whether a difference is a fault of the hardware's state, rather than another release of driver
# or firmware, and by how much numbers may differ.
PROPERTIES = {
    **dict.fromkeys(
        (
            "multiprocessors",
            "l2_bytes",
            "bus_width",
            "ecc",
            "mig",
            "fabric",
            "clock_max",
            "clock_applied",
            "memory_clock_applied",
            "pcie_width",
            "pcie_generation",
            "nvlinks",
        ),
        (True, 0),
    ),
    **dict.fromkeys(("memory_bytes", "memory_clock_load", "power_limit"), (True, 0.01)),
    **dict.fromkeys(("driver", "vbios", "board_part", "host_kernel", "iommu"), (False, 0)),
}


class Unit(Estimator):
    """One device in one file: the estimates of the first measurements that it took."""

    def __init__(self, results: Results, device: int) -> None:
        self.rows, self.device = results.rows[results.rows["repeat"] == 0], device
        self.of_device = results.devices.iloc[device]
        super().__init__(results, [device])
        self.units = self.units[self.units["row"].isin(self.rows.index)]
        self.mine = self.rows[self.rows["device"] == device]

    def text(self, name: str) -> str:
        return str(self.of_device.get(name, ""))


def units_of(results: Results) -> list[Unit]:
    """The devices of a file that measured a point."""
    every = [Unit(results, device) for device in range(len(results.devices))]
    return [unit for unit in every if len(unit.units) or len(unit.mine)]


@dataclass
class Health:
    """One device. ``parts``: a row for each part, of the reference that is nearest to it, because good devices differ,
    too, with a likely cause if it is slow; ``facts``: a row for each property that no reference has; ``uncertain``: points
    that may be slow, but scatter too much to tell; ``missing``: what was not measured or judged."""

    unit: Unit
    parts: pd.DataFrame
    facts: pd.DataFrame
    uncertain: pd.DataFrame
    failed: int
    missing: list[str]
    deferred: str  # points that its launch could not measure, which is no fault of the device
    shared: str  # what else computed on the device: no verdict then, because slow parts may be that program's doing

    @property
    def is_wrong(self) -> bool:
        return bool(
            self.failed or self.parts["slow"].any() or (self.facts["verdict"] == "WRONG").any()
        )

    @property
    def words(self) -> str:
        if self.shared:
            return "NOT JUDGED"
        if self.is_wrong:
            return "NOT AS IT SHOULD BE"
        return "NOT JUDGED IN FULL" if self.missing else FINE

    @property
    def judged(self) -> pd.DataFrame:
        return self.parts[self.parts["points"] > 0].rename_axis("part").reset_index()


def parts_of(rows: pd.DataFrame) -> pd.Series:
    """The part of the machine that each row's time depends on: that of its roof; latencies depend on their level."""
    part = part_of(rows)
    return part.mask((part == "DRAM") & (rows["time_median"] < SHORT), "kernels of less than 10 us")


class Against(NamedTuple):
    """The points that a device and a reference have, by the device's row. ``a`` and ``b``: estimates of the reference and
    the device, widened by what another unit adds; ``points``: part, least (the smallest difference that is judged),
    code (of `running`, and "differs" of another launch or protocol), clock (over the reference's), clock_hz, ratio, high (of its
    95 % interval), p of "it is not slower"."""

    a: pd.DataFrame
    b: pd.DataFrame
    points: pd.DataFrame


def _against(device: Unit, reference: Unit, threshold: float) -> Against:
    c = of_files(
        reference, device, reference.rows.index, device.rows.index, ("reference", "device")
    )
    known = (c.a["basis"] != "none") & (c.b["basis"] != "none")
    here, there = c.pairs.loc[known, "b"], c.pairs.loc[known, "a"]
    scatter, others = scatter_of(device.text("name")), ~verdicts.same_unit(c.a[known], c.b[known])
    # What units of a kind differ by in a part is in OF_KIND.
    a, b = (
        verdicts.widen(scatter, others, e[known].drop(columns="part")).set_axis(here)
        for e in (c.a, c.b)
    )
    part = parts_of(reference.rows.loc[there]).set_axis(here)
    is_kind = same_kind(device.of_device, reference.of_device)
    least = part.map(OF_KIND).fillna(0) if is_kind else part.map(PARTS)
    points = pd.DataFrame({"part": part, "least": least.clip(lower=threshold)}, here)
    found = verdicts.ratios(
        verdicts.Rule(points["least"].to_numpy(), RATE, alike=True), a, b
    ).set_axis(here)
    hz, other = (
        unit.rows.reindex(columns=["sm_clock"])
        .loc[rows, "sm_clock"]
        .set_axis(here)
        .where(lambda hz: hz > 0)
        for unit, rows in ((device, here), (reference, there))
    )
    ran = running.of_points(c)[known].set_axis(here)
    return Against(
        a,
        b,
        points.assign(
            code=ran["code"].mask((ran == running.DIFFERS).any(axis=1), running.DIFFERS),
            clock=hz / other,
            clock_hz=hz.where(other.notna()),
            ratio=found["ratio"],
            high=found["high"],
            p=found["p"].where((found["log_ratio"] > 0) | found["p"].isna(), 1),
        ),
    )


def _parts(one: Against, every: list[Against]) -> pd.DataFrame:
    """A row a part: points, ratio of the device's times to the reference's, low, high, verdict, clock, clock_hz.

    The ratio is the geometric mean over points, in which a point counts by its scatter between processes. Its error is
    that of replicates of this mean. Both scatters are those of all references and the device together."""
    found: dict[Any, Any] = dict.fromkeys(PARTS, {"points": 0, "verdict": "not measured"})
    for name, points in one.points[one.points["part"].isin(PARTS)].groupby("part"):
        a, b = one.a.loc[points.index], one.b.loc[points.index]
        others = [one] if name in LINKS else every  # each host has its own scatter
        sides = [side.reindex(points.index) for side in (*(of.a for of in others), one.b)]
        deviations = [
            verdicts.deviations(side["medians"]) for side in sides if side["units"].notna().all()
        ]
        dofs = [table.shape[1] - 1 for table in deviations]
        spread = sum(np.square(table).sum(axis=1) for table in deviations)
        weights = 1 / (spread + np.median(spread) + VARIANCE_FLOOR)
        weights = weights / weights.sum()
        of_one = sum(np.square(weights @ table).sum() for table in deviations) / (
            sum(dofs) or np.nan
        )
        repetition = Part(of_one * sum(1 / side["units"].max() for side in (a, b)), sum(dofs))
        unit = Part(
            sum(np.sqrt(side["between"]).mean() ** 2 for side in (a, b)), a["between_dof"].min()
        )
        rule = verdicts.Rule(points["least"].max(), RATE)
        ratio = verdicts.ratio_of(
            rule, weights @ (b["log_seconds"] - a["log_seconds"]), total_wide(repetition, unit)
        )
        verdict = verdicts.decide(rule, ratio)[0]
        found[name] = {
            "points": len(points),
            **ratio.iloc[0],
            "clock": np.exp(np.log(points["clock"]).mean()),
            "clock_hz": points["clock_hz"].mean(),
            "verdict": "uncertain" if verdict == "not measured" else verdict,
        }
    return pd.DataFrame.from_dict(found, orient="index").reindex(
        columns=["points", "ratio", "low", "high", "verdict", "clock", "clock_hz"]
    )


def _facts(device: Unit, references: list[Unit]) -> pd.DataFrame:
    """Properties that no reference shares: property, here, reference (the first's), verdict."""

    def value(unit: Unit, name: str) -> Any:
        """ "": unknown, None: the device has no such thing."""
        found = unit.of_device.get(name, "")
        if found != found:
            return "" if unit.results.device_columns[name].type == "real" else None
        return None if found == "not_supported" else found

    rows = []
    for name, (fault, tolerance) in PROPERTIES.items():
        here, *theirs = (value(unit, name) for unit in (device, *references))
        is_text = isinstance(device.of_device.get(name), str)
        known = [
            value
            for value in theirs
            if value not in (None, "") and isinstance(value, str) == is_text
        ]
        lacks = None in theirs  # a reference has no such thing
        if here == "" or not known and not lacks:
            continue
        same = (
            lacks
            if here is None
            else any(
                here == value or not is_text and abs(here - value) <= tolerance * abs(value)
                for value in known
            )
        )
        if not same:
            what = device.results.device_columns.get(name)
            verdict = "WRONG" if fault else "differs"
            if not known or here is None and name in ("fabric", "nvlinks"):  # of the host
                verdict = "not judged"
            rows.append(
                {
                    "property": name,
                    "here": human(device.of_device[name], what),
                    "reference": human(known[0], what) if known else "-",
                    "verdict": verdict,
                }
            )
    return pd.DataFrame(rows, columns=["property", "here", "reference", "verdict"])


def health_of(device: Unit, references: list[Unit], threshold: float) -> Health:
    """Judge one device against those of its product; others tell only how processes scatter. UsageError without one."""
    same = [unit for unit in references if unit.text("name") == device.text("name")]
    if not same:
        raise UsageError(
            f"no reference for device {device.device}, {device.text('name')}: give results files of good "
            "devices of this product, measured by the same job"
        )
    against = {id(unit): _against(device, unit, threshold) for unit in references}
    every = [against[id(unit)] for unit in same]
    alike = [one for one, unit in zip(every, same) if same_kind(unit.of_device, device.of_device)]
    kind = alike or every
    # Of each part the reference of the device's kind whose times are the nearest.
    parts = pd.concat([_parts(one, [*against.values()]) for one in kind])
    away = np.log(parts["ratio"].astype(float)).abs().to_numpy()
    parts = parts.iloc[np.argsort(away, kind="stable")]
    parts = parts[~parts.index.duplicated()].reindex(list(PARTS))
    facts = _facts(device, same)
    causes = {
        part: _cause(device, parts, facts, part)
        for part in parts.index[parts["verdict"] == "slower"]
    }
    slow, uncertain = _single_points(alike) if alike else (NO_POINTS, NO_POINTS)
    for part, its in slow.groupby("part"):
        worst = its["ratio"].idxmax()
        row = device.rows.loc[worst]
        known = its.loc[worst, "known"]
        causes.setdefault(
            part,
            f"{len(its)} of its points, most {_name(row)} "
            f"by {100 * (its.loc[worst, 'ratio'] - 1):.1f} %"
            f"{'' if known else ' (no reference says that it ran the same code)'}",
        )
    parts = parts.assign(
        cause=[causes.get(part, "") for part in parts.index], slow=parts.index.isin(causes)
    )
    outcomes = device.results.outcomes(device.mine)
    left_out = device.mine[outcomes == "deferred"]
    deferred = (
        f"{plural(len(left_out), 'point')} not judged: {left_out['message'].iloc[0]}."
        if len(left_out)
        else ""
    )
    beside = is_shared(device.mine)
    shared = (
        f"{beside.sum()} of its points were measured while other programs computed on the device "
        f"({device.mine.loc[beside, 'shared'].iloc[0]}): measure again without them."
        if beside.any()
        else ""
    )
    failed = int((outcomes == "failed").sum())
    unsure = device.rows.loc[uncertain.index].apply(_name, axis=1) if len(uncertain) else ""
    return Health(
        device,
        parts,
        facts,
        uncertain.assign(point=unsure)[["point", "part", "ratio", "high"]],
        failed,
        _missing(device, parts),
        deferred,
        shared,
    )


NO_POINTS = pd.DataFrame(columns=["part", "ratio", "high", "p", "known"])


def _name(row: pd.Series) -> str:
    return f"{row['kernel']} {row.get('variant', '')} {row['id']}"


def _single_points(kind: list[Against]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The points that are slower (outside of links by more than POINT) than in all references of the device's kind that do not
    prove to have run something else: part, ratio and high of the nearest, known (that one ran the same code). And those of
    which no reference rules out that they are. Points of other kinds differ, by how much is unknown."""
    rows = pd.concat([one.points for one in kind])
    rows = rows[rows["code"] != running.DIFFERS]
    rows = rows.assign(known=rows["code"] == running.SAME).groupby(level=0)
    nearest = pd.DataFrame(
        {
            "part": rows["part"].first(),
            "ratio": rows["ratio"].min(),
            "high": rows["high"].min(),
            "p": rows["p"].max(),
            "known": rows["known"].any(),
        }
    )
    nearest = nearest[rows["p"].count().eq(rows.size())]
    limit, links = nearest["part"].map(POINT_OF).fillna(POINT), nearest["part"].isin(LINKS)
    # Links have a limit of their own, so their points are a question of their own.
    asked = (nearest[links], nearest[~links & (nearest["ratio"] > limit)])
    slow = pd.concat([its[_slower(its)] for its in asked])
    unsure = nearest[(nearest["high"] > limit) & ~nearest.index.isin(slow.index)]
    return slow, unsure.sort_values("high", ascending=False)


def _slower(points: pd.DataFrame) -> np.ndarray:
    rule = verdicts.Rule(rate=RATE)
    return verdicts.decide(rule, points.assign(log_ratio=1.0, excluded=1.0)) == "slower"


def lacking(results: Results, failed: bool = True) -> list[str]:
    """Why a file has not everything that was asked for, or has it and it is not good. ``failed``: points that failed, too."""
    return [
        f"The file is not good: {word}: {text}."
        for word, text in results.verdict.reasons
        if failed or word != "failed"
    ]


def _failed_on_none(results: Results) -> bool:
    """Whether points failed on no device that the file knows."""
    rows = results.rows[results.rows["repeat"] == 0]
    return bool(((results.outcomes(rows) == "failed") & ~(rows["device"] >= 0)).any())


def _missing(device: Unit, parts: pd.DataFrame) -> list[str]:
    """What was not measured, or not judged: a machine is as it should be only if all of it was."""
    results = device.results
    ranks = results.env("ranks") or ""
    own = set(parts_of(device.rows.loc[device.units["row"].unique()]))
    without = [part for part in parts.index[parts["points"] == 0] if part in own]
    on = (
        cells_of(results, device.rows.index, range(len(results.devices)))
        .groupby("row")["device"]
        .nunique()
    )
    elsewhere = (~on.index[on > 1].isin(device.units["row"])).sum()
    # Points that failed count for the device at which they did.
    return lacking(results, failed=_failed_on_none(results)) + those(
        {
            f"{ranks} ranks took part, but only {plural(len(results.devices), 'device')} measured.": ranks.isdigit()
            and int(ranks) > len(results.devices),
            f"It lacks {plural(elsewhere, 'point')} that other devices measured.": elsewhere,
            f"No reference has points of its {', '.join(without)}.": without,
        }
    )


def those(texts: dict[str, Any]) -> list[str]:
    return [text for text, holds in texts.items() if holds]


CAUSES = (  # slow parts, the likely cause of the first that matches, and properties that are one where they differ
    (
        ("host to device", "device to host"),
        "other traffic on the link, or host memory on another NUMA node",
        {"pcie_width": "PCIe lanes", "pcie_generation": "PCIe generation", "iommu": "IOMMU"},
    ),
    (
        ("links between devices",),
        "a link, or the other device: `judge --fleet` compares the pairs",
        {"nvlinks": "NVLinks"},
    ),
    (
        ("arithmetic", "shared memory", "latency of shared memory and L1"),
        "the clock is as it should be: another process on the device?",
        {"multiprocessors": "multiprocessors", "mig": "MIG"},
    ),
    (
        ("L2", "latency of L2"),
        "part of L2, or its connection to the multiprocessors",
        {"l2_bytes": "L2 of"},
    ),
    (
        ("kernels of less than 10 us", "points without a roof"),
        "launches: the host, or the place of the data in L2",
        {"driver": "driver"},
    ),
    (
        tuple(PARTS),
        "the memory itself: see nvidia-smi -q -d ECC,ROW_REMAPPER",
        {
            "memory_clock_load": "memory clock",
            "memory_clock_applied": "application clock of the memory",
            "ecc": "ECC",
            "bus_width": "bus width",
            "board_part": "board",
        },
    ),
)
ON_CHIP = {*CAUSES[2][0], *CAUSES[3][0]}


def _cause(device: Unit, parts: pd.DataFrame, facts: pd.DataFrame, part: str) -> str:
    """The likely cause of a slow part, from the other parts and the facts."""
    facts = facts[facts["verdict"] != "not judged"].set_index("property")

    def differ(properties: dict[str, str]) -> list[str]:
        return [
            f"{words} {facts.loc[name, 'here']} instead of {facts.loc[name, 'reference']}"
            for name, words in properties.items()
            if name in facts.index
        ]

    clock, hz = parts.loc[part, ["clock", "clock_hz"]]
    if part not in LINKS and clock < 1 - CLOCK_LOWER:
        reasons = "|".join(
            sorted(
                {reason for text in texts(device.mine, "throttle") for reason in text.split("|")}
                - {""}
            )
        )
        return "; ".join(
            [
                f"SM clock {scaled(hz, 'Hz')} instead of {scaled(hz / clock, 'Hz')}"
                + (f" ({reasons})" if reasons else ""),
                *differ({"power_limit": "power limit", "clock_applied": "application clock"}),
            ]
        )
    # What is on the chip slows down all but the links.
    slow = {part} | (
        set() if part in LINKS else ON_CHIP & set(parts.index[parts["verdict"] == "slower"])
    )
    otherwise, properties = next(rule[1:] for rule in CAUSES if slow & set(rule[0]))
    return "; ".join(differ(properties)) or otherwise


def shipped() -> list[str]:
    """The files that analysis/references.txt lists."""
    listed = program.shipped("analysis/references.txt")
    lines = listed.read_text(encoding="utf-8").splitlines()
    return [f"{listed.parent}/{line}" for line in lines if line and not line.startswith("#")]


def healths(file: Any, references: Any = (), threshold: float = 0.01) -> list[Health]:
    """Each device of a file that measured a point, against devices of other files; without any, those that ship with warpsweep.

    file, references  paths or Results
    UsageError if no device has measured, or a device has no reference.
    """
    judged, *files = opened((file, *(references or shipped())))
    own = units_of(judged)
    if not own:
        raise UsageError(f"{judged.path}: no device has measured a point")
    copies = [
        one.path
        for one in files
        if same_run(one, judged)
        or os.path.exists(one.path)
        and os.path.samefile(one.path, judged.path)
    ]
    if references and copies:
        raise UsageError(
            f"{copies[0]} is the file to judge, or a copy of it: it cannot be its own reference"
        )
    good = [unit for one in files if one.path not in copies for unit in units_of(one)]
    return [health_of(unit, good, threshold) for unit in own]


def judge(file: Any, *references: Any, threshold: float = 0.01) -> pd.DataFrame:
    """A row for each device of a file and each part of the machine: device, part, points, ratio of its times to those of the
    nearest reference with its 95 % interval low, high, verdict ("slower": as no reference is), cause.

    ``attrs["wrong"]`` has the devices that are not as they should be, ``attrs["facts"]`` what their driver tells differently.
    """
    found = healths(file, references, threshold)
    table = pd.concat({health.unit.device: health.judged for health in found}, names=["device"])
    table = (
        table.reset_index("device")
        .reset_index(drop=True)
        .drop(columns=["clock", "clock_hz", "slow"])
    )
    table.attrs.update(
        wrong=[h.unit.device for h in found if h.is_wrong],
        facts=[
            {"device": h.unit.device, **fact} for h in found for fact in h.facts.to_dict("records")
        ],
    )
    return table
