"""judge: is a device as it should be? Its times by the part of the machine that they depend on, against runs of good
devices of the product, and what its driver says of it."""
from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from . import verdicts
from .assumptions import FOLDER, scatter_of
from .errors import UsageError
from .estimates import cells, estimates, pooling, texts, units
from .fleet import print_fleet
from .frames import is_shared
from .options import Arguments
from .pairing import partners, same_run
from .pivots import person
from .results import Results, read
from .sheet import Document
from .units import percent_more

SHORT = 1e-5  # s: points bound by DRAM that take less depend on launches
RATE = 0.001  # of wrong verdicts on a part
KIND = 0.003  # relative: roofs of units of one kind differ by less
CLOCK_LOWER = 0.005  # relative: clocks that differ by less are equal
# The parts, and the smallest difference that is judged: good devices differ by less. Eight H200s and three H100s differ
# by up to 0.1 % in DRAM, 0.6 % in L2 and arithmetic, 2 % in links, 5 % in latencies.
PARTS = {
    "arithmetic": 0.01, "shared memory": 0.01, "latency of shared memory and L1": 0.03, "L2": 0.01,
    "latency of L2": 0.1, "DRAM": 0.01,
    "latency of DRAM": 0.1, "kernels of less than 10 us": 0.02, "host to device": 0.05, "device to host": 0.05,
    "links between devices": 0.05, "points without a roof": 0.01,
}
ROOFS = {"l2": "L2", "shared": "shared memory", "link_h2d": "host to device", "link_d2h": "device to host",
         "link_peer": "links between devices", "dram_read": "DRAM", "dram_write": "DRAM", "dram_mix": "DRAM"}
# Properties of /devices: whether a difference is a fault of the hardware's state, rather than another release of driver
# or firmware, and by how much numbers may differ.
PROPERTIES = {
    "multiprocessors": (True, 0), "l2_bytes": (True, 0), "memory_bytes": (True, 0.01), "bus_width": (True, 0),
    "ecc": (True, 0), "mig": (True, 0), "fabric": (True, 0), "clock_max": (True, 0), "clock_applied": (True, 0),
    "memory_clock_applied": (True, 0),
    "memory_clock_load": (True, 0.01), "power_limit": (True, 0.01), "pcie_width": (True, 0),
    "pcie_generation": (True, 0),
    "nvlinks": (True, 0), "driver": (False, 0), "vbios": (False, 0), "board_part": (False, 0),
    "host_kernel": (False, 0), "iommu": (False, 0),
}
THROTTLES = ("gpu_idle", "applications_clocks_setting", "sw_power_cap", "hw_slowdown", "sync_boost",
             "sw_thermal_slowdown",
             "hw_thermal_slowdown", "hw_power_brake_slowdown", "display_clock_setting")  # NVML's bits


class Unit:
    """One device in one file: the estimates of the first measurements that it took."""

    def __init__(self, results: Results, cells: pd.DataFrame, rows: pd.DataFrame, device: int) -> None:
        self.results, self.rows, self.device = results, rows, device
        self.of = results.devices.iloc[device]
        good = cells[cells["row"].isin(rows.index[texts(rows, "status") == "ok"])]
        self.units = units(good[good["device"] == device])
        self.pooling = pooling(self.units)
        self.mine = rows[rows["device"] == device]
        by = good.groupby("row")["device"]
        shared = by.nunique() > 1  # points that all devices were to measure
        self.lacks = int((shared & ~shared.index.isin(self.units["row"])).sum())

    def text(self, name: str) -> str:
        return str(self.of.get(name, ""))


def units_of(results: Results, product: str | None = None) -> list[Unit]:
    """The devices of a file that measured a point, or only those of a product."""
    names = results.devices.get("name", [])
    wanted = [device for device, name in enumerate(names) if product in (None, name)]
    if not wanted:
        return []
    taken, rows = cells(results), results.rows[results.rows["repeat"] == 0]
    every = [Unit(results, taken, rows, device) for device in wanted]
    return [unit for unit in every if len(unit.units) or len(unit.mine)]


@dataclass
class Health:
    """One device. ``parts``: a row a part, of the reference that is nearest to it, because good devices differ, too;
    ``facts``: a row for each property that no reference has."""

    unit: Unit
    references: int
    parts: pd.DataFrame
    facts: pd.DataFrame
    failed: int
    throttle: int
    shared: str = ""  # what else computed on the device: no verdict then, because slow parts may be that program's doing
    causes: dict[str, str] = field(default_factory=dict)  # of slow parts
    missing: list[str] = field(default_factory=list)  # what was not measured or judged

    @property
    def is_wrong(self) -> bool:
        return bool(self.failed or self.causes or (self.facts["verdict"] == "WRONG").any())

    @property
    def is_fine(self) -> bool:
        return not (self.is_wrong or self.shared or self.missing)

    @property
    def words(self) -> str:
        if self.shared:
            return "NOT JUDGED"
        return "NOT AS IT SHOULD BE" if self.is_wrong else "NOT JUDGED IN FULL" if self.missing else "as it should be"


def parts_of(rows: pd.DataFrame) -> pd.Series:
    """The part of the machine that each row's time depends on: that of its roof; latencies depend on their level."""
    roof = texts(rows, "roof")
    part = roof.map(ROOFS).where(~roof.str.match("flop_|tensor_"), "arithmetic").fillna("points without a roof")
    part = part.mask((part == "DRAM") & (rows["time_median"] < SHORT), "kernels of less than 10 us")
    if "latency_p50" in rows:
        level = texts(rows, "variant").map({"dram": "latency of DRAM", "l2": "latency of L2"})
        part = part.where(rows["latency_p50"].isna(), level.fillna("latency of shared memory and L1"))
    return part.where(~texts(rows, "pair").str.contains("-", regex=False),
                      "links between devices").astype(object).replace(np.nan, "")


def _against(device: Unit, reference: Unit, threshold: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A row a part: points, ratio of the device's times to the reference's, low, high, verdict, clock, clock_hz; and a
    row a point: part, ratio, p (of "it is not slower"), same_code."""
    partner = partners(device.rows, reference.rows, device.results.columns, reference.results.columns)
    here, there = device.rows.index[partner >= 0], reference.rows.index[partner[partner >= 0]]
    known = np.isin(here, device.units["row"]) & np.isin(there, reference.units["row"])
    here, there, sides = here[known], there[known], []
    for one, other, rows in ((device, reference, here), (reference, device, there)):
        e = estimates(one.units[one.units["row"].isin(rows)], one.pooling, other.pooling).loc[rows]
        sides.append(e.assign(unit=one.text("uuid"), predicted=False))
    scatter = scatter_of(device.text("name"))
    others = ~verdicts.same_unit(*sides)
    part = parts_of(reference.rows.loc[there]).set_axis(here)
    least = part.map(PARTS).clip(lower=threshold).to_numpy()
    points = verdicts.ratios(verdicts.Rule(least, RATE, alike=True),
                             *(verdicts.widen(scatter, others, e) for e in reversed(sides))).set_axis(here)
    clock = pd.DataFrame({name: unit.rows.reindex(columns=["sm_clock"]).loc[rows, "sm_clock"].to_numpy(float)
                          for name, unit, rows in (("hz", device, here), ("there", reference, there))}, here)
    clock = clock[(clock > 0).all(axis=1)]
    parts = pd.DataFrame([
        {"points": its.sum(), **verdicts.group(verdicts.Rule(max(threshold, PARTS[name]), RATE, alike=True),
                                               sides[1][its], sides[0][its], (scatter, scatter))}
        for name in PARTS for its in [(part == name).to_numpy()]], list(PARTS))
    timed = clock.groupby(part)
    parts = parts[["points", "ratio", "low", "high", "verdict"]].assign(
        clock=np.exp(np.log(clock["hz"] / clock["there"]).groupby(part).mean()), clock_hz=timed["hz"].mean())
    code = [[unit.results.env(f"code.{kernel}") for kernel in device.rows.loc[here, "kernel"]]
            for unit in (device, reference)]
    slower = points["p"].where((points["log_ratio"] > 0) | points["p"].isna(), 1)
    return parts, pd.DataFrame({"part": part, "ratio": points["ratio"], "p": slower,
                                "same_code": [x is not None and x == y for x, y in zip(*code)]})


def _of_its_kind(device: Unit, references: list[Unit]) -> list[Unit]:
    """The references of the device's kind, where units of a product are of several: of its board's part number, or,
    where that is not known or new, those with the nearest roof of copies."""
    same = [unit for unit in references if unit.text("board_part")
            and unit.text("board_part") == device.text("board_part")]
    if same or len(references) < 2:
        return same or references
    away = [abs(np.log(unit.of.get("peak_copy", np.nan) / device.of.get("peak_copy", np.nan))) for unit in references]
    return [unit for unit, distance in zip(references, away) if not distance > np.nanmin([*away, np.inf]) + KIND]


def _facts(device: Unit, references: list[Unit]) -> pd.DataFrame:
    """Properties that no reference shares: property, here, reference (the first's), verdict."""
    rows = []
    for name, (fault, tolerance) in PROPERTIES.items():
        what, here = device.results.device_columns.get(name), device.of.get(name, "")
        if here == "" or here != here and what.type == "real":
            continue
        theirs = [unit.of.get(name, "") for unit in references]
        theirs = [value for value in theirs if isinstance(value, str) == isinstance(here, str) and value != ""
                  and (value == value or what.type != "real")]
        has = here == here and here != "not_supported"
        values = [value for value in theirs if not has or value == value and value != "not_supported"]
        if theirs and not any(here == value or not has and (value != value or value == "not_supported")
                              or not isinstance(here, str) and abs(here - value) <= tolerance * abs(value)
                              for value in values):
            rows.append({"property": name, "here": person(here, what),
                         "reference": person(values[0], what) if values else "-",
                         "verdict": "not judged" if not values else "WRONG" if fault else "differs"})
    return pd.DataFrame(rows, columns=["property", "here", "reference", "verdict"])


def health_of(device: Unit, references: list[Unit], threshold: float) -> Health:
    """Judge one device against those of its product."""
    same = [unit for unit in references if unit.text("name") == device.text("name")]
    kind, kept, points = _of_its_kind(device, same), None, []
    for unit in same:
        parts, its_points = _against(device, unit, threshold)
        points.append(its_points)
        if unit not in kind:
            continue
        kept = parts if kept is None else kept
        away, before = (np.log(of["ratio"].astype(float)).abs() for of in (parts, kept))
        kept = parts.where((parts["points"] > 0) & ((kept["points"] == 0) | (away < before)), kept)
    masks, beside = device.mine.get("throttle_mask", np.array([])), is_shared(device.mine)
    failed = int((~device.mine["status"].isin(["ok", "unsupported"])).sum())
    health = Health(device, len(same), kept, _facts(device, same), failed,
                    int(np.bitwise_or.reduce([int(mask) for mask in masks if mask > 0] or [0])))
    if beside.any():
        health.shared = (f"{beside.sum()} of its points were measured while other programs computed on the device "
                         f"({device.mine.loc[beside, 'shared'].iloc[0]}): measure again without them.")
    if kept is not None:
        means = kept.index[kept["verdict"] == "slower"]
        health.causes = {part: _cause(health, part) for part in means}
        for part, its in _slow_points(points).groupby("part"):
            if part not in means:
                worst = its["ratio"].idxmax()
                row = device.rows.loc[worst]
                health.causes[part] = (f"{len(its)} of its points, most {row['kernel']} {row.get('variant', '')} "
                                       f"{row['id']} by {100 * (its.loc[worst, 'ratio'] - 1):.1f} %")
        health.missing = _missing(device, kept)
    return health


def _slow_points(points: list[pd.DataFrame]) -> pd.DataFrame:
    """The points that are slower than in every reference, of families whose code one of these has: part, ratio of the
    nearest."""
    rows = pd.concat(points).groupby(level=0)
    nearest = pd.DataFrame({"part": rows["part"].first(), "ratio": rows["ratio"].min(), "p": rows["p"].max()})
    nearest = nearest[rows["same_code"].any() & rows["p"].count().eq(rows.size())]
    return nearest[verdicts.decide(verdicts.Rule(rate=RATE), nearest.assign(log_ratio=1.0, excluded=1.0)) == "slower"]


def _missing(device: Unit, parts: pd.DataFrame) -> list[str]:
    """What was not measured, or not judged: a machine is as it should be only if all of it was."""
    results = device.results
    done, ranks = int((results.rows["repeat"] == 0).sum()), results.env("ranks") or ""
    own = set(parts_of(device.rows.loc[device.units["row"].unique()]))
    without = [part for part in parts.index[parts["points"] == 0] if part in own]
    lost = results.env("quarantined")
    told = {
        f"{(results.planned or 0) - done} of {results.planned} points of the job were not measured.":
            (results.planned or 0) > done,
        f"{ranks} ranks took part, but only {len(results.devices)} devices have measured.":
            ranks.isdigit() and int(ranks) > len(results.devices),
        f"Its run lost a rank: {lost}.": lost,
        f"{device.lacks} points were measured on other devices, but not on this one.": device.lacks,
        f"No reference has points of its {', '.join(without)}.": without}
    return [text for text, holds in told.items() if holds]


LINK = (("pcie_width", "PCIe lanes"), ("pcie_generation", "PCIe generation"), ("iommu", "IOMMU"))
CAUSES = {  # of a slow part by its name, or "": a likely cause, and properties that are one where they differ
    "host to device": ("other traffic on the link, or host memory on another NUMA node", LINK),
    "device to host": ("other traffic on the link, or host memory on another NUMA node", LINK),
    "links between devices": ("a link, or the other device: `judge --fleet` compares the pairs",
                              (("nvlinks", "NVLinks"),)),
    "SM": ("the clock is as it should be: another process on the device?",
           (("multiprocessors", "multiprocessors"), ("mig", "MIG"))),
    "L2": ("part of L2, or its connection to the multiprocessors", (("l2_bytes", "L2 of"),)),
    "launch": ("launches: the host, or the place of the data in L2", (("driver", "driver"),)),
    "": ("the memory itself: see nvidia-smi -q -d ECC,ROW_REMAPPER",
         (("memory_clock_load", "memory clock"), ("memory_clock_applied", "application clock of the memory"),
          ("ecc", "ECC"), ("bus_width", "bus width"), ("board_part", "board"))),
}


def _cause(health: Health, part: str) -> str:
    """The likely cause of a slow part, from the other parts and the facts."""
    facts = health.facts[health.facts["verdict"] != "not judged"].set_index("property")
    slow = set(health.parts.index[health.parts["verdict"] == "slower"])

    def differs(names: Sequence[tuple[str, str]]) -> list[str]:
        return [f"{words} {facts.loc[name, 'here']} instead of {facts.loc[name, 'reference']}"
                for name, words in names if name in facts.index]

    clock, hz = health.parts.loc[part, ["clock", "clock_hz"]]
    if part in CAUSES and part not in ("L2", "SM"):
        kind = part
    elif clock < 1 - CLOCK_LOWER:
        reasons = "|".join(THROTTLES[bit] if bit < len(THROTTLES) else f"bit_{bit}" for bit in range(64)
                           if health.throttle >> bit & 1)
        return "; ".join([f"SM clock {1e-6 * hz:.0f} MHz instead of {1e-6 * hz / clock:.0f}"
                          + (f" ({reasons})" if reasons else ""),
                          *differs((("power_limit", "power limit"), ("clock_applied", "application clock")))])
    elif slow & {"arithmetic", "shared memory", "latency of shared memory and L1"}:
        kind = "SM"
    elif slow & {"L2", "latency of L2"}:
        kind = "L2"
    else:
        kind = "launch" if part in ("kernels of less than 10 us", "points without a roof") else ""
    otherwise, properties = CAUSES[kind]
    found = differs(properties)
    return "; ".join(found[:1] if kind == "SM" else found) or otherwise


# ---- Files ---------------------------------------------------------------------------------------------------------


def shipped() -> list[str]:
    """The files that analysis/references.txt lists."""
    folder = FOLDER / "analysis"
    lines = (folder / "references.txt").read_text(encoding="utf-8").splitlines()
    return [os.fspath(folder / line) for line in lines if line and not line.startswith("#")]


def healths(file: Any, references: Any = (), threshold: float = 0.01) -> list[Health]:
    """Each device of a file that measured a point, against devices of other files; without any, those that ship with
    warpsweep.

    file, references  paths or Results
    UsageError if no device has measured, or a device has no reference.
    """
    def path(one: Any) -> str:
        return os.fspath(one.path if isinstance(one, Results) else one)

    judged = file if isinstance(file, Results) else read(file)
    own = units_of(judged)
    if not own:
        raise UsageError(f"{path(file)}: no device has measured a point")
    files = [one if isinstance(one, Results) else read(one) for one in references or shipped()]
    own_runs = [one.path for one in files if same_run(one, judged)
                or os.path.exists(one.path) and os.path.samefile(one.path, judged.path)]
    if references and own_runs:
        raise UsageError(f"{own_runs[0]} is the file to judge, or a copy of it: it cannot be its own reference")
    products = {unit.text("name") for unit in own}
    good = [unit for one in files if one.path not in own_runs for product in products
            for unit in units_of(one, product)]
    found = [health_of(unit, good, threshold) for unit in own]
    for health in found:
        if not health.references:
            raise UsageError(f"no reference for device {health.unit.device}, {health.unit.text('name')}: give results "
                             "files of good devices of this product, measured by the same job")
    return found


def _parts(health: Health) -> pd.DataFrame:
    """The parts that were judged, with the causes of slow ones."""
    parts = health.parts[health.parts["points"] > 0].rename_axis("part").reset_index()
    return parts.assign(cause=[health.causes.get(part, "") for part in parts["part"]],
                        slow=parts["part"].isin(health.causes))


def judge(file: Any, *references: Any, threshold: float = 0.01) -> pd.DataFrame:
    """A row for each device of a file and each part of the machine: device, part, points, ratio of its times to those
    of the nearest reference with its 95 % interval low, high, verdict ("slower": as no reference is), cause.

    ``attrs["wrong"]`` has the devices that are not as they should be, ``attrs["facts"]`` what their driver tells
    differently.
    """
    found = healths(file, references, threshold)
    table = pd.concat({health.unit.device: _parts(health) for health in found}, names=["device"])
    table = table.reset_index("device").reset_index(drop=True).drop(columns=["clock", "clock_hz", "slow"])
    table.attrs.update(wrong=[h.unit.device for h in found if h.is_wrong],
                       facts=[{"device": h.unit.device, **fact} for h in found for fact in h.facts.to_dict("records")])
    return table


# ---- The command ---------------------------------------------------------------------------------------------------


def _print(document: Any, health: Health) -> None:
    unit, parts = health.unit, health.parts
    document.heading(2, f"Device {unit.device}: {unit.text('name')} on {unit.text('host')}, {unit.text('uuid')}: "
                     f"{health.words}")
    document.texts(["part", ">points", ">time, %", ">from", ">to", "verdict", "likely cause"],
                   [[row["part"], str(row["points"]), *(percent_more(row[name]) for name in ("ratio", "low", "high")),
                     "SLOW" if row["slow"] else row["verdict"], row["cause"]] for _, row in _parts(health).iterrows()])
    if len(health.facts):
        document.texts([*health.facts.columns[:-1], ">verdict"], health.facts.to_numpy().tolist())
    if health.failed:
        document.paragraph(f"{health.failed} of its points FAILED: warpsweep status lists them.")
    for text in (*([health.shared] if health.shared else []), *health.missing):
        document.paragraph(text)
    linked = unit.of.get("nvlinks", 0) > 0
    left = [part for part in parts.index[parts["points"] == 0]
            if part != "points without a roof" and (part != "links between devices" or linked)]
    if left:
        document.paragraph(f"Not judged, for lack of points in common with a reference: {', '.join(left)}.")


def _plain(health: Health) -> dict[str, Any]:
    """What is printed of a device, for JSON."""
    tables = {"parts": _parts(health), "facts": health.facts}
    return {"device": health.unit.device, **{name: health.unit.text(name) for name in ("name", "host", "uuid")},
            "verdict": health.words.lower(), "failed": health.failed, "shared": health.shared, "missing": health.missing,
            **{name: json.loads(table.to_json(orient="records")) for name, table in tables.items()}}


def run(arguments: Arguments) -> int:
    file, *references = arguments.operands
    threshold, document = arguments.share("threshold", 0.01), Document(str(arguments.text("format")))
    if arguments.given("fleet"):
        if references or arguments.text("format") == "json":
            raise UsageError("judge --fleet takes one file, and prints Markdown or LaTeX")
        return 1 if print_fleet(document, read(file), threshold) else 0
    found = healths(file, references, threshold)
    shown = [health for health in found if not health.is_fine or not arguments.given("quiet")]
    if arguments.text("format") == "json":
        print(json.dumps([_plain(health) for health in shown], indent=1))
    else:
        document.heading(1, "Are the devices as they should be?")
        for health in shown:
            _print(document, health)
    return int(not all(health.is_fine for health in found))
