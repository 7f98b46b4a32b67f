"""What no release writes into a results file: it would end as a wrong number in a figure, so such a file is refused."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from .columns import is_text
from .rates import DERIVED, PREDICTED
from .stored import KINDS, MISSING, corrupt, is_column, text

OUTCOMES = {  # of each status; /statuses says the same, for other programs
    "ok": "measured",
    "unsupported": "skipped",
    "failed": "failed",
    "crashed": "failed",
    "timed_out": "failed",
    "unavailable": "deferred",
}
STOPS = ("none", "converged", "settled", "max_time", "max_samples")
REQUIRED = ("id", "kernel", "repeat", "status", "device", "sample_offset", "sample_count")
TABLES = ("results", "devices")  # that /columns describes to the program, too
SECONDS_MIN = 1e-15  # of a launch: rates stay finite
SECONDS_MAX = 1e9  # of a time: 30 years
REAL_MAX, INTEGER_MAX = float(np.finfo(float).max), int(np.iinfo(np.int64).max)


def _named(**names: str) -> dict[str, str]:
    return {name: type_ for type_, text in names.items() for name in text.split()}


_PEAKS = (
    "copy read write l2_read l2_copy l2_write shared flop_f16 flop_bf16 flop_f32 flop_f64 tensor_f16 tensor_bf16 "
    "tensor_tf32 tensor_f8 tensor_i8 tensor_f4 h2d d2h"
)
# Columns of this release, as the tables of src/core have them. All others may hold anything.
TYPES = {
    "results": {
        **_named(
            text="id kernel status message earlier_attempt counters_status energy_status energy_throttle activity "
            "l2_state paired_with backend timer stop roof model arithmetic throttle shared code_hash launch_hash "
            "protocol_hash variant dtype arch cache",
            integer="repeat run attempts device throttle_mask sample_count sample_offset",
            real="time_median bytes_read bytes_written flops flops_executed bus_bytes roof_links link_peak temperature "
            "library_version power registers shared_static shared_dynamic local_bytes occupancy_theoretical grid_blocks "
            "block_threads processes processes_failed launches overhead l2_dirty buffer_sets verified verified_product "
            "error_max error_rms error_peak activity_span activity_idle latency_p05 latency_p50 latency_p95 "
            "nvml_link_sent nvml_link_received nvml_link_raw_sent nvml_link_raw_received predicted_load_requests "
            "predicted_load_sectors predicted_load_sectors_per_request predicted_load_efficiency "
            "predicted_store_requests predicted_store_sectors predicted_store_sectors_per_request "
            "predicted_store_efficiency predicted_shared_load_requests predicted_shared_load_wavefronts "
            "predicted_shared_load_wavefronts_per_request predicted_shared_load_conflicts "
            "predicted_shared_store_requests predicted_shared_store_wavefronts "
            "predicted_shared_store_wavefronts_per_request predicted_shared_store_conflicts predicted_atomic_requests "
            "predicted_atomic_sectors predicted_reduction_requests predicted_reduction_sectors "
            "predicted_shared_atomic_requests predicted_cluster_load_requests predicted_cluster_load_sectors "
            "predicted_cluster_store_requests predicted_cluster_store_sectors predicted_dram_bytes_read "
            "predicted_dram_bytes_written predicted_l1_wavefronts predicted_rounds predicted_turns "
            "predicted_moved_read predicted_stored_lines predicted_scattered_read predicted_scattered_write special "
            "footprint addresses model_devices dependent_launch parts tile_count tile_slices tile_ahead tile_flops "
            "tile_bytes_copied tile_bank_bytes tile_apart tile_stored tile_warps tile_resident tile_persistent "
            "chain_count chain_groups chain_slots chain_bytes energy energy_low energy_high energy_sampled "
            "energy_power energy_time energy_clock energy_window energy_update seconds_compile seconds_verify "
            "seconds_warmup seconds_settle seconds_measure seconds_total",
        ),
        **{name: column.type for name, column in (DERIVED | PREDICTED).items()},
    },
    "devices": _named(
        text="name uuid backend host pci driver toolkit vbios board_part ecc mig fabric host_kernel host_cpu "
        "host_system host_distribution host_hypervisor host_container iommu transparent_hugepages",
        integer="ordinal capability multiprocessors l2_bytes memory_bytes shared_bytes shared_sm_bytes threads_sm "
        "bus_width numa_node host_sockets host_cores host_threads host_memory hugepages bar1_bytes nvlinks",
        real="clock_max clock_applied memory_clock memory_clock_applied memory_clock_load pcie_generation pcie_width "
        "power_limit idle_power power_limit_default nominal link_nominal datasheet datasheet_flop_f16 "
        "datasheet_flop_bf16 datasheet_flop_f32 datasheet_flop_f64 event_floor launch_floor graph_floor "
        + " ".join(f"peak_{of}{end}" for of in _PEAKS.split() for end in ("", "_low", "_high")),
    ),
    "samples": _named(integer="process device", real="seconds sm_clock throttle_mask power since"),
    "timeline": _named(integer="run rank device parts", text="lane phase point", real="start end"),
}
LIMITS: dict[str, dict[str, tuple[float, float]]] = {  # of numbers that are not missing
    table: {name: (0.0, REAL_MAX) for name, type_ in types.items() if type_ == "real"}
    for table, types in TYPES.items()
}
LIMITS["results"] |= {
    "repeat": (0, 2**31 - 1),
    "run": (1, 2**30),
    "attempts": (0, 2**15 - 1),
    "device": (-1, 2**31 - 1),
    "time_median": (SECONDS_MIN, SECONDS_MAX),
    "temperature": (-273.15, REAL_MAX),
    **dict.fromkeys(("error_max", "error_rms", "error_peak"), (0.0, np.inf)),
}
LIMITS["devices"] |= {  # rates are divided by peaks
    name: (-1, INTEGER_MAX) if type_ == "integer" else (5e-324, REAL_MAX)
    for name, type_ in TYPES["devices"].items()
    if type_ == "integer" or name.startswith("peak_")
}
LIMITS["samples"] |= {
    "seconds": (SECONDS_MIN, SECONDS_MAX),
    "throttle_mask": (0, 2**53 - 1),
    "process": (0, 2**31 - 1),
}
INTERVALS = tuple(
    (name, high)
    for name, high in ((name, f"{name[:-4]}_high") for name in TYPES["results"])
    if name.endswith("_low") and high in TYPES["results"]
)


def described_types(columns: pd.DataFrame, path: Path) -> dict[tuple[str, str], str]:
    """The type of each column of TABLES by /columns. Raises ResultsFileError where it lacks what readers take, or contradicts
    itself or this release."""
    found: dict[tuple[str, str], str] = {}
    if columns.empty:
        return found
    for name in ("table", "name", "type", "role", "unit", "meaning"):
        if name not in columns or not is_text(columns[name]):
            raise corrupt(path, f"/columns has no texts '{name}'")
    for table, name, told in zip(columns["table"], columns["name"], columns["type"]):
        if table in TABLES and told in KINDS:
            known = found.setdefault((table, name), TYPES[table].get(name, told))
            _expect(path, table, name, f"{told} in /columns", known)
    return found


def _expect(path: Path, table: str, name: str, found: str, expected: str) -> None:
    if found.split()[0] != expected:
        raise corrupt(path, f"/{table} column '{name}' has type {found}, expected {expected}")


def check_types(
    data: Any, table: str, path: Path, told: Mapping[tuple[str, str], str] = MappingProxyType({})
) -> None:
    """Raise ResultsFileError where a column has another type than this release or /columns says. One of a type that no
    release writes is not read."""
    for name in data.dtype.names or ():
        kind = data.dtype[name].kind
        known, shown = TYPES[table].get(name), text(name)
        if table == "samples":
            if known and kind not in "fiu":
                raise corrupt(path, f"/samples column '{shown}' has no numbers")
        elif is_column(data.dtype[name]):
            found = next(word for word, kinds in KINDS.items() if kind in kinds)
            _expect(path, table, shown, found, known or found)
            _expect(path, table, shown, f"{told.get((table, shown), found)} in /columns", found)


class Numbers:
    """Looks at the numbers of all columns of a table that this release knows, in portions; ``wrong``: the first that no release
    writes, in words. ``devices``: how many the file has, for /samples."""

    def __init__(self, table: str, devices: int = 0) -> None:
        self.table, self.wrong, self.limits = table, "", dict(LIMITS[table])
        if table == "samples":
            self.limits["device"] = (-1, devices - 1)

    def inspect(self, raw: np.ndarray[Any, Any], first: int) -> None:
        """Some rows as the file has them, and the number of the first of them."""
        known = () if self.wrong else raw.dtype.names or ()
        for name in known:
            if raw.dtype[name].kind in "fiu" and name in self.limits:
                self._inspect(name, raw[name], first)
        for low, high in INTERVALS if self.table == "results" else ():
            if {low, high} <= {*known}:
                self._note(raw[low] > raw[high], first, f"has {low} above {high}")

    def _inspect(self, name: str, values: np.ndarray[Any, Any], first: int) -> None:
        low, high = self.limits[name]
        bad = ~((values >= low) & (values <= high))
        if (self.table, name) != ("samples", "seconds"):
            bad &= ~(np.isnan(values) if values.dtype.kind == "f" else values == MISSING)
        if bad.any():
            self._note(bad, first, f"has {name} {values[bad.argmax()]:g}, which cannot be")

    def _note(self, bad: np.ndarray[Any, Any], first: int, what: str) -> None:
        if bad.any() and not self.wrong:
            self.wrong = f"row {first + bad.argmax()} of /{self.table} {what}"

    def check(self, path: Path) -> None:
        """Raise ResultsFileError if a number was wrong."""
        if self.wrong:
            raise corrupt(path, self.wrong)


def _refuse(path: Path, bad: pd.Series[bool], what: str) -> None:
    """Raise ResultsFileError if a row is bad; a missing number is none that may be there."""
    wrong = np.flatnonzero(bad.fillna(True).to_numpy(bool))
    if len(wrong):
        raise corrupt(path, f"row {wrong[0]} of /results {what}")


def check_rows(path: Path, rows: pd.DataFrame, devices: int, samples: int) -> None:
    """Raise ResultsFileError for rows, with all columns of REQUIRED, that contradict each other or the other tables, of which
    the file has so many ``devices`` and ``samples``."""
    first = partial(_refuse, path)
    first(~rows["id"].str.fullmatch("[0-9a-f]{16}"), "has an id that is not 16 hexadecimal digits")
    first(rows["kernel"] == "", "has no kernel")
    first(~rows["status"].isin(OUTCOMES), "has a status that this release does not know")
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
