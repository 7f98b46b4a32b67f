"""make.py NAME... - write the shipped profiles of devices on which warpsweep has not run, from published.csv.

A value is what is published of the device. Several values are its interval, of which the first is the value (the middle of its
range). What is not published of it follows from RULES, whose texts are the sources in the profile. Hopper's ratios are those of
h100.yaml and h200.yaml.
"""
from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from warpsweep import profiles
from warpsweep.published import table

DEVICES = {  # file: device of published.csv, name
    "b200": ("B200", "NVIDIA B200"),
    "gb200": ("GB200", "NVIDIA GB200 (one GPU)"),
    "b300": ("B300", "NVIDIA B300"),
    "rtx-pro-6000": ("RTX PRO 6000", "NVIDIA RTX PRO 6000 Blackwell"),
    "rtx-5090": ("RTX 5090", "NVIDIA GeForce RTX 5090"),
    "gb10": ("GB10", "NVIDIA GB10"),
    "a100": ("A100-SXM4-80GB", "NVIDIA A100-SXM4-80GB"),
}
ALIKE = {"B200": ("B300", "GB200"), "GB200": ("B200", "B300"), "B300": ("B200", "GB200"),
         "GB10": ("RTX 5090",)}  # nearest first
SCALES = {"TB/s": 1e12, "GB/s": 1e9, "TFLOP/s": 1e12, "TOP/s": 1e12, "MHz": 1e6, "us": 1e-6}
CYCLES = ("latency_l1", "latency_l2", "latency_dram", "latency_shared", "latency_fence", "latency_dsmem", "latency_atomic",
          "link_latency")
RATES = ("link_read", "link_write", "link_copy", "peak_l2_read")
TENSOR = ("bf16", "f8", "i8", "f4")


@dataclass
class Range:
    """A value with its interval, and where it comes from."""

    value: float
    low: float
    high: float
    source: str

    def __mul__(self, factor: float) -> Range:
        return Range(self.value * factor, self.low * factor, self.high * factor, self.source)


class Device:
    """What is published of a device by the fields of a profile, in their units, and what follows by the rules. `without`:
    fields for which what is published of it is not used."""

    def __init__(self, name: str, without: str = "") -> None:
        self.name, self.known = name, dict[str, Range]()
        rows = table()
        rows = rows[(rows["device"] == name) & (rows["field"] != "")]
        if without:
            rows = rows[rows["field"] != without]
        for unit in ("", "others"):  # clocks and SMs first: others are relative to them
            for _, row in rows.iterrows():
                if (row["field"] in ("multiprocessors", "clock_max")) == (unit == ""):
                    self.add(row["field"], row["low"] * self.scale(row["unit"]), row["high"] * self.scale(row["unit"]), row["source"])

    def add(self, field: str, low: float, high: float, source: str) -> None:
        there = self.known.get(field)
        one = Range((low + high) / 2, low, high, source)
        self.known[field] = one if there is None else Range(there.value, min(low, there.low), max(high, there.high),
                                                             f"{there.source}; {source}")

    def scale(self, unit: str) -> float:
        if unit.endswith("per cycle and SM"):
            return self["multiprocessors"].value * self["clock_max"].value
        if unit == "ns":
            return self["clock_max"].value * 1e-9
        return SCALES.get(unit, 1.0)

    def __contains__(self, field: str) -> bool:
        return field in self.known

    def __getitem__(self, field: str) -> Range:
        return self.known[field]


Rule = Callable[[Device, Device], Iterator[tuple[str, Range]]]


def ratios(field: str, *of: str) -> tuple[float, float]:
    """What Hopper's profiles have of a field, as a multiple of others."""
    found = [one[field] / math.prod(one[name] for name in of) for one in (profiles.read("h100"), profiles.read("h200"))]
    return min(found), max(found)


def times(base: Range, low: float, high: float, source: str) -> Range:
    return Range(base.value * (low + high) / 2, base.low * low, base.high * high, source)


def cycles(device: Device, other: Device) -> Iterator[tuple[str, Range]]:
    """as a %, in cycles"""
    yield from ((field, other[field]) for field in CYCLES if field in other)


def rates(device: Device, other: Device) -> Iterator[tuple[str, Range]]:
    """as a %"""
    yield from ((field, other[field]) for field in RATES if field in other)


def dram(device: Device, other: Device) -> Iterator[tuple[str, Range]]:
    """a %'s, times the ratio of the nominal rates"""
    for field in ("peak_read", "peak_write", "peak_copy"):
        if field in other:
            yield field, other[field] * (device["dram_nominal"].value / other["dram_nominal"].value)


def per_cycle(device: Device, other: Device) -> Iterator[tuple[str, Range]]:
    """as many operations and bytes as a % per cycle and SM"""
    factor = device["multiprocessors"].value * device["clock_max"].value
    factor /= other["multiprocessors"].value * other["clock_max"].value
    for field in ("peak_shared", *(f"peak_tensor_{one}" for one in TENSOR)):
        if field in other:
            yield field, other[field] * factor


def power(device: Device, other: Device) -> Iterator[tuple[str, Range]]:
    """as a % at its power limit, within what B200 and B300 differ by,"""
    both = [Device("B200"), Device("B300")]
    for field in ("clock_tensor", *(f"library_{one}" for one in TENSOR)):
        if field in other:
            known = "clock_tensor" if field == "clock_tensor" else "library_bf16"
            values = [one[known].value for one in both]
            factor, value = max(values) / min(values), other[field].value
            sms = 1.0 if field == "clock_tensor" else device["multiprocessors"].value / other["multiprocessors"].value
            yield field, Range(value, value / factor, value * factor, other[field].source) * sms


def alone(device: Device, _: Device) -> Iterator[tuple[str, Range]]:
    """What follows from the device's own values."""
    sms, clock = device["multiprocessors"].value, device["clock_max"]
    lanes = Range(clock.value, clock.low, clock.high, "128 lanes of an SM, an addition and a product each, at clock_max") * (sms * 256)
    yield "peak_flop_f32", lanes
    if "clock_tensor" in device:  # those of data centres
        low = device["clock_tensor"]
        yield "peak_flop_f64", Range(low.value, low.low, clock.high, "64 lanes of an SM, from clock_tensor, as published of a GB200, "
                                     "to clock_max") * (sms * 128)
    f32 = device["peak_flop_f32"] if "peak_flop_f32" in device else lanes
    yield "peak_flop_f16", Range(f32.value, f32.low, f32.high, "as FP32, as published of a B300")
    if "dram_nominal" in device:
        shares = [profiles.read(name)["peak_copy"] / Device(name.upper())["dram_nominal"].value for name in ("h100", "h200")]
        yield "peak_copy", times(device["dram_nominal"], min(shares), max(shares), "as an H100 and an H200, of the nominal rate")
    if "peak_l2_read" in device:
        for field in ("peak_l2_copy", "peak_l2_write"):
            yield field, times(device["peak_l2_read"], *ratios(field, "peak_l2_read"), "of reads as much as on an H100 and an H200")
    if "peak_tensor_bf16" in device:
        bf16 = device["peak_tensor_bf16"]
        yield "peak_tensor_f16", Range(bf16.value, bf16.low, bf16.high, "as BF16, one kind of instruction")
        yield "peak_tensor_tf32", Range(bf16.value / 2, bf16.low / 2, bf16.high / 2, "half of BF16, as published of a B300")
    if "library_bf16" in device:
        bf16 = device["library_bf16"]
        yield "library_f16", Range(bf16.value, bf16.low, bf16.high, "as BF16")
    if {"link_latency", "latency_dram", "latency_l2"} <= {*device.known}:
        more = device["latency_dram"].value - device["latency_l2"].value
        one = device["link_latency"]
        yield "link_latency_dram", Range(one.value + more, one.low + more, one.high + more,
                                         "link_latency, and what DRAM takes longer than near L2")


def made(device: str, without: str = "") -> Device:
    """The values of a device, published or by the rules."""
    one = Device(device, without)
    for rule in (cycles, rates, dram, per_cycle, power):
        for name in ALIKE.get(device, ()):
            other = Device(name)
            for field, value in rule(one, other):
                if field not in one:
                    one.known[field] = Range(value.value, value.low, value.high,
                                             f"{(rule.__doc__ or '').replace('%', name)}: {value.source}")
    for _ in range(2):  # a rule may need what a later one gives
        for field, value in alone(one, one):
            if field not in one:
                one.known[field] = value
    return one


def profile(name: str) -> profiles.Profile:
    """The profile of a device in DEVICES."""
    device, full = DEVICES[name]
    found = profiles.Profile(full)
    for field, one in made(device).known.items():
        if field in profiles.FIELDS:
            low, high = min(one.low, one.value), max(one.high, one.value)
            digits = 12 if profiles.FIELDS[field].unit == "bytes" else 4
            value, low, high = (float(f"{end:.{digits}g}") for end in (one.value, low, high))
            found.values[field] = profiles.Value(value, low, high, False, one.source[:profiles.SOURCE_MAX])
    return found


def text(name: str) -> str:
    """The profile's file."""
    by = f"python3 profiles/make.py {name}, from published.csv by the rules there; nothing was measured by warpsweep"
    return profiles.yaml(profile(name), by)


def main() -> None:
    for name in sys.argv[1:] or DEVICES:
        Path(__file__).with_name(f"{name}.yaml").write_text(text(name), encoding="utf-8")


if __name__ == "__main__":
    main()
