"""Headlines of figures, computed another way from the samples of the file; where the effect is turned round they are lost."""
import re
from functools import lru_cache

import h5py
import numpy as np
import pytest
from reading import ANALYSIS, ROOT

from warpsweep import directives, plots

pytest.importorskip("jinja2")
DAILY = "h100-paper"
WEEKLY = ("h100-chip", "h200-paper")  # others show none of these figures
UNITS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
WIDTHS = {"u8": 1, "e4m3": 1, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
STATED = [(d.name, line) for d in directives.read_folder(ANALYSIS) for line in d.all("finding")]
SAID = re.compile(r"(\d+(?:\.\d+)?)(?: to (\d+(?:\.\d+)?))? (?=times)")


def path(file):
    return ROOT / f"analysis/data/{file}.h5"


@lru_cache(maxsize=1)
def rows(file):
    return plots.read_rows([path(file)])


@lru_cache(maxsize=None)
def figure(file, name):
    """The figure, or None if the file does not show it."""
    (d,) = directives.read_folder(ANALYSIS, [name])
    try:
        return plots.Request(rows(file)).make(d)[0]
    except directives.Skipped:
        return None


@lru_cache(maxsize=1)
def raw(file):
    """Rows by id, as the file has them, with the time that their samples give."""
    with h5py.File(path(file)) as held:
        results, samples, l2 = held["results"][:], held["samples"][:], float(held["devices"]["l2_bytes"][0])
    found = {}
    for row in results[(results["repeat"] == 0) & (results["status"] == b"ok")]:
        own = samples[row["sample_offset"]:row["sample_offset"] + row["sample_count"]]
        medians = [np.median(own["seconds"][own["process"] == process]) for process in np.unique(own["process"])]
        values = {name: row[name].decode() if isinstance(row[name], bytes) else row[name] for name in results.dtype.names}
        found[values["id"]] = {**values, "seconds": np.exp(np.mean(np.log(medians))), "device.l2_bytes": l2,
                               "dtype.bytes": WIDTHS.get(values.get("dtype"), np.nan)}
    return found


def value(row, name, d):
    """A column of a row, or what the figure derives from its columns."""
    if name in ("bandwidth", "fraction_peak"):  # rows that a headline compares have one roof, or its test fails
        return (row["bytes_read"] + row["bytes_written"]) / row["seconds"]
    if name == "flop_rate":
        return row["flops"] / row["seconds"]
    if name == "time_median":
        return row["seconds"]
    for definition in d.all("derive"):
        left, _, right = definition.partition("=")
        if left == name:
            return eval(re.sub(r"[A-Za-z_][\w.]*", lambda of: repr(float(value(row, of[0], d))), right))  # names and + - * /
    return row[name]


def meets(row, conditions, d):
    for condition in conditions.split():
        name, sign, words = re.split("([<>]=?|=)", condition, maxsplit=1)
        mine = value(row, name, d)
        of = [word if isinstance(mine, str) else float(re.sub("[KMG]iB", "", word)) * UNITS.get(word[-3:], 1) for word in words.split(",")]
        holds = {"=": any(mine == one for one in of), "<=": mine <= of[0], ">=": mine >= of[0], "<": mine < of[0], ">": mine > of[0]}
        if not holds[sign]:
            return False
    return True


def ratios(file, name, line):
    """Every pair that the sentence is about: the value of one side over that of the other."""
    shown = figure(file, name)
    d, (over, under, both, _) = shown.directives, directives.parts("finding", line)
    named = [{re.split("[<>=]", one)[0] for one in side.split()} for side in (over, under)]
    same = [axis for axis in d.all("series") if axis not in named[0] | named[1]]
    same += [d.one("x")] * (not (named[0] & named[1]) - set(d.all("series")))
    points = [raw(file)[one] for one in shown.rows["id"]]
    first, second = ([row for row in points if meets(row, f"{side} {both}", d)] for side in (over, under))
    y = d.one("y")
    return [value(a, y, d) / value(b, y, d) for a in first for b in second if all(a[axis] == b[axis] for axis in same)]


EACH = [pytest.param(file, name, line, id=f"{file}-{name}-{at}", marks=[pytest.mark.weekly] if file != DAILY else [])
        for file in (DAILY, *WEEKLY) for at, (name, line) in enumerate(STATED)]


@pytest.mark.parametrize("file, name, line", EACH)
def test_a_headline_says_what_the_samples_say(file, name, line):
    words = directives.parts("finding", line)[3]
    shown = figure(file, name)
    told = shown and next((one for one in shown.findings if one.startswith(words.split("%")[0].rstrip(".")[:40])), None)
    if not told or "%" not in words:
        pytest.skip("the file does not show it")
    found, (low, high) = ratios(file, name, line), SAID.findall(told)[-1]
    for end, number in ((min(found), low), (max(found), high or low)):
        places = len(number.partition(".")[2])
        assert end == pytest.approx(float(number), abs=0.51 * 10**-places + 0.001 * end)


@pytest.mark.parametrize("file, name, line", EACH)
def test_a_headline_is_lost_where_the_effect_is_turned_round(file, name, line):
    over, under, both, words = directives.parts("finding", line)
    shown = figure(file, name)
    start = words.split("%")[0].rstrip(".")[:40]
    if not shown or not any(one.startswith(start) for one in shown.findings):
        pytest.skip("the file does not show it")
    d, frame = shown.directives, rows(file).copy()
    frame.attrs = rows(file).attrs
    turned = frame["id"].isin([one for one in shown.rows["id"] if meets(raw(file)[one], f"{over} {both}", d)])
    for column in frame.columns[frame.columns.str.match("bandwidth|flop_rate|latency_p|time_(median|ci)|fraction_peak")]:
        frame[column] = frame[column].astype(float).mask(turned, frame[column] / 1000)
    made = plots.Request(frame).make(d)[0]
    assert not any(one.startswith(start) for one in made.findings)


def test_most_headlines_are_checked():
    """The file shows most of them: otherwise the tests above check nothing."""
    shown = [name for name, line in STATED if figure(DAILY, name) and ratios_told(name, line)]
    assert len(shown) >= 18


def ratios_told(name, line):
    start = directives.parts("finding", line)[3].split("%")[0].rstrip(".")[:40]
    return any(one.startswith(start) for one in figure(DAILY, name).findings)


@pytest.mark.parametrize("name", sorted({name for name, _ in STATED}))
def test_headlines_tell_no_causes(name):
    """A headline compares numbers. What is behind them is told by counters, in sentences of `laws`."""
    (d,) = directives.read_folder(ANALYSIS, [name])
    for line in d.all("finding"):
        assert not re.search(r"\b(because|since|need|needs|serves|hides?|removes|too short|so that|has to|have to)\b", directives.parts("finding", line)[3])
