"""The machine around a device, and what built the programs, as files have them since 0.7: what an older one lacks is not recorded."""

from __future__ import annotations

import pandas as pd

from .. import units
from ..results import Results
from ..values import human

LACKING = "not recorded"


def machine(results: Results, row: pd.Series) -> dict[str, str]:
    """The facts about the node of a row of the file's /devices, in words."""

    def of(name: str, word: str = "") -> str:
        value = row.get(name, "")
        if isinstance(value, str) or not value > 0:
            return value if isinstance(value, str) else ""
        if word:
            return units.plural(int(value), word)
        return human(value, results.device_columns.get(name))

    def all_of(*parts: str) -> str:
        return ", ".join(part for part in parts if part)

    told = {
        "Host processors": all_of(
            of("host_cpu"), of("host_sockets", "socket"), of("host_cores", "core")
        ),
        "Host memory": of("host_memory"),
        "Host system": of("host_distribution")
        and all_of(of("host_distribution"), of("host_kernel")),
        "Hypervisor, container": all_of(of("host_hypervisor"), of("host_container")),
        "Compiler of warpsweep": results.env("compiler") or "",
    }
    return {words: value or LACKING for words, value in told.items()}


def described(facts: dict[str, str]) -> str:
    """The facts in a line."""
    if set(facts.values()) == {LACKING}:
        return f"The node and the compiler are {LACKING}."
    return "; ".join(f"{words}: {value}" for words, value in facts.items()) + "."


def durations(results: Results) -> str:
    """How long the last run's set-up and measuring took."""
    seconds = [results.env(f"{part}_seconds") for part in ("setup", "execution")]
    shown = [f"{float(one):.1f} s" if one else LACKING for one in seconds]
    return f"Set-up: {shown[0]}; measuring: {shown[1]}."
