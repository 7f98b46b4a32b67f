"""A device's peaks and latencies for the time model: from results files and profile files.

Each value has an interval and a source. What a profile lacks is assumed between H100 and H200, in cycles or as a share
of a roof (``assume``); docs/method/model.md has the measurements.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from . import columns, kernels
from .condition import follows_loads
from .errors import UsageError, nearest, unknown
from .program import shipped
from .rates import rate_of_mix
from .results import Results
from .results import read as read_results

# kinds of values; from COST on the best case is the low end
CAPACITY, PEAK, RATE, COST, SPREAD = range(5)
CYCLES, LINKS = ("multiprocessors", "clock_max"), ("link_nominal",)


class Field(NamedTuple):
    """A value of a profile. `of`: where it is missing, it is assumed to be as many products of these as on Hopper."""

    kind: int
    unit: str
    meaning: str
    of: tuple[str, ...] | None = None


FIELDS = {
    # of /devices
    "capability": Field(CAPACITY, "", "compute capability, major * 10 + minor"),
    "multiprocessors": Field(CAPACITY, "", "streaming multiprocessors"),
    "l2_bytes": Field(CAPACITY, "bytes", "L2 cache"),
    "memory_bytes": Field(CAPACITY, "bytes", "device memory"),
    "shared_bytes": Field(CAPACITY, "bytes", "shared memory that one block can ask for"),
    "shared_sm_bytes": Field(CAPACITY, "bytes", "shared memory of one multiprocessor"),
    "threads_sm": Field(CAPACITY, "", "resident threads of one multiprocessor"),
    # of /devices, measured by each run
    "clock_max": Field(PEAK, "Hz", "SM clock under load"),
    "peak_copy": Field(PEAK, "bytes/s", "DRAM: a copy, bytes read + written"),
    "peak_read": Field(PEAK, "bytes/s", "DRAM: reads", ("peak_copy",)),
    "peak_write": Field(PEAK, "bytes/s", "DRAM: writes", ("peak_copy",)),
    "peak_l2_read": Field(PEAK, "bytes/s", "L2: reads that hit", CYCLES),
    "peak_l2_copy": Field(PEAK, "bytes/s", "L2: a copy within it, bytes read + written", CYCLES),
    "peak_l2_write": Field(PEAK, "bytes/s", "L2: writes that stay", CYCLES),
    "peak_shared": Field(PEAK, "bytes/s", "shared memory: 128 bytes a wavefront", CYCLES),
    "peak_flop_f16": Field(PEAK, "flop/s", "FP16 multiply-adds", ("peak_flop_f32",)),
    "peak_flop_bf16": Field(PEAK, "flop/s", "BF16 multiply-adds", ("peak_flop_f16",)),
    "peak_flop_f32": Field(PEAK, "flop/s", "FP32 multiply-adds"),
    "peak_flop_f64": Field(PEAK, "flop/s", "FP64 multiply-adds, no tensor cores"),
    "peak_tensor_f16": Field(PEAK, "flop/s", "FP16 products of tensor cores"),
    "peak_tensor_bf16": Field(PEAK, "flop/s", "BF16 products of tensor cores"),
    "peak_tensor_tf32": Field(PEAK, "flop/s", "TF32 products of tensor cores"),
    "peak_tensor_f8": Field(PEAK, "flop/s", "FP8 products of tensor cores"),
    "peak_tensor_i8": Field(PEAK, "op/s", "products of 8-bit integers of tensor cores"),
    "peak_tensor_f4": Field(PEAK, "flop/s", "FP4 products of tensor cores, with block scales"),
    "library_f16": Field(RATE, "flop/s", "FP16 products of the vendor's library, 4096 and larger"),
    "library_bf16": Field(RATE, "flop/s", "BF16 products of the same"),
    "library_tf32": Field(RATE, "flop/s", "TF32 products of the same"),
    "library_f8": Field(RATE, "flop/s", "FP8 products of the same"),
    "library_i8": Field(RATE, "op/s", "products of 8-bit integers of the same"),
    "library_f4": Field(RATE, "flop/s", "FP4 products of the same, with block scales"),
    "peak_h2d": Field(PEAK, "bytes/s", "pinned host to device"),
    "peak_d2h": Field(PEAK, "bytes/s", "device to pinned host"),
    "link_nominal": Field(CAPACITY, "bytes/s", "NVLinks of the device together, one way"),
    # measured by points of jobs/profile.yaml
    "scattered_read": Field(
        RATE, "bytes/s", "DRAM: reads of 64 bytes, each in a page of its own", ("peak_read",)
    ),
    "scattered_write": Field(
        RATE,
        "bytes/s",
        "DRAM: writes of 32 bytes, each in a page of its own, with their fills",
        ("peak_write",),
    ),
    "link_copy": Field(RATE, "bytes/s", "another device: the copy engine, one way", LINKS),
    "link_read": Field(
        RATE,
        "bytes/s",
        "another device: loads of whole lines by all multiprocessors, one way",
        LINKS,
    ),
    "link_write": Field(
        RATE,
        "bytes/s",
        "another device: stores of whole lines by all multiprocessors, one way",
        LINKS,
    ),
    "block_rate": Field(RATE, "blocks/s", "blocks started, the whole device", CYCLES),
    "clock_tensor": Field(
        RATE, "Hz", "SM clock of large products of random data on tensor cores, which power limits"
    ),
    # the same
    "wave_hot": Field(
        COST, "s", "a small kernel in a graph whose data is in L2: launch, one load, one store", ()
    ),
    "wave_cold": Field(COST, "s", "the same with its data in DRAM", ()),
    "latency_shared": Field(COST, "cycles", "a dependent load from shared memory", ()),
    "latency_dsmem": Field(
        COST, "cycles", "a dependent load from shared memory of another block of the cluster"
    ),
    "latency_l1": Field(COST, "cycles", "a dependent load that hits L1", ()),
    "latency_l2": Field(COST, "cycles", "a dependent load that hits L2", ()),
    "latency_dram": Field(COST, "cycles", "a dependent load from DRAM", ()),
    "latency_atomic": Field(COST, "cycles", "a dependent atomic operation in L2", ()),
    "latency_fence": Field(COST, "cycles", "a store, and a fence for all devices", ()),
    "link_latency": Field(COST, "cycles", "a dependent load that hits L2 of another device", ()),
    "link_latency_dram": Field(COST, "cycles", "a dependent load from DRAM of another device", ()),
    "copy_setup": Field(
        COST, "s", "a copy of 4 KiB within the device by the driver, in a graph", ()
    ),
    "link_setup": Field(
        COST, "s", "a copy of 4 KiB by the copy engine to another device, in a graph", ()
    ),
    "link_pair": Field(
        COST, "s", "what the copy engine takes longer for copies both ways at once, in a graph", ()
    ),
    "link_kernels": Field(
        COST, "s", "what kernels on two devices at once take longer than one, in a graph", ()
    ),
    "link_fork": Field(
        COST, "s", "what two kernels at once on a device take longer than one, in a graph", ()
    ),
    # relative standard deviations of runs of one job (scatter.py), of points below and above 100 us
    "spread_run_short": Field(SPREAD, "", "what another run on the same unit adds, below 100 us"),
    "spread_run_long": Field(SPREAD, "", "the same, above 100 us"),
    "spread_unit_short": Field(SPREAD, "", "what another unit of the same kind adds, below 100 us"),
    "spread_unit_long": Field(SPREAD, "", "the same, above 100 us"),
    "spread_runs": Field(SPREAD, "", "runs that tell"),
    "spread_units": Field(SPREAD, "", "units that they ran on"),
    "spread_groups": Field(SPREAD, "", "kinds of units: what units add is among those of one kind"),
}
NEEDED = ("capability", "multiprocessors", "clock_max", "threads_sm", "l2_bytes", "peak_copy")
# What is copied from Hopper to another architecture is within these factors of what is published of an A100, a B300 and an
# RTX PRO 6000 (python/tests/test_published.py), by the start of the name.
COPIED_WITHIN = {"latency_": 1.35, "link_latency": 1.65, "peak_l2_": 1.9, "peak_flop_": 2.1}
SHIPPED = ("h100", "h200", "b200", "gb200", "b300", "rtx-pro-6000", "rtx-5090", "gb10", "a100")
SOURCE_MAX = 199  # characters of a source


@dataclass(frozen=True)
class Value:
    """NaN: unknown. ``measured``: on such a device, by warpsweep; else a data sheet, a paper or an assumption."""

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    measured: bool = False
    source: str = ""


@dataclass
class Profile:
    """A device's values by the names of ``FIELDS``, in the units there."""

    name: str = ""
    values: dict[str, Value] = field(default_factory=lambda: dict.fromkeys(FIELDS, Value()))

    def __getitem__(self, name: str) -> float:
        return self.values[name].value

    def take(self, name: str, value: float, source: str = "") -> None:
        """Add a measurement, which replaces what was not measured, or widens the interval: its middle is the value."""
        there = self.values[name]
        if not value > 0:
            return
        if not there.measured:
            self.values[name] = Value(value, value, value, True, source)
        else:
            low, high = min(there.low, value), max(there.high, value)
            self.values[name] = Value((low + high) / 2, low, high, True, source or there.source)

    def widen(self, other: Profile) -> list[str]:
        """Add another unit of the product: roofs are from the one to the other, all else is the first one's. Returns the names
        of what the other has otherwise."""
        otherwise = []
        for name, value in other.values.items():
            if FIELDS[name].kind == PEAK and value.measured:
                self.take(name, value.low, self.values[name].source or value.source)
                self.take(name, value.high)
            elif math.isnan(self[name]):
                self.values[name] = value
            elif value.measured and value.value != self[name]:
                otherwise.append(name)
        return otherwise


def of_device(device: Mapping[Any, Any], file: str = "a run") -> Profile:
    """What a row of /devices of a file knows."""
    profile = Profile(str(device.get("name", "")))
    for name, known in FIELDS.items():
        if known.kind in (CAPACITY, PEAK):
            profile.take(name, float(device.get(name, math.nan)), f"/devices of {file}")
    return profile


def assume(profile: Profile) -> Profile:
    """The profile with what it lacks filled in as the shipped H100 and H200 have it."""
    full = Profile(profile.name, dict(profile.values))
    copy = full.values["peak_copy"]
    elsewhere = (
        COPIED_WITHIN if full["capability"] // 10 != _hopper()[0]["capability"] // 10 else {}
    )
    for name, known in FIELDS.items():
        if known.of is None or not math.isnan(full[name]):
            continue
        ratios = [one[name] / math.prod(one[of] for of in known.of) for one in _hopper()]
        value, low, high = (
            ratio * math.prod(getattr(full.values[of], end) for of in known.of)
            for end, ratio in (
                ("value", sum(ratios) / 2),
                ("low", min(ratios)),
                ("high", max(ratios)),
            )
        )
        if math.isnan(value):
            continue
        factor = max([of for start, of in elsewhere.items() if name.startswith(start)], default=1.0)
        full.values[name] = Value(
            value,
            low / factor,
            high * factor,
            False,
            "copied from Hopper: as H100 and H200 have it",
        )
        # DRAM cannot deliver through a slower L2
        if name.startswith("peak_l2") and full[name] < copy.value:
            full.values[name] = replace(copy, measured=False, source="assumed: no less than DRAM's")
    return full


@lru_cache(maxsize=None)
def _hopper() -> tuple[Profile, ...]:
    """The shipped profiles that were measured."""
    return read("h100"), read("h200")


def profile(path: str | os.PathLike[str], device: int = 0) -> Profile:
    """The profile in a file, the shipped one of that name (``b200``), or that of a device of a results file."""
    if os.fspath(path).endswith(".h5"):
        return of_results(read_results(path), device)
    return read(path)


# ---- Of a results file ---------------------------------------------------------------------------------------------


def of_results(results: Results, device: int = 0) -> Profile:
    """The profile of row ``device`` of /devices and its points; further devices of the model widen the intervals."""
    devices = results.devices
    profile = of_device(devices.iloc[device].to_dict(), results.name)
    alike = [at for at, name in enumerate(devices["name"]) if name == profile.name]
    for at in alike:
        profile.widen(of_device(devices.iloc[at].to_dict(), results.name))
    rows = results.rows
    rows = rows[(rows["status"] == "ok") & (rows["repeat"] <= 0) & (rows["time_median"] > 0)]
    rows = rows.head(0) if follows_loads(results) else rows  # of no state
    rows = rows[rows["device"].isin(alike)]
    alone = Profile()
    for name, rate, chosen in _measurements(rows, profile):
        values, tail = rate[chosen & (rate > 0)], f" of {results.name}"
        source = " ".join(rows["id"][values.index][: (SOURCE_MAX + 1 - len(tail)) // 17]) + tail
        for value in (values.min(), values.max()):  # NaN where no point tells
            (alone if name.startswith("one ") else profile).take(
                name.replace("one ", ""), float(value), source
            )
    _subtract(profile, "link_pair", profile.values["link_setup"])
    for name in ("link_kernels", "link_fork"):
        _subtract(profile, name, alone.values[name])
    return profile


def _measurements(
    rows: pd.DataFrame, profile: Profile
) -> Iterator[tuple[str, pd.Series[Any], pd.Series[Any]]]:
    """Field, its value for each row, and the rows that measure it. A field "one X" is what is taken off X."""

    def column(name: str, otherwise: float = math.nan) -> pd.Series[Any]:
        return columns.reals(rows, name).fillna(otherwise)

    def is_(name: str, *words: str) -> pd.Series[Any]:
        return columns.texts(rows, name).isin(words)

    q = SimpleNamespace(
        of=column,
        is_=is_,
        seconds=column("time_median"),
        size=column("size", 0),
        latency=column("latency_p50"),
        hot=is_("cache", "hot"),
        l2=profile["l2_bytes"],
        small=64 << 10,
        large=1 << 30,
        rate_of_mix=partial(
            rate_of_mix,
            peak_read=profile["peak_read"],
            peak_copy=profile["peak_copy"],
            peak_write=profile["peak_write"],
        ),
    )
    rate = column("grid_blocks") / q.seconds
    for name, family in kernels.of(rows["kernel"].unique()).items():
        mine = rows["kernel"] == name
        for of, value, chosen in family.profile(q) if family.profile else ():
            yield of, value, chosen & mine
        rate = rate.mask(mine & (not family.blocks))
    enough = 0.5 * profile["multiprocessors"] * profile["clock_max"] / 158
    yield (
        "block_rate",
        rate,
        (rate > enough) & (np.arange(len(rate)) == (rate.argmax() if rate.notna().any() else -1)),
    )


def _subtract(profile: Profile, name: str, one: Value) -> None:
    """Two at once took so long: less what one takes."""
    both = profile.values[name]
    low = both.low - one.high
    profile.values[name] = (
        replace(both, value=both.value - one.value, low=low, high=both.high - one.low)
        if low > 0
        else Value(source=both.source)
    )


# ---- Files ---------------------------------------------------------------------------------------------------------

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_ENTRY = re.compile(
    rf'^(?:(?:name: *({_QUOTED})|values:|  ([\w-]+): *(\{{(?:[^{{}}"]|{_QUOTED})*\}}))? *(?:#.*)?$|(.+)$)',
    re.M,
)


def read(path: str | os.PathLike[str]) -> Profile:
    """Read a profile file, or the shipped one of that name (``b200``). UsageError with file, line and column.

    Files are YAML of one form: ``name: "TEXT"``, ``values:``, and below it ``NAME: {value: 1, low: 1, high: 1, unit: "",
    measured: true, source: "..."}``, where ``low``, ``high`` and ``unit`` may be missing.
    """
    found = _find(os.fspath(path))
    try:
        text = found.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {found}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        if error.object.startswith(b"\x89HDF"):
            raise UsageError(
                f"{found} is a results file; `warpsweep profile {found} -o FILE.yaml` makes a profile of it"
            ) from None
        raise UsageError(f"cannot read {found}: it is no UTF-8 text") from error
    profile, at = Profile(), 0
    try:
        for entry in _ENTRY.finditer(text):
            name, key, value, other = entry.groups()
            at = entry.start() + 2 * bool(key)
            if other:
                raise UsageError(
                    f"expected name, values or NAME: {{value: 1, ...}}, found '{other.strip()[:40]}'"
                )
            try:
                profile.name = json.loads(name) if name else profile.name
            except ValueError:
                raise UsageError(
                    f"expected a text without control characters, found {name[:40]!r}"
                ) from None
            if key:
                profile.values[key] = _value(key, value)
        at = 0
        if missing := [of for of in ("name",) if not profile.name] + [
            of for of in NEEDED if math.isnan(profile[of])
        ]:
            raise UsageError(f"{missing[0]} is missing; every prediction needs it")
    except UsageError as error:
        line = text.count("\n", 0, at) + 1
        raise UsageError(f"{found}:{line}:{at - text.rfind(chr(10), 0, at)}: {error}") from None
    return profile


def _value(name: str, text: str) -> Value:
    """An entry, which is JSON but for the quotes of its keys. UsageError without its place."""
    if name not in FIELDS:
        raise unknown("value", name, FIELDS)
    try:
        given = json.loads(
            re.sub(rf"({_QUOTED})|([\w-]+)(?=\s*:)", lambda word: word[1] or f'"{word[2]}"', text),
            parse_int=float,
        )
        unit = given.pop("unit", FIELDS[name].unit)
        value = Value(**{"low": given["value"], "high": given["value"], **given})
        good = (
            isinstance(value.value, float)
            and 0 < value.low <= value.value <= value.high < math.inf
            and isinstance(value.measured, bool)
            and value.source
        )
    except (ValueError, TypeError, KeyError):
        good = False
    if not good:
        raise UsageError(
            f"{name}: expected value, low, high (0 < low <= value <= high), unit, measured (true or false) and source"
        )
    if unit.replace("flop", "op") != FIELDS[name].unit.replace("flop", "op"):
        raise UsageError(f"{name}: unit: expected '{FIELDS[name].unit}'")
    return value


def _find(path: str) -> Path:
    """The file; of a name without slash and dot, the profile of that name beside the shipped ones."""
    if "/" in path or "." in path or os.access(path, os.R_OK):
        return Path(path)
    found = shipped("profiles") / f"{path}.yaml"
    if not found.exists():
        meant = nearest(path, SHIPPED)
        raise UsageError(
            f"'{path[:60]}' is neither a file nor a shipped profile ({', '.join(SHIPPED)})"
            + (f": did you mean '{meant}'?" if meant else "")
        )
    return found


def yaml(profile: Profile, made: str = "") -> str:
    """Every known value with interval, unit and source, as a profile file; `made`: how it was made."""
    lines = [
        "# A device profile: input of the time model (docs/method/model.md).",
        *([f"# Made, not written: {made}"] if made else []),
        f"name: {json.dumps(profile.name, ensure_ascii=False)}",
        "values:",
    ]
    for name, (_, unit, meaning, _) in FIELDS.items():
        one = profile.values[name]
        if not math.isnan(one.value):
            digits = 12 if unit == "bytes" else 9  # capacities are whole numbers
            spread = one.low < one.value or one.high > one.value
            interval = f"low: {one.low:.9g}, high: {one.high:.9g}, " if spread else ""
            lines += [
                f"  # {meaning}",
                f'  {name}: {{value: {one.value:.{digits}g}, {interval}unit: "{unit}", '
                f"measured: {str(one.measured).lower()},",
                f"    source: {json.dumps(one.source, ensure_ascii=False)}}}",
            ]
    return "\n".join(lines) + "\n"
