"""Measured roofs of each device with the range of the launches that measured them, beside the data sheet."""

from __future__ import annotations

import pandas as pd

from ..findings import ARITHMETIC, ROOFS as WORDS
from ..laws import number as column
from ..results import Results
from ..sheet import Document
from ..units import choose
from . import number

DRAM = {"DRAM copy": "peak_copy", "DRAM read": "peak_read", "DRAM write": "peak_write"}
PEAKS = {**DRAM, "L2 read": "peak_l2_read", "L2 copy": "peak_l2_copy", "L2 write": "peak_l2_write",
         "shared memory": "peak_shared",
         **{words: f"peak_{roof}" for roof, words in WORDS.items() if roof.startswith(ARITHMETIC)},
         "host to device": "peak_h2d", "device to host": "peak_d2h"}


def roofs(devices: pd.DataFrame) -> pd.DataFrame:
    """A row for each measured roof of each device: `device` (row of /devices), `roof`, `peak` (its column), `median`,
    `low`, `high` (5th and 95th percentile of the launches), `sheet` (of the data sheet, where it says one; reads come
    nearest to its bandwidth); in bytes/s or flop/s."""
    parts = [pd.DataFrame({"device": range(len(devices)), "roof": name, "peak": peak, "median": column(devices, peak),
                           "low": column(devices, peak + "_low"), "high": column(devices, peak + "_high"),
                           "sheet": column(devices, sheet)})
             for name, peak in PEAKS.items()
             for sheet in ["datasheet" if name in DRAM else peak.replace("peak", "datasheet")]]
    return pd.concat(parts, ignore_index=True).dropna(subset="median").sort_values("device", kind="stable",
                                                                                   ignore_index=True)


def _cells(row: pd.Series) -> list[str]:
    unit = choose("flop/s" if row["peak"].partition("_")[2].startswith(ARITHMETIC) else "bytes/s", row["median"])
    rates = [number(f"{{:.4g}} {unit.name}", row[name] / unit.scale) for name in ("median", "low", "high", "sheet")]
    return [row["roof"], *rates, number("{:.1f} %", 100 * row["median"] / row["sheet"])]


def print_roofs(document: Document, results: Results) -> None:
    """The tables of one file, and how many of its rows are over 100 % of their roof."""
    name, all_roofs = results.path.name, roofs(results.devices)
    for device, own in all_roofs.groupby("device"):
        host = results.devices["host"][device]
        document.heading(2, f"{name}: {results.devices['name'][device]}{f' on {host}' if host else ''}")
        document.texts(["roof", ">median", ">low", ">high", ">data sheet", ">share of sheet"],
                       [_cells(row) for _, row in own.iterrows()])
    if not len(all_roofs):
        document.paragraph(f"{name} has no measured roof.")
        return
    if (results.devices["backend"] == "predicted").all():
        document.paragraph("Nothing was measured: these are the values of the profile, and shares are predicted.")
        return
    document.paragraph("Low and high: 5th and 95th percentile of the launches that measured it; L2 over several places "
                       "in memory. A dash: not measured, or not in the sheet.")
    ok = results.rows[results.rows["status"] == "ok"]
    share, low = column(ok, "fraction_peak"), column(ok, "fraction_peak_low")
    low, share = low[share > 0], share[share > 0]
    if not len(share):
        return
    over, unknown, within = (share > 1).sum(), ((share > 1) & low.isna()).sum(), ((share > 1) & (low <= 1)).sum()
    document.paragraph(
        f"{len(share)} rows have a share of a roof; {over} are over 100 %. Of these, {within} are within the interval "
        f"of time and roof, {over - within - unknown} are truly above, and for {unknown} the file has no range of the "
        f"roof. The largest share is {100 * share.max():.1f} %.")
