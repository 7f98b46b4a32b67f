"""Units in which people read quantities, and as many digits as an interval allows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple


class Unit(NamedTuple):
    """``scale`` of ``of`` is one of this unit; it is chosen from the magnitude ``start`` on."""

    of: str
    name: str
    symbol: str
    scale: float
    start: float


# By what they measure, large ones first; the last of a kind takes all smaller numbers. Four digits are read at a glance:
# rates of memory become TB/s late. Operations of integers are no flops; "or": of both together.
UNITS = [
    Unit(*row)
    for row in (
        ("s", "s", "s", 1, 1),
        ("s", "ms", "ms", 1e-3, 1e-3),
        ("s", "us", "µs", 1e-6, 1e-6),
        ("s", "ns", "ns", 1e-9, 0),
        ("bytes/s", "TB/s", "TB/s", 1e12, 9999e9),
        ("bytes/s", "GB/s", "GB/s", 1e9, 0),
        ("flop/s", "TFLOP/s", "TFLOP/s", 1e12, 1e12),
        ("flop/s", "GFLOP/s", "GFLOP/s", 1e9, 0),
        ("op/s", "TOP/s", "TOP/s", 1e12, 1e12),
        ("op/s", "GOP/s", "GOP/s", 1e9, 0),
        ("flop/s or op/s", "TFLOP/s or TOP/s", "TFLOP/s or TOP/s", 1e12, 1e12),
        ("flop/s or op/s", "GFLOP/s or GOP/s", "GFLOP/s or GOP/s", 1e9, 0),
        ("Hz", "MHz", "MHz", 1e6, 0),
        ("bytes", "GB", "GB", 1e9, 1e9),
        ("bytes", "MB", "MB", 1e6, 1e6),
        ("bytes", "kB", "kB", 1e3, 0),
        ("degC", "degC", "degC", 1, 0),
        ("J", "J", "J", 1, 1),
        ("J", "mJ", "mJ", 1e-3, 1e-3),
        ("J", "uJ", "µJ", 1e-6, 0),
        ("J/bit", "pJ/bit", "pJ/bit", 1e-12, 0),
        ("J/flop", "pJ/FLOP", "pJ/FLOP", 1e-12, 0),
        ("J/op", "pJ/OP", "pJ/OP", 1e-12, 0),
        ("J/flop or J/op", "pJ/FLOP or pJ/OP", "pJ/FLOP or pJ/OP", 1e-12, 0),
        ("W", "W", "W", 1, 0),
    )
]
OPERATIONS = {"flop": "op", "flop/s": "op/s", "J/flop": "J/op"}  # of what are no flops


def choose(of: str, magnitude: float) -> Any:
    """The Unit for a quantity of that magnitude, in the file's unit ``of`` ("s", "bytes/s"); None: it has no others."""
    size = 1 if math.isnan(magnitude) else abs(magnitude)
    return next((unit for unit in UNITS if unit.of == of and size >= unit.start), None)


def common(of: Iterable[str]) -> str:
    """A unit of the file that is true of quantities in all of these."""
    return " or ".join(sorted(set(of)))


def is_count(of: str) -> bool:
    """Whether a quantity in the file's unit is a count, which is printed in full."""
    return of not in ("", "%", "flop", "op", "flop or op") and choose(of, 0) is None


def find(name: str) -> Unit | None:
    """The unit of that name or symbol."""
    return next((unit for unit in UNITS if name in (unit.name, unit.symbol)), None)


def symbol(name: str) -> str:
    """``µs`` of ``us``; other names as they are."""
    unit = find(name)
    return unit.symbol if unit else name


def scale(name: str) -> float:
    """How much of the file's unit one of this unit is; 1 for others."""
    unit = find(name)
    return unit.scale if unit else 1


def decimals(value: float, half: float = math.nan) -> int:
    """Decimals that show one digit of the uncertainty, or two where it begins with a 1 (the Particle Data Group's
    rule, shortened); without an uncertainty, four digits of the value."""
    if 0 < half < math.inf:
        magnitude = int(f"{half:.1e}".split("e")[1])
        digits = 2 if half / 10.0**magnitude < 1.95 else 1
    else:
        digits = 4
        magnitude = (
            int(f"{value:.3e}".split("e")[1]) if value and math.isfinite(value) else digits - 1
        )
    return min(max(digits - 1 - magnitude, 0), 12)


def format(value: float, half: float = math.nan) -> str:
    """``4299 ± 4``; half of the interval's width, in the same unit as the value. ``about 4299``: it is wider than
    the value, which of two replicates it can be a million times."""
    if abs(value) < half < math.inf:
        return f"about {value:.{decimals(value, abs(value) / 10)}f}"
    places = decimals(value, half)
    return f"{value:.{places}f}" + (f" ± {half:.{places}f}" if 0 < half < math.inf else "")


def span(low: float, high: float) -> str:
    """``1.4 to 5.9``; one number if both are equal in print."""
    limits = {0.01: 4, 2: 2, 10: 1}
    digits = next((digits for limit, digits in limits.items() if high < limit), 0)
    first, last = f"{low:.{digits}f}", f"{high:.{digits}f}"
    return first if first == last else f"{first} to {last}"


def scaled(value: float, of: str, half: float = math.nan) -> str:
    """``4299 ± 4 GB/s`` of a quantity in the file's unit."""
    unit = choose(of, value)
    per = unit.scale if unit else 1
    name = unit.name if unit else of
    return format(value / per, half / per) + (f" {name}" if name else "")


def bytes_text(count: float) -> str:
    """``64MiB``; exact, as it is typed in a job file."""
    value, unit = int(count), 0
    while unit < 4 and value and value % 1024 == 0:
        value, unit = value // 1024, unit + 1
    return f"{value}{('', 'KiB', 'MiB', 'GiB', 'TiB')[unit]}"


def bytes_short(count: float) -> str:
    """The same with four digits: ``1.234GiB``."""
    exact = bytes_text(count)
    if count < 0 or len(exact.rstrip("KMGTiB")) <= 4:
        return exact
    value, unit = count / 1024, 0
    while unit < 3 and value >= 1023.5:  # rounded to four digits, 1024 units would be 1024
        value, unit = value / 1024, unit + 1
    return f"{value:.4g}{('KiB', 'MiB', 'GiB', 'TiB')[unit]}"


def seconds_text(seconds: float) -> str:
    """``1.23ms``, ``2min 5s``."""
    if not (math.isfinite(seconds) and seconds >= 0):
        return "?"
    if seconds < 59.95:
        scales = ((1e6, "us"), (1e3, "ms"), (1, "s"))  # in three digits below 1000
        factor, unit = next(one for one in scales if seconds * one[0] < 999.5)
        return f"{seconds * factor:.3g}{unit}"
    seconds = math.floor(seconds + 0.05)
    if seconds < 3600:
        return f"{int(seconds // 60)}min {int(seconds) % 60}s"
    return f"{int(seconds // 3600)}h {int(seconds % 3600 // 60)}min"


def percent_more(ratio: float, decimals: int = 1) -> str:
    """``+2.5`` of 1.025; a dash of NaN."""
    return "-" if math.isnan(ratio) else f"{100 * (ratio - 1):+.{decimals}f}"


def formatted(form: str, value: float) -> str:
    """A number in a format such as "{:.1f} %"; a dash if it is NaN."""
    return "-" if math.isnan(value) else form.format(value)


def share(part: float, of: float) -> str:
    """ "37.7 %", a dash of nothing"""
    return formatted("{:.1f} %", 100 * part / of if of else math.nan)


def plural(count: int, word: str, several: str = "") -> str:
    """ "1 device", "2 devices" """
    return f"{count} {word if count == 1 else several or word + 's'}"
