"""Speed-ups of a second file over the first: by point and by family."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .. import running
from ..columns import Columns
from ..comparison import Comparison
from ..differences import family_table, prepare
from ..directives import Skipped
from ..errors import UsageError
from ..identity import Files
from ..laws import listed
from ..units import plural
from ..verdicts import group
from .marks import remark

NAMED = 4  # families; of more the number is told
VERDICTS = ("faster", "slower", "same", "uncertain")


def ratios(frame: pd.DataFrame, where: tuple[str, ...]) -> pd.DataFrame:
    """time (s, in the first), difference (% that the second takes more) and speedup with _low, _high (95 % intervals),
    rank (1: the least speed-up), mean (the geometric mean of all), verdict, and the axes of the point that have other names."""
    found = compared(frame, where)
    judged = found.ratios["verdict"].isin(VERDICTS)
    own, mean = found.ratios[judged], group(found.rule, found.a, found.b, found.scatter)
    first = found.files[0]
    made = pd.DataFrame({"time": found.a["seconds"][judged].to_numpy()})
    made["verdict"] = own["verdict"].to_numpy()
    for end, low, high in (
        ("", "ratio", "ratio"),
        ("_low", "low", "high"),
        ("_high", "high", "low"),
    ):
        made[f"difference{end}"], made[f"speedup{end}"] = (
            100 * (own[low].to_numpy() - 1),
            1 / own[high].to_numpy(),
        )
    made["rank"], made["mean"] = made["speedup"].rank(method="first"), 1 / mean["ratio"]
    rows = first.rows.loc[found.pairs.loc[judged, "a"]].reset_index(drop=True)
    axes = [name for name in first.columns.axes() if name in rows and name not in made]
    made = pd.concat([rows[["kernel", *axes]], made], axis=1)
    made.attrs["columns"] = Columns({name: first.columns[name] for name in axes})
    interval = (
        f", 95 % interval {1 / mean['high']:.4g} to {1 / mean['low']:.4g}"
        if mean["low"] == mean["low"]
        else ""
    )
    return remark(
        made,
        [f"Geometric mean of the speed-ups {1 / mean['ratio']:.4g}{interval}", verdicts(found)],
    )


def again(frame: pd.DataFrame, where: tuple[str, ...]) -> pd.DataFrame:
    """The same, of two runs of one device: differences of two devices are no scatter of a measurement."""
    if len({one.device for one in frame.attrs["groups"].values()}) > 1:
        raise Skipped("it needs two runs of one device, not of two: see speedup")
    return ratios(frame, where)


def families(frame: pd.DataFrame, where: tuple[str, ...]) -> pd.DataFrame:
    """speedup, speedup_low, speedup_high (geometric means), verdict, place: a row for each family and one for all."""
    found = compared(frame, where)
    means = family_table(found)
    means = means[means["ratio"] > 0]
    if means["ratio_low"].isna().all():
        raise Skipped("no family has an interval")
    of_units = (means["ratio_low"] == means["units_low"]).any()
    made = pd.DataFrame(
        {
            "kernel": means["kernel"],
            "verdict": means["verdict"],
            "speedup": 1 / means["ratio"],
            "speedup_low": 1 / means["ratio_high"],
            "speedup_high": 1 / means["ratio_low"],
            "place": np.arange(len(means) - 1.0, -1, -1),
        }
    )
    said = (
        "Intervals are for other GPUs of these products"
        if of_units
        else "Intervals are for a repetition on the same two GPUs"
    )
    return remark(made, [said, verdicts(found)])


_last: list[
    tuple[Files, tuple[str, ...], Comparison]
] = []  # that of the last figure: three draw the same one


def compared(frame: pd.DataFrame, where: tuple[str, ...]) -> Comparison:
    """Both files of the frame. Files whose times mean different things are no pair."""
    files = frame.attrs["results"]
    if len(files) != 2:
        raise Skipped("it needs two files")
    if not _last or _last[0][0] is not files or _last[0][1] != where:
        try:
            _last[:] = [(files, where, prepare(*files, where=list(where), cycles=False))]
        except UsageError as error:
            raise Skipped(str(error)) from error
    found = _last[0][2]
    if not found.ratios["verdict"].isin(VERDICTS).any():
        raise Skipped("no point was measured in both files")
    return found


def verdicts(found: Comparison) -> str:
    """`12 faster, 0 slower, ...; the code of copy differs`"""
    count, code = found.ratios["verdict"].value_counts(), running.of_families(found)["code"]
    told = ", ".join(f"{count.get(verdict, 0)} {verdict}" for verdict in VERDICTS)
    for word, meaning in ((running.DIFFERS, "differs"), (running.UNKNOWN, "may differ")):
        if families := list(code.index[code == word]):
            named = (
                listed(families)
                if len(families) <= NAMED
                else plural(len(families), "family", "families")
            )
            told += f"; the code of {named} {meaning}"
    return told
