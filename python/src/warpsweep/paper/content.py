"""The content of a paper: sections with findings, tables and figures, made of what the files hold.

Both templates render the same sections. A section without content is not there.
"""
from __future__ import annotations

import calendar
import time
from dataclasses import dataclass, field

import pandas as pd

from .. import laws
from ..errors import WarpsweepError
from ..reports import method
from ..sheet import Sheet
from . import findings as find
from . import tables
from .drawing import Drawn
from .findings import Finding
from .study import Family, Study, listed

FIGURES_MAX = 8  # of the short paper
EACH_MAX = 2  # figures and findings of one family there
FEW = 4  # families: of so few each has a text of its own, of more a row in a table
SHORT = 10e-6  # s: a launch is a notable part of such times
LEADING = ("best", "roofline", "forest", "speedup", "model")  # figures across families: the most informative first


@dataclass
class Section:
    """``detail``: the short paper leaves it out; the page and ``--full`` have it."""

    key: str
    title: str
    paragraphs: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    tables: list[Sheet] = field(default_factory=list)
    figures: list[Drawn] = field(default_factory=list)
    parts: list["Section"] = field(default_factory=list)
    detail: bool = False

    def __bool__(self) -> bool:
        return bool(self.paragraphs or self.findings or any(sheet.rows for sheet in self.tables) or self.figures
                    or any(self.parts))

    def all_tables(self) -> list[Sheet]:
        own = [sheet for sheet in self.tables if sheet.rows]
        return own + [sheet for part in self.parts for sheet in part.all_tables()]

    def all_figures(self) -> list[Drawn]:
        return self.figures + [figure for part in self.parts for figure in part.all_figures()]


@dataclass
class Paper:
    """``seconds`` dates the documents (since 1970; -1: unknown), ``date`` is the same in words."""

    title: str
    date: str
    seconds: int
    abstract: list[str]
    sections: list[Section]
    missing: list[Drawn]  # figures without data
    study: Study

    @property
    def cited(self) -> list[str]:
        """Works of references.bib that the sections rest on."""
        keys = {section.key for section in self.sections}
        timed = ["kalibera2013", "hoefler2015", "smyth2004", "benjamini1995"] if "method" in keys else []
        bounded = ["williams2009"] if any(family.bounded for family in self.study.families) else []
        chased = any(family.quantity == "latency_p50" for family in self.study.families)
        return ["warpsweep", *timed, *bounded, *(["mei2017", "jia2018", "luo2024"] if chased else [])]

    @property
    def article(self) -> list[Section]:
        return [section for section in self.sections if not section.detail]

    @property
    def details(self) -> list[Section]:
        return [section for section in self.sections if section.detail]


@dataclass
class Comparison:
    """One file against the first: ``ratios`` has a row ``all`` and one per family."""

    names: tuple[str, str]
    ratios: pd.DataFrame

    @property
    def total(self) -> pd.Series:
        """Over all families."""
        return self.ratios.iloc[-1]


def make(study: Study, figures: list[Drawn], title: str | None, unverified: str) -> Paper:
    """Everything that the templates show."""
    date, seconds = _date(study)
    compared = _compare(study)
    drawn = {figure.name: figure for figure in figures if figure.caption}
    free = dict(drawn)  # those that no section has taken yet
    results = [_roofs(study), *_devices_compared(study, compared, free), _formulas(study, free)]
    shown = sum(len(section.all_figures()) for section in results)
    sections = [_devices(study), Section("method", "Method", method.once(study.files)), *results,
                _families(study, free, FIGURES_MAX - shown if shown < FIGURES_MAX / 2 else 0), _predictions(study),
                _limits(study), _across(study, free), _each_family(study, free)]
    cpu = " (CPU)" if len(study.on("host")) == len(study.devices) else ""
    own = f"Kernels on {listed(study.devices, 'no device')}{cpu}"
    return Paper(title or own, date, seconds,
                 _abstract(study, compared, unverified), [section for section in sections if section],
                 [figure for figure in figures if not figure.caption], study)


def _date(study: Study) -> tuple[str, int]:
    latest = -1
    for file in study.files:
        try:
            latest = max(latest, calendar.timegm(time.strptime((file.env("start") or "")[:19], "%Y-%m-%dT%H:%M:%S")))
        except ValueError:
            pass
    return (time.strftime("%Y-%m-%d", time.gmtime(latest)) if latest >= 0 else "an unknown date"), latest


def _compare(study: Study) -> list[Comparison]:
    """Each file with the first, where their times are comparable."""
    from ..comparing import compare

    found = []
    for file in study.files[1:]:
        try:
            ratios = compare(study.files[0], file, points=False, threshold=tables.THRESHOLD)
        except WarpsweepError:
            continue
        ratios = ratios[ratios["ratio"] > 0].assign(kernel=ratios["kernel"].astype(str)).set_index("kernel")
        ratios = ratios.assign(speedup=1 / ratios["ratio"],
                               half=(1 / ratios["ratio_low"] - 1 / ratios["ratio_high"]) / 2)
        names = [next((device for device in study.devices if study.group(device).file == one.path.name), one.path.name)
                 for one in (study.files[0], file)]
        if len(ratios):
            found.append(Comparison((names[0], names[1]), ratios))
    return found


# ---- Sections ------------------------------------------------------------------------------------------------------


def _abstract(study: Study, compared: list[Comparison], unverified: str) -> list[str]:
    """What was measured, then one number of each result; the sections say more."""
    count, points = len(study.families), len(study.points)
    predicted, host = study.on("predicted"), study.on("host")
    text = (f"{count} kernel famil{'y' if count == 1 else 'ies'} "
            f"({listed([family.name for family in study.families])}) at {points} points on "
            f"{listed(study.devices, 'no device')}.")
    text += f" Not verified: {unverified}." if unverified else ""
    if predicted:
        text += f" The times on {listed(predicted)} are computed by the time model: they are not measured."
    text += f" {listed(host)} is a CPU that ran the C reference: its times say nothing of a GPU." if host else ""
    sentences = [text]
    best = study.best(["kernel", ".label"])
    for device in study.devices:
        of = best[best[".label"] == device]
        shares = of[".share"].dropna()
        if count > FEW and len(shares) > 1:
            sentences.append(f"On {device} the best kernels reach {shares.min():.0f} to {shares.max():.0f} % of "
                             f"{'the predicted' if device in predicted else 'their measured'} roofs.")
        elif count <= FEW and len(of):
            names = {family.name: family for family in study.families}
            rates = [f"{find.rate(row, names[row['kernel']])} ({row['kernel']})" for _, row in of.iterrows()]
            sentences.append(f"The best results on {device} are {listed(rates)}." if len(rates) > 1 else
                             f"The best result on {device} is {rates[0]}.")
    for one in compared:
        of = one.total
        sentences.append(f"{one.names[1]} is {of['speedup']:#.3g} times as fast as {one.names[0]} (geometric mean, "
                         f"95 % interval {1 / of['ratio_high']:#.3g} to {1 / of['ratio_low']:#.3g}).")
    agreed = laws.table(study.all)
    if len(agreed) and (agreed["points"] >= laws.LEAST).any():
        agreed = agreed[agreed["points"] >= laws.LEAST]
        holding = agreed.groupby("law")["holds"].all()
        sentences.append(f"The traffic that addresses alone forecast agrees with the counters for {holding.sum()} of "
                         f"{len(holding)} formulas, without a fitted constant.")
    return sentences


def _devices(study: Study) -> Section:
    return Section("devices", "Devices", tables=[tables.devices(study)])


def _roofs(study: Study) -> Section:
    """How close the best kernels come to the roofs."""
    several = len(study.families) > 1
    return Section("roofs", "Distance to the roofs" if any(family.bounded for family in study.families) else "Best "
                                                                                                             "kernels",
                   findings=find.roofs(study),
                   tables=[tables.families(study)] if several else [])


def _devices_compared(study: Study, compared: list[Comparison], free: dict[str, Drawn]) -> list[Section]:
    """A section per file that is compared with the first."""
    found = []
    for place, one in enumerate(compared):
        gains = find.gains(study, *one.names) if set(one.names) <= set(study.devices) else []
        count = one.total[tables.VERDICTS]
        lead = [f"Of {count.sum():.0f} points {count.iloc[0]:.0f} are faster on {one.names[1]} than on {one.names[0]}, "
                f"{count.iloc[1]:.0f} slower, {count.iloc[2]:.0f} the same, and {count.iloc[3]:.0f} uncertain."]
        code = one.ratios[one.ratios["code"] == "differs"].drop(index="all", errors="ignore")
        if len(code):
            every = len(code) == len(one.ratios.drop(index="all", errors="ignore"))
            lead[0] += (f" Both files were measured with different code of {'all families' if every else listed(list(code.index))}:"
                        " these ratios are of devices and code.")
        figures = [free.pop("forest")] if "forest" in free else []
        found.append(Section(f"compared-{place + 1}", f"{one.names[1]} against {one.names[0]}", lead,
                             find.ratios(study, one.names, gains),
                             [tables.speedups(study, one.ratios, one.names, gains, place)], figures))
    return found


def _formulas(study: Study, free: dict[str, Drawn]) -> Section:
    """The formulas of the access model that the counters can check, figure by figure."""
    parts = []
    names = list(laws.LAWS)
    for figure in dict.fromkeys(law.figure for law in laws.LAWS.values()):
        of = [name for name in names if laws.LAWS[name].figure == figure]
        findings = find.formulas(study, of)
        shown = [free.pop(figure)] if findings and figure in free and len(parts) < FIGURES_MAX - EACH_MAX else []
        kernels = dict.fromkeys(kernel for name in of for kernel in laws.LAWS[name].kernels)
        here = [kernel for kernel in kernels if kernel in {family.name for family in study.families}]
        parts.append(Section(f"formula-{figure or of[0]}", listed(here), findings=findings, figures=shown))
    parts = [part for part in parts if part.findings]
    lead = [] if not parts else [
        "Formulas in the axes of a point that follow from the addresses that a warp accesses. None has a fitted "
        "constant."]
    return Section("formulas", "What follows from addresses", lead, parts=parts)


def _families(study: Study, free: dict[str, Drawn], room: int) -> Section:
    """Which axes decide the rate of each family: in words where there are few families or there is room for a
    figure."""
    few = len(study.families) <= FEW
    sheet = tables.axes(study)
    parts = []
    for family in study.families:
        figures = [figure for figure in free.values() if figure.kernel == family.name]
        figures = figures[:min(room, max(1, FIGURES_MAX // len(study.families)))]
        if not few and not figures:
            continue
        room -= len(figures)
        for figure in figures:
            del free[figure.name]
        effects = [find.tell_effect(study, family, on) for on in find.decisive(study, family, EACH_MAX + few)]
        parts.append(Section(f"axes-{family.name}", family.name, [tell_family(study, family)], effects,
                             [tables.variants(study, family)] if few else [], figures))
    return Section("axes", "What decides the rates", tables=[] if few else [sheet], parts=parts)


def _predictions(study: Study) -> Section:
    return Section("predictions", "Predictions", findings=find.predictions(study))


def _limits(study: Study) -> Section:
    """What the numbers do not show."""
    rows, found = study.rows, []
    devices = pd.concat([file.devices for file in study.files]) if study.files else pd.DataFrame()
    units = devices["uuid"][devices["uuid"] != ""].nunique() + (devices["uuid"] == "").sum() if "uuid" in devices else 0
    products = devices["name"].nunique() if "name" in devices else 0
    measured = rows[rows[".label"].isin(study.on("cuda")) & rows[".ok"]]
    if len(measured):
        what = f"{units} units of {products} product{'s' if products > 1 else ''} were" if units > products else \
            "One unit of each product was"
        found.append(Finding(f"{what} measured, at the clocks that the driver chose.",
                             follows="Another unit may differ by more than the intervals say."))
        narrow = int((laws.number(measured, "time_median") < SHORT).sum())
        if narrow:
            found.append(Finding(f"{narrow} of {len(measured)} measurements are of kernels below 10 us.",
                                 follows="Their times contain the start of a launch within a graph, which no roof "
                                         "accounts for."))
        slowed = int(measured[".slowed"].sum())
        if slowed:
            found.append(Finding(f"At {slowed} of {len(measured)} measurements the power limit or heat lowered the "
                                 "clock.",
                                 follows="They are kept, and marked in tables and figures."))
    if any(method.counters(file) for file in study.files):
        found.append(Finding("Counters were read in passes of their own.",
                             follows="They are of the same launches in the same state of L2, but not of the samples "
                                     "that were timed."))
    failed = rows[~rows[".ok"]].groupby("status").size()
    if len(failed):
        kinds = listed([f"{count} {status.replace('_', ' ')}" for status, count in failed.items()])
        found.append(Finding(f"{kinds} of {len(rows)} points have no time.",
                             follows="Tables and figures leave them out."))
    if len(study.rows) and any(family.points > 1 for family in study.families):
        found.append(Finding("A best variant is chosen after the measurement, from all points of its family.",
                             "Other samples than those that it is reported by chose it, but of the same processes.",
                             "It is compared with roofs, not with one shape of another kernel."))
    return Section("limits", "Limits", findings=found)


# ---- Details: the page and --full ------------------------------------------------------------------------------------


def _across(study: Study, free: dict[str, Drawn]) -> Section:
    """Tables and figures across families that the short paper has no room for."""
    order = {name: place for place, name in enumerate(LEADING)}
    figures = [figure for figure in free.values() if figure.across]
    figures.sort(key=lambda one: order.get(one.name, len(order)))
    for figure in figures:
        del free[figure.name]
    sheets = [tables.best(study)] if len(study.families) > 1 else []
    return Section("across", "Across families", tables=[*sheets, tables.ladder(study)], figures=figures, detail=True)


def _each_family(study: Study, free: dict[str, Drawn]) -> Section:
    """Every family with its variants and further figures."""
    few = len(study.families) <= FEW
    parts = []
    for family in study.families:
        figures = [figure for figure in free.values() if figure.kernel == family.name]
        findings = [] if few else [find.tell_effect(study, family, on) for on in find.decisive(study, family, EACH_MAX)]
        text, sheets = ([], []) if few else ([tell_family(study, family)], [tables.variants(study, family)])
        parts.append(Section(f"family-{family.name}", family.name, text, findings, sheets, figures))
    return Section("families", "Families", parts=[part for part in parts if part], detail=True)


def tell_family(study: Study, family: Family) -> str:
    """Its points, and its best one on each device."""
    text = f"{family.points} point{'s' if family.points > 1 else ''}" + (
        ", ranked by the share of their roof." if family.bounded else ", without a roof.")
    for _, row in study.best(["kernel", ".label"]).query("kernel == @family.name").iterrows():
        where = ", ".join(part for part in (row["variant"], row[".at"]) if part)
        text += f" On {row['.label']} the best is {where or 'the only point'}: {find.rate(row, family)}"
        if row[".share"] > 0:
            text += f", {find.share(row)} of {row['.roof']}"
        text += "."
    return text
