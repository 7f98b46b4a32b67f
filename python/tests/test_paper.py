"""Papers of what files hold: sections, sentences, the folder, and LaTeX that compiles, weekly for every shipped file."""
import copy
import os
import re
import shutil
import subprocess
import zlib
from functools import lru_cache
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest

pytest.importorskip("jinja2")
from warpsweep.__main__ import main  # noqa: E402
from warpsweep.errors import UsageError  # noqa: E402
from warpsweep.sheet import Number  # noqa: E402
from warpsweep.latex import DAGGER, _UNKNOWN, SIGNS, latex, refuse_unknown  # noqa: E402
from warpsweep import claims, directives, findings, kernels, plots, units  # noqa: E402
from warpsweep.paper import content, drawing, folder, gaps, render, saying, tables  # noqa: E402
from warpsweep.paper.study import Study  # noqa: E402
from warpsweep.orders import Times, of_rows  # noqa: E402
from warpsweep.reports import summary  # noqa: E402
from warpsweep.reports.sources import done_text  # noqa: E402
from warpsweep.results import read  # noqa: E402
from warpsweep.rows import with_description  # noqa: E402
from planted import rewritten, said, table  # noqa: E402

ROOT = Path(os.environ.get("REPOSITORY", Path(__file__).resolve().parents[2]))
DATA = ROOT / "analysis/data"
SHIPPED = sorted(path.relative_to(DATA).as_posix() for path in DATA.rglob("*.h5"))
DAILY = "h200-numerics.h5"
ALL = [DAILY, *(pytest.param(name, marks=pytest.mark.weekly) for name in SHIPPED if name != DAILY)]
QUICK = [word for name in ("max_time=10ms", "min_samples=3", "replicates=1", "cache=hot") for word in ("--set", f"timing.{name}")]


@lru_cache(maxsize=None)
def study(*names):
    """No test changes it but on a deep copy."""
    return Study([read(DATA / name) for name in names])


@lru_cache(maxsize=None)
def paper_of(*names):
    """The content of a paper with a figure for each family."""
    of = study(*names)
    figures = [drawing.Drawn(f"figure_of_{name}", f"About {name}", name, caption=f"Shows {name}.") for name in of.by_name]
    return content.make(of, saying.Say(of, ROOT / "analysis"), figures)


def sentences(paper):
    """Of the abstract and of every section of the short paper, and captions."""
    yield from paper.abstract
    for section in (one for section in paper.sections if not section.detail for one in section.whole):
        yield from (*section.paragraphs, *section.findings, *(figure.caption for figure in section.figures),
                    *(sheet.caption for sheet in section.tables))


# ---- Content -------------------------------------------------------------------------------------------------------


def test_a_paper_is_of_what_the_file_holds():
    paper = paper_of("h100-links.h5")
    keys = [section.key for section in paper.sections if not section.detail]
    assert keys == ["devices", "method", "roofs", "vendors", "kernels", "predictions", "limits"]  # no formulas, nothing compared
    parts = next(section for section in paper.sections if section.key == "kernels").parts
    assert [part.title for part in parts] == list(paper.study.by_name)
    assert "peer_copy and peer_latency" in paper.abstract[0] and "memory" not in " ".join(paper.abstract)
    assert all(section for section in paper.sections)


@pytest.mark.weekly
def test_two_devices_are_compared():
    paper = paper_of("h100-paper.h5", "h200-paper.h5")
    text = " ".join(next(section for section in paper.sections if section.key.startswith("compared")).findings)
    assert re.search(r"\w+ is 1\.\d\d times as fast where its roofs are 1\.\d\d times as high\.", text)


def test_a_ratio_says_what_its_interval_is_for():
    of = study("h100-copy.h5", "h200-copy.h5")
    (one,) = claims.of_devices(of)
    text = saying.Say(of, ROOT / "analysis").one("abstract", of, [one], "")
    assert "the interval is for other GPUs of these products" in text
    last = one.ratios.iloc[-1]
    count = int(last[["points_faster", "points_slower", "points_same", "points_uncertain"]].sum())
    assert f"{units.format(last['speedup'], last['half'])} times as fast as H100 (geometric mean over {count} points" in text  # as in the table


def test_a_gap_to_the_vendor_has_the_counters_that_differ_or_is_not_explained():
    of = study("h100-ladder.h5")
    rows = of.all[(of.all["kernel"] == "matmul") & (of.all["status"] == "ok") & (of.all["repeat"] == 0) & (of.all["n"] == 4096)]
    vendor, own = (rows[rows["variant"].str.startswith("cublas") == theirs]["time_median"].min() for theirs in (True, False))
    one, other = gaps.gaps(of)
    assert one.own["kernel"] == "matmul" and one.times.value == pytest.approx(own / vendor) and one.times.is_better
    assert not other.times.is_better  # 1.03 ± 0.05
    conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
    assert one.counters[0].startswith("l1tex data bank conflicts pipe lsu mem shared sum 48.82 million instead of 27,760")
    assert (one.vendor[conflicts], one.own[conflicts]) == (pytest.approx(4.882e7, rel=1e-3), pytest.approx(2.776e4, rel=1e-3))
    say = saying.Say(of, ROOT / "analysis")
    assert f"matmul: cublas is {units.format(one.times.value, one.times.half)} times as fast on H100 as tma. Counters of cublas that differ most: l1tex" in say.one("gap", one)
    assert one.times.half > 0 and gaps.works(of, [one]) == ["matmul m 4096, n 4096, k 4096, cache hot"]
    times = Times(0.9, 0.88, 0.92)
    assert times.is_worse and not times.is_better and not one.times.is_worse
    (activation,) = (one for one in gaps.gaps(study("h200-paper.h5")) if one.own["kernel"] == "silu_mul")
    assert activation.names[0] != activation.names[1] and not activation.times.is_better  # 1.007 times: that does not matter
    alike = gaps._gap(of, "matmul", one.own, one.own, Times(1.0, 1.0, 1.0))
    assert alike.counted and not alike.counters and say.one("gap", alike).endswith(" is not explained: no counter differs by a quarter.")
    (link, *_) = gaps.gaps(study("h100-links.h5"))  # without counters
    assert say.one("gap", link).endswith(" is not explained: no counters of both were read.")
    assert link.vendor["variant"] == "copy_engine" and "the vendor's library or copy engine is faster" in say.one("vendors", [link])


def test_each_type_is_compared_with_the_vendors_kernel_and_a_workspace_is_no_work():
    of = study("h200-tensor.h5")
    found = {one.what: one for one in gaps.gaps(of)}
    assert {what: one.own["m"] for what, one in found.items()} == {
        **{f"tensor_matmul {name}": 8192 for name in ("bf16", "e4m3", "u8", "tf32")}, "tensor_matmul f16": 4096}
    assert found["tensor_matmul e4m3"].times.is_better and found["tensor_matmul u8"].times.is_worse
    assert gaps.works(of, list(found.values()))[0].startswith("tensor_matmul bf16, e4m3, u8 and tf32 m 8192, n 8192, k 8192, promote 0")
    sums = [one for one in gaps.gaps(study("h200-paper.h5")) if one.own["kernel"] == "reduce"]  # ours have counters of blocks
    assert [one.vendor["variant"] for one in sums] == ["cub_device"] * 2 and all(one.own["footprint"] > one.vendor["footprint"] for one in sums)


def test_equal_work_is_equal_in_every_axis_that_is_no_choice():
    for name in ("h100-numerics.h5", "h200-numerics.h5"):
        found = gaps.gaps(study(name))
        assert {one.own["dtype"] for one in found} == {"e4m3", "bf16", "f16", "tf32"}
        for one in found:
            work = kernels.family("tensor_matmul").work(one.own.index.intersection(study(name).columns.axes()))
            assert {"promote", "data", "sparse"} <= {*work} and one.own[work].equals(one.vendor[work])
    of = study("h200-tensor.h5")
    same = findings.same_work(of.rows)
    first = of.rows[of.rows["m"] == 4096].index[0]
    other = of.rows.assign(promote=of.rows["promote"].where(of.rows.index != first, 7))
    other.attrs = of.rows.attrs
    assert (same == same[first]).sum() > 1 and (findings.same_work(other) == findings.same_work(other)[first]).sum() == 1


def test_a_ratio_to_the_vendor_names_clocks_that_differ_and_tests_both_ends():
    found = gaps.gaps(of := study("h200-tensor.h5"))
    (told,) = saying.Say(of, ROOT / "analysis")("vendors", found)
    clocks = {one.what: one.clocks for one in found if one.clocks}
    assert {*clocks} == {"tensor_matmul e4m3", "tensor_matmul f16", "tensor_matmul u8"}
    assert "tensor_matmul u8 on H200 (1711 MHz of ours, 1543 of the vendor's)" in told and "bf16" not in told
    near = Times(1.012, 1.008, 1.016)
    assert not near.is_better and not near.inverse.is_worse and near.inverse.inverse.low == pytest.approx(near.low)


def test_reports_and_papers_judge_a_vendor_by_one_interval():
    of = study("h200-sustained.h5")
    told = {one.what: one.times for one in gaps.gaps(of)}
    (ours,) = (words for words in said_of_vendors(of) if "ours are" in words)
    faster, slower, apart = re.fullmatch(r".* faster in (.*); slower in (.*); not told apart by 1 % in (.*)\.", ours).groups()
    assert {what for what, times in told.items() if times.is_worse} == {re.sub(r" \(.*", "", faster)}
    assert {what for what, times in told.items() if times.is_better} == {re.sub(r" \(.*", "", slower)}
    assert {what for what, times in told.items() if not times.is_better and not times.is_worse} == {*apart.split(", ")}
    e4m3 = told["tensor_matmul e4m3"]
    assert f"{units.span(100 * e4m3.low - 100, 100 * e4m3.high - 100)} %" in slower


def said_of_vendors(of):
    """What the summary of a report says of the vendor's libraries."""
    frame = with_description(of.all)
    return [summary._vendors(frame, findings.rivals(frame, ".source"))]


def test_other_variants_are_judged_by_their_fastest_point():
    frame = with_description(study("h200-paper.h5").all)
    entries = findings.compared(frame).set_index("kernel")
    done = findings.same_work(frame)
    assert entries["next"].isna()["lookup"]  # another variant is as fast, at its best
    for _, entry in entries[entries["next"].notna()].iterrows():
        top, other = frame.loc[entry["row"]], frame.loc[int(entry["next"])]
        alike = frame[(done == done[top.name]) & (frame["kernel"] == top["kernel"]) & (frame["variant"] == other["variant"]) & ~frame[".vendor"]]
        alike = alike[(alike["status"] == "ok") & (alike["repeat"] == 0) & (alike[".group"] == top[".group"]) & alike[".rank"].notna()]
        assert other.name == alike["time_median"].idxmin() and entry["over_next"].low > 1.01
        (again,) = of_rows(frame, pd.DataFrame({"worse": [other.name], "better": [top.name]}))
        assert again == entry["over_next"] and again.value == pytest.approx(other["time_median"] / top["time_median"], rel=0.01)


def test_candidates_are_counted_of_the_variant_that_is_named():
    rows = with_description(study("h200-energy.h5").all)
    (one,) = (entry for _, entry in findings.compared(rows).iterrows() if entry["kernel"] == "matmul")
    assert "(best of 1; register: best of 1)" in findings.describe(rows, one)


def test_files_with_one_process_and_several_state_both():
    of = study("h100-numerics.h5", "h100-copy.h5")
    say, told = saying.Say(of, ROOT / "analysis"), content.facts(of.files)
    assert "Points were timed in 1 to 3 processes each" in say.one("abstract", of, [], "")
    assert ", from 3 fresh processes together where several timed them, each in another random order" in say.one("method", told)
    alone = study("h100-copy.h5")
    assert "Points were timed in 3 processes each" in saying.Say(alone, ROOT / "analysis").one("abstract", alone, [], "")
    assert "where several" not in say.one("method", content.facts(alone.files))


def test_a_paper_says_what_a_run_lacks_and_counts_points_that_are_shown():
    lacking = copy.deepcopy(read(DATA / "h200-torch.h5"))
    lacking.environment.loc[lacking.environment["name"] == "verdict", "value"] = "not good"
    lacking.environment.loc[len(lacking.environment)] = [1, "verdict.stopped", "after 432 of 1296 measurements"]
    of = Study([lacking])
    told = saying.Say(of, ROOT / "analysis").one("abstract", of, [], "")
    assert "h200-torch.h5 is not good (stopped: after 432 of 1296 measurements)." in told
    results = copy.deepcopy(read(DATA / "h100-energy.h5"))
    assert not Study([results]).lacking and not study("h200-paper.h5").lacking
    ok = results.rows.index[(results.rows["status"] == "ok") & (results.rows["repeat"] == 0)]
    results.rows.loc[ok[:2], "status"] = "failed"
    assert f"at {len(ok) - 2} points on H100." in saying.Say(shown := Study([results]), ROOT / "analysis").one("abstract", shown, [], "")


def test_the_energy_of_a_best_point_is_of_random_data():
    of = study("h200-energy.h5")
    (row,) = (row for _, row in claims.of_energy(of).iterrows() if row["kernel"] == "copy")
    assert "fill random" in row["point"] and row["value"] == pytest.approx(18.84, abs=0.005)


def test_a_ladder_has_its_steps_and_its_best_step_beside_the_library():
    of = study("h100-ladder.h5")
    (d,) = directives.read_folder(ROOT / "analysis", ["ladder"])
    figure = plots.Request(plots.read_rows(of.all)).make(d)[0]
    assert "m 4096" in figure.caption and "cache hot" in figure.caption and "Bars: 95 % intervals" in figure.caption
    assert (figure.points["low"] < figure.points["high"]).all()
    drawn = drawing.Drawn("ladder", "", "*", figure.caption, rows=figure.rows)
    section = content._ladder(of, saying.Say(of, ROOT / "analysis"), {"ladder": drawn})
    assert section.figures == [drawn] and [row[0] for row in section.tables[0].rows][:2] == ["naive", "tiled"]
    rows = of.rows[of.rows[".ok"] & (of.rows["kernel"] == "matmul") & (of.rows["n"] == 4096)]
    library = rows[rows["variant"].isin(["cublas", "cublaslt"])]["flop_rate"].max()
    own = rows[(rows["variant"] == "tma") & (rows["tile_shape"] == "128x256") & (rows["group"] == 16)]["flop_rate"].max()
    told = re.search(r"In f32 on H100 the best own step, tiles of 128 x 256, has (\S+) ± (0\.0\d*[1-9]\d*) times the rate of cuBLAS", " ".join(section.findings))
    assert told and abs(float(told[1]) - own / library) < 0.01
    without = content._ladder(of, saying.Say(of, ROOT / "analysis"), {})
    assert not without


def test_a_paper_says_where_counters_prove_the_state_of_l2():
    results = copy.deepcopy(read(DATA / "h100-energy.h5"))
    results.rows["l2_state"] = "unknown: not counted"
    assert "No counters prove the state of L2." in method(results)
    results.rows.loc[results.rows["repeat"] == 0, "l2_state"] = "proved"
    first = results.rows.index[results.rows["repeat"] == 0][0]
    results.rows.loc[first, "l2_state"] = "disproved: DRAM reads are 14.2 % of the reads of L2"
    count = int(((results.rows["repeat"] == 0) & (results.rows["status"] == "ok")).sum())
    assert f"Counters prove this state of L2 at {count - 1} points and disprove it at 1 point ({results.rows.loc[first, 'kernel']});" in method(results)


def test_numbers_and_units_are_apart_but_in_commands():
    assert latex("size 1GiB, 4.32us and 60MiB") == r"size 1\,GiB, 4.32\,us and 60\,MiB"
    assert latex("run --set size=64KiB,1MiB f32 2ms_x") == r"run -{}-set size=64KiB,1MiB f32 2ms\_x"


def test_roofs_have_names_in_narrow_panels():
    (d,) = directives.read_folder(ROOT / "analysis", ["peer_copy_size"])
    lines = [line for line in plots.Request(plots.read_rows(study("h100-links.h5").all)).make(d)[0].lines if not line.upright]
    assert len(lines) > 1 and all(re.match("(DRAM|L2|link) ", line.brief) for line in lines)


def test_predicted_times_are_counted():
    of = study("h100-energy.h5")
    said = summary.times(of.all)
    assert summary.times(study("h200-paper.h5").all).endswith("; points without a prediction: 5.")  # constants, and L2 on its borders
    assert re.match(r"Times predicted without counters are within 15 % of the measured ones at \d+ of \d+ points with known addresses \(\d+ of fitted families\)", said)
    one = of.all[of.all["kernel"] == "reduce"]
    one.attrs = of.all.attrs
    assert "least often" not in summary.times(one)


def test_one_number_of_predictions_is_near_in_sentence_figure_and_report():
    of = study("h200-paper.h5")
    near, known = re.search(r"measured ones at (\d+) of (\d+) points with known", summary.times(of.all, of.verdicts)).groups()
    (d,) = directives.read_folder(ROOT / "analysis", ["predicted"])
    assert f"Of {known} points with known addresses, {near} are" in plots.Request(plots.read_rows(of.all)).make(d)[0].caption
    share = 100 * int(near) / int(known)
    assert re.search(rf"before counting, from the roofs of the run \| known \| {known} \| \S+ % \| {share:.1f} %", said("report", "--bounds", DATA / "h200-paper.h5").stdout)


def test_a_default_figure_has_the_axis_that_varies_alone():
    """m, n and k of products vary together, so that a figure against one of them would have a point for each variant."""
    rows = plots.read_rows(study("h200-sustained.h5").all)
    d, of = plots.default(rows, "tensor_matmul")
    made = plots.Request(of).make(d)[0]
    assert d.one("x") == "dtype" and len(made.points) >= 5
    d, of = plots.default(plots.read_rows(study("h200-torch.h5").all), "softmax")
    assert d.one("x") == "columns"


def test_a_title_names_few_families():
    assert paper_of("h100-links.h5").title == "peer_copy and peer_latency on H100" and paper_of("h200-copy.h5").title == "copy on H200"
    assert paper_of("h200-paper.h5").title == "Kernels on H200"


def test_a_lowered_clock_is_marked_wherever_a_rate_is_printed():
    of = copy.deepcopy(study("h100-ladder.h5").files[0])
    of.rows["clock_share"] = 0.9
    lowered = Study([of])
    rows = claims.steps(lowered, ROOT / "analysis")
    numbers = [cell for row in tables.steps(lowered, "", rows).rows for cell in row if isinstance(cell, Number)]
    assert len(numbers) > 5 and all(one.mark == DAGGER for one in numbers)
    (d,) = directives.read_folder(ROOT / "analysis", ["ladder"])
    assert "Rings: SM clock below 98 %" in plots.Request(plots.read_rows(lowered.all)).make(d)[0].caption
    assert all(row[-1].mark == DAGGER for row in gaps.table(lowered, "", gaps.gaps(lowered)).rows)
    say = saying.Say(lowered, ROOT / "analysis")
    assert "98 % of its highest at 2 of 2 best points" in say.one("abstract", lowered, [], "")
    best = lowered.best(["kernel", ".label"]).query("kernel == 'matmul'")
    assert say.one("family", lowered, lowered.by_name["matmul"], best).endswith(", at a lowered SM clock.")


def test_the_best_result_says_what_it_is_of():
    of = study("h200-sustained.h5")
    text = saying.Say(of, ROOT / "analysis").one("abstract", of, [], "")
    assert re.search(r"TFLOP/s \(\w+ (tf32|bf16|f16|e4m3|u8): \S+ ± \S+ % of ", text) and "timed in 3 processes each" in text
    of = study("h200-copy.h5")
    assert "By the share of its roof, the best result on H200 is " in saying.Say(of, ROOT / "analysis").one("abstract", of, [], "")
    of = study("h200-chip.h5")  # one of seven families has a roof
    text = saying.Say(of, ROOT / "analysis").one("abstract", of, [], "")
    assert re.search(r"On H200 the best variant of the one family with a roof reaches 97 % of its roof\. .* from up to 19 points", text)
    of = study("h200-mma.h5")  # without a roof
    text = saying.Say(of, ROOT / "analysis").one("abstract", of, [], "")
    assert "The best result on H200 is " in text
    assert re.search(r"TFLOP/s \(wgmma_rs bf16, of \d+ comparable points\)\. Each best point was chosen .* at the best point\.", text)
    links = paper_of("h100-links.h5")
    kernels = next(section for section in links.sections if section.key == "kernels")
    said = {part.title: part.paragraphs[0] for part in kernels.parts}
    assert re.search(r"the best of \d+ points is ", said["peer_copy"]) and re.search(r"the lowest of \d+ comparable points is ", said["peer_latency"])


def test_the_table_of_families_counts_the_points_that_compete():
    of = study("h200-paper.h5")
    rows = {row[0]: row for row in tables.families(of, "").rows}
    best = of.best(["kernel", ".label"]).set_index("kernel")[".of"]
    assert of.by_name["latency"].points == 19 and rows["latency"][1] == best["latency"] == 7 and rows["copy"][1] == best["copy"]


def test_a_librarys_kernel_has_no_choices_of_ours():
    of = study("h200-paper.h5")
    at = {name: of.rows.loc[of.rows["variant"] == name, ".at"] for name in ("cublaslt", "register")}
    assert not at["cublaslt"].str.contains("tile").any() and at["register"].str.contains("tile").all()
    activation = of.rows[(of.rows["kernel"] == "silu_mul") & of.rows[".vendor"]]
    assert activation[".at"].str.contains("loop cub_transform").all() and not activation[".at"].str.contains("unroll").any()
    choices = study("h200-heuristic.h5").rows.query("kernel == 'tensor_matmul' and variant == 'cublaslt'")[".at"]
    assert choices.str.contains("lt_algorithm").all()  # those that vary are said


def test_a_transient_is_no_result_but_a_figure(tmp_path, placeholders):
    of = study("h200-heat.h5")
    assert not of.rows[".result"].any() and not len(claims.claims_of(of))
    told = " ".join(limits("h200-heat.h5"))  # of six points no percentile, no interval that could miss, no distance to a roof
    assert "lowest to highest" in told and "intervals at 95 %" not in told and "that of its roof" not in told
    second = copy.deepcopy(of.files[0])
    second.devices["uuid"] = "GPU-other"
    assert not claims.of_devices(Study([of.files[0], second]))
    make(tmp_path / "paper", DATA / "h200-heat.h5")
    text = (tmp_path / "paper/paper.tex").read_text()
    shown = re.findall(r"includegraphics\{figures/(\w+)", text)
    assert shown == ["heat"]  # no figure of one dot
    assert "cublaslt bf16 zeros" in (tmp_path / "paper/tables/loads.tex").read_text()
    assert "rates are 82 to 101" in (tmp_path / "paper/sections/abstract.tex").read_text()
    assert "Best kernels" not in text and not (tmp_path / "paper/sections/vendors.tex").exists()


def test_two_devices_say_in_what_their_conditions_differ():
    files = copy.deepcopy(study("h100-numerics.h5", "h200-numerics.h5").files)
    alike = Study(files)
    names = alike.devices
    files[1].devices["driver"] = "999.1"
    told = content.apart(Study(files), names)
    assert f"driver {files[0].devices['driver'].iloc[0]} on H100, 999.1 on H200" in told
    words = saying.Say(alike, ROOT / "analysis").one("compared", claims.of_devices(alike)[0], pd.Series([1, 0, 0, 0]), [], ["add"], told)
    (one,) = claims.of_devices(alike)
    for code, proved in (("", "That both ran equal code is proved of 0 of "), ("same", "")):
        said = saying.Say(alike, ROOT / "analysis").one("abstract", alike, [one._replace(ratios=one.ratios.assign(code=code))], "")
        assert proved in said and bool(proved) == ("is proved of" in said)
    assert "equal code is not known of 1 family" in words and "Conditions that differ: " in words and "999.1" in words


def test_a_part_has_a_title_of_its_own_and_a_wait_has_no_energy_per_bit():
    paper = paper_of("h200-paper.h5")
    formulas = next(section for section in paper.sections if section.key == "formulas")
    titles = [part.title for part in formulas.parts]
    assert len(set(titles)) == len(titles) and "gather" in titles and len(formulas.parts[titles.index("gather")].findings) == 2
    energy = next(section for section in paper_of("h100-energy.h5").sections if section.key == "energy")
    assert [text.split()[0] for text in energy.findings] == ["copy", "matmul", "reduce", "shared_stride"]  # no latency


def test_the_reference_to_warpsweep_has_a_year_and_the_commit(tmp_path, placeholders):
    make(tmp_path / "paper", DATA / "h100-energy.h5")
    entry = (tmp_path / "paper/references.bib").read_text().partition("\n}")[0]
    (year,) = re.findall(r"^date-released: (\d{4})", (ROOT / "CITATION.cff").read_text(), re.M)
    assert f"year = {{{year}}}" in entry and "author = " in entry
    measured = study("h100-energy.h5").files[0]
    assert f"Release {measured.env('release')}, commit {measured.env('commit')[:12]}" in entry  # what measured, not what prints
    runs = (tmp_path / "paper/sections/method.tex").read_text()
    assert measured.env("seed") in runs and "jobs/energy.yaml" in runs.replace("\\allowbreak", "").replace("{}", "")
    text = (tmp_path / "paper/paper.tex").read_text()
    assert "See Table~\\ref{tab:devices}." in text and "has the numbers" not in text and "shows it" not in text


@pytest.mark.parametrize("names", [pytest.param(("h100-paper.h5", "h200-paper.h5"), marks=pytest.mark.weekly),
                                   ("h100-links.h5",), pytest.param(("h100-chip.h5",), marks=pytest.mark.weekly)])
def test_no_sentence_is_there_twice(names):
    said = [one for text in sentences(paper_of(*names)) for one in re.split(r"(?<=[a-z)]\.) ", text)]
    allowed = ("±", "It was chosen from as many")  # notes of tables
    twice = {one for one in said if said.count(one) > 1 and not one.startswith(allowed)}
    assert not twice


def limits(*names):
    return content._limits(study(*names), saying.Say(study(*names), ROOT / "analysis")).findings


def test_limits_name_units_boards_and_counters():
    assert "2 units of 1 product were measured" in limits("h200-runs/unit1-copy.h5", "h200-runs/unit2-copy.h5")[0]
    alone = " ".join(limits("h200-runs/unit1-copy.h5"))
    assert "One unit of each product was measured" in alone
    assert "do not record how long" in alone  # no timeline
    first, board, *_ = limits("h200-copy.h5")
    assert "The shipped profile of NVIDIA H200 states the standard deviation of units of one board revision: 0." in first
    assert "pooled over 12 runs on 10 units" in first and "NVIDIA H200 692-2G520-0282-001" in board


@pytest.mark.parametrize("names", [("h200-paper.h5",), pytest.param(("h100-paper.h5", "h200-paper.h5"), marks=pytest.mark.weekly)])
def test_limits_answer_what_a_reviewer_asks(names):
    found, of = limits(*names), study(*names)
    points = 1096 * len(names)
    for pattern in (
            r"SM clock was \d+ to \d+ MHz .* At \d+ of \d+ measurements the SM clock was below 98 %",
            rf"At {819 * len(names)} of {points} measurements, other data was written through L2 .* Stores were 50 % of the bytes",
            rf"\d+ of {points} measurements are of launches in CUDA graphs\. Nsight Compute",
            r"Hosts \(vm\) are virtual machines, of kvm" if len(names) == 1 else r"Not all files record .* The hosts \(vm\) are not known to be bare metal",
            r"The runs? took \d\.\d( to \d\.\d)? minutes",
            r"timed in 3 processes\. .* 25 % of the runs",
            rf"of {points} intervals at 95 %, some {round(points / 20)} miss on average",
            r"chosen after the measurement.*7 to 194 points.* best variants are the vendor's: .*cublas(lt)? for matmul on",
            "One board revision of each product was measured", r"\d+ of \d+ compared predictions .* in-sample"):
        assert sum(bool(re.search(pattern, text)) for text in found) == 1, pattern
    abstract = saying.Say(of, ROOT / "analysis").one("abstract", of, [], "")
    assert re.search(r"families with a roof, of which \d are the vendor's, reach .* chosen after the measurement, from up to 194 points", abstract)


def method(*files):
    of = study("h100-energy.h5")
    return " ".join(saying.Say(of, ROOT / "analysis")("method", content.facts(files)))


def test_method_tells_what_happened():
    results = copy.deepcopy(read(DATA / "h200-paper.h5"))
    text = method(results)
    assert "and disprove it at 1 point (latency)" in text and "a reason to lower it at 67 points (sw_power_cap)." in text
    assert f"The limits ended it at {(results.rows['stop'][results.rows['repeat'] <= 0] == 'max_time').sum()} points." in text
    assert "3 fresh processes" in text and "Hardware counters of 987 points" in text
    assert "(800 points), or around a single launch (296)" in text
    results.rows["counters_status"] = "denied"
    results.rows[["processes", "sd_process"]] = [1.0, np.nan]
    text = method(results)
    assert "Hardware counters" not in text and "No hardware counters were read." in text and "of this process alone" in text
    results.rows["backend"] = "host"
    assert "was compared with a reference" not in method(results)
    results.rows["backend"] = "fake"
    assert "made up the times" in method(results) and done_text(results) == "made up"
    results.rows["backend"] = "predicted"
    assert "Nothing was measured" in method(results) and "verified" not in method(results)


def test_method_says_of_clocks_graphs_and_counters_what_was_done():
    sustained, heat = (method(read(DATA / f"h200-{name}.h5")) for name in ("sustained", "heat"))
    single = copy.deepcopy(read(DATA / "h200-sustained.h5"))
    single.rows["timer"] = "single"
    assert "a graph of" in sustained and "CUDA events around a single launch." in method(single) and "a graph of" not in method(single)
    assert "samples are whole seconds" in sustained and "within its target, when it no longer shrank, or at the limits" in sustained
    assert "sampled from its first launch on" in heat and "within its target" not in heat and "One process timed each point" in heat
    assert not re.search("marked|Comparisons", method(read(DATA / "h200-paper.h5")))  # not what the driver told, but a lowered clock
    say = saying.Say(study("h100-energy.h5"), ROOT / "analysis")
    missing = {**content.facts([read(DATA / "h100-energy.h5")]), "notes": ["no tensor_ops_f4"]}
    assert "Counters that are missing: no tensor_ops_f4." in say.one("method", missing)
    assert "Counters were not read: no tensor_ops_f4." in say.one("method", {**missing, "counted": ""})
    energy = method(read(DATA / "h100-energy.h5"))
    assert "NVML's counter" in energy and "NVML's counter" not in sustained


def test_limits_know_the_host_and_the_coverage_that_the_method_page_has():
    found = " ".join(limits("h100-copy.h5"))
    (covered,) = re.findall(r"95 % intervals\s+then cover only (\d+ %)", (ROOT / "docs/method/measurement.md").read_text())
    assert f"95 % intervals cover {covered}" in found and "not known to be bare metal" in found
    of = copy.deepcopy(study("h100-copy.h5"))
    for hypervisor, words in (("kvm", "are virtual machines, of kvm."), ("none", "are no virtual machines.")):
        of.files[0].devices["host_hypervisor"] = hypervisor
        said = " ".join(content._limits(of, saying.Say(of, ROOT / "analysis")).findings)
        assert words in said and "do not record whether" not in said


def test_counts_are_whole_numbers_and_one_point_is_no_plural():
    paper = paper_of("h100-links.h5")
    counts = [row[1] for section in paper.sections for one in section.whole for sheet in one.tables
              if sheet.name.startswith("variants") for row in sheet.rows]
    assert len(counts) > 5 and all(type(count) is int for count in counts)
    told = " ".join(sentences(paper_of("h200-heat.h5")))
    assert "1 point" in told and not re.search(r"\b1 (points|cases|intervals|families|measurements)\b|1 are ", told)


def test_only_families_with_a_roof_gain_what_their_roofs_gain():
    of = study("h100-numerics.h5", "h200-numerics.h5")
    gains = content._gains(of, *of.devices)
    text = saying.Say(of, ROOT / "analysis").one("gains", gains, gains.iloc[:0], True)
    assert text.startswith(f"Of {len(gains)} famil") and "with a roof on both devices, each gains" in text
    apart = pd.DataFrame({"gain": [0.9, 0.8], "roofs": [0.7, 0.95]}, ["lookup", "copy"])
    text = saying.Say(of, ROOT / "analysis").one("gains", apart, apart, True)
    assert "1 gains at least 5 % less than their roofs, and 1 at least 5 % more; the 2 furthest" in text


def test_a_clock_of_one_file_is_not_told_of_the_other():
    both = method(read(DATA / "h200-sustained.h5"), read(DATA / "h100-energy.h5"))  # of before clocks were chosen
    assert "In h200-sustained.h5: Rates are sustained" in both and "In h200" not in method(read(DATA / "h200-sustained.h5"))


@pytest.mark.parametrize("names", [("h100-energy.h5",), ("h100-numerics.h5", "h200-numerics.h5"), ("h200-heat.h5",)])
def test_sentences_are_short(names):
    """At most 40 words, without parentheses and the lists after a colon."""
    for text in sentences(paper_of(*names)):
        for one in re.split(r"(?<=[\w%†])[.:] +(?=[A-Z±†a-z])", re.sub(r" ?\([^()]*\)|Work: .*?\. ", "", text)):
            assert len(one.split()) <= 40, one


def test_numbers_that_differ_are_told_of_each():
    text = method(read(DATA / "h100-paper.h5"), read(DATA / "h200-paper.h5"))
    assert "(h100-paper.h5: 10 to 1000 samples, ci 0.005, 0.25 s; h200-paper.h5: 6 to 1000 samples, ci 0.005, 0.25 s, sustained clock; " in text
    assert "(762 and 800 points)" in text and "30 and 18 samples" in text and "nan" not in text


def test_a_file_says_how_it_was_made():
    of = study("h200-paper.h5")
    part = content._file(of.files[0], saying.Say(of, ROOT / "analysis"), [])
    assert part.paragraphs[0].startswith("h200-paper.h5 (The whole picture) holds 1113 points: 1096 measured")
    assert part.findings[0].startswith("NVIDIA H200 (board ") and "GB/s copying" in part.findings[0]
    files = next(section for section in paper_of("h200-paper.h5").sections if section.key == "files")
    assert not any("Each kernel ran once" in text for text in files.parts[0].paragraphs)  # section Method says it


# ---- The folder ----------------------------------------------------------------------------------------------------


def test_a_folder_appears_whole_and_replaces_nothing(tmp_path):
    made, mine = tmp_path / "new/paper", tmp_path / "mine"
    mine.mkdir()
    with pytest.raises(KeyboardInterrupt), folder.output(str(made)) as new:
        (new / "table").write_text("half")
        raise KeyboardInterrupt
    assert not any((tmp_path / "new").iterdir())
    for path in (made, mine):
        with folder.output(str(path)) as new:
            (new / "table").write_text("mine")
        with pytest.raises(UsageError, match="is not an empty folder"), folder.output(str(path)):
            pass
        assert [one.name for one in path.iterdir()] == ["table"]


# ---- The command ---------------------------------------------------------------------------------------------------


def needs_tex():
    if not shutil.which("pdflatex") or not shutil.which("kpsewhich") or subprocess.run(
            ["kpsewhich", "booktabs.sty"], capture_output=True).returncode:
        pytest.skip("no TeX Live: apt-get install texlive-latex-recommended lmodern")


def compiled(out):
    """What TeX says of a paper, from one pass in draft mode."""
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "paper.tex"],
                          cwd=out, capture_output=True)
    log = (out / "paper.log").read_text(errors="replace")
    assert done.returncode == 0, log[-2000:]
    assert not re.search("Missing character|multiply defined|too large", log)
    wide = [float(found) for found in re.findall(r"^Overfull .hbox \(([\d.]+)pt", log, re.M)]
    assert not wide or max(wide) < 8, re.findall(r"^Overfull .*", log, re.M)


def make(out, *files, options=(), code=0):
    assert main(["paper", *map(str, files), "-o", str(out), *options]) == code


def test_files_without_a_common_point_are_not_compared(program, tmp_path, placeholders, capsys):
    make(tmp_path / "paper", DATA / "h100-links.h5", DATA / "h100-contention.h5", options=["-v"])
    assert not list((tmp_path / "paper/sections").glob("compared*"))
    said = capsys.readouterr().out  # what is skipped is one line, and one more each with -v
    count = int(re.search(r"skipped, without data for them: (\d+) figures", said)[1])
    assert count == len(re.findall(r"^skipped \w+: .", said, re.M)) > 10


@pytest.mark.parametrize("name", ALL)
def test_the_paper_of_a_shipped_file_compiles(name, tmp_path, placeholders):
    needs_tex()
    make(tmp_path / "paper", DATA / name, options=["--full"] if "paper" in name else [])
    compiled(tmp_path / "paper")


def altered(name, out, status, every):
    """A shipped file whose points, or every second one, have another status and no time."""
    shutil.copy(DATA / name, out)
    with h5py.File(out, "r+") as file:
        old = file["results"][:]
        rows = np.zeros(len(old), [(field, "S11" if field == "status" else old.dtype[field])
                                   for field in old.dtype.names])
        for field in old.dtype.names:
            rows[field] = old[field]
        rows["status"][::every] = status
        for field in ("time_median", "time_ci_low", "time_ci_high", "bandwidth", "flop_rate", "fraction_peak",
                      "latency_p50"):
            if field in old.dtype.names:
                rows[field][::every] = np.nan
        del file["results"]
        file.create_dataset("results", data=rows).attrs["crc32"] = np.uint32(zlib.crc32(rows.tobytes()))
    return out


@pytest.mark.parametrize("status, every", [("failed", 1), ("unsupported", 2)])
def test_the_paper_of_points_without_times_compiles(status, every, tmp_path, placeholders):
    needs_tex()
    none = every == 1  # has a time
    make(tmp_path / "paper", altered("h100-cute.h5", tmp_path / "x.h5", status, every), options=["--full"], code=int(none))
    said = (tmp_path / "paper/sections/abstract.tex").read_text()
    assert ("no point of its files is ok" in said) == none == (" at 0 points on" in said)
    compiled(tmp_path / "paper")
    assert f"{status}" in (tmp_path / "paper/sections/limits.tex").read_text()


def test_the_paper_of_few_columns_compiles(synthetic, tmp_path, placeholders):
    needs_tex()
    make(tmp_path / "paper", synthetic)
    compiled(tmp_path / "paper")


def not_told_as_a_gpu(folder, kinds):
    assert kinds in (folder / "sections/abstract.tex").read_text()
    assert "Limits" not in (folder / "paper.tex").read_text() or "One unit" not in (folder / "sections/limits.tex").read_text()


def test_a_prediction_is_not_told_as_a_gpu(program, tmp_path, placeholders):
    needs_tex()
    subprocess.run([program, "predict", ROOT / "jobs/add.yaml", "--profile", "h200", "-o", tmp_path / "x.h5"], check=True, capture_output=True)
    make(tmp_path / "paper", tmp_path / "x.h5")
    compiled(tmp_path / "paper")
    not_told_as_a_gpu(tmp_path / "paper", "computed by the time model: they are not measured")


def test_papers_of_what_a_newcomer_has_compile(program, tmp_path, placeholders, capfd):
    """One point of a host, so that no axis varies; a family without bytes; a measured file and its prediction, from other hosts."""
    needs_tex()
    subprocess.run([program, "run", "--kernel", "copy", "--set", "size=64KiB", "--backend", "host", *QUICK, "-o", str(tmp_path / "one.h5")],
                   check=True, capture_output=True)
    subprocess.run([program, "predict", "--kernel", "copy", "--set", "size=1MiB,64MiB", "--profile", "h100", "-o", str(tmp_path / "guess.h5")],
                   check=True, capture_output=True)
    for number, files in enumerate(([tmp_path / "one.h5"], [DATA / "h100-mma.h5"], [DATA / "h100-copy.h5", tmp_path / "guess.h5"])):
        make(tmp_path / f"paper{number}", *files)
        assert not capfd.readouterr().err
        compiled(tmp_path / f"paper{number}")
    tables, papers = ([(tmp_path / f"paper{number}/{name}.tex").read_text() for number in range(3)] for name in ("tables/devices", "paper"))
    assert "Host processors" in tables[0] and "Compiler of warpsweep" in tables[0] and " core" in tables[0]
    assert "Not recorded" not in papers[0] and not any("not recorded" in table for table in tables)
    assert all("Not recorded: host processors, host memory, host system" in paper for paper in papers[1:])  # of older files, once
    make(tmp_path / "guess", tmp_path / "guess.h5")
    assert "Not recorded" not in (tmp_path / "guess/paper.tex").read_text()  # nothing was there to record
    not_told_as_a_gpu(tmp_path / "paper0", "is a CPU that ran the C reference")
    assert "TFLOP/s" in "".join(part.read_text() for part in (tmp_path / "paper1/sections").glob("kernels-*.tex"))


def test_an_own_family_has_a_figure(tmp_path, placeholders):
    """Of points of a kernel that no figure names: user_init makes and measures one."""
    rows = table(DATA / "h100-cute.h5", "results")
    rows["kernel"] = b"saxpy"
    make(tmp_path / "paper", rewritten(shutil.copy(DATA / "h100-cute.h5", tmp_path / "x.h5"), results=rows))
    assert "saxpy_flop_rate_" in (tmp_path / "paper/paper.tex").read_text()


def test_templates_are_the_users(tmp_path, placeholders):
    own = tmp_path / "analysis"
    own.mkdir()
    shutil.copytree(ROOT / "analysis/paper", own / "paper")
    shutil.copy(ROOT / "analysis/copy_size.gp", own)
    for name, before, after in (("paper.tex", r"\section{<<", r"\section{My <<"), ("sentences.txt", "No GPU was", "No chip was"),
                                ("sentences.txt", "measured in the same run", "timed in the same run")):
        text = (own / "paper" / name).read_text()
        assert before in text
        (own / "paper" / name).write_text(text.replace(before, after))
    make(tmp_path / "paper", DATA / "h100-energy.h5", options=["--analysis", str(own), "--title", "Two & <three>"])
    text = (tmp_path / "paper/paper.tex").read_text()
    assert r"\section{My Devices}" in text and "timed in the same run" in text and r"Two \& $<$three$>$" in text
    assert "<h1>Two &amp; &lt;three&gt;</h1>" in (tmp_path / "paper/index.html").read_text()


def test_what_occurs_in_physics_is_set(synthetic, tmp_path, placeholders):
    """Every sign that has a LaTeX name, and every letter that the fonts have, in a title: it compiles."""
    needs_tex()
    signs = sorted(set(SIGNS) - set("\n\r\t"))
    letters = [chr(code) for code in range(0xA0, 0x2200) if not _UNKNOWN.search(chr(code))]
    title = f"α ≥ Δ at 5 µs: {' '.join(signs)} {' '.join(letters)} e\u0301"
    make(tmp_path / "paper", synthetic, options=["--title", title])
    compiled(tmp_path / "paper")
    text = (tmp_path / "paper/paper.tex").read_text()
    assert r"\title{$\alpha$ $\geq$ $\Delta$ at 5 $\mu$s: " in text and " é}" in text
    assert "<h1>α ≥ Δ at 5 µs: " in (tmp_path / "paper/index.html").read_text()


def test_what_cannot_be_set_is_refused_by_name(synthetic, tmp_path, placeholders, capsys):
    assert main(["paper", str(synthetic), "-o", str(tmp_path / "paper"), "--title", "About 中 and more"]) == 2
    error = capsys.readouterr().err
    assert "do not have '中' (CJK UNIFIED IDEOGRAPH-4E2D), in '" in error and "About 中 and more" in error and error.count("\n") == 1
    assert list(tmp_path.iterdir()) == [synthetic]
    with pytest.raises(UsageError, match=r"'Ж' \(CYRILLIC CAPITAL LETTER ZHE\)"):
        refuse_unknown(latex("About Ж and more"))


def test_templates_may_have_fonts_of_their_own(synthetic, tmp_path, placeholders):
    shutil.copytree(ROOT / "analysis/paper", tmp_path / "own/paper")
    with open(tmp_path / "own/paper/preamble.tex", "a") as preamble:
        preamble.write("\\usepackage{fontspec}\n")
    shutil.copy(ROOT / "analysis/copy_size.gp", tmp_path / "own")
    make(tmp_path / "paper", synthetic, options=["--analysis", str(tmp_path / "own"), "--title", "中"])


def test_refusals(tmp_path, capsys):
    assert main(["paper", str(DATA / "h100-energy.h5")]) == 2
    assert "paper needs a folder to write: -o DIR" in capsys.readouterr().err
    assert main(["paper", str(tmp_path / "none.h5"), "-o", str(tmp_path / "p")]) == 2
    assert not (tmp_path / "p").exists()
