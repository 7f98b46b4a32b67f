"""The content of a paper, for both templates: sections with sentences (of sentences.txt), tables and figures, made of
what the files hold. A section without content is not there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from .. import claims, laws, running, textbook
from ..columns import reals, texts
from ..laws import listed
from ..reports import summary
from ..reports.sources import done_text
from ..results import Results
from ..selecting import is_shared, points
from ..sheet import Sheet
from ..time_model import FITTED
from . import gaps, tables
from .drawing import Drawn
from .saying import Say
from .study import Study

FIGURES_MAX = 8  # of the short paper
FORMULAS_MAX = 6  # of them for formulas
FEW = 4  # families: of so few each has a text of its own, of more a row in a table
LEADING = ("best", "roofline", "speedup")  # figures across families: the most informative first
REPLICATED = ("processes", "between")  # known of files whose points were timed by several processes
NOTABLE = 0.05  # relative: smaller differences of speed-ups are not told


@dataclass
class Section:
    """``detail``: the short paper leaves it out; the page and ``--full`` have it."""

    key: str
    title: str
    paragraphs: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    tables: list[Sheet] = field(default_factory=list)
    figures: list[Drawn] = field(default_factory=list)
    parts: list["Section"] = field(default_factory=list)
    detail: bool = False

    def __post_init__(self) -> None:
        self.tables = [sheet for sheet in self.tables if sheet.rows]
        self.parts = [part for part in self.parts if part]

    def __bool__(self) -> bool:
        return bool(self.paragraphs or self.findings or self.tables or self.figures or self.parts)

    @property
    def whole(self) -> list["Section"]:
        """It and its parts."""
        return [self, *(one for part in self.parts for one in part.whole)]


@dataclass
class Paper:
    title: str
    date: str
    abstract: list[str]
    sections: list[Section]
    missing: list[Drawn]  # figures without data
    study: Study


def make(study: Study, say: Say, figures: list[Drawn], title: str | None = None) -> Paper:
    """Everything that the templates show."""
    starts = pd.to_datetime(
        pd.Series([(file.env("start") or "")[:19] for file in study.files]), errors="coerce"
    )
    latest = starts.max()
    compared = claims.of_devices(study)
    # those that no section has taken yet
    free = {figure.name: figure for figure in figures if figure.caption}
    best = study.best(["kernel", ".label"])
    few = len(study.families) <= FEW

    def parts(key: str, each: int, most: int, text: bool) -> list[Section]:
        """A part per family with some of the figures that are left; without text only those that have one."""
        made: list[Section] = []
        for family in study.families:
            room = min(each, most - sum(len(part.figures) for part in made))
            own = [one for one in free.values() if one.kernel == family.name][: max(room, 0)]
            for one in own:
                del free[one.name]
            told = best[best["kernel"] == family.name]
            if (text and len(told)) or own:
                variants = (
                    [tables.variants(study, say.one("variants_table", study, family), family)]
                    if text
                    else []
                )
                made.append(
                    Section(
                        f"{key}-{family.name}",
                        family.name,
                        say("family", study, family, told) if len(told) else [],
                        tables=variants,
                        figures=own,
                    )
                )
        return made

    results = [
        _roofs(study, say, best),
        *(_compared(study, say, one, at, free) for at, one in enumerate(compared)),
        _vendors(study, say),
        _ladder(study, say, free),
        _textbook(study, say, free),
        _loads(study, say, free),
        _energy(study, say, free),
        _formulas(study, say, free),
    ]
    shown = sum(len(one.figures) for section in results for one in section.whole)
    room = FIGURES_MAX - shown if shown < FIGURES_MAX / 2 else 0
    heat = [one.rows for one in figures if one.name == "heat" and one.rows is not None]
    loads = " ".join(f"{rows.attrs['remark']}." for rows in heat)
    timed = say("method", facts(study.files))
    sections = [
        Section(
            "devices", "Devices", tables=[tables.devices(study, say.one("devices_table", study))]
        ),
        Section("method", "Method", [*timed, *say("runs", study.files)]),
        *results,
        Section(
            "kernels",
            "Kernels",
            parts=parts("kernels", max(1, FIGURES_MAX // max(1, len(study.families))), room, few),
        ),
        Section(
            "predictions",
            "Predictions",
            findings=[
                text
                for text in (
                    summary.times(study.all, study.verdicts),
                    summary.accesses(study.all),
                )
                if text
            ],
        ),
        _limits(study, say),
        Section(
            "across",
            "Across families",
            detail=True,
            figures=sorted(
                (one for one in free.values() if one.kernel == "*"),
                key=lambda one: (one.name not in LEADING, one.name),
            ),
        ),
        Section(
            "families",
            "Families",
            parts=parts("family", len(figures), len(figures), not few),
            detail=True,
        ),
        Section(
            "files", "Files", parts=[_file(file, say, timed) for file in study.files], detail=True
        ),
    ]
    cpu = " (CPU)" if len(study.on("host")) == len(study.devices) else ""
    return Paper(
        title
        or f"{listed(study.by_name) if few and study.families else 'Kernels'} on {listed(study.devices) or 'no device'}{cpu}",
        "an unknown date" if pd.isna(latest) else f"{latest:%Y-%m-%d}",
        say("abstract", study, compared, f"{loads} {summary.formulas(study.all)}"),
        [section for section in sections if section],
        [figure for figure in figures if not figure.caption],
        study,
    )


def _roofs(study: Study, say: Say, best: pd.DataFrame) -> Section:
    """How close the best kernels come to the roofs."""
    bounded = best[
        best["kernel"].isin([family.name for family in study.families if family.bounded])
    ]
    return Section(
        "roofs",
        "Distance to the roofs" if len(bounded) else "Best kernels",
        findings=say("roofs", study, bounded) if len(bounded) else [],
        tables=[tables.families(study, say.one("families_table", study))]
        * (len(study.families) > 1 and len(best) > 0),
    )


def _gains(study: Study, first: str, second: str) -> pd.DataFrame:
    """How much faster the points of families are on the second device (``gain``), and would be at their roofs
    (``roofs``), the furthest apart first. A point may have another roof there: seconds at the roofs are compared."""
    found: dict[str, pd.Series] = {}
    for family in study.families:
        rows = study.rows[(study.rows["kernel"] == family.name) & study.rows[".ok"]]
        rows = rows[~rows[".above"]]
        sides = [rows[rows[".label"] == device].set_index("id") for device in (first, second)]
        with np.errstate(all="ignore"):
            logs = pd.DataFrame(
                {
                    "gain": np.log(reals(sides[0], "time_median") / reals(sides[1], "time_median")),
                    "roofs": np.log(sides[0][".roof_seconds"] / sides[1][".roof_seconds"]),
                }
            ).dropna()
        if len(logs) >= 3:
            found[family.name] = np.exp(logs.mean())
    table = pd.DataFrame(list(found.values()), list(found), ["gain", "roofs"])
    return table.iloc[np.argsort(-np.log(table["gain"] / table["roofs"]).abs(), kind="stable")]


def apart(study: Study, names: Sequence[str]) -> list[str]:
    """What was not alike when two devices were measured, in words."""
    sides = []
    for name in names:
        file, group = study.file(name), study.group(name)
        devices = file.devices[texts(file.devices, "name") == group.device]
        sides.append(
            {
                "warpsweep": f"{file.env('release') or 'unknown'} ({file.env('commit') or 'unknown'})",
                "sampling": file.env("timing") or "",
                **{of: texts(devices, of).iloc[0] for of in ("driver", "toolkit") if len(devices)},
            }
        )
    return [
        f"{of} {sides[0][of] or 'not recorded'} on {names[0]}, {sides[1][of] or 'not recorded'} on {names[1]}"
        for of in sides[0]
        if of in sides[1] and sides[0][of] != sides[1][of]
    ]


def _compared(
    study: Study, say: Say, one: claims.Comparison, place: int, free: dict[str, Drawn]
) -> Section:
    """A file against the first."""
    gains = _gains(study, *one.names)
    notable = gains[np.log(gains["gain"] / gains["roofs"]).abs() > NOTABLE]
    kernels = one.ratios.drop(index="all", errors="ignore")
    code, unknown = (
        list(kernels.index[kernels["code"] == word]) for word in (running.DIFFERS, running.UNKNOWN)
    )
    return Section(
        f"compared-{place + 1}",
        f"{one.names[1]} against {one.names[0]}",
        say(
            "compared",
            one,
            one.ratios.iloc[-1][list(tables.VERDICTS)].astype(int),
            code,
            unknown,
            apart(study, one.names),
        ),
        say("gains", gains, notable, all("predicted" not in name for name in one.names)),
        [tables.speedups(say.one("speedups_table", one), one.ratios, gains, place)],
        [free.pop("forest")] if "forest" in free else [],
    )


def _vendors(study: Study, say: Say) -> Section:
    """Own kernels beside the vendor's; each that is slower with the counters that differ."""
    found = gaps.gaps(study)
    return Section(
        "vendors",
        "Against the vendor",
        say("vendors", found) if found else [],
        [say.one("gap", first, alike) for first, *alike in gaps.told_together(found)],
        [gaps.table(study, say.one("vendors_table", gaps.works(study, found)), found)]
        if found
        else [],
    )


def _ladder(study: Study, say: Say, free: dict[str, Drawn]) -> Section:
    """The steps of figure `ladder`, and the best own one beside the best of libraries in each class."""
    drawn = free.get("ladder")
    if drawn is None or drawn.rows is None:
        return Section("ladder", "")
    del free["ladder"]
    rows = drawn.rows.assign(**{".label": drawn.rows[".source"].map(study.labels)})
    return Section(
        "ladder",
        "Step by step",
        findings=say("ladder", claims.of_steps(study, rows)),
        tables=[tables.steps(study, say.one("ladder_table", drawn), rows)],
        figures=[drawn],
    )


def _textbook(study: Study, say: Say, free: dict[str, Drawn]) -> Section:
    """Statements of a textbook whose points the files have, and which of them hold."""
    rows = textbook.compared(study.files).replace({"source": study.labels})
    drawn = free.pop("textbook", None)
    return Section(
        "textbook",
        "What a textbook says",
        say("textbook", rows) if len(rows) else [],
        tables=[textbook.sheet(rows, say.one("textbook_table"), jobs=False)],
        figures=[drawn] if drawn else [],
    )


def _loads(study: Study, say: Say, free: dict[str, Drawn]) -> Section:
    """Loads from their first launch on."""
    drawn = free.pop("heat", None)
    if drawn is None or drawn.rows is None:
        return Section("loads", "")
    rows = drawn.rows.assign(**{".label": drawn.rows[".source"].map(study.labels)})
    return Section(
        "loads",
        "Loads from their first launch on",
        tables=[tables.loads(say.one("loads_table", rows), rows)],
        figures=[drawn],
    )


def _energy(study: Study, say: Say, free: dict[str, Drawn]) -> Section:
    """What the best points take of energy."""
    found = claims.of_energy(study)
    said = found.groupby("kernel", sort=False)
    return Section(
        "energy",
        "Energy",
        say("energy") if len(found) and "energy" not in free else [],  # else the caption says it
        [say.one("energy_claim", kernel, of) for kernel, of in said],
        figures=[free.pop("energy")] if len(found) and "energy" in free else [],
    )


def _formulas(study: Study, say: Say, free: dict[str, Drawn]) -> Section:
    """The formulas of the access model that the counters can check, figure by figure."""
    parts: list[Section] = []
    for figure in dict.fromkeys(law.figure for law in laws.LAWS.values()):
        of = [name for name, law in laws.LAWS.items() if law.figure == figure]
        said = [text.partition(": ")[2] for text in laws.described(study.all, of, study.labels)]
        if said:
            kernels = dict.fromkeys(
                kernel
                for name in of
                for kernel in laws.LAWS[name].kernels
                if kernel in study.by_name
            )
            room = sum(len(part.figures) for part in parts) < FORMULAS_MAX
            shown = [free.pop(figure)] if figure in free and room else []
            title = listed(kernels)
            same = next((part for part in parts if part.title == title), None)
            if same:
                same.findings += said
                same.figures += shown
            else:
                key = f"formula-{figure or of[0]}"
                parts.append(Section(key, title, findings=said, figures=shown))
    return Section(
        "formulas", "What follows from addresses", say("formulas") if parts else [], parts=parts
    )


def _limits(study: Study, say: Say) -> Section:
    """What the numbers do not show."""
    rows, every = study.rows, study.verdicts
    minutes = [
        file.timeline.groupby("run")["end"].max().sum() / 60 if len(file.timeline) else 0.0
        for file in study.files
        if is_timed(file).any()
    ]
    return Section(
        "limits",
        "Limits",
        findings=say(
            "limits",
            study,
            rows[rows[".label"].isin(study.on("cuda")) & rows[".ok"]],
            study.best(["kernel", ".label"]),
            pd.concat([file.devices for file in study.files]),
            every[every[".known"]] if len(every) else every,
            FITTED,
            minutes,
            rows[~rows[".ok"]].groupby("status").size(),
        ),
    )


def _file(file: Any, say: Say, timed: list[str]) -> Section:
    """How one file was made; its method, where that of all files is another."""
    own, rows = say("method", facts([file])), points(file.rows)
    failed = int((file.outcomes(rows) == "failed").sum())
    return Section(
        f"file-{file.name}",
        file.name,
        [
            *say("file", file, rows["status"].value_counts(), failed, done_text(file)),
            *(own if own != timed else []),
        ],
        [say.one("device", device) for _, device in file.devices.iterrows()],
    )


def is_timed(results: Results) -> pd.Series:
    """Rows, repetitions included, whose time was measured: neither predicted nor failed."""
    return np.isfinite(reals(results.rows, "time_median")) & (
        texts(results.rows, "backend") != "predicted"
    )


def counted(results: Results) -> int:
    """The number of points whose hardware counters were read."""
    rows = points(results.rows)
    if "counters_status" in rows:
        return int((rows["counters_status"] == "counted").sum())
    counters = [
        name for name, one in results.columns.items() if one.role == "counter" and name in rows
    ]
    return int(rows[counters].notna().any(axis=1).sum())


def words(files: Sequence[Results], column: str, l2: str = "") -> list[str]:
    """The words of a column at the points of files whose state of L2 begins with one."""
    every = [points(file.rows) for file in files]
    cells = (texts(rows, column)[texts(rows, "l2_state").str.startswith(l2)] for rows in every)
    return sorted({word for cell in cells for text in cell for word in re.findall(r"\w+", text)})


def numbers(results: Results) -> dict[str, float]:
    """Points by what was done with them, and medians over timed rows."""
    every, rows = results.rows[is_timed(results)], points(results.rows)
    # Repeated points beside their first measurement on the same device.
    times = every[["id", "device", "repeat", "time_median"]]
    again = times[times["repeat"] != 0].merge(points(times), on=["id", "device"])
    found = {
        value: (texts(points(every), name) == value).sum()
        for name, values in (
            ("timer", ("graph", "single", "clock")),
            ("cache", ("cold", "clean", "hot", "rotate")),
            ("backend", ("fake",)),
        )
        for value in values
    }
    medians = {
        "samples": ("sample_count", 1),
        "processes": ("processes", 1),
        "within": ("sd_sample", 100),
        "clock_mhz": ("sm_clock", 1e-6),
    }
    found.update({name: reals(every, of).median() * scale for name, (of, scale) in medians.items()})
    # between: zero at half of the points of quiet devices, so a median says nothing
    return {
        **found,
        "between": 100 * reals(every, "sd_process").quantile(0.9),
        **{
            word: texts(points(every), "l2_state").str.startswith(word).sum()
            for word in ("proved", "disproved")
        },
        "counted": counted(results),
        "verified": ((reals(rows, "verified") > 0) & (texts(rows, "backend") == "cuda")).sum(),
        "by_product": (reals(rows, "verified_product") > 0).sum(),
        "energy": (reals(rows, "energy") > 0).sum(),
        "throttled": (texts(rows, "throttle") != "").sum(),
        "ended": texts(rows, "stop").str.startswith("max_").sum(),
        "shared": is_shared(rows).sum(),
        "drift": 100 * (again["time_median_x"] / again["time_median_y"] - 1).abs().max(),
    }


def facts(files: Sequence[Results]) -> dict[str, Any]:
    """What the macro `method` says of files: numbers as texts, of each where they differ; {}: nothing measured."""
    files = [file for file in files if is_timed(file).any()]
    if not files:
        return {}

    def each(values: pd.Series) -> str:
        if not (np.isfinite(values).all() and values.any()):
            return ""
        shown = [f"{value:.2g}" if value < 10 else f"{value:.0f}" for value in values]
        return listed(shown if len(set(shown)) > 1 else shown[:1])

    of = pd.DataFrame([numbers(file) for file in files]).astype(float)
    several = of["between"].notna()
    of_files = {file.name: (file.env("timing") or "").partition(", ")[2] for file in files}
    rules = {*of_files.values()}
    differing = "; ".join(f"{name}: {rule}" for name, rule in of_files.items() if rule)
    clocks: dict[str, list[str]] = {}
    for file in files:
        for word in re.findall("(sustained|boost|transient) clock", file.env("timing") or ""):
            clocks.setdefault(word, []).append(file.name)
    return {
        **{
            name: each(values[several] if name in REPLICATED else values)
            for name, values in of.items()
        },
        "rule": rules.pop() if len(rules) == 1 else differing,
        "clocks": {
            word: listed(names) if len(names) < len(files) else ""
            for word, names in sorted(clocks.items())
        },
        "compared": len(files) > 1,
        "replicated": several.any(),
        "alone": not several.all(),
        "disproved_in": words(files, "kernel", "disproved"),
        "reasons": words(files, "throttle"),
        "notes": sorted({file.env("counters_note") or "" for file in files} - {""}),
    }
