"""Measured roofs of each device with the range of the launches that measured them, beside the data sheet."""

from __future__ import annotations

import pandas as pd

from ..columns import reals
from ..results import Results
from ..rows import PEAKS as ARITHMETIC
from ..rows import sure_shares
from ..selecting import points
from ..sheet import Document
from ..units import choose, formatted, plural
from .machine import described, machine

DRAM = {"DRAM copy": "peak_copy", "DRAM read": "peak_read", "DRAM write": "peak_write"}
PEAKS = {
    **DRAM,
    "L2 read": "peak_l2_read",
    "L2 copy": "peak_l2_copy",
    "L2 write": "peak_l2_write",
    "shared memory": "peak_shared",
    **{words: peak for peak, words in ARITHMETIC.items()},
    "host to device": "peak_h2d",
    "device to host": "peak_d2h",
}


def roofs(devices: pd.DataFrame) -> pd.DataFrame:
    """A row for each measured roof of each device, in bytes/s or flop/s: `device` (row of /devices), `roof`, `peak`
    (its column), `median`, `low`, `high` (5th and 95th percentile of the launches), `sheet` (of the data sheet)."""
    parts = [
        pd.DataFrame(
            {
                "device": range(len(devices)),
                "roof": name,
                "peak": peak,
                "median": reals(devices, peak),
                "low": reals(devices, f"{peak}_low"),
                "high": reals(devices, f"{peak}_high"),
                "sheet": reals(
                    devices, "datasheet" if name in DRAM else peak.replace("peak", "datasheet")
                ),
            }
        )
        for name, peak in PEAKS.items()
    ]
    found = pd.concat(parts).dropna(subset="median")
    return found.sort_values("device", kind="stable", ignore_index=True)


def print_roofs(document: Document, results: Results) -> None:
    """The tables of one file, and how many of its rows are over 100 % of their roof."""
    name, all_roofs = results.name, roofs(results.devices)
    for device, own in all_roofs.groupby("device"):
        host = results.devices["host"][device]
        document.heading(
            2, f"{name}: {results.devices['name'][device]}{f' on {host}' if host else ''}"
        )
        if results.devices["backend"][device] != "predicted":
            document.paragraph(described(machine(results, results.devices.loc[device])))
        table = []
        for roof in own.itertuples():
            unit = choose(
                results.device_columns.unit(roof.peak),
                roof.median,
            )
            rates = {
                head: formatted(
                    f"{{:.4g}} {unit.name if unit else ''}", rate / (unit.scale if unit else 1)
                )
                for head, rate in (
                    (">median", roof.median),
                    (">low", roof.low),
                    (">high", roof.high),
                    (">data sheet", roof.sheet),
                )
            }
            of_sheet = formatted("{:.1f} %", 100 * roof.median / roof.sheet)
            table.append({"roof": roof.roof, **rates, ">share of sheet": of_sheet})
        document.frame(table)
    if not len(all_roofs):
        document.paragraph(f"{name} has no measured roof.")
        return
    if (results.devices["backend"] == "predicted").all():
        document.paragraph(
            "Nothing was measured: these are the values of the profile, and shares are predicted."
        )
        return
    document.paragraph(
        "Low and high: 5th and 95th percentile of the launches that measured it; L2 over several places "
        "in memory. A dash: not measured, or not in the sheet."
    )
    rows = points(results.rows)
    rows = rows[(rows["status"] == "ok") & (reals(rows, "fraction_peak") > 0)]
    share, low = reals(rows, "fraction_peak"), sure_shares(rows)
    if not len(share):
        return
    ranged = reals(rows, "roof_rate_low").notna()
    over, unknown, within = (
        (share > 1).sum(),
        ((share > 1) & ~ranged).sum(),
        ((share > 1) & ranged & (low <= 1)).sum(),
    )
    parts = {
        "within the interval of time and roof": within,
        "truly above": over - within - unknown,
        "without a range of the roof in the file": unknown,
    }
    found = ", ".join(f"{count} {words}" for words, count in parts.items() if count)
    document.paragraph(
        f"{plural(len(share), 'point')} with a share of a roof: {over or 'none'} over 100 %"
        f"{f' ({found})' if found else ''}. The largest share is {100 * share.max():.1f} %."
    )
