"""judge: is a device as it should be? Its times by the part of the machine that they depend on, against runs of good
devices of the product, and what its driver says of it."""
from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .errors import UsageError
from .options import Arguments, Command, Option

if TYPE_CHECKING:
    import pandas as pd

    from .results import Results

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
        from .estimates import pooling, texts, units

        self.results, self.rows, self.device = results, rows, device
        self.of = results.devices.iloc[device]
        good = rows.index[texts(rows, "status") == "ok"]
        self.units = units(cells[(cells["device"] == device) & cells["row"].isin(good)])
        self.pooling = pooling(self.units)
        self.mine = rows[rows["device"] == device]
        self.has_measured = bool(len(self.units) or len(self.mine))
        measured = cells[cells["row"].isin(good)].groupby("row")["device"].agg(["nunique", lambda d: device in set(d)])
        shared = measured["nunique"] > 1  # points that all devices were to measure
        self.lacks = int((shared & ~measured.iloc[:, 1]).sum()) if len(measured) else 0

    def text(self, name: str) -> str:
        return str(self.of.get(name, ""))


def units_of(results: Results, product: str | None = None) -> list[Unit]:
    """The devices of a file that measured a point, or only those of a product."""
    from .estimates import cells

    if product is not None and product not in set(results.devices.get("name", ())):
        return []
    taken, rows = cells(results), results.rows[results.rows["repeat"] == 0]
    every = [Unit(results, taken, rows, device) for device in range(len(results.devices))]
    return [unit for unit in every if unit.has_measured and product in (None, unit.text("name"))]


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
    slow: pd.DataFrame | None = None  # points that are slower than in every reference
    causes: dict[str, str] = field(default_factory=dict)  # of slow parts
    missing: list[str] = field(default_factory=list)  # what was not measured or judged

    @property
    def is_wrong(self) -> bool:
        return bool(self.failed or self.causes or (self.facts["verdict"] == "WRONG").any())

    @property
    def words(self) -> str:
        return "NOT AS IT SHOULD BE" if self.is_wrong else "NOT JUDGED IN FULL" if self.missing else "as it should be"


def parts_of(rows: pd.DataFrame) -> pd.Series:
    """The part of the machine that each row's time depends on: that of its roof; latencies depend on their level."""
    import numpy as np

    from .estimates import texts

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
    import numpy as np
    import pandas as pd

    from . import verdicts
    from .assumptions import scatter_of
    from .estimates import estimates
    from .pairing import partners

    partner = partners(device.rows, reference.rows, device.results.columns, reference.results.columns)
    here = device.rows.index[partner >= 0]
    there = reference.rows.index[partner[partner >= 0]]
    known = np.isin(here, device.units["row"]) & np.isin(there, reference.units["row"])
    here, there, sides = here[known], there[known], []
    for one, other, rows in ((device, reference, here), (reference, device, there)):
        e = estimates(one.units[one.units["row"].isin(rows)], one.pooling, other.pooling).loc[rows]
        sides.append(e.assign(unit=one.text("uuid"), predicted=False))
    scatter, part = scatter_of(device.text("name")), parts_of(reference.rows.loc[there]).to_numpy()
    others = ~verdicts.same_unit(*sides) if len(here) else np.array([], bool)
    wide = [verdicts.widen(scatter, others, e) for e in sides]
    clocks = [unit.rows.loc[rows].get("sm_clock", pd.Series(np.nan, rows)).to_numpy(float)
              for unit, rows in ((device, here), (reference, there))]
    found, points = {}, []
    for name, least in PARTS.items():
        its = part == name
        rule = verdicts.Rule(max(threshold, least), RATE, alike=True)
        mean = verdicts.group(rule, sides[1][its], sides[0][its], (scatter, scatter))
        timed = its & (clocks[0] > 0) & (clocks[1] > 0)
        clock = np.exp(np.log(clocks[0][timed] / clocks[1][timed]).mean()) if timed.any() else np.nan
        found[name] = {"points": int(its.sum()), **mean[["ratio", "low", "high", "verdict"]], "clock": clock,
                       "clock_hz": clocks[0][timed].mean() if timed.any() else np.nan}
        points.append(verdicts.ratios(rule, wide[1][its], wide[0][its]).set_axis(here[its]).assign(part=name))
    each = pd.concat(points)
    code = [[unit.results.env(f"code.{kernel}") for kernel in device.rows.loc[each.index, "kernel"]]
            for unit in (device, reference)]
    return pd.DataFrame.from_dict(found, orient="index"), pd.DataFrame({
        "part": each["part"], "ratio": each["ratio"], "p": each["p"].where(each["log_ratio"] > 0,
                                                                           1).where(each["p"].notna()),
        "same_code": [x is not None and x == y for x, y in zip(*code)]})


def _slow_points(points: list[pd.DataFrame]) -> pd.DataFrame:
    """The points that are slower than in every reference, of families whose code one of these has: part, ratio of the
    nearest."""
    import pandas as pd

    from .verdicts import Rule, decide

    every = pd.concat(points)
    rows = every.groupby(level=0)
    nearest = pd.DataFrame({"part": rows["part"].first(), "ratio": rows["ratio"].min(), "p": rows["p"].max()})
    nearest = nearest[rows["same_code"].any() & rows["p"].count().eq(rows.size())]
    return nearest[decide(Rule(rate=RATE), nearest.assign(log_ratio=1.0, excluded=1.0)) == "slower"]


def _of_its_kind(device: Unit, references: list[Unit]) -> list[Unit]:
    """The references of the device's kind, where units of a product are of several: of its board's part number, or,
    where that is not known or new, those with the nearest roof of copies."""
    import numpy as np

    same = [unit for unit in references if unit.text("board_part")
            and unit.text("board_part") == device.text("board_part")]
    if same or len(references) < 2:
        return same or references
    away = [abs(np.log(unit.of.get("peak_copy", np.nan) / device.of.get("peak_copy", np.nan))) for unit in references]
    return [unit for unit, distance in zip(references, away) if not distance > np.nanmin([*away, np.inf]) + KIND]


def _facts(device: Unit, references: list[Unit]) -> pd.DataFrame:
    """Properties that no reference shares: property, here, reference (the first's), verdict."""
    import pandas as pd

    from .pivots import person

    def absent(value: Any) -> bool:  # what a device without the property says
        return value != value or value == "not_supported"

    rows = []
    for name, (fault, tolerance) in PROPERTIES.items():
        if name not in device.results.devices or device.of[name] == "":
            continue
        here, what, lacking, values = device.of[name], device.results.device_columns[name], False, []
        if here != here and what.type == "real":
            continue
        for unit in references:
            there = unit.of.get(name, "")
            if there == "" or there != there and what.type == "real" or isinstance(there, str) != isinstance(here, str):
                continue
            if absent(there) and not absent(here):
                lacking = True
            else:
                values.append(there)
        if any(here == there or absent(here) and absent(there) or not isinstance(here, str)
               and abs(here - there) <= tolerance * abs(there)
               for there in values):
            continue
        if values or lacking:
            rows.append({"property": name, "here": person(here, what),
                         "reference": person(values[0], what) if values else "-",
                         "verdict": "not judged" if not values else "WRONG" if fault else "differs"})
    return pd.DataFrame(rows, columns=["property", "here", "reference", "verdict"])


def health_of(device: Unit, references: list[Unit], threshold: float) -> Health:
    """Judge one device against those of its product."""
    import numpy as np

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
    mask = 0
    for one in device.mine.get("throttle_mask", ()):
        mask |= int(one) if one > 0 else 0
    failed = int((~device.mine["status"].isin(["ok", "unsupported"])).sum())
    health = Health(device, len(same), kept, _facts(device, same), failed, mask)
    if kept is not None:
        health.slow = _slow_points(points)
        means = kept.index[kept["verdict"] == "slower"]
        health.causes = {part: _cause(health, part) for part in means}
        for part, its in health.slow.groupby("part"):
            if part not in means:
                worst = its["ratio"].idxmax()
                row = device.rows.loc[worst]
                health.causes[part] = (f"{len(its)} of its points, most {row['kernel']} {row.get('variant', '')} {row['id']} by "
                                       f"{100 * (its.loc[worst, 'ratio'] - 1):.1f} %")
        health.missing = _missing(device, kept)
    return health


def _missing(device: Unit, parts: pd.DataFrame) -> list[str]:
    """What was not measured, or not judged: a machine is as it should be only if all of it was."""
    results, found = device.results, []
    rows = results.rows[results.rows["repeat"] == 0]
    left = (results.planned or 0) - len(rows)
    if left > 0:
        found.append(f"{left} of {results.planned} points of the job were not measured.")
    ranks = results.env("ranks") or ""
    if ranks.isdigit() and int(ranks) > len(results.devices):
        found.append(f"{ranks} ranks took part, but only {len(results.devices)} devices have measured.")
    if results.env("quarantined"):
        found.append(f"Its run lost a rank: {results.env('quarantined')}.")
    if device.lacks:
        found.append(f"{device.lacks} points were measured on other devices, but not on this one.")
    own = parts_of(device.rows.loc[device.units["row"].unique()]).value_counts()
    without = [part for part in parts.index[parts["points"] == 0] if own.get(part, 0)]
    if without:
        found.append(f"No reference has points of its {', '.join(without)}.")
    return found


def _cause(health: Health, part: str) -> str:
    """The likely cause of a slow part, from the other parts and the facts."""
    facts = health.facts[health.facts["verdict"] != "not judged"].set_index("property")
    slow = set(health.parts.index[health.parts["verdict"] == "slower"])

    def told(otherwise: str, **properties: str) -> str:
        found = [f"{words} {facts.loc[name, 'here']} instead of {facts.loc[name, 'reference']}" for name,
                 words in properties.items()
                 if name in facts.index]
        return "; ".join(found) or otherwise

    if part in ("host to device", "device to host"):
        return told("other traffic on the link, or host memory on another NUMA node", pcie_width="PCIe lanes",
                    pcie_generation="PCIe generation", iommu="IOMMU")
    if part == "links between devices":
        return told("a link, or the other device: `report --fleet` compares the pairs", nvlinks="NVLinks")
    clock, hz = health.parts.loc[part, ["clock", "clock_hz"]]
    if clock < 1 - CLOCK_LOWER:
        words = [THROTTLES[bit] if bit < len(THROTTLES) else f"bit_{bit}" for bit in range(64)
                 if health.throttle >> bit & 1]
        more = told("", power_limit="power limit", clock_applied="application clock")
        return (f"SM clock {1e-6 * hz:.0f} MHz instead of {1e-6 * hz / clock:.0f}"
                + (f" ({'|'.join(words)})" if words else "")
                + (f"; {more}" if more else ""))
    if slow & {"arithmetic", "shared memory", "latency of shared memory and L1"}:
        one = {"multiprocessors": "multiprocessors"} if "multiprocessors" in facts.index else {"mig": "MIG"}
        return told("the clock is as it should be: another process on the device?", **one)
    if slow & {"L2", "latency of L2"}:
        return told("part of L2, or its connection to the multiprocessors", l2_bytes="L2 of")
    if part in ("kernels of less than 10 us", "points without a roof"):
        return told("launches: the host, or the place of the data in L2", driver="driver")
    return told("the memory itself: see nvidia-smi -q -d ECC,ROW_REMAPPER", memory_clock_load="memory clock",
                memory_clock_applied="application clock of the memory", ecc="ECC", bus_width="bus width",
                board_part="board")


# ---- Files ---------------------------------------------------------------------------------------------------------


def shipped() -> list[str]:
    """The files that analysis/references.txt lists."""
    from .assumptions import FOLDER

    folder = FOLDER / "analysis"
    lines = (folder / "references.txt").read_text(encoding="utf-8").splitlines()
    return [os.fspath(folder / line) for line in lines if line and not line.startswith("#")]


def healths(file: Any, references: Any = (), threshold: float = 0.01) -> list[Health]:
    """Each device of a file that measured a point, against devices of other files; without any, those that ship with
    warpsweep.

    file, references  paths or Results
    UsageError if no device has measured, or a device has no reference.
    """
    from .pairing import same_run
    from .results import Results, read

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


def judge(file: Any, *references: Any, threshold: float = 0.01) -> pd.DataFrame:
    """A row for each device of a file and each part of the machine: device, part, points, ratio of its times to those
    of the nearest reference with its 95 % interval low, high, verdict ("slower": as no reference is), cause.

    ``attrs["wrong"]`` has the devices that are not as they should be, ``attrs["facts"]`` what their driver tells
    differently.
    """
    import pandas as pd

    found = healths(file, references, threshold)
    rows = [health.parts[health.parts["points"] > 0].drop(columns=["clock",
                                                                   "clock_hz"]).rename_axis("part").reset_index()
            .assign(device=health.unit.device, cause=lambda t, h=health: [h.causes.get(part, "") for part in t["part"]])
            for health in found]
    table = pd.concat(rows, ignore_index=True)
    table.insert(0, "device", table.pop("device"))
    table.attrs.update(wrong=[h.unit.device for h in found if h.is_wrong],
                       facts=[{"device": h.unit.device, **fact} for h in found for fact in h.facts.to_dict("records")])
    return table


# ---- The command ---------------------------------------------------------------------------------------------------


def _percent(ratio: float) -> str:
    return "-" if ratio != ratio else f"{100 * (ratio - 1):+.1f}"


def _print(document: Any, health: Health) -> None:
    from .sheet import Sheet

    unit, parts = health.unit, health.parts
    document.heading(2, f"Device {unit.device}: {unit.text('name')} on {unit.text('host')}, {unit.text('uuid')}: "
                     f"{health.words}")
    sheet = Sheet()
    for name in ("part", "points", "time, %", "from", "to", "verdict", "likely cause"):
        sheet.head(name, "right" if name in ("points", "time, %", "from", "to") else "words")
    for part, row in parts[parts["points"] > 0].iterrows():
        sheet.row(part, str(row["points"]), *(_percent(row[name]) for name in ("ratio", "low", "high")),
                  "SLOW" if part in health.causes else row["verdict"], health.causes.get(part, ""))
    document.table(sheet)
    if len(health.facts):
        sheet = Sheet()
        for name in health.facts:
            sheet.head(name, "right" if name == "verdict" else "words")
        for row in health.facts.itertuples(index=False):
            sheet.row(*row)
        document.table(sheet)
    if health.failed:
        document.paragraph(f"{health.failed} of its points FAILED: warpsweep status lists them.")
    for text in health.missing:
        document.paragraph(text)
    linked = unit.of.get("nvlinks", 0) > 0
    left = [part for part in parts.index[parts["points"] == 0]
            if part != "points without a roof" and (part != "links between devices" or linked)]
    if left:
        document.paragraph(f"Not judged, for lack of points in common with a reference: {', '.join(left)}.")


def _plain(health: Health) -> dict[str, Any]:
    """What is printed of a device, for JSON."""
    parts = health.parts[health.parts["points"] > 0].rename_axis("part").reset_index()
    parts["cause"] = [health.causes.get(part, "") for part in parts["part"]]
    parts["slow"] = parts["part"].isin(health.causes)
    tables = {"parts": parts, "facts": health.facts}
    return {"device": health.unit.device, **{name: health.unit.text(name) for name in ("name", "host", "uuid")},
            "verdict": health.words.lower(), "failed": health.failed, "missing": health.missing,
            **{name: json.loads(table.to_json(orient="records")) for name, table in tables.items()}}


def run(arguments: Arguments) -> int:
    from .sheet import Document

    file, *references = arguments.operands
    found = healths(file, references, arguments.share("threshold", 0.01))
    wrong = int(any(health.is_wrong or health.missing for health in found))
    if arguments.text("format") == "json":
        print(json.dumps([_plain(health) for health in found if health.is_wrong or health.missing
                          or not arguments.given("quiet")], indent=1))
        return wrong
    document = Document(str(arguments.text("format")))
    document.heading(1, "Are the devices as they should be?")
    for health in found:
        if health.is_wrong or health.missing or not arguments.given("quiet"):
            _print(document, health)
    return wrong


COMMAND = Command(
    name="judge", operands="FILE.h5 [GOOD.h5]...", minimum=1, maximum=256,
    summary="is this machine right? A results file against those of good devices",
    details="""\
Compares each device of a file with devices of the same product that are known to be good. It
judges the times of each part of the machine: arithmetic, shared memory, L2, DRAM, host links. It
lists what the driver tells differently: clocks, power limit, ECC, PCIe lanes, NVLinks.

A part is slow if it is slower by more than the threshold than in the nearest reference of its kind,
or one of its points than in every reference, with an error rate of one in a thousand. Units of a
product are of a kind if their boards have the same part number, or else the nearest copy roofs. The threshold of links
is at least 5 %, that of latencies of L2 and DRAM 10 %, because good devices differ by half of that. The table shows the
nearest reference, the 95 % interval, and a likely cause. Intervals include what another unit adds, if the profile
tells.

Without GOOD.h5, the references are files that ship with warpsweep: two H100s and two H200s, by
jobs/paper.yaml. The points of jobs/judge.yaml are among them. Your own references are results
files of jobs/judge.yaml from devices that you trust: the more, the better.

Exit code: 1 if a part is slow, a property of the hardware is wrong, a point failed, points or ranks
are missing, or a part cannot be judged; 2 if there is no reference for a device.
""",
    examples="""\
  mpirun -n 8 warpsweep run jobs/judge.yaml -o node17.h5
  warpsweep judge node17.h5
  warpsweep judge node17.h5 good1.h5 good2.h5
""",
    options=(
        Option("threshold", "t", "SHARE", "1%", help="the smallest difference that matters"),
        Option("format", "f", "FORMAT", "md", ("md", "latex", "json"),
               help="Markdown, LaTeX for \\input, or JSON"),
        Option("quiet", "q", help="print devices with a deviation only"),
    ),
    run=run,
)
