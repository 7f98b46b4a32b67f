"""A profile as JSON, for models and simulators: values, knees of saturation curves, laws that counters agree with.

docs/profile.schema.json describes it. A missing number is null, with its reason.
"""
from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, TextIO

import numpy as np
import pandas as pd

from .bends import knees
from .errors import UsageError
from .frames import frame, kernel, sort, where
from .laws import LAWS, check
from .profiles import FIELDS, SPREADS, Profile, Value
from .results import Results

SCHEMA = "warpsweep-profile-1"
SHARES = (0.5, 0.95)  # of the best rate of a curve
CURVE_MIN = 3         # points


@dataclass(frozen=True)
class Saturation:
    """Points of a family that differ in one quantity, the product of ``factors``; a curve for each ``series``."""

    name: str
    unit: str
    meaning: str
    kernel: str
    conditions: tuple[str, ...]
    factors: tuple[str, ...]
    series: str


_COPY = ("stride=1", "offset=0", "block=256", "items=1", "hint=default", "carveout=default")
_PEER = ("direction=one_way", "width=16", "pair!=local")
SATURATIONS = (
    Saturation("bytes_in_flight", "bytes/SM",
               "asynchronous copies in flight on an SM: a tile, times the stages of its ring", "prefetch",
               ("stages=3", "resident=1", "work=0"), ("tile_bytes", "stages", "resident"), "variant"),
    Saturation("copy_size", "bytes", "copy by a kernel, f32 by 16 bytes, in DRAM or (hot) in L2: bytes of each array",
               "copy", ("variant=load", "dtype=f32", "vector=4", "cache=cold,hot", *_COPY), ("size",), "cache"),
    Saturation("memcpy_size", "bytes", "cudaMemcpy in DRAM or (hot) in L2: bytes of each array", "copy",
               ("variant=memcpy", "cache=cold,hot", *_COPY), ("size",), "cache"),
    Saturation("host_message", "bytes", "one copy between pinned host memory and the device", "host_copy",
               ("variant=pinned", "streams=1", "chunk=16TiB", "numa=any"), ("size",), "direction"),
    Saturation("peer_message", "bytes", "one copy to another GPU by the copy engines", "peer_copy",
               ("variant=copy_engine", "blocks=0", *_PEER), ("size",), "pair"),
    Saturation("peer_blocks", "blocks", "blocks, at most one on an SM, that write 128 MiB to another GPU", "peer_copy",
               ("variant=store", "size=128MiB", "blocks=1..1024", *_PEER), ("blocks",), "pair"),
)


def curves(rows: pd.DataFrame, saturation: Saturation) -> list[tuple[str, pd.DataFrame]]:
    """The curves of at least three points in a frame of one device, by series: columns ``x`` (ascending), ``y``,
    ``low``, ``high`` (bytes/s), ``id`` and ``fraction_peak``."""
    try:
        chosen = kernel(rows, saturation.kernel)
        local = "pair" in chosen and (chosen["pair"] == "local").any()  # `where` refuses words that no row has
        chosen = where(chosen, [one for one in saturation.conditions if one != "pair!=local" or local])
        chosen = sort(chosen, [saturation.series, *reversed(saturation.factors)])
    except UsageError:  # a file without such a family, axis or word
        return []
    names = {"bandwidth": "y", "bandwidth_low": "low", "bandwidth_high": "high"}
    quantity = chosen[list(saturation.factors)].astype(float).prod(axis=1, skipna=False)
    points = chosen.rename(columns=names).assign(x=quantity)
    points = points[(points["x"] > 0) & (points["y"] > 0)]
    found = []
    for series, curve in points.groupby(saturation.series, sort=False):
        ascending = curve[curve["x"] > curve["x"].cummax().shift(fill_value=0)]
        if len(ascending) >= CURVE_MIN:
            found.append((str(series), ascending.reset_index(drop=True)))
    return found


def reach(curve: pd.DataFrame, share: float) -> tuple[float, float, float, int]:
    """Where a curve reaches a share of its best rate, interpolated in log-log: x, the ends of its interval by those of
    the rates, and the point above it. NaN: the smallest point already has this share."""
    best = int(curve["y"].to_numpy().argmax())

    def crossing(column: str, least: float) -> tuple[float, int]:
        rate = curve[column].to_numpy()[:best + 1]
        below = np.flatnonzero(~(rate >= least))
        above = int(below[-1]) + 1 if len(below) else 0
        if not 0 < above <= best:
            return math.nan, above
        x, (start, end) = curve["x"].to_numpy(), rate[above - 1:above + 1]
        if not start > 0:
            return math.nan, above
        step = math.log(x[above] / x[above - 1]) * math.log(least / start) / math.log(end / start)
        return float(x[above - 1] * math.exp(step)), above

    middle, above = crossing("y", share * curve["y"][best])
    low, _ = crossing("high", share * curve["low"][best])
    high, _ = crossing("low", share * curve["high"][best])
    return middle, low, high, above


def _knees(rows: pd.DataFrame, saturation: Saturation) -> dict[str, Any]:
    described = []
    for series, curve in curves(rows, saturation):
        best = curve.iloc[curve["y"].to_numpy().argmax()]
        shares = []
        for share in SHARES:
            value, low, high, above = reach(curve, share)
            sides = curve.iloc[above - 1:above + 1] if not math.isnan(value) else curve.iloc[:0]
            shares.append({"share": share, "value": value, "low": low, "high": high, "between": list(sides["x"]),
                           "points": list(sides["id"]), "reason": None if len(sides) else
                           "the smallest point of the curve already has this share"})
        bends = [{"value": knee.at, "low": knee.low, "high": knee.high}
                 for knee in knees(*(curve[name].tolist() for name in ("x", "y", "low", "high")))]
        described.append({
            saturation.series: series, "points": len(curve),
            "best": {"value": best["y"], "low": best["low"], "high": best["high"], "unit": "bytes/s", "at": best["x"],
                     "share_of_roof": best.get("fraction_peak", math.nan), "point": best["id"]},
            "shares": shares, "bends": bends})
    return {"unit": saturation.unit, "meaning": saturation.meaning, "kernel": saturation.kernel,
            "where": list(saturation.conditions), "product_of": list(saturation.factors), "curves": described,
            "reason": None if described else "the file has no three such points that differ in this alone"}


def _interval(name: str, value: Value, device: pd.Series[Any], point: pd.Series[Any] | None) -> tuple[float, float]:
    """The interval of a value that one point or the device's peak has shown."""
    unit = FIELDS[name][0]
    if value.low < value.high or math.isnan(value.value):
        return value.low, value.high
    if f"{name}_low" in device:
        return device[f"{name}_low"], device[f"{name}_high"]
    if point is None:
        return math.nan, math.nan
    if unit == "cycles":
        return point["latency_p05"], point["latency_p95"]
    least, most = (point[f"time_ci_{end}"] / point["time_median"] for end in ("low", "high"))
    return (value.value * least, value.value * most) if unit == "s" else (value.value / most, value.value / least)


def _part(name: str) -> str | None:
    """The part of the document that a value belongs to; None: the device's own description."""
    unit = FIELDS[name][0]
    return ("flops" if name.startswith("peak_flop_") else "rates" if unit == "bytes/s" else
            "latency" if name.startswith("latency_") else
            "launch" if name.startswith("wave_") or unit == "blocks/s" else None)


def describe(results: Results, device: int, profile: Profile) -> dict[str, Any]:
    """The document: profile values by part, knees and laws. NaN stands for null."""
    row, rows = results.devices.iloc[device], frame([results])
    points = results.rows[results.rows["repeat"] <= 0].drop_duplicates("id").set_index("id")
    known = [name for name in FIELDS if name not in SPREADS]

    def value(name: str) -> dict[str, Any]:
        one, unit = profile.values[name], FIELDS[name][0]
        ids = one.source.split(" of ")[0].split() if " of " in one.source else []
        ids = ids[:next((at for at, id_ in enumerate(ids) if id_ not in points.index), len(ids))]
        low, high = _interval(name, one, row, points.loc[[ids[0]]].iloc[0] if ids else None)
        seconds = {"seconds": one.value / profile["clock_max"]} if unit == "cycles" else {}
        missing = ("/devices of the file has no value" if name in row else
                   "the file has none of the points of jobs/profile.yaml that measure it")
        return {"value": one.value, "low": low, "high": high, "unit": unit, **seconds, "meaning": FIELDS[name][1],
                "source": one.source, "points": ids, "reason": missing if math.isnan(one.value) else None}

    def law(name: str) -> dict[str, Any]:
        one, kept = LAWS[name], check(rows, name)
        return {"quantity": one.quantity, "formula": one.formula, "variable": one.x, "unit": one.unit,
                "points": kept.points, "within": kept.within, "tolerance": one.tolerance,
                "largest_deviation": kept.most if kept.points else math.nan,
                "reason": None if kept.points else "the file has no counted points of this law"}

    measured = rows[(rows["status"] == "ok") & (rows["device"] == device)]
    texts = ("name", "uuid", "driver", "toolkit", "vbios", "ecc")
    return {
        "schema": SCHEMA, "file": results.path.name,
        **{name: results.env(name) for name in ("release", "commit", "start")},
        "salvaged": ", ".join(results.unverified) or None,
        "device": {**{name: row.get(name) for name in texts},
                   **{name: profile[name] for name in known if _part(name) is None}},
        **{part: {name: value(name) for name in known if _part(name) == part}
           for part in ("flops", "rates", "latency", "launch")},
        "knees": {one.name: _knees(measured, one) for one in SATURATIONS}, "laws": {name: law(name) for name in LAWS}}


def _number(value: float) -> str:
    """The shortest digits that read back the same."""
    if not math.isfinite(value):
        return "null"
    return next(text for text in (f"{value:.{digits}g}" for digits in (9, 15, 16, 17)) if float(text) == value)


def _dump(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)}: {_dump(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + (",\n    " if value and isinstance(value[0], dict) else ", ").join(map(_dump, value)) + "]"
    if value is None or value == "":
        return "null"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else _number(float(value))


def write(results: Results, device: int, profile: Profile, out: TextIO) -> None:
    """Write the document with a line for each value."""
    lines: list[str] = []
    for name, value in describe(results, device, profile).items():
        members = (",\n    " if name != "device" else ", ").join(
            f"{json.dumps(member)}: {_dump(one)}" for member, one in value.items()) if isinstance(value, dict) else ""
        lines.append(f"\n  {json.dumps(name)}: {{\n    {members}}}" if isinstance(value, dict) else
                     f"{' ' if lines else ''}{json.dumps(name)}: {_dump(value)}")
    out.write("{" + ",".join(lines) + "\n}\n")
