"""The command ``judge``: is a device as it should be?"""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from .diagnosis import FINE, Health, healths, lacking, those
from .errors import UsageError
from .fleet import print_fleet
from .options import Arguments
from .results import read
from .sheet import Document
from .units import percent_more, plural

UNCERTAIN_SHOWN = 8


def _print(document: Any, health: Health) -> None:
    unit, parts = health.unit, health.parts
    linked, measured = unit.of_device.get("nvlinks", 0) > 0, len(health.judged)
    left = [
        part
        for part in parts.index[parts["points"] == 0]
        if part != "points without a roof" and (part != "links between devices" or linked)
    ]
    limit = f" in the {measured} of {measured + len(left)} parts that were measured"
    limit = limit if left else ""
    judged, unsure = health.judged, health.uncertain
    slower = judged["high"] > 1  # a part that may only be faster is no doubt
    doubts = [*judged.loc[(judged["verdict"] == "uncertain") & slower, "part"]]
    doubts += [plural(len(unsure), "point")] * (len(unsure) > 0)
    limit += f"; uncertain: {', '.join(doubts)}" if doubts else ""
    document.heading(
        2,
        f"Device {unit.device}: {unit.text('name')} on {unit.text('host')}, {unit.text('uuid')}: "
        f"{health.words}{limit if health.words == FINE else ''}",
    )
    document.frame(
        {
            "part": judged["part"],
            ">points": judged["points"],
            ">time, %": judged["ratio"].map(percent_more),
            ">from": judged["low"].map(percent_more),
            ">to": judged["high"].map(percent_more),
            "verdict": judged["verdict"].mask(judged["slow"], "SLOW"),
            "likely cause": judged["cause"],
        }
    )
    document.frame(health.facts.rename(columns={"verdict": ">verdict"}))
    for text in those(
        {
            f"{health.failed} of its points FAILED: warpsweep status lists them.": health.failed,
            health.shared: health.shared,
            health.deferred: health.deferred,
            f"Uncertain, because they scatter too much to rule out a slower time: {_some(unsure)}.": len(
                unsure
            ),
            **dict.fromkeys(health.missing, True),
            f"Not judged, for lack of points in common with a reference: {', '.join(left)}.": left,
        }
    ):
        document.paragraph(text)


def _some(points: pd.DataFrame) -> str:
    shown = [
        f"{row.point} (up to {percent_more(row.high)} %)"
        for row in points.head(UNCERTAIN_SHOWN).itertuples()
    ]
    more = len(points) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def run(arguments: Arguments) -> int:
    file, *references = arguments.operands
    threshold, document = (
        arguments.share("threshold", 0.01),
        Document(str(arguments.text("format"))),
    )
    if arguments.given("fleet"):
        if references or arguments.text("format") == "json":
            raise UsageError("judge --fleet takes one file, and prints Markdown or LaTeX")
        results = read(file)
        outliers, lacks = print_fleet(document, results, threshold), lacking(results)
        for text in lacks:
            document.paragraph(text)
        return int(bool(outliers or lacks))
    found = healths(file, references, threshold)
    shown = [health for health in found if health.words != FINE or not arguments.given("quiet")]
    if arguments.text("format") == "json":
        print(
            json.dumps(
                [
                    {
                        "device": health.unit.device,
                        **{name: health.unit.text(name) for name in ("name", "host", "uuid")},
                        "verdict": health.words.lower(),
                        "failed": health.failed,
                        "shared": health.shared,
                        "deferred": health.deferred,
                        "missing": health.missing,
                        **{
                            name: json.loads(table.to_json(orient="records"))
                            for name, table in (
                                ("parts", health.judged),
                                ("facts", health.facts),
                                ("uncertain", health.uncertain),
                            )
                        },
                    }
                    for health in shown
                ],
                indent=1,
            )
        )
    else:
        document.heading(1, "Are the devices as they should be?")
        for health in shown:
            _print(document, health)
    return int(any(health.words != FINE for health in found))
