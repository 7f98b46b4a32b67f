"""``reproduce``: the claims of an artifact, or of the paper of a results file, held against new measurements of the same points."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product, starmap
from pathlib import Path
from typing import Any, NamedTuple, Union

import numpy as np
import pandas as pd

from . import running, units
from .artifact.kit import ABOUT, CLAIMS
from .assumptions import THRESHOLD, same_kind, unlike
from .claims import DEVICES, ENERGY, ORDER, RATE, RATIO, SHARED, Claim, claims_of
from .columns import Columns
from .condition import LOWERED, is_lowered
from .differences import prepare
from .errors import UsageError
from .frames import frame
from .identity import named, same_run, without_copies
from .options import Arguments
from .orders import told
from .paper.study import Study, short_labels
from .pivots import write
from .rates import TIMED
from .results import Results, read
from .rows import ABOVE, ROOFS
from .selecting import is_shared
from .sheet import Document, Head, Sheet
from .statistics import Part, critical, total
from .values import human
from .verdicts import Rule, decide, group, ratio_of, same_unit

VERDICTS = ("reproduced", "not reproduced", "uncertain", "not comparable")
REPRODUCED, NOT, UNCERTAIN, NOT_COMPARABLE = VERDICTS
LEAST = [NOT, UNCERTAIN, REPRODUCED, NOT_COMPARABLE]
ABSOLUTE = (RATE, ENERGY, DEVICES)  # how units of different kinds differ in these is not known
ABSENT = "not in the results of the artifact"
ELSEWHERE = {  # orders on another product, by verdicts of `told`
    "faster": "where it holds",
    "slower": "where the reverse holds",
    "not measured": "where it was not measured",
}
# statuses of new points that are no success, whatever else is reproduced
BAD = ("failed", "crashed", "timed out")
RATIOS = ["ratio", "ratio_low", "ratio_high"]
RULE = Rule(THRESHOLD)
Given = Union[str, "os.PathLike[str]", Results]


class Change(NamedTuple):
    """How a number changed: the logarithm of the new one over the claimed one. ``known``: so is how it scatters between runs
    and units. ``why``: it is not comparable; "": it is."""

    log: float = np.nan
    variance: float = np.nan
    dof: float = np.nan
    known: bool = False
    why: str = ""
    note: str = ""


class Beside:
    """A results file of an artifact beside a new one of the same product. ``rows`` has a row for each point of the artifact, by
    id: ``why`` its time is not comparable, a ``note``, and ``pair``, its label in the comparison ``c``."""

    def __init__(self, old: Results, new: Results) -> None:
        self.files = old, new
        self.c = c = prepare(old, new, mixed=True, cycles=False)
        self.kind, self.alone = self._kind(), c.of_one_process
        self.shares = [c.shares(side) for side in (0, 1)]
        ran = running.of_points(c)
        lowered = self._are(is_lowered, 0) | self._are(is_lowered, 1)
        differ = {f"other {part}": ran[part] == running.DIFFERS for part in ("code", "launch")}
        notes = pd.DataFrame({**differ, LOWERED: lowered, "one process timed it": self.alone})
        rows = pd.DataFrame(
            {
                "id": old.rows["id"].reindex(c.pairs["a"]).to_numpy(),
                "why": self._why(ran["protocol"] == running.DIFFERS, lowered),
                "note": [", ".join(notes.columns[row]) for row in notes.to_numpy()],
                "pair": c.pairs.index,
            }
        )
        self.rows = rows[rows["id"].notna()].set_index("id")

    def _kind(self) -> str:
        """In what kind the devices of the files differ; "": in none that is known."""
        old, new = (
            [file.devices.iloc[device] for device in used if device < len(file.devices)]
            for file, used in zip(self.files, self.c.devices)
        )
        for a, b in product(old, new):
            boards = [one.get("board_part") or "" for one in (b, a)]
            if all(boards) and boards[0] != boards[1]:
                return f"other board revision: {' against '.join(boards)}"
            roofs = [one.get("peak_copy", np.nan) for one in (b, a)]
            of_gpus = {one.get("backend") for one in (a, b)} == {"cuda"}
            if of_gpus and min(roofs) > 0 and not same_kind(a, b):
                shown = (units.scaled(roof, ROOFS["dram_mix"].unit) for roof in roofs)
                return f"other board revision, by the roof of copies: {' against '.join(shown)}"
        return ""

    def _why(self, protocol: pd.Series[bool], lowered: pd.Series[bool]) -> pd.Series[str]:
        c, found = self.c, pd.Series("", self.c.pairs.index)
        status, limits = c.texts(1, "status"), []
        for file in self.files:
            limit = file.devices.get("power_limit", pd.Series([np.nan])).iloc[0]
            limits.append(human(limit, file.device_columns["power_limit"]) if limit > 0 else "")
        limited = all(limits) and limits[0] != limits[1]
        power = f"power limit, which lowers the clock: {' against '.join(limits[::-1])}"
        for holds, words in (  # the last one that holds is told
            (c.b["basis"] == "none", "no time"),
            (c.a["basis"] == "none", "no time in the artifact"),
            *((words != "", f"other {what}: " + words) for what, words in unlike(c).items()),
            (protocol, "other protocol"),
            (lowered & limited, power),
            (self._are(is_shared, 1), "other programs computed on the device"),
            (c.above, ABOVE),
            (c.b["predicted"], "predicted"),
            (status != "ok", status.str.replace("_", " ")),
            (c.pairs["b"] < 0, "not measured"),
        ):
            found = found.mask(holds, words)
        return found

    def _are(self, of: Any, side: int) -> pd.Series[bool]:
        pairs = self.c.pairs
        found = of(self.files[side].rows).reindex(pairs["ab"[side]], fill_value=False)
        return pd.Series(found.to_numpy(bool), pairs.index)

    def change(self, claim: Mapping[str, Any]) -> Change:
        """Of a claim on one point or two."""
        ids, quantity, c = claim["points"].split(), claim["quantity"], self.c
        rows = self.rows.reindex(ids)
        whys = [*rows["why"].fillna(ABSENT), self.kind if claim["kind"] in ABSOLUTE else ""]
        if why := next(filter(None, whys), ""):
            return Change(why=why)
        pairs = rows["pair"].astype(int)
        times, known = c.ratios.loc[pairs], not self.alone[pairs].any()
        parts = [Part(error**2, dof) for error, dof in zip(times["error"], times["dof"])]
        logs = [*times["log_ratio"], 0.0]
        if quantity == SHARED:
            old, new = (of[pairs.iloc[0]] for of in self.shares)
            parts.append(self._of_roof(pairs.iloc[0]))
        elif quantity in TIMED or quantity == RATIO[0]:
            old, new = np.exp(logs[:2]) if quantity in TIMED else np.exp(logs[1::-1])
        else:
            sides = [of.rows.loc[c.pairs.at[pairs.iloc[0], ab]] for of, ab in zip(self.files, "ab")]
            old, new = (side.get(quantity, np.nan) for side in sides)
            if claim["kind"] == ENERGY:
                halves = (np.log(of["energy_high"] / of["energy_low"]) / 2 for of in sides)
                parts = [Part((half / critical(0.05, np.inf)) ** 2, np.inf) for half in halves]
                known = False
        sum_, note = total(*parts), ", ".join(dict.fromkeys(filter(None, rows["note"])))
        if not new / old > 0:
            return Change(why=f"no {quantity}")
        return Change(np.log(new / old), float(sum_.variance), float(sum_.dof), known, "", note)

    def _of_roof(self, pair: int) -> Part:
        """What another run, and another unit, adds to a roof: what it adds to a long time."""
        of = self.c.scatter[0]
        if of is None:
            return Part(0.0, np.inf)
        other = not same_unit(self.c.a.loc[[pair]], self.c.b.loc[[pair]])[0]
        return total(Part(of.run[1], of.run_dof), Part(of.unit[1] * other, of.unit_dof))


def _of_devices(claim: Mapping[str, Any], first: Beside, second: Beside) -> Change:
    """How the ratio of two devices changed, at the points that both have measured again."""
    every, both = claim["points"].split(), (first, second)
    ids = [one for one in every if all(of.rows["why"].get(one, ABSENT) == "" for of in both)]
    if why := first.kind or second.kind or "" if ids else "no point is comparable on both devices":
        return Change(why=why)
    means = []
    for of in both:
        a, b = (side.loc[of.rows.loc[ids, "pair"]] for side in (of.c.a, of.c.b))
        means.append(group(of.c.rule, a, b, of.c.scatter))
    sum_ = total(*(Part(one["error"] ** 2, one["dof"]) for one in means))
    note = f"at {len(ids)} of {len(every)} points" if len(ids) < len(every) else ""
    log = means[0]["log_ratio"] - means[1]["log_ratio"]
    return Change(log, float(sum_.variance), float(sum_.dof), True, "", note)


class Trial:
    """The files of an artifact and the new ones, and who of these has measured the devices of its claims."""

    def __init__(self, old: Sequence[Results], new: Sequence[Results]) -> None:
        self.new = new
        groups = frame(old, predicted=False, columns=()).attrs["groups"]
        files = {file.name: file for file in old}
        labels = short_labels(groups).items()
        self.owners = {label: files[groups[of].file] for of, label in labels}
        self.products = {label: groups[of].device for of, label in labels}
        self.made: dict[str, list[Beside]] = {}

    def besides(self, device: str) -> list[Beside]:
        """The file of a device beside each new one of its product."""
        if device in self.owners and device not in self.made:
            mine = [of for of in self.new if self.products[device] in set(of.devices["name"])]
            self.made[device] = [Beside(self.owners[device], file) for file in mine]
        return self.made.get(device, [])

    def lacking(self, device: str) -> str:
        """Why nothing is beside a device."""
        if device not in self.owners:
            return ABSENT
        others = dict.fromkeys(name for file in self.new for name in file.devices["name"])
        return f"other device: {' and '.join(others) or 'none'}"

    def changes(self, claim: Mapping[str, Any]) -> list[Change]:
        """Of the number of a claim, by each new file of its device; of a ratio of devices by each two."""
        of, devices = claim["device"], [claim["device"]]
        if claim["kind"] == DEVICES:
            pairs = product(self.owners, repeat=2)
            devices = next(([*two] for two in pairs if of == " over ".join(two[::-1])), devices)
        sides = [self.besides(device) for device in devices]
        found = [
            _of_devices(claim, *files) if len(files) == 2 else files[0].change(claim)
            for files in product(*sides)
        ]
        missing = (self.lacking(device) for device, side in zip(devices, sides) if not side)
        return found or [Change(why=next(missing, ""))]

    def orders(self, claims: pd.DataFrame) -> pd.DataFrame:
        """value, verdict (as `told` has them), why and note of orders on one device, by each new file. What another product tells
        is no reproduction, and is told in ``why``."""
        device = claims["device"].iloc[0]
        pairs = claims["points"].str.split(expand=True).set_axis(["worse", "better"], axis=1)
        pairs, parts = pairs.assign(quantity=claims["quantity"]), []
        for one in self.besides(device):
            first, second = (
                one.rows.reindex(pairs[side]).set_axis(claims.index) for side in pairs.columns[:2]
            )
            why = first["why"].fillna(ABSENT)
            why = why.mask(why == "", second["why"].fillna(ABSENT))
            parts.append(told(one.files[1], pairs).assign(why=why, note=first["note"].fillna("")))
        if not parts:
            why = pd.Series(self.lacking(device), claims.index)
            if self.new:
                there = told(self.new[0], pairs)["verdict"].map(ELSEWHERE)
                why += ", " + there.fillna("where it is uncertain")
            parts = [pd.DataFrame({"why": why, "note": ""})]
        return pd.concat(parts).reindex(columns=["value", "verdict", "why", "note"])


def artifact(path: Given) -> tuple[pd.DataFrame, list[Results]]:
    """The claims of an artifact, or of a results file, and its files."""
    if isinstance(path, Results) or not os.path.isdir(path):
        files = named([path if isinstance(path, Results) else read(path)])
        return claims_of(Study(files)), files
    folder = Path(path)
    try:
        names = json.loads((folder / ABOUT).read_text("utf-8"))["files"]
        claims = pd.read_csv(folder / CLAIMS, dtype=str, keep_default_na=False)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{folder}: no {ABOUT} and {CLAIMS} of an artifact: {error}") from error
    if missing := [name for name in Claim._fields if name not in claims]:
        raise UsageError(f"{folder / CLAIMS}: expected a column {missing[0]!r}")
    for name in ("value", "low", "high"):
        words, claims[name] = claims[name], pd.to_numeric(claims[name], errors="coerce")
        for at in words.index[claims[name].isna() & ~words.isin(["", "nan"])]:
            raise UsageError(
                f"{folder / CLAIMS}:{at + 2}: {name} is {words[at]!r}: expected a number"
            )
    files = named([read(folder / "results" / name) for name in names])
    _follow(claims, claims_of(Study(files)), folder / CLAIMS)
    return claims, files


def _follow(claims: pd.DataFrame, computed: pd.DataFrame, path: Path) -> None:
    """Raises UsageError unless the claims of a file are those of its results: the new numbers are told by the claimed ones."""
    computed = computed.set_index("claim")
    for at, one in enumerate(claims.to_dict("records"), 2):
        if one["claim"] not in computed.index:
            raise UsageError(f"{path}:{at}: {one['claim']!r} is no claim of the results files")
        for name, value in computed.loc[one["claim"]].items():
            same = one[name] == value
            if isinstance(value, float):
                same = bool(np.isclose(one[name], value, rtol=1e-6, equal_nan=True))
            if not same:
                raise UsageError(
                    f"{path}:{at}: {name} is {one[name]!r}, the results files give {value!r}"
                )


def reproduce(given: Given, *new: Given) -> pd.DataFrame:
    """A row for each claim of an artifact (its folder, or a results file), held against new files.

    The columns are those of `claims_of`, and ``measured``, the new number; ``ratio`` of it to the claimed one, with ``ratio_low`` and
    ``ratio_high``; ``tolerance``, by how much it may differ; ``verdict``; ``why`` it is not comparable; and a ``note``.
    ``attrs["assumed"]`` has what the verdicts assume, by pair of files."""
    claims, old = artifact(given)
    if claims.empty:
        raise UsageError(f"{given} has no claims: its paper has no number of a measured point")
    files = [one if isinstance(one, Results) else read(one) for one in new]
    for file in files:
        if any(same_run(file, of) for of in old):
            raise UsageError(f"{file.path} is a file of the artifact, not a new measurement")
    trial = Trial(old, without_copies(files))
    is_order = claims["kind"] == ORDER
    found = [_numbers(trial, claims[~is_order])]
    found += [_orders(trial, of) for _, of in claims[is_order].groupby("device")]
    # By the new file that fits least, if several have measured a claim's points.
    least = pd.concat(found).sort_values(
        "verdict", key=lambda of: of.map(LEAST.index), kind="stable"
    )
    table = claims.join(least[~least.index.duplicated()])
    made = [one for of in trial.made.values() for one in of]
    assumed = {tuple(str(file.path) for file in one.files): one.c.assumed for one in made}
    table.attrs.update(columns=Columns(), assumed=assumed)
    return table


def _numbers(trial: Trial, claims: pd.DataFrame) -> pd.DataFrame:
    many = [trial.changes(claim) for claim in claims.to_dict("records")]
    index = claims.index.repeat([len(changes) for changes in many])
    change = pd.DataFrame([one for changes in many for one in changes], index, Change._fields)
    part = Part(change["variance"].to_numpy(), change["dof"].to_numpy())
    found = ratio_of(RULE, change["log"], part).set_axis(index)
    differs = decide(RULE, found.assign(p=found["p"].where(change["known"])))
    tolerance = np.log1p(RULE.threshold) + np.log(found["high"] / found["ratio"])
    verdict = np.select(
        [
            change["why"] != "",
            np.isin(differs, ["faster", "slower"]),
            found["log_ratio"].abs() <= tolerance,
        ],
        [NOT_COMPARABLE, NOT, REPRODUCED],
        UNCERTAIN,
    )
    return pd.DataFrame(
        {
            "measured": claims["value"].reindex(index) * found["ratio"],
            **dict(zip(RATIOS, (found[name] for name in ("ratio", "low", "high")))),
            "tolerance": np.expm1(tolerance),
            "verdict": verdict,
            "why": change["why"],
            "note": change["note"],
        }
    )


def _orders(trial: Trial, claims: pd.DataFrame) -> pd.DataFrame:
    found = trial.orders(claims)
    verdict = found["verdict"].map({"faster": REPRODUCED, "slower": NOT}).fillna(UNCERTAIN)
    verdict = verdict.where(found["why"] == "", NOT_COMPARABLE)
    return found.assign(verdict=verdict).rename(columns={"value": "measured"})


def counts(table: pd.DataFrame) -> pd.DataFrame:
    """Of `reproduce`, by kind of claim and of all: ``claims``, how many have each verdict, and the median ``tolerance``."""
    made = pd.crosstab(table["kind"], table["verdict"]).reindex(columns=VERDICTS, fill_value=0)
    made.loc["all"] = made.sum()
    made.insert(0, "claims", made.sum(axis=1))
    return made.assign(tolerance=table.groupby("kind")["tolerance"].median())


def _print(document: Document, table: pd.DataFrame, count: pd.DataFrame) -> None:
    """Counts, then what is not reproduced, uncertain and not comparable by family, and what the verdicts assume."""
    document.texts(
        ["kind", *(f">{name}" for name in count)],
        [[str(kind), *map(str, row[:-1]), _percent(row[-1])] for kind, *row in count.itertuples()],
    )
    for verdict in (NOT, UNCERTAIN):
        of = table[table["verdict"] == verdict].sort_values("family", kind="stable")
        if len(of):
            document.heading(2, verdict.capitalize())
            values = [units.format(value) for value in of["measured"]]
            ratios = zip(*(100 * of[name] for name in RATIOS))
            numbers = (
                (Head("claim", "wraps"), of["sentence"]),
                (Head("measured", "right"), [" ".join(one) for one in zip(values, of["unit"])]),
                (Head("of the claimed, %", "right"), starmap(_interval, ratios)),
                (Head("tolerance", "right"), of["tolerance"].map(_percent)),
                (Head("note", "wraps"), of["note"]),
            )
            document.sheet(Sheet.of(numbers))
    apart = table[table["verdict"] == NOT_COMPARABLE]
    if len(apart):
        document.heading(2, NOT_COMPARABLE.capitalize())
        many = apart.groupby("why")["family"]
        listed = many.agg(
            lambda of: ", ".join(f"{one} {size}" for one, size in Counter[str](of).items())
        )
        reasons = (
            (Head("why", "wraps"), listed.index),
            (Head("claims", "count"), many.size().tolist()),
            (Head("families", "wraps"), listed),
        )
        document.sheet(Sheet.of(reasons))
    for (old, new), lines in table.attrs["assumed"].items():
        document.paragraph(f"A = {old}, B = {new}")
        document.items(lines)


def _percent(share: float) -> str:
    return units.formatted("{:.2g} %", 100 * share)


def _interval(ratio: float, low: float, high: float) -> str:
    """ "98.5 (98.1 to 98.9)" """
    return "-" if ratio != ratio else f"{ratio:.1f} ({low:.1f} to {high:.1f})"


def run(arguments: Arguments) -> int:
    table, form = reproduce(*arguments.operands), str(arguments.text("format"))
    count = counts(table)
    if form in ("md", "latex"):
        _print(Document(form), table, count)
    else:
        write(table, form)
    of = count.loc["all"]
    apart, bad = int(of[NOT_COMPARABLE]), table["why"].isin(BAD).any()
    comparable = int(of["claims"]) - apart
    print(
        f"{of[REPRODUCED]:.0f} of {comparable} comparable claims are reproduced"
        + (f"; {apart} of {len(table)} are not comparable" if apart else ""),
        file=sys.stdout if form == "md" else sys.stderr,
    )
    return 0 if 0 < comparable == of[REPRODUCED] and not bad else 1
