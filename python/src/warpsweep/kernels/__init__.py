"""What readers need of a kernel family beyond the results file, one module or folder for each: ``kernels/NAME.py`` has
``FAMILY``. A family without one, as those of users, is read by its file alone. Outside of this folder no module names a
family, or an axis that only one has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from types import SimpleNamespace
from typing import Any, NamedTuple

import pandas as pd

SECTOR, BURST, BANKS, WORD, WARP = 32.0, 64.0, 32.0, 4.0, 32.0
EXACT = 1e-4
DRAM = 0.025  # counters of DRAM contain what else goes on
# A field of a device profile, its value for each row, and the rows that measure it.
Measurement = tuple[str, "pd.Series[Any]", "pd.Series[Any]"]


class Law(NamedTuple):
    """A formula of the access model: ``quantity`` = ``formula`` of the variable ``x`` (in ``unit``), within the
    ``tolerance``. ``apply`` takes the quantities of `laws` and gives selected rows, x, expected, counted."""

    name: str
    quantity: str
    formula: str
    x: str
    unit: str
    figure: str  # of analysis/, which shows it; "" if none does
    tolerance: float
    apply: Callable[[SimpleNamespace], tuple[Any, ...]]
    meaning: str  # what follows from it, as a sentence
    kernels: tuple[str, ...] = ()  # the families that state it


READ_ONCE = Law(
    "read_once",
    "DRAM bytes read",
    "the inputs, once",
    "inputs",
    "bytes",
    "",
    DRAM,
    lambda q: (
        q.beyond_l2(q.of("bytes_read")),
        q.of("bytes_read"),
        q.of("bytes_read"),
        q.of("dram_bytes_read"),
    ),
    "No input is fetched from DRAM twice.",
)


def counted_of(q: SimpleNamespace, variant: str, of_variant: str, of_others: str) -> pd.Series:
    """One counter for the points of a variant, another one for the others."""
    return q.of(of_others).mask(q.is_("variant", variant), q.of(of_variant))


def name_tf32(rows: pd.DataFrame, own: pd.Series[bool]) -> None:
    """Releases until 0.5 called tf32 of tensor cores f32."""
    if "dtype" in rows:
        rows.loc[own & (rows["dtype"] == "f32"), "dtype"] = "tf32"


@dataclass(frozen=True)
class Family:
    """``quantity``: of `rows.QUANTITIES`, if the file does not tell. ``latency``: what the kernel clocks is a latency, which
    its points are then compared by. ``apart``: axes that say what is measured, not how:
    without a roof, points that differ in them are not compared. ``controls``: conditions of points that are controls, not results;
    ``parts``: conditions, and the part of the machine that such points depend on.

    ``error``, ``error_unknown``, ``error_library``: by device, or ``other``, the factor within which 95 % of measured times lie around
    predicted ones, with known addresses, without, and of the vendor's products on tensor cores; ``baseline``, ``baseline_unknown``:
    the files in analysis/data whose times of another device of the architecture are a better prediction than a formula;
    ``error_elsewhere``, ``error_unknown_elsewhere``: the formula's factor then, for other architectures, of the points
    for which it `holds` (tests/python/unseen.py has all of them); ``fitted``: its points chose a constant of the time
    model; None: they did if there is an ``error``. ``profile``: what its points measure of a device; ``chase``: which of a profile's latencies they wait for, how often, and the rows;
    ``blocks``: they show how fast blocks start. ``links``: axis and word of points, and how many links between devices they
    use at once, 0 within one device, in files of 0.6 and before;
    ``correct``: repairs the family's rows in files of earlier releases. ``ways``: the axis whose words say how the work is
    done; ``vendor``, ``unfollowed``: those that a library runs, and whose addresses no model can follow, in files before 0.7.
    ``tables``: computed tables in its module `tables`. ``choices``: axes that say how the same work is done; "": its points
    are no ways of doing the same; ``ranked``: the one whose numbers are a library's ranking of its own ways, from 0."""

    quantity: str = ""
    latency: bool = True
    apart: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)
    laws: tuple[Law, ...] = ()
    error: Mapping[str, float] = field(default_factory=dict)
    error_unknown: Mapping[str, float] = field(default_factory=dict)
    error_library: Mapping[str, float] = field(default_factory=dict)
    error_elsewhere: float = 0.0
    error_unknown_elsewhere: float = 0.0
    holds: Callable[[SimpleNamespace], pd.Series[bool]] | None = None
    baseline: tuple[str, ...] = ()
    baseline_unknown: tuple[str, ...] = ()
    fitted: bool | None = None
    profile: Callable[[SimpleNamespace], Iterator[Measurement]] | None = None
    chase: Callable[[SimpleNamespace], Iterator[Measurement]] | None = None
    blocks: bool = True
    links: Mapping[tuple[str, Any], int] = field(default_factory=dict)
    correct: Callable[[pd.DataFrame, "pd.Series[bool]"], None] | None = None
    ways: str = "variant"
    vendor: tuple[str, ...] = ()
    unfollowed: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    choices: str = ""
    ranked: str = ""

    def work(self, axes: Iterable[str]) -> list[str]:
        """Those of the axes that say what is done, not how."""
        return [name for name in axes if name not in self.choices.split()]


UNKNOWN = Family(choices="variant")


@lru_cache(maxsize=None)
def family(name: str) -> Family:
    """What is known of a family of that name."""
    if not name.isidentifier() or find_spec(f"{__name__}.{name}") is None:
        return UNKNOWN
    known: Family = getattr(import_module(f"{__name__}.{name}"), "FAMILY", UNKNOWN)
    return known


@lru_cache(maxsize=None)
def every() -> dict[str, Family]:
    """All families that have a module, by name."""
    return of(one.name for one in iter_modules(__path__))


def of(names: Iterable[str]) -> dict[str, Family]:
    """Those of the names of which something is known."""
    known = {name: family(name) for name in dict.fromkeys(names)}
    return {name: one for name, one in known.items() if one is not UNKNOWN}
