"""judge: is a device as it should be? Its times by the part of the machine that they depend on, against runs of good
devices of the product, and what its driver says of it."""
from __future__ import annotations

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
    "ecc": (True, 0),
    "mig": (True, 0), "fabric": (True, 0), "clock_max": (True, 0), "clock_applied": (True, 0),
    "memory_clock_applied": (True, 0),
    "memory_clock_load": (True, 0.01), "power_limit": (True, 0.01), "pcie_width": (True, 0),
    "pcie_generation": (True, 0),
    "nvlinks": (True, 0), "driver": (False, 0), "vbios": (False, 0), "board_part": (False, 0),
    "host_kernel": (False, 0),
    "iommu": (False, 0),
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
    causes: dict[str, str] = field(default_factory=dict)

    @property
    def is_wrong(self) -> bool:
        return bool(self.failed or (self.parts["verdict"] == "slower").any()
                    or (self.facts["verdict"] == "WRONG").any())


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


def _against(device: Unit, reference: Unit, threshold: float) -> pd.DataFrame:
    """A row a part: points, ratio of the device's times to the reference's, low, high, verdict, clock, clock_hz."""
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
    here, there = here[known], there[known]
    sides = []
    for one, other, rows in ((device, reference, here), (reference, device, there)):
        e = estimates(one.units[one.units["row"].isin(rows)], one.pooling, other.pooling).loc[rows]
        sides.append(e.assign(unit=one.text("uuid"), predicted=False))
    scatter = scatter_of(device.text("name"))
    part = parts_of(reference.rows.loc[there]).to_numpy()
    clocks = [unit.rows.loc[rows].get("sm_clock", pd.Series(np.nan, rows)).to_numpy(float)
              for unit, rows in ((device, here), (reference, there))]
    found = {}
    for name, least in PARTS.items():
        its = part == name
        rule = verdicts.Rule(max(threshold, least), RATE)
        mean = verdicts.group(rule, sides[1][its], sides[0][its], (scatter, scatter))
        timed = its & (clocks[0] > 0) & (clocks[1] > 0)
        clock = np.exp(np.log(clocks[0][timed] / clocks[1][timed]).mean()) if timed.any() else np.nan
        found[name] = {"points": int(its.sum()), **mean[["ratio", "low", "high", "verdict"]], "clock": clock,
                       "clock_hz": clocks[0][timed].mean() if timed.any() else np.nan}
    return pd.DataFrame.from_dict(found, orient="index")


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
    kept = None
    for unit in same:
        parts = _against(device, unit, threshold)
        if kept is None:
            kept = parts
        nearer = (parts["points"] > 0) & ((kept["points"] == 0) | (np.log(parts["ratio"].astype(float)).abs()
                                                                   < np.log(kept["ratio"].astype(float)).abs()))
        kept = parts.where(nearer, kept)
    mask = 0
    for one in device.mine.get("throttle_mask", ()):
        mask |= int(one) if one > 0 else 0
    failed = int((~device.mine["status"].isin(["ok", "unsupported"])).sum())
    health = Health(device, len(same), kept, _facts(device, same), failed, mask)
    if kept is not None:
        health.causes = {part: _cause(health, part) for part in kept.index[kept["verdict"] == "slower"]}
    return health


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
    from .results import Results, read

    def path(one: Any) -> str:
        return os.fspath(one.path if isinstance(one, Results) else one)

    def is_same(one: Any) -> bool:
        return os.path.exists(path(one)) and os.path.exists(path(file)) and os.path.samefile(path(one), path(file))

    given = list(references)
    for one in given:
        if is_same(one):
            raise UsageError(f"{path(one)} is the file to judge: it cannot be its own reference")
    own = units_of(file if isinstance(file, Results) else read(file))
    if not own:
        raise UsageError(f"{path(file)}: no device has measured a point")
    read_ones = [one if isinstance(one, Results) else read(one) for one in given or shipped()
                 if given or not is_same(one)]
    products = {unit.text("name") for unit in own}
    good = [unit for one in read_ones for product in products for unit in units_of(one, product)]
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
                     f"{'NOT AS IT SHOULD BE' if health.is_wrong else 'as it should be'}")
    sheet = Sheet()
    for name in ("part", "points", "time, %", "from", "to", "verdict", "likely cause"):
        sheet.head(name, "right" if name in ("points", "time, %", "from", "to") else "words")
    for part, row in parts[parts["points"] > 0].iterrows():
        sheet.row(part, str(row["points"]), *(_percent(row[name]) for name in ("ratio", "low", "high")),
                  "SLOW" if row["verdict"] == "slower" else row["verdict"], health.causes.get(part, ""))
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
    linked = unit.of.get("nvlinks", 0) > 0
    left = [part for part in parts.index[parts["points"] == 0]
            if part != "points without a roof" and (part != "links between devices" or linked)]
    if left:
        document.paragraph(f"Not judged, for lack of points in common with a reference: {', '.join(left)}.")


def run(arguments: Arguments) -> int:
    from .sheet import Document

    file, *references = arguments.operands
    found = healths(file, references, arguments.share("threshold", 0.01))
    document = Document(str(arguments.text("format")))
    document.heading(1, "Are the devices as they should be?")
    for health in found:
        if health.is_wrong or not arguments.given("quiet"):
            _print(document, health)
    return int(any(health.is_wrong for health in found))


COMMAND = Command(
    name="judge", operands="FILE.h5 [GOOD.h5]...", minimum=1, maximum=256,
    summary="is this machine right? A results file against those of good devices",
    details="""\
Compares each device of a file with devices of the same product that are known to be good. It
judges the times of each part of the machine: arithmetic, shared memory, L2, DRAM, host links. It
lists what the driver tells differently: clocks, power limit, ECC, PCIe lanes, NVLinks.

A part is slow if it is slower than in every reference by more than the threshold, with an error
rate of one in a thousand. The threshold of links is at least 5 %, that of latencies of L2 and DRAM
10 %, because good devices differ by half of that. The table shows the nearest reference, the 95 %
interval, and a likely cause. Intervals include what another unit adds, if the profile tells.

Without GOOD.h5, the references are files that ship with warpsweep: two H100s and two H200s, by
jobs/paper.yaml. The points of jobs/judge.yaml are among them. Your own references are results
files of jobs/judge.yaml from devices that you trust: the more, the better.

Exit code: 1 if a part is slow, a property of the hardware is wrong, or a point failed; 2 if there
is no reference for a device.
""",
    examples="""\
  mpirun -n 8 warpsweep run jobs/judge.yaml -o node17.h5
  warpsweep judge node17.h5
  warpsweep judge node17.h5 good1.h5 good2.h5
""",
    options=(
        Option("threshold", "t", "SHARE", "1%", help="the smallest difference that matters"),
        Option("format", "f", "FORMAT", "md", ("md", "latex"), help="Markdown, or LaTeX for \\input"),
        Option("quiet", "q", help="print devices with a deviation only"),
    ),
    run=run,
)
