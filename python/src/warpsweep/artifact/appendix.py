"""What the texts of an artifact say: who made it, what each results file was measured on and how it is measured again, and
which sections of the paper it supports."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..columns import texts
from ..laws import listed
from ..paper.content import Paper, Section
from ..paper.study import Study
from ..results import Results
from ..values import human

TO_FILL = "TO BE FILLED IN"
SETTING = {"devices", "method", "limits"}  # sections of a paper that claim nothing
# The section that says a claim, by the beginning of the claim's key.
SECTIONS = {
    "rate": "kernels",
    "share": "roofs",
    "vendor": "vendors",
    "devices": "compared",
    "step": "ladder",
}
ALLOCATED = [f"SLURM_{of}" for of in ("NNODES", "NTASKS", "GPUS_ON_NODE", "CPUS_ON_NODE")]
ABI = b"warpsweep_family_abi"  # a descriptor of an own family defines it
MEASURING = ("cuda", "host", "fake")  # back ends


@dataclass(frozen=True)
class Metadata:
    """What no file holds: it comes from options, or is to be filled in. ``source``: where warpsweep is available."""

    title: str | None
    authors: list[str]
    license: str | None
    doi: str | None
    source: str | None

    @property
    def people(self) -> list[dict[str, str]]:
        """``Family, Given (Affiliation)`` as fields."""
        found = [re.fullmatch(r"(.*?)(?:\s*\((.*)\))?", text) for text in self.authors]
        return [
            {"name": one[1], **({"affiliation": one[2]} if one[2] else {})} for one in found if one
        ]


def failed_of(file: Results) -> int:
    """How many points of a file failed."""
    return int((file.outcomes(file.rows) == "failed").sum())


@dataclass(frozen=True, eq=False)
class Measured:
    """A results file of the artifact. ``labels``: its devices as the paper calls them; ``kernels``: its sources for --kernels."""

    number: int
    file: Results
    labels: list[str]
    kernels: list[str]

    @property
    def key(self) -> str:
        return f"A{self.number}"

    def names(self, device: str) -> bool:
        """Whether a claim's device is one of its own: ``H100``, or in a ratio ``H200 over H100``."""
        return bool({*device.split(" over ")} & {*self.labels})

    def env(self, name: str) -> str:
        """A value of /environment; "": not recorded."""
        return self.file.env(name) or ""

    def begins(self, name: str) -> list[str]:
        """Names and values of /environment that begin so."""
        pairs = sorted(self.file.environment_pairs.items())
        return [f"{of.partition('.')[2]} {value}" for of, value in pairs if of.startswith(name)]

    @property
    def slurm(self) -> list[str]:
        """What Slurm gave, without names of jobs and clusters."""
        return [f"{name} {self.env(name)}" for name in ALLOCATED if self.env(name)]

    def device(self, name: str) -> str:
        """What its devices have in a column of /devices; "": not recorded."""
        of = self.file.devices
        if name not in of:
            return ""
        column = self.file.device_columns.get(name)
        values = dict.fromkeys(human(value, column) for value in of[name])
        return listed([value for value in values if value != "—"])

    @property
    def families(self) -> list[str]:
        return sorted(texts(self.file.rows, "kernel").unique())

    @property
    def minutes(self) -> float:
        """That its runs took; NaN: not recorded."""
        of = self.file.timeline
        return float(of.groupby("run")["end"].max().sum() / 60) if len(of) else np.nan

    @property
    def own(self) -> bool:
        """Whether it is known to be measured with families that are not built in."""
        return bool(self.kernels) or "--kernels" in self._words

    @property
    def _words(self) -> list[str]:
        """The command lines of its runs; of a run --anonymous none."""
        of = self.file.environment
        try:
            return shlex.split(" ".join(of.loc[of["name"] == "command", "value"].astype(str)))
        except ValueError:
            return []

    @property
    def command(self) -> str:
        """The arguments of `warpsweep` that measure it again, without what was of one launch; "": it was not measured. Which points
        there are, the stored job says, and /environment the rest, but for the name of the set of counters."""
        if self.env("prediction") or self.env("backend") not in MEASURING or not self.file.job:
            return ""
        again = ["run", f"jobs/{self.file.stem}.yaml", "--backend", self.env("backend")]
        again += ["--seed", self.env("seed")] if self.env("seed") else []
        again += ["--anonymous"] if self.env("anonymous") == "yes" else []
        again += ["--energy"] if self.env("energy") == "yes" else []
        axis, *values = self.env("pairs").split() or [""]
        again += ["--pair", f"{axis}={','.join(values)}"] if axis not in ("", "version") else []
        for word, after in zip(self._words, [*self._words[1:], ""]):
            name, equals, value = word.partition("=")
            if len(name) > len("--c") and "--counters".startswith(name):
                again += ["--counters", value if equals else after]
                break
        return shlex.join([*again, *self.kernels])

    @property
    def descriptors(self) -> list[str]:
        """The stored sources that are compiled before a run, without `.c`."""
        return [
            f"kernels/{self.file.stem}/{name[:-2]}"
            for name, text in sorted(self.file.sources.items())
            if name.endswith(".c") and ABI in text
        ]

    @property
    def calls(self) -> bool:
        """Whether an own family in C calls launch functions, which no file holds."""
        return any(b"ENGINE_CALL" in text for text in self.file.sources.values())

    @property
    def gpu(self) -> bool:
        return self.env("backend") not in ("host", "fake")

    @property
    def launcher(self) -> str:
        """How several ranks are started."""
        return f"mpirun -n {self.env('ranks')} " if self.env("ranks") not in ("", "1") else ""


@dataclass(frozen=True, eq=False)
class Contribution:
    """A section of the paper with its claims, and the files that support them."""

    number: int
    section: Section
    claims: pd.DataFrame
    files: list[Measured]

    @property
    def key(self) -> str:
        return f"C{self.number}"

    @property
    def text(self) -> str:
        """What the section says first."""
        said = [text for one in self.section.whole for text in (*one.findings, *one.paragraphs)]
        return said[0] if said else ""

    @property
    def elements(self) -> list[str]:
        """Its text, tables and figures, by the names of their files."""
        whole = self.section.whole
        return [
            f"section {self.section.key}",
            *(f"table {sheet.name}" for one in whole for sheet in one.tables),
            *(f"figure {figure.name}" for one in whole for figure in one.figures),
        ]


def contributions(
    paper: Paper, claims: pd.DataFrame, measured: list[Measured]
) -> list[Contribution]:
    """The sections of the paper that claim something. One without claims is supported by all files."""
    kind = claims["claim"].str.split("/").str[0]
    kind = kind.map(SECTIONS).fillna(kind)
    found: list[Contribution] = []
    for section in paper.sections:
        if section.detail or section.key in SETTING:
            continue
        of = claims[kind == section.key.partition("-")[0]]
        files = [one for one in measured if of.empty or of["device"].map(one.names).any()]
        found.append(Contribution(len(found) + 1, section, of, files))
    return found


def measured_of(study: Study, kernels: dict[str, list[str]]) -> list[Measured]:
    """Each file of a study; ``kernels``: options for its families, by its name."""
    labels = [(group.file, study.labels[label]) for label, group in study.groups.items()]
    return [
        Measured(
            at + 1, file, [label for name, label in labels if name == file.name], kernels[file.name]
        )
        for at, file in enumerate(study.files)
    ]
