"""What no release writes into a results file: it would end as a wrong number in a figure, so such a file is refused."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .columns import Columns
from .stored import KINDS, MISSING, UNKNOWN, corrupt, dataset, text

OUTCOMES = {  # of files before 0.7, which have no table /statuses
    "ok": "measured",
    "unsupported": "skipped",
    "failed": "failed",
    "crashed": "failed",
    "timed_out": "failed",
    "unavailable": "deferred",
}
STOPS = ("none", "converged", "settled", "max_time", "max_samples")
REQUIRED = {
    "id": "S",
    "kernel": "S",
    "repeat": "i",
    "status": "S",
    "device": "i",
    "sample_offset": "i",
    "sample_count": "i",
}
INTERVALS = (
    ("time_ci_low", "time_ci_high"),
    ("bandwidth_low", "bandwidth_high"),
    ("predicted_time_low", "predicted_time_high"),
    ("roof_rate_low", "roof_rate_high"),
    ("fraction_peak_low", "fraction_peak_high"),
)
TABLES = ("results", "devices", "samples", "timeline")
TIMES = tuple(
    f"time_{of}" for of in ("median", "ci_low", "ci_high", "mean", "min", "p05", "p95", "mad")
)
LEAST = {"temperature": -273.15}  # of a measured number; of the others 0
UNBOUNDED = {"error_max", "error_rms", "error_peak"}  # a wrong output can be infinitely wrong
UNLIMITED = ("", "other", "axis", "counter")  # roles of numbers that may be any
REALS = {
    "results": {*TIMES, *(name for pair in INTERVALS for name in pair)},
    "samples": {"seconds"},
}
SECONDS_MIN = 1e-15  # of a launch: rates stay finite
SECONDS_MAX = 1e9  # of a time: 30 years
RANGES = {
    "repeat": (0, 2**31 - 1),
    "canary": (0, 1),
    "run": (1, 2**30),
    "attempts": (0, 2**15 - 1),
    "device": (-1, 2**31 - 1),
}
# What columns of this release hold. Other numbers have a unit, or are counters.
TEXTS = {
    "results": set(
        "variant dtype arch cache activity arithmetic backend bound bound_second code_hash counters_status "
        "earlier_attempt energy_status energy_throttle l2_state launch_hash message model paired_with protocol_hash "
        "roof shared stop throttle timer".split()
    ),
    "devices": set(
        "backend board_part driver ecc fabric fabric_handles host host_container host_cpu host_distribution "
        "host_hypervisor host_kernel host_system iommu mig name pci toolkit transparent_hugepages uuid vbios".split()
    ),
}
NUMBERS = {
    "results": set(
        "activity_idle addresses attempts block_threads buffer_sets canary chain_count chain_groups chain_slots "
        "clock_share dependent_launch devices dram_ratio error_max error_peak error_rms fraction_datasheet fraction_nominal "
        "fraction_peak fraction_peak_high fraction_peak_low grid_blocks headroom host_streams l2_dirty launches "
        "library_version model_devices occupancy_theoretical parts predicted_exchanges predicted_rounds "
        "predicted_scattered_read predicted_scattered_write predicted_stored_lines predicted_stored_partly "
        "predicted_turns processes processes_failed publishes registers roof_links roof_rate roof_rate_high roof_rate_low "
        "run sd_device sd_process sd_sample special throttle_mask tile_ahead tile_count tile_persistent "
        "tile_resident tile_slices tile_warps verified verified_product".split()
    ),
    "devices": set(
        "capability host_cores host_sockets host_threads hugepages multiprocessors numa_node nvlinks ordinal pcie_generation pcie_width "
        "threads_sm".split()
    ),
}


def kinds_of(table: str, name: str, unit: str, role: str) -> str:
    """NumPy's kinds that a column may hold by what this release knows of it; "" for any."""
    if table == "results" and name in REQUIRED:
        return REQUIRED[name]
    if name in REALS.get(table, ()):
        return "f"
    if name in TEXTS.get(table, ()):
        return "S"
    return "fiu" if unit or role == "counter" or name in NUMBERS.get(table, ()) else ""


def check_types(file: Any, path: Path, columns: pd.DataFrame) -> None:
    """Raise ResultsFileError where a column holds something else than this release or /columns says."""
    described = (
        {}
        if columns.empty
        else {
            row[:2]: row[2:]
            for row in columns.reindex(
                columns=["table", "name", "type", "unit", "role"], fill_value=""
            ).itertuples(index=False, name=None)
        }
    )
    for table in (table for table in TABLES if table in file):
        dtype = dataset(file, table, path).dtype
        for name in dtype.names or ():
            type_, unit, role = described.get((table, name), ("", "", ""))
            for kinds in (kinds_of(table, name, unit, role), KINDS.get(type_, "")):
                if kinds and dtype[name].kind not in kinds:
                    expected = " or ".join(kind for kind, of in KINDS.items() if of[0] in kinds)
                    raise corrupt(
                        path,
                        f"/{table} column '{text(name)}' has type {dtype[name]}, expected {expected}",
                    )


class Numbers:
    """Looks at the numbers of all columns of /results, in portions; ``wrong``: the first that cannot be, in words."""

    def __init__(self, columns: Columns) -> None:
        self.columns, self.wrong = columns, ""

    def inspect(self, raw: np.ndarray[Any, Any], first: int) -> None:
        """Some rows as the file has them, and the number of the first of them."""
        names = raw.dtype.names or ()
        for name in () if self.wrong else names:
            kind = raw.dtype[name].kind
            if name in RANGES and kind == "i":
                low, high = RANGES[name]
                bad = (raw[name] != MISSING) & ((raw[name] < low) | (raw[name] > high))
                self._note(bad, first, f"has a {name} outside of {low} to {high}")
            elif kind == "f" and self._is_measured(name):
                bad = _cannot_be(name, raw[name])
                self._note(bad, first, f"has {name} {raw[name][bad.argmax()]:g}, which cannot be")
        for lower, upper in (pair for pair in INTERVALS if {*pair} <= {*names}):
            self._note(raw[lower] > raw[upper], first, f"has {lower} above {upper}")

    def _is_measured(self, name: str) -> bool:
        known = self.columns[name]
        return name in TIMES or (known.type == "real" and known.role not in UNLIMITED)

    def _note(self, bad: np.ndarray[Any, Any], first: int, what: str) -> None:
        if bad.any() and not self.wrong:
            self.wrong = f"row {first + bad.argmax()} of /results {what}"


def _cannot_be(name: str, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    bad = values < LEAST.get(name, 0)
    if name not in UNBOUNDED:
        bad |= np.isinf(values)
    if name == "time_median":
        bad |= values < SECONDS_MIN
    return bad | (values > SECONDS_MAX) if name in TIMES else bad


def refuse(path: Path, table: str, bad: pd.Series[bool], what: str) -> None:
    """Raise ResultsFileError if a row is bad; a missing number is none that may be there."""
    wrong = np.flatnonzero(bad.fillna(True).to_numpy(bool))
    if len(wrong):
        raise corrupt(path, f"row {wrong[0]} of /{table} {what}")


def outcomes(statuses: pd.DataFrame, path: Path) -> dict[str, str]:
    """The outcome of each status: of the file, or of those before 0.7."""
    if statuses.empty:
        return OUTCOMES
    if not {"name", "outcome"} <= set(statuses):
        raise corrupt(path, "/statuses has no column 'name', or no 'outcome'")
    found = dict(zip(statuses["name"], statuses["outcome"]))
    unknown = sorted(set(map(str, found.values())) - set(OUTCOMES.values()))
    if unknown:
        raise corrupt(
            path, f"/statuses has an outcome that this release does not know: {unknown[0]}"
        )
    return found


def check_rows(
    path: Path, rows: pd.DataFrame, devices: int, samples: int, known: dict[str, str]
) -> None:
    """Raise ResultsFileError for rows that contradict each other or the other tables.

    rows     with all columns of REQUIRED
    devices, samples  how many the file has
    known    the outcome of each status
    """
    first = partial(refuse, path, "results")
    first(~rows["id"].str.fullmatch("[0-9a-f]{16}"), "has an id that is not 16 hexadecimal digits")
    first(rows["kernel"] == "", "has no kernel")
    first(~rows["status"].isin(known), "has a status that neither /statuses nor this release knows")
    first(~(rows["repeat"] >= 0), "has a negative repeat")
    own = rows["repeat"] == 0  # a point; a canary's repetition is one of its device
    first(
        own & rows.duplicated(["id", "repeat"]) | rows.duplicated(["id", "repeat", "device"]),
        "is the same point as another row",
    )
    first((rows["device"] >= devices).fillna(False), f"names a device; /devices has {devices}")
    begin, count = rows["sample_offset"], rows["sample_count"]
    first(
        ~((begin >= 0) & (count >= 0) & (begin + count <= samples)),
        "names samples that do not exist",
    )
    taken = pd.DataFrame({"begin": begin, "end": begin + count})[count > 0].sort_values("begin")
    overlap = taken["begin"] < taken["end"].shift(fill_value=0)
    first((overlap[overlap].reindex(rows.index, fill_value=False)), "names samples of another row")


def check_devices(path: Path, devices: pd.DataFrame, columns: Columns) -> None:
    """Raise ResultsFileError for a property of a device that cannot be."""
    told = [
        name
        for name in devices.columns[devices.dtypes.map(pd.api.types.is_float_dtype)]
        if name in columns
    ]
    real = [columns[name].type == "real" for name in told]
    values = devices[told]
    peak = [name.startswith("peak_") for name in told]  # rates are divided by it
    wrong = (
        (values < UNKNOWN) | np.isinf(values) | (values < 0) & real | (values == 0) & peak
    ).any()
    if wrong.any():
        raise corrupt(path, f"/devices has a {wrong.idxmax()} that cannot be")
