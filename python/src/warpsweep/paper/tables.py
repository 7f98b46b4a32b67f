"""The tables of a paper, as sheets. A table without data has no rows and is left out."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

from .. import units
from ..condition import is_lowered
from ..latex import DAGGER
from ..laws import listed
from ..reports.machine import LACKING, machine
from ..reports.roofs import PEAKS
from ..rows import QUANTITIES, TOO_FAST
from ..sheet import Head, Number, Sheet
from ..values import human
from .study import Family, Study

COLUMNS_MAX = 24
DASH = "—"
STEPS = units.choose(QUANTITIES["flop_rate"].unit, 1e12)  # the unit of the table `steps`
PROPERTIES = {
    "name": "Model",
    "multiprocessors": "Multiprocessors",
    "clock_max": "Highest SM clock",
    "l2_bytes": "L2 cache",
    "memory_bytes": "Memory",
    "driver": "Driver",
    "toolkit": "CUDA",
    "board_part": "Board",
    "datasheet": "Memory bandwidth, data sheet",
    **{peak: roof[:1].upper() + roof[1:] for roof, peak in PEAKS.items()},
    "launch_floor": "Launch of an empty kernel",
    "graph_floor": "The same within a CUDA graph",
}
VERDICTS = {
    "points_faster": "Faster",
    "points_slower": "Slower",
    "points_same": "Same",
    "points_uncertain": "Uncertain",
}


def cells(rows: pd.DataFrame, value: str) -> list[Number]:
    """Numbers of rows with their intervals, and signs where the clock was lowered, or above the roof."""
    return [
        Number(
            one,
            half,
            (DAGGER * (slowed is True) + TOO_FAST * (above is True)) * bool(np.isfinite(one)),
        )
        for one, half, slowed, above in zip(
            *(rows[name] for name in (value, f"{value}_half", ".slowed", ".above"))
        )
    ]


def times(ratio: float) -> str:
    return f"{ratio:.3g}" if ratio < 100 else f"{ratio:.0f}"


def rate(row: pd.Series, study: Study) -> str:
    """``4299 ± 4 GB/s``."""
    return f"{units.format(row['.value'], row['.value_half'])} {study.unit(row)}"


def devices(study: Study, caption: str) -> Sheet:
    """A column per device: properties and measured peaks; a property that no device has is left out."""
    shown, wide = study.devices[: COLUMNS_MAX - 1], len(study.devices) > 2
    first = (
        study.rows.sort_values("device", kind="stable")
        .drop_duplicates(".label")
        .set_index(".label")
    )
    rows = {
        words: [
            human(first[f"device.{name}"][device], study.columns.get(f"device.{name}"))
            for device in shown
        ]
        for name, words in PROPERTIES.items()
        if f"device.{name}" in first
    }
    rows = {words: values for words, values in rows.items() if set(values) != {DASH}}
    hosts = [_host(study, device) for device in shown]
    told = {words: [host[words] for host in hosts] for words in (hosts[0] if hosts else ())}
    empty = {words for words, values in told.items() if set(values) <= {LACKING, DASH}}
    rows.update({words: values for words, values in told.items() if words not in empty})
    lacking = [words for words in told if words in empty and LACKING in told[words]]
    if lacking:
        names = listed(words[:1].lower() + words[1:] for words in lacking)
        caption = f"{caption} Not recorded: {names}."
    rows["Commit of warpsweep"] = [study.group(device).commit[:12] or DASH for device in shown]
    return Sheet.of(
        [
            (Head("Property", "wraps"), rows),
            *(
                (Head(device, "right" if wide else "wraps"), values)
                for device, values in zip(shown, zip(*rows.values()))
            ),
        ],
        "devices",
        caption,
        wide,
    )


def _host(study: Study, device: str) -> dict[str, str]:
    """The machine around a device that was there."""
    group = study.group(device)
    file = next(one for one in study.files if one.name == group.file)
    row = next(
        row for _, row in file.devices.iterrows() if str(row.get("name", "")) == group.device
    )
    told = machine(file, row)
    return dict.fromkeys(told, DASH) if group.backend == "predicted" else told


def families(study: Study, caption: str) -> Sheet:
    """A row per family: from how many points its best was chosen, its variant and share of the roof on each device."""
    shown = study.devices[: (COLUMNS_MAX - 2) // 2]
    best, columns = study.best(["kernel", ".label"]), []
    chosen_from = best.groupby("kernel")[".of"].max()
    for device in shown:
        of = (
            best[best[".label"] == device]
            .set_index("kernel", drop=False)
            .reindex(list(study.by_name))
        )
        columns.append((Head(f"Best on {device}"), of["variant"].fillna(DASH)))
        if len(shown) == 1:
            columns.append(
                (
                    Head("Rate", "right"),
                    [
                        rate(row, study) if row["kernel"] == row["kernel"] else DASH
                        for _, row in of.iterrows()
                    ],
                )
            )
        if any(family.bounded for family in study.families):
            columns.append((Head("Share of roof", "number", "%"), cells(of, ".share")))
    return Sheet.of(
        [
            (Head("Family"), study.by_name),
            (Head("Points", "count"), [int(chosen_from.get(name, 0)) for name in study.by_name]),
            *columns,
        ],
        "families",
        caption,
        True,
    )


def speedups(caption: str, ratios: pd.DataFrame, gains: pd.DataFrame, place: int) -> Sheet:
    """Speed-ups of families over the first file, beside those of their roofs; ``ratios`` has a row each."""
    of = gains.reindex(ratios.index)

    return Sheet.of(
        [
            (Head("Family"), ratios.index),
            (Head("Speed-up", "number"), map(Number, ratios["speedup"], ratios["half"])),
            (
                Head("Of the roofs", "right"),
                [f"{value:.2f}" if value == value else DASH for value in of["roofs"]],
            ),
            *(
                (Head(words, "count"), ratios[name].astype(int).tolist())
                for name, words in VERDICTS.items()
            ),
        ],
        "speedups" if not place else f"speedups-{place + 1}",
        caption,
        True,
    )


def steps(study: Study, caption: str, rows: pd.DataFrame) -> Sheet:
    """A row per step of the computed table `steps`, a column per device with its rate."""
    first = rows.drop_duplicates("place").sort_values("place", ascending=False)
    columns = []
    for device in study.devices:
        of = rows[rows[".label"] == device].set_index("place").reindex(first["place"])
        marks = np.where(is_lowered(of) & of["rate"].notna(), DAGGER, "")
        numbers = map(Number, of["rate"], (of["rate_high"] - of["rate_low"]) / 2, marks)
        columns.append((Head(device, "number", STEPS.symbol), numbers))
    return Sheet.of(
        [(Head("Step", "wraps"), first["kernel"]), (Head("Class"), first["class"]), *columns],
        "ladder",
        caption,
    )


def loads(caption: str, rows: pd.DataFrame) -> Sheet:
    """A row for each load of the computed table `transients`: the last value of each quantity."""
    last = rows.sort_values("since", kind="stable").groupby([".label", "point", "quantity"])
    values = last["value"].last().unstack("quantity")
    names = values.index.get_level_values("point")
    several = rows[".label"].nunique() > 1
    return Sheet.of(
        [
            (Head("Load", "wraps"), names),
            *([(Head("Device"), values.index.get_level_values(".label"))] * several),
            *(
                (Head(name[:1].upper() + name[1:], "right"), [f"{one:.4g}" for one in of])
                for name, of in values.items()
            ),
        ],
        "loads",
        caption,
        True,
    )


def of_variants(study: Study, family: Family, taken: Collection[str] = ()) -> pd.DataFrame:
    """The best point of each variant on the first device that has one, and the same points on the others; all columns, or
    those that are ``taken``."""
    best, rows = study.best(["kernel", "variant", ".label"]), study.rows
    names = [name for name in rows if not taken or name in taken]
    found = best.loc[best["kernel"] == family.name, [*names, ".of"]].drop_duplicates("variant")
    same = rows.loc[(rows["kernel"] == family.name) & rows["id"].isin(found["id"]), names]
    return pd.concat([found, same]).drop_duplicates(["id", ".label"])


def variants(study: Study, caption: str, family: Family) -> Sheet:
    """A row for each variant: `of_variants`."""
    taken = "variant .at .label id .value .value_half .slowed .above"
    every = of_variants(study, family, taken.split())
    found = every.drop_duplicates("variant")
    return Sheet.of(
        [
            (Head("Variant"), found["variant"]),
            (Head("Points", "count"), found[".of"].astype(int).tolist()),
            (Head("at", "wraps"), found[".at"]),
            *(
                (
                    Head(device, "number", family.unit),
                    cells(
                        every[every[".label"] == device].set_index("id").reindex(found["id"]),
                        ".value",
                    ),
                )
                for device in study.devices[: COLUMNS_MAX - 3]
            ),
        ],
        f"variants-{family.name}",
        caption,
        len(study.devices) > 1,
    )
