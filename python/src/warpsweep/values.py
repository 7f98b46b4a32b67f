"""Values, points and names of columns as people read them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from . import units

HEADINGS = {
    "time_median": "Time",
    "fraction_peak": "Share of roof",
    "fraction_nominal": "Share of nominal",
    "fraction_datasheet": "Share of data sheet",
    "flop_rate": "Rate",
    "sm_clock": "SM clock",
    "dtype": "Type",
    "arch": "Architecture",
    "device.name": "Device",
}


def human(value: Any, column: Any, half: float = math.nan) -> str:
    """One value as people read it, with its unit: ``4299 ± 4 GB/s``, ``64MiB``; a dash where it is missing."""
    if isinstance(value, str) or value is None:
        return value or "—"
    if not math.isfinite(value):
        return "—"
    kind, unit, role = (column.type, column.unit, column.role) if column else ("", "", "")
    if half > 0:
        return units.scaled(value, unit, half)
    if unit == "bytes" and (kind == "integer" or role != "axis" or float(value).is_integer()):
        return units.bytes_text(value) if role == "axis" else units.bytes_short(round(value))
    if kind == "integer":
        return str(int(value))
    if unit == "s":
        return units.seconds_text(value)
    chosen = units.choose(unit, value)
    scale, name = (chosen.scale, chosen.name) if chosen else (1, unit)
    return f"{value / scale:.4g} {name}" if unit else f"{value / scale:.4g}"


def point(row: Any, known: Any, names: Sequence[str] | None = None) -> str:
    """A point in words: ``copy variant=load size=64MiB``; of some axes, without the family."""
    said = [
        f"{name}={human(row[name], known[name])}"
        for name in (known.axes() if names is None else names)
        if name in row and row[name] == row[name] and row[name] != ""
    ]
    return " ".join([row["kernel"], *said] if names is None else said)


def heading(name: str) -> str:
    """The name of a column in words."""
    text = re.sub("[_.]", " ", name)
    whole = "_" in name or not re.search(r"\d", name)  # f32 stays
    return HEADINGS.get(name, text[:1].upper() + text[1:] if whole else text)
