"""Which way of doing the same work is the fastest: on one device, on another one, and by a library's ranking."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..errors import UsageError
from ..sheet import Document, Head, Number, Sheet
from ..units import plural
from ..winners import first_choices, winners

SHOWN = 12  # problems whose fastest way is another one
ABOUT = (
    "Ways do the same work, and differ in variant, width, block and the like. The fastest is told apart if the 95 % interval of "
    "the time of each other way over its own lies above 1."
)
REGRET = (
    "Regret: how much longer the choice takes than the fastest there, with half of its 95 % interval. Both were chosen by the times "
    "that are compared, so small regrets are overstated."
)
FIRST = (
    "Regret: how much longer it takes than the fastest, which was chosen by the times that are compared, so small regrets are "
    "overstated."
)


def print_winners(document: Document, frame: pd.DataFrame) -> None:
    """A table of the first file beside each other one, a row for each family, and the problems with the largest regret; of one
    file how often its fastest ways are told apart. Raises UsageError if no points do the same work."""
    files, groups = frame.attrs["results"], frame.attrs["groups"].values()
    labels = [", ".join(of.label for of in groups if of.file == one.name) for one in files]
    for label, other in list(zip(labels, files))[1:] or [("", files[0])]:
        found = winners(files[0], other)
        if found.empty:
            raise UsageError("no points that all files have do the same work in several ways")
        document.sheet(_families(found, labels[0], label))
        document.paragraph(ABOUT)
        changed = found[~found["same"]]
        if label:
            document.paragraph(
                f"What is the fastest on {labels[0]} is not among the fastest on {label} in {len(changed)} of "
                f"{plural(len(found), 'problem')}. {REGRET}"
            )
        if len(changed):
            document.sheet(_changes(changed.nlargest(SHOWN, "regret")))
    for label, one in zip(labels, files):
        _print_first_choices(document, first_choices(one), label)


def _print_first_choices(document: Document, found: pd.DataFrame, label: str) -> None:
    if found.empty:
        return
    same = int(found["same"].sum())
    document.paragraph(
        f"What a library ranks first on {label} is among the fastest of what it ranks in {same} of "
        f"{plural(len(found), 'problem')}. {FIRST}"
    )
    document.sheet(_ranked(found))
    document.sheet(_changes(found[~found["same"]].nlargest(SHOWN, "regret")))


def _families(found: pd.DataFrame, first: str, second: str) -> Sheet:
    of = found.assign(alone_a=found["tied_a"] == 1, alone_b=found["tied_b"] == 1).groupby(
        "kernel", sort=False
    )
    columns = [
        (Head("Family"), list(of.groups)),
        (Head("Problems", "count"), of.size()),
        (Head("Ways, most", "count"), of["ways"].max()),
        (Head(f"Told apart, {first}", "count"), of["alone_a"].sum()),
    ]
    if second:
        columns += [
            (Head(f"Told apart, {second}", "count"), of["alone_b"].sum()),
            (Head("Stays the fastest", "count"), of["same"].sum()),
            *_regrets(of["regret"]),
        ]
    return Sheet.of(columns, "winners")


def _ranked(found: pd.DataFrame) -> Sheet:
    of = found.groupby("kernel", sort=False)
    return Sheet.of(
        [
            (Head("Family"), list(of.groups)),
            (Head("Problems", "count"), of.size()),
            (Head("Ways, most", "count"), of["ways"].max()),
            (Head("First is among the fastest", "count"), of["same"].sum()),
            *_regrets(of["regret"]),
        ],
        "winners_ranked",
    )


def _regrets(of: Any) -> list[tuple[Head, Any]]:
    return [
        (Head("Regret, median, %", "right"), (100 * of.median()).map("{:.1f}".format)),
        (Head("Largest, %", "right"), (100 * of.max()).map("{:.1f}".format)),
    ]


def _changes(rows: pd.DataFrame) -> Sheet:
    halves = 50 * (rows["regret_high"] - rows["regret_low"])
    return Sheet.of(
        [
            (Head("Family"), rows["kernel"]),
            (Head("Problem", "wraps"), rows["problem"]),
            (Head("Choice", "wraps"), rows["choice"]),
            (Head("Fastest there", "wraps"), rows["best"]),
            (Head("Regret, %", "right"), map(Number, 100 * rows["regret"], halves)),
        ],
        "winners_changed",
    )
