"""The description of a row: quantity, unit, roof, share, controls, and what sentences make of it."""
import copy
import re

import h5py
import numpy as np
import pandas as pd
import planted
import pytest

from conftest import DAILY, ROOT

from warpsweep import columns, compare, findings, frames, pivots, results, rows, selecting
from warpsweep.__main__ import main as command
from warpsweep.condition import is_transient
from warpsweep.paper import content, saying, tables
from warpsweep.paper.study import Study
from warpsweep.reports import summary

DATA = ROOT / "analysis/data"
FILES = [pytest.param(path, marks=[] if path.stem in (*DAILY, "h200-chip", "h200-paper") else pytest.mark.weekly, id=path.stem)
         for path in sorted(DATA.glob("*.h5"))]
PRODUCTS = {"matmul", "tensor_matmul", "cute_matmul", "triton_matmul", "mma_rate"}


def told(name):
    return rows.with_description(frames.frame(results.read(DATA / f"{name}.h5")))


def units_of(frame):
    ok = frame[(frame["status"] == "ok") & frame[".value"].notna()]
    units = {kernel: {rows.QUANTITIES[name].unit for name in of} for kernel, of in ok.groupby("kernel")[".quantity"].unique().items()}
    return units


@pytest.mark.parametrize("path", FILES)
def test_each_measured_row_has_a_value_in_its_unit(path):
    """Computed another way: from work and time."""
    frame = told(path.stem)
    ok = frame[frame["status"] == "ok"]
    assert ok[".value"].notna().all() and (ok[".value"] > 0).all()
    assert (ok[".rank"].notna() == ~is_transient(ok) & ~rows.is_above_roof(ok)).all()
    for kernel, units in units_of(frame).items():
        assert kernel not in PRODUCTS or units <= {"flop/s", "op/s"}, kernel
    products = ok[ok["kernel"].isin(PRODUCTS)]
    assert ((products[".quantity"] == "operations") == columns.texts(products, "dtype").isin(["u8"])).all()
    of = ok[ok[".quantity"].isin(["flop_rate", "operations"])]
    assert np.allclose(of[".value"], of["flops"] / of["time_median"])
    of = ok[ok[".quantity"] == "bandwidth"]
    assert np.allclose(of[".value"], (of["bytes_read"] + of["bytes_written"]) / of["time_median"])


@pytest.mark.parametrize("path", FILES)
def test_the_best_is_no_control_and_the_first_of_its_like(path):
    frame = told(path.stem)
    best = findings.best(frame)
    assert len(best) or is_transient(frame).all()  # of every other file
    for entry in best.itertuples():
        top = frame.loc[entry.row]
        like = frame[(frame["source"] == top["source"]) & (frame["kernel"] == top["kernel"]) & (frame["status"] == "ok")]
        like = like[~rows.is_above_roof(like)]
        assert not top[".control"] or like[".control"].all()
        like = like[(like[".group"] == top[".group"]) & (like[".control"] == top[".control"]) & (like[".vendor"] == top[".vendor"])]
        what = rows.QUANTITIES[top[".quantity"]]
        ranked = like["fraction_peak"] if entry.bounded else like[what.column] * (1 if what.better == "higher" else -1)
        assert ranked.max() == ranked[entry.row]


def test_within_one_device_is_a_control_of_links():
    frame = told("h100-links")
    assert frame.loc[frame["pair"] == "local", ".control"].all()
    assert (frame.loc[findings.best(frame)["row"], "pair"] != "local").all()


def test_controls_are_the_best_where_nothing_else_was_measured():
    frame = frames.frame(results.read(DATA / "h100-links.h5"))
    local = selecting.where(frame, "pair=local")
    local.attrs = frame.attrs
    said = [findings.describe(rows.with_description(local), one) for _, one in findings.compared(local).iterrows()]
    assert said and all(text.rstrip().endswith("it is a control.") or "it is a control." in text for text in said)


def test_a_family_of_a_user_is_of_arithmetic_by_its_work():
    made = pd.DataFrame({"kernel": ["mine"] * 3 + ["theirs"] * 3, "status": "ok", "repeat": 0.0, ".source": "x", "flops": [1e12] * 3 + [1e6] * 3,
                         "bytes_read": 1e9, "bytes_written": 0.0, "bandwidth": 1e12, "flop_rate": [1e15] * 3 + [1e9] * 3,
                         "time_median": 1e-3, "latency_p50": np.nan})
    about = rows.described(made)
    assert about["quantity"].tolist() == ["flop_rate"] * 3 + ["bandwidth"] * 3
    assert about["low"].isna().all() and about["share"].isna().all()


def test_gains_compare_seconds_at_roofs():
    """A point may be bound by bytes on one device and by operations on the other."""
    study = Study([results.read(DATA / f"{name}-paper.h5") for name in ("h100", "h200")])
    gains = content._gains(study, *study.devices)
    assert gains["roofs"].between(0.9, 1.45).all()  # no peak of both devices is further apart
    assert gains.loc["prefetch", "roofs"] == pytest.approx(1.31, abs=0.1)
    sides = [frame[frame["kernel"] == "prefetch"].set_index("id") for frame in map(told, ("h100-paper", "h200-paper"))]
    at_roof = [side["time_median"] * side["fraction_peak"] for side in sides]
    assert gains.loc["prefetch", "roofs"] == pytest.approx(np.exp(np.log(at_roof[0] / at_roof[1]).mean()))


def test_a_share_above_the_roof_is_not_told_without_the_word(capsys):
    assert command(["report", str(DATA / "h100-paper.h5")]) == 0
    frame = told("h100-paper")
    top = frame.loc[findings.best(frame).query("bounded")["row"]]
    said = re.search(r"reaches 90 % of its roof \((\d+) of them above 100 %\)", capsys.readouterr().out)
    # only those whose interval lies above: one of six reaches below
    assert int(said[1]) == (top[".share_low"] > 1).sum() == (top[".share"] > 1).sum() - 1 > 0


def test_a_prediction_is_marked_and_counted_by_its_share(paper):
    frame = frames.frame(results.read(paper))
    guess = rows.with_description(frame.assign(**{"device.backend": "predicted"}, fraction_peak=frame["fraction_peak"] * 0 + 0.989, fraction_peak_low=0.5))
    text = summary._roofs(guess, findings.best(guess))
    assert "predicted best own point of 14 of 14 families" in text and "in the profile" in text and "lowest" not in text


def test_part_of_a_latency_is_its_level():
    frame = told("h100-judge")
    part = rows.part_of(frame)
    of = frame[frame["kernel"] == "latency"]
    assert set(part[of.index[of["variant"] == "dram"]]) == {"latency of DRAM"} and "DRAM" in set(part)
    assert set(part[of.index[of["variant"] == "shared"]]) == {rows.LATENCY_PART}


def test_a_missing_number_has_a_reason():
    row = {"status": "failed", "counters_status": "missing: no permission"}
    assert rows.why_missing(row, "bandwidth", "rate") == "the point was not measured"
    row["status"] = "ok"
    assert rows.why_missing(row, "load_sectors", "counter") == "counters missing: no permission"
    assert rows.why_missing(row, "fraction_peak", "rate") == "no measured roof"
    assert rows.why_missing(row, "fraction_nominal", "rate") == "no stated peak"
    row |= {"fraction_peak": 0.5, "time_median": 1e-6}
    for name in ("fraction_peak_low", "time_ci_high"):
        assert rows.why_missing(row, name, "rate") == "no interval, or no range of the roof"


def test_above_its_roof_is_no_result(paper, capsys):
    """The best point of copy made 13 % faster than the roof: another one is the best, and tables mark it."""
    file = copy.deepcopy(results.read(paper))
    best = rows.with_description(frames.frame(file)).query("kernel == 'copy'")[".share"].idxmax()
    key = file.rows["id"] == frames.frame(file).loc[best, "id"]
    assert not rows.is_above_roof(file.rows).any()
    for name, share in (("fraction_peak", 1.04), ("fraction_peak_low", 1.015), ("fraction_peak_high", 1.06)):
        file.rows.loc[key, name] = share
    assert not rows.is_above_roof(file.rows).any()  # its low end may be the roof
    for name, share in (("fraction_peak", 1.13), ("fraction_peak_low", 1.12), ("fraction_peak_high", 1.14)):
        file.rows.loc[key, name] = share
    table = rows.with_description(frames.frame(file))
    assert set(table.index[table[".above"]]) == set(table.index[table["id"].isin(file.rows.loc[key, "id"])])
    assert table.loc[table[".above"], ".rank"].isna().all() and not rows.candidates(table, ["kernel"])[table[".above"]].any()
    pivots.print_people(table[table[".above"]], ["variant", "bandwidth"], "text")
    said = capsys.readouterr().out
    assert "§" in said and "more than 2 % above its roof: not a result" in said


def test_no_reader_takes_a_point_above_its_roof_for_a_result(tmp_path):
    """The fastest copy of each stride made 15 % faster: figures and tables mark it, and no comparison or sentence is of it."""
    path = DATA / "h100-paper.h5"
    of = results.read(path).rows
    near = of[(of["kernel"] == "copy") & (of["fraction_peak"] > 0.99) & (of["repeat"] == 0)]
    fast = planted.changed(path, tmp_path / "fast.h5", 1 / 1.15, lambda table: np.isin(table["id"].astype(str), near["id"]))
    with h5py.File(fast) as file:
        table = file["results"][:]
    mine = np.isin(table["id"].astype(str), near["id"])
    for name in ("fraction_peak", "fraction_peak_low", "fraction_peak_high", "bandwidth"):
        table[name][mine] *= 1.15
    planted.rewritten(fast, results=table)
    file = results.read(fast)
    assert rows.is_above_roof(file.rows).sum() == mine.sum() > 20
    assert planted.said("plot", fast, "-F", "copy_vector", "-f", "svg", "--data", "-o", tmp_path).returncode == 0
    assert "Crosses: more than 2 % above its roof: not a result." in (tmp_path / "copy_vector.caption.txt").read_text()
    head, *lines = (tmp_path / "copy_vector.tsv").read_text().split("\n\n\n")[0].splitlines()[1:]
    assert "yes" in {line.split("\t")[head.split("\t").index("above")] for line in lines}
    assert "pt 2 " in (tmp_path / "copy_vector.gp").read_text()
    told = compare(results.read(path), file, kernel="copy")
    above, lost = len(near), ((of["kernel"] == "copy") & (of["status"] != "ok")).sum()
    assert (told["verdict"] == "not measured").sum() == above + lost and not (told["verdict"] == "faster").any()
    assert f"\n{above} points above the roof on a side, which is no result\n" in planted.said("compare", path, fast, "-k", "copy").stdout
    assert any(f"{above} pairs not compared" in line for line in told.attrs["assumed"])
    assert f"{above} above their roof" in planted.said("compare", path, fast, "-k", "copy", "--fail-above", "5%").stderr
    study = Study([file])
    assert not study.best(["kernel", "variant"])[".above"].any()
    assert f"{above} of " in " ".join(content._limits(study, saying.Say(study, ROOT / "analysis")).findings)
    sheet = tables.cells(study.rows, ".share")
    assert sum("§" in cell.mark for cell in sheet) == above


def test_shipped_points_above_their_roof_are_explained():
    """Every one is of a family of the table in measurement.md, and no larger; each row of it is needed."""
    page = (ROOT / "docs/method/measurement.md").read_text().split("Those above 1 have these reasons:")[1].split("<!--")[0]
    most = {family: float(share) for names, share in re.findall(r"^\| (`.*?) \| ([\d.]+) \|", page, re.M) for family in re.findall("`(.*?)`", names)}
    found, above = {}, []
    for path in DATA.rglob("*.h5"):
        of = results.read(path, columns=()).rows
        above += [(path.name, row.get("hint")) for _, row in of[rows.is_above_roof(of)].iterrows()]
        share = columns.reals(of, "fraction_peak")
        low = rows.interval(of, "fraction_peak")[0].fillna(share)
        for kernel, highest in share[low > 1].groupby(of["kernel"]).max().items():
            found[kernel] = max(highest, found.get(kernel, 0))
    assert above == [("h200-l2-fetch.h5", "evict_last")]
    assert found.keys() == most.keys()
    for share in set(most.values()):
        assert share - 0.002 < max(found[name] for name, limit in most.items() if limit == share) <= share


def test_a_roof_between_peaks_is_not_called_measured():
    made = pd.DataFrame({"roof": ["dram_mix"] * 3 + ["l2", "l2", "flop_f32"], "bytes_read": [1.0, 2.0, 9.0, 1.0, 2.0, 2.0],
                         "bytes_written": [1.0, 1.0, 0.0, 0.0, 1.0, 1.0]})
    assert (rows.roof_origins(made) == rows.BETWEEN).tolist() == [False, True, False, False, True, False]
    assert set(rows.roof_origins(made.assign(backend="predicted"))) == {rows.PROFILE}
    for name in ("h100-links", "h200-links"):  # links used both ways
        links = told(name)
        links = links[(links["roof"] == "link_peer") & (links["status"] == "ok")]
        both = links["roof_rate"] > 1.5 * links["link_peak"]
        assert both.any() and set(rows.roof_origins(links[both])) == {rows.SUMMED} and set(rows.roof_origins(links[~both])) == {rows.MEASURED}
    frame = told("h100-paper")
    for kernel, origin in (("gather", rows.BETWEEN), ("copy", rows.MEASURED)):
        (entry,) = (entry for _, entry in findings.compared(frame).query(f"kernel == '{kernel}'").iterrows())
        assert f"of the roof (DRAM read and write, {origin}" in findings.describe(frame, entry)
