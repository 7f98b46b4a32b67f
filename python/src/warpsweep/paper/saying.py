"""The sentences of a paper, which stand in sentences.txt."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from .. import units
from ..assumptions import scatter_of
from ..columns import reals, texts
from ..condition import is_transient, unsettled
from ..gnuplot import environment
from ..laws import listed
from ..rows import ROOF_IS, above_text
from . import tables
from .study import Study


def processes(rows: pd.DataFrame) -> str:
    """How many processes timed each row: "3", or "1 to 3"; "": not known."""
    known = reals(rows, "processes").dropna()
    return " to ".join(
        f"{count:.0f}" for count in dict.fromkeys([known.min(), known.max()]) if count > 0
    )


class Say:
    """Renders a macro of sentences.txt as a list of paragraphs, or as ``one``."""

    def __init__(self, study: Study, analysis: Path) -> None:
        self.study = study
        words = environment(
            analysis / "paper", trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.do"]
        )
        words.filters.update(
            listed=listed,
            times=tables.times,
            rate=self.rate,
            texts=texts,
            reals=reals,
            unsettled=unsettled,
            settled=lambda rows: rows[~is_transient(rows)],
            points=lambda count: f"{count} {'point' if count.split()[-1] == '1' else 'points'}",
            scatter=scatter_of,
            above=above_text,
            share=self.share,
            named=self.named,
            processes=processes,
            number=units.format,
            plural=units.plural,
        )
        words.globals["roof_is"] = ROOF_IS
        self.macros = words.get_template("sentences.txt").module

    def __call__(self, name: str, *data: object) -> list[str]:
        parts = str(getattr(self.macros, name)(*data)).split("\n\n")
        return [text for text in (" ".join(part.split()) for part in parts) if text]

    def one(self, name: str, *data: object) -> str:
        return " ".join(self(name, *data))

    def rate(self, row: pd.Series) -> str:
        return tables.rate(row, self.study)

    def named(self, row: pd.Series) -> str:
        """What is measured, in a few words: family, variant, and type of values, as far as they vary."""
        family = self.study.by_name[row["kernel"]]
        words = [row["variant"], row["dtype"] if "dtype" in family.axes else ""]
        return (
            " ".join(filter(None, [family.name if len(self.study.families) > 1 else "", *words]))
            or family.name
        )

    @staticmethod
    def share(row: pd.Series) -> str:
        """ "98.7 ± 0.3 %" """
        return f"{units.format(row['.share'], row['.share_half'])} %"
