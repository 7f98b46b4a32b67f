"""The best point of each family: its share of the roof, and what its warps wait for."""
from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from .. import findings
from ..directives import Skipped
from .rows import measured, places, real, remark, text

ALONE = 0.01  # a smaller share of the bytes does not count: the roof is that of reading, or of writing
STALLS = ("long scoreboard", "short scoreboard", "barrier", "mio throttle", "lg throttle", "math pipe throttle", "wait",
          "not selected", "drain")
PARTS_SHOWN = 7   # of a bar, beside "others": one for each colour
PART_MIN = 0.05   # of a bar; parts that are smaller in all bars are merged into "others"


def roof_names(frame: pd.DataFrame) -> pd.Series:
    """The roof of each point in words; of DRAM, reading or writing alone if the other is below 1 % of the bytes."""
    roof, read, written = text(frame, "roof"), real(frame, "bytes_read"), real(frame, "bytes_written")
    mix = roof == "dram_mix"
    kind = roof.mask(mix & (written < ALONE * read), "dram_read").mask(mix & (read < ALONE * written), "dram_write")
    return kind.map(findings.ROOFS).fillna(kind)


def best(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """share (% of the roof), share_low, share_high, roof_name, place: the point closest to its roof, of each family."""
    points = measured(frame)
    share = real(points, "fraction_peak")
    if not (share > 0).any():
        raise Skipped("no point has a roof")
    rows = points.loc[share[share > 0].groupby([points["source"], points["kernel"]]).idxmax()]
    share, median = 100 * rows["fraction_peak"], rows["time_median"]
    made = pd.DataFrame({
        "source": rows["source"], "kernel": rows["kernel"], "share": share,
        "share_low": (100 * real(rows, "fraction_peak_low")).fillna(share * median / rows["time_ci_high"]),
        "share_high": (100 * real(rows, "fraction_peak_high")).fillna(share * median / rows["time_ci_low"]),
        "place": places(rows["kernel"]), "roof_name": roof_names(rows)})
    vendors = ", ".join(dict.fromkeys(rows.loc[findings.is_vendor(rows), "kernel"]))
    return remark(made, [f"A library's kernel is the closest of {vendors}" if vendors else ""])


def stalls(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """reason, start, end (% of all stalls), place: of each family's best own point, a row for each reason."""
    rows = frame.loc[findings.best(frame)["row"]]
    cycles = pd.DataFrame({name: real(rows, f"stall_{name.replace(' ', '_')}") for name in STALLS})
    cycles = cycles.where(cycles > 0).dropna(how="all").dropna(axis=1, how="all")
    if cycles.empty:
        raise Skipped("no stalls were counted")
    return stacked(rows.loc[cycles.index, ["source", "kernel"]], cycles, "reason")


def stacked(bars: pd.DataFrame, parts: pd.DataFrame, name: str) -> pd.DataFrame:
    """Parts of bars one after the other, in % of each bar; small parts of all bars become "others", at the end.

    bars   source and kernel of each bar
    parts  a row for each bar, a column for each part; NaN: none
    """
    # The order of parts is that in which bars, from the first one on, have them.
    order = list(dict.fromkeys(part for _, bar in parts.iterrows() for part in bar.dropna().index))
    share = parts[order].fillna(0).div(parts.sum(axis=1), axis=0)
    largest = share.max().sort_values(ascending=False, kind="stable")
    shown = [part for part in order if largest[part] >= PART_MIN and part in largest.index[:PARTS_SHOWN]]
    share = share[shown].assign(others=share.drop(columns=shown).sum(axis=1))
    end = 100 * share.cumsum(axis=1)
    made = pd.concat({"end": end.stack(), "start": (end - 100 * share).stack()}, axis=1).rename_axis([None, name])
    made = made[made["end"] > made["start"] + 1e-9].reset_index(name)
    return made.join(bars.assign(place=places(bars["kernel"])))
