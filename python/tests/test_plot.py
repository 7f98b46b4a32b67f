"""Figures: the points that a figure selects, what its caption says, and that gnuplot draws its plain script."""
import errno
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree

import numpy as np
import pandas as pd
import planted
import pytest
from conftest import ROOT

import warpsweep
from warpsweep import __main__ as main
from warpsweep import captions, columns, directives, errors, figure, frames, outputs, plots
from warpsweep import gnuplot as page
from warpsweep.paper import folder as paper_folder

COPIES = ("copy_offset", "copy_size", "copy_stride", "copy_vector")


@pytest.fixture(scope="session")
def gnuplot():
    if not shutil.which("gnuplot"):
        pytest.skip("there is no gnuplot")


@pytest.fixture(scope="session")
def both(paper):
    return paper, paper.parent / "h200-paper.h5"


@pytest.fixture(scope="session")
def rows_of_both(both):
    return plots.read_rows(both)


@pytest.fixture
def plot(capsys):
    """Runs the command; returns exit code, output and errors."""
    def run(*words):
        code = main.main(["plot", *map(str, words)])
        said = capsys.readouterr()
        return code, said.out, said.err
    return run


def blocks(path):
    """NAME.tsv as frames by the name of the curve."""
    parts = re.findall(r"# \[(.*)\]\n((?:.+\n)+)", path.read_text())
    return {name: pd.read_csv(pd.io.common.StringIO(text), sep="\t") for name, text in parts}


# ---- What is drawn -------------------------------------------------------------------------------------------------


def test_two_devices_share_axes(gnuplot, plot, both, tmp_path):
    code, out, err = plot(*both, "-o", tmp_path, "-F", "copy_stride", "--data", "-f", "svg")
    assert (code, err) == (0, "") and out.startswith(f"{tmp_path}/copy_stride.svg: Copy bandwidth")
    curves = blocks(tmp_path / "copy_stride.tsv")
    assert set(curves) == {f"{panel}, {device}, {dtype}" for panel in ("load", "store") for device in ("H100", "H200")
                           for dtype in ("u8", "f16", "f32", "f64")}
    first = curves["load, H100, u8"].iloc[0]
    assert [first["x"], first["stride"]] == [1, 1] and first[["y", "low", "high"]].astype(float).round(3).tolist() == [815.48, 814.712, 816.249]
    script = (tmp_path / "copy_stride.gp").read_text()
    assert len(re.findall("NaN with lines lw 2.5", script)) == 2  # the key: devices, then types
    assert len(re.findall("NaN with linespoints", script)) == 4
    assert script.count("'64 bytes") == 1 and script.count("'32 bytes") == 1  # knees of the laws
    caption = (tmp_path / "copy_stride.caption.txt").read_text()
    assert "Fixed: size 1GiB, vector 1, block 256, items 1, cache cold." in caption
    assert "DRAM bytes read for an access = min(distance, 64) at 56 of 56 points" in caption
    roof = planted.table(both[1], "devices")["peak_copy"][0] / 1e9
    assert f"file h200-paper.h5; roofs measured in the same run: DRAM read and write {roof:.0f} GB/s." in caption
    # The script alone draws it again, elsewhere and in another format.
    copy = tmp_path / "again"
    copy.mkdir()
    for name in ("copy_stride.gp", "copy_stride.tsv"):
        shutil.copy(tmp_path / name, copy)
    subprocess.run(["gnuplot", "-e", "format='png'", "copy_stride.gp"], cwd=copy, check=True)
    assert (copy / "copy_stride.png").read_bytes().startswith(b"\x89PNG")


def test_crowded_figures_have_a_panel_per_device(gnuplot, plot, both, tmp_path):
    assert plot(*both, "-o", tmp_path, "-F", "gather_size", "-F", "matmul_columns", "--data", "-f", "svg")[0] == 0
    assert {name.split(", ")[0] for name in blocks(tmp_path / "gather_size.tsv")} == {"H100", "H200"}
    script = (tmp_path / "gather_size.gp").read_text()
    assert "'L2: 50MiB'" in script and "'L2: 60MiB'" in script
    throttled = pd.concat(blocks(tmp_path / "matmul_columns.tsv").values())
    clocks = [table.loc[table["kernel"] == "matmul", "sm_clock"] for table in map(frames.frame, both)]
    assert (throttled["throttled"] == "yes").sum() == sum((clock < 0.98 * clock.max()).sum() for clock in clocks) > 0  # rings
    assert " Rings: SM clock below 98 %" in (tmp_path / "matmul_columns.caption.txt").read_text()


def test_points_whose_state_of_l2_is_disproved_have_a_star(gnuplot, plot, tmp_path):
    path = ROOT / "analysis/data/h200-l2-fetch.h5"
    assert plot(path, "-o", tmp_path, "-F", "hints", "--data", "-f", "svg")[0] == 0
    drawn = pd.concat(blocks(tmp_path / "hints.tsv").values())
    frame = frames.frame(path)
    own = frame[frame["l2_state"].str.startswith("disproved") & (frame["kernel"] == "copy")]
    assert 0 < (drawn["disproved"] == "yes").sum() <= len(own)
    assert {*drawn.loc[drawn["disproved"] == "yes", "x"]} <= {*own["size"]}
    assert " Stars: counters disprove the state of L2" in (tmp_path / "hints.caption.txt").read_text()


def test_curves_that_are_one(gnuplot, plot, both, tmp_path):
    assert plot(*both, "-o", tmp_path, "-F", "prefetch_in_flight", "--data", "-f", "svg")[0] == 0
    assert list(blocks(tmp_path / "prefetch_in_flight.tsv")) == ["H100, bulk, cp_async, tensor", "H200, bulk, cp_async, tensor"]
    assert " Drawn as one curve, within 2 % of the height: bulk, cp_async, tensor. " in (tmp_path / "prefetch_in_flight.caption.txt").read_text()


def test_devices_that_hide_each_other_are_named(gnuplot, plot, both, tmp_path):
    assert plot(*both, "-o", tmp_path, "-F", "lookup_column", "-F", "speedup", "-f", "svg")[0] == 0
    assert " H100 and H200 coincide in restrict, texture. " in (tmp_path / "lookup_column.caption.txt").read_text()
    assert (tmp_path / "speedup.caption.txt").read_text().startswith("Speed-up of H200 over H100, point by point.")


@pytest.mark.parametrize("form", ["pdf", pytest.param("png", marks=pytest.mark.weekly)])
def test_formats(gnuplot, plot, both, tmp_path, form):
    code, _, err = plot(*both, "-o", tmp_path, "-f", form, *(word for name in COPIES for word in ("-F", name)), "-F", "best")
    assert (code, err) == (0, "")


# ---- Figures of any columns ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["'tis so", "''x", "a''b'", "'"])
def test_apostrophes(gnuplot, plot, small, tmp_path, text):
    own = ((ROOT / "analysis") / "copy_size.gp").read_text()
    (tmp_path / "own.gp").write_text(f"{own}\n#: ylabel {text} (GB/s)\n#: line 100 {text}\n")
    assert plot(small.parent / "h100-copy.h5", "-o", tmp_path, "--analysis", tmp_path, "-F", "own", "-f", "svg")[::2] == (0, "")
    assert f">{text} (GB/s)<" in (tmp_path / "own.svg").read_text()


def test_zeros_have_no_place_on_a_logarithmic_axis(gnuplot, plot, paper, tmp_path):
    of_strides = ["-k", "shared_stride", "--x", "stride", "--log", "-f", "svg", "--data", "-o", tmp_path]
    assert plot(paper, *of_strides, "--y", "shared_load_conflicts")[::2] == (0, "")
    drawn = pd.concat(blocks(tmp_path / "shared_stride_shared_load_conflicts_stride.tsv").values())
    left = re.search(r"Left out, because a logarithmic axis cannot show 0 or less of shared_load_conflicts: (\d+) of (\d+) ",
                     (tmp_path / "shared_stride_shared_load_conflicts_stride.caption.txt").read_text())
    assert (drawn["y"] > 0).all() and int(left[1]) + len(drawn) == int(left[2]) and len(drawn) > 0
    code, out, _ = plot(paper, *of_strides, "--y", "error_max")
    assert code == 1 and "no point has error_max above 0" in out


def of_file(name, figure):
    """A figure of a shipped file."""
    (d,) = directives.read_folder(ROOT / "analysis", [figure])
    return plots.Request(plots.read_rows(frames.frame(ROOT / f"analysis/data/{name}.h5"))).make(d)[0]


def test_a_caption_says_of_which_curves_and_points_it_speaks():
    """Axes that the figure narrows, conditions of findings, and both sides of the latency of DRAM."""
    assert "accesses of one element (scalar) 1.16 to 1.17 times" in of_file("h200-paper", "add_restrict").caption
    shape = of_file("h200-paper", "add_shape")
    assert "Fixed: items 1, cache cold, rows 4096, restrict yes." in shape.caption
    told = [captions.unsaid(one, "From 512 columns on", shape) for one in ("dtype=f32", "columns>=512", "columns<2048", "items=1")]
    assert told == ["dtype f32", "", "columns < 2048", ""]
    ladder = of_file("h200-paper", "latency_ladder")
    far = ladder.points["y"][ladder.rows["of_l2"] >= 4]
    near = ladder.points["y"][(ladder.rows["of_l2"] <= 0.3) & (ladder.rows["variant"] == "l2")]
    ends = far.min() / near.max(), far.max() / near.min()
    assert far.size == 4 and f"a load takes {ends[0]:.1f} to {ends[1]:.1f} times as long" in ladder.caption


def test_a_remark_is_there_for_points_that_are_drawn():
    words = "With both directions at once, the bandwidth counts the bytes of both."
    for name, figure in (("h200-options", "host_copy_blocks"), ("h200-paper", "host_copy_size")):
        made = of_file(name, figure)
        assert (words in made.caption) == (made.rows["direction"] == "both").any()
        d = made.directives
        d.values["remark"] = [f"if direction=h2d: {words}"]
        assert captions.remarked(made) == words
    assert directives.parts("remark", "Words: more.") == ["", "Words: more."]


def test_roofs_of_one_memory_have_one_name():
    made = of_file("h200-options", "stream_vector")
    assert "3 values along x some launches are single and find it full of a flush's stores; those in graphs find" in made.caption
    for part in ("f32", "f64"):
        low, high = sorted((line for line in made.lines if line.part == part), key=lambda line: line.at)
        assert not page.names(low) and page.names(high)[-1] == f"DRAM {low.at:.4g} to {high.at:.4g} GB/s"
        assert "DRAM read and write" in high.text and "DRAM read 4583 GB/s" in high.text


def test_a_choice_is_pinned_to_the_best_and_a_size_to_the_largest():
    made = of_file("h200-options", "copy_size")
    assert "hint evict_last" in made.fixed
    rates = frames.frame(ROOT / "analysis/data/h200-options.h5").query("kernel == 'copy' and vector == 4")
    assert rates.loc[rates["bandwidth"].idxmax(), "hint"] == "evict_last"
    assert "rows 8192" in of_file("h200-paper", "add_restrict").fixed


def test_own_figure(gnuplot, plot, both, tmp_path):
    code, _, err = plot(both[1], "-o", tmp_path, "-k", "lookup", "--x", "table", "--y", "bandwidth", "-w", "index=random", "-f", "svg")
    assert (code, err) == (0, "")
    caption = (tmp_path / "lookup_bandwidth_table_index_random.caption.txt").read_text()
    assert re.search(r"Fixed: .*items 4, .*index random, .*lookups 8\.", caption)
    assert plot(both[1], "-o", tmp_path, "-k", "copy", "--x", "stride", "--y", "bandwidth", "--by", "dtype", "-f", "svg")[0] == 0
    assert re.search(">Only variant load,", (tmp_path / "copy_bandwidth_stride_by_dtype.svg").read_text())  # pinned, and said
    every = ("--x", "size", "--y", "bandwidth", "--panel", "kernel", "--by", "variant", "-f", "svg")  # each family keeps values of its own
    assert plot(both[1], "-o", tmp_path, *every)[0] == 0
    families = {"copy", "reduce", "gather", "host_copy", "latency"}
    assert families <= set(re.findall("<text.*?>([a-z_]+)</text>", (tmp_path / "kernels_bandwidth_size_kernel.svg").read_text()))
    caption = (tmp_path / "kernels_bandwidth_size_kernel.caption.txt").read_text()
    fixed = dict(re.findall(r"(\w+) \(([^)]*)\)", re.search(r"Fixed: (.*?\))\.", caption)[1]))
    assert fixed["host_copy"] == "direction h2d" and fixed["copy"].endswith("cache rotate")
    assert plot(both[1], "-o", tmp_path, "--kernel", "transpose", "--x", "time_median", "--y", "bandwidth", "-f", "svg")[0] == 0
    drawn = (tmp_path / "transpose_bandwidth_time_median.svg").read_text()
    assert ">Time (ms)<" in drawn and not re.search(r">[0-9.]+e-[0-9]+<", drawn)
    assert plot(both[1], "-o", tmp_path, "-k", "copy", "--x", "dtype", "--y", "bandwidth", "-f", "svg", "--data")[0] == 0
    words = pd.concat(blocks(tmp_path / "copy_bandwidth_dtype.tsv").values()).groupby("x")["dtype"].unique()
    assert [list(word) for word in words] == [["u8"], ["f16"], ["bf16"], ["f32"], ["f64"]]  # along x, by size


@pytest.mark.parametrize("words, message", [
    (["--x", "stride"], "--x needs --y too"), (["--x", "stride", "--y", "bandwidth", "-F", "copy_size"], "choose one"),
    (["--by", "dtype"], "--by belongs to a figure of --x"), (["--width", "3ft"], "expected a length"),
    (["-F", "copy_strid"], "did you mean 'copy_stride'?"), (["-w", "strid=1"], "did you mean 'stride'?"),
    (["--x", "dtype", "--y", "cache", "-k", "copy"], "'cache' holds words"),
    (["--x", "stride", "--y", "bandwidth"], "points of several families")])
def test_wrong_options(plot, paper, tmp_path, words, message):
    code, _, err = plot(paper, "-o", tmp_path, *words)
    assert code == 2 and message in err


# ---- Captions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stated, said", [
    ("variant=restrict over variant=plain with items>1", r"So 1\.\d\d to 1\.\d\d times \(items > 1\)\."),
    ("variant=plain over variant=restrict with items>1", None), ("variant=restrict over variant=plain", None),
    ("variant=restrict over variant=plain with items=4", None), ("variant=tma over variant=plain", None)])
def test_finding(rows_of_both, tmp_path, stated, said):
    """A finding is stated where the intervals of all pairs of both devices show it, at two pairs or more."""
    text = (ROOT / "analysis/lookup_items.gp").read_text()
    (tmp_path / "mine.gp").write_text(re.sub("#: finding .*", f"#: finding {stated}: So % times.", text))
    (d,) = directives.read_folder(tmp_path, ["mine"])
    caption = plots.Request(rows_of_both).make(d)[0].caption
    assert re.match(said, caption) if said else caption.startswith("Lookup")


def test_where_captions_go(gnuplot, plot, paper, tmp_path):
    plot(paper, "-o", tmp_path, "-F", "copy_size", "-f", "svg", "--caption", "in", "--width", "7in")
    assert [one.name for one in tmp_path.iterdir()] == ["copy_size.svg"]
    drawn = (tmp_path / "copy_size.svg").read_text()
    assert "warpsweep commit" in drawn and 'viewBox="0 0 672 ' in drawn
    plot(paper, "-o", tmp_path, "-F", "copy_size", "-f", "svg", "--caption", "brief")
    assert "commit" not in (tmp_path / "copy_size.caption.txt").read_text()
    assert r"\caption" in (tmp_path / "copy_size.caption.tex").read_text()
    for form, options, inside in (("pdf", [], False), ("pdf", ["--caption", "beside"], True), ("svg", [], True)):
        assert plot(paper, "-o", tmp_path / f"{form}{inside}", "-F", "copy_size", "-f", form, "--data", *options)[0] == 0
        caption, script = ((tmp_path / f"{form}{inside}" / f"copy_size.{end}").read_text() for end in ("caption.txt", "gp"))
        assert ("Arrays of 1 GiB" in script) == ("commit" in caption) == inside and caption.startswith("Arrays of 1 GiB")


def test_span():
    assert [captions.span(1.234, 1.231), captions.span(1.2, 5.86), captions.span(8, 91.2)] == ["1.23", "1.2 to 5.9", "8 to 91"]


def test_what_was_not_measured(gnuplot, plot, program, paper, tmp_path):
    subprocess.run([program, "predict", paper.parents[2] / "jobs/pair_7_1.yaml", "--profile", "b200", "-o", tmp_path / "b200.h5"],
                   check=True, capture_output=True)
    assert plot(paper, tmp_path / "b200.h5", "-o", tmp_path, "-F", "copy_stride", "-f", "svg", "--data")[0] == 0
    assert "Dashed and hollow: predicted by the time model, not measured." in (tmp_path / "copy_stride.caption.txt").read_text()
    script = (tmp_path / "copy_stride.gp").read_text()
    predicted = re.findall(r"index '\[[^\]]*\(predicted\)[^\]]*\]' using 'x':'y' with linespoints .* dt (\d) .*pt (\d+)", script)
    beside = frames.frame([paper, tmp_path / "b200.h5"])  # an older file keeps its own predictions beside a newer one
    assert (beside.loc[beside["file"] == paper.stem, "predicted_time"].dropna().tolist()
            == frames.frame(paper)["predicted_time"].dropna().tolist() != [])
    assert predicted and all(dash != "1" and mark in ("4", "6", "8", "10", "12", "14") for dash, mark in predicted)


def test_a_device_without_points_is_named(gnuplot, plot, paper, copies, tmp_path):
    links = paper.with_name("h200-links.h5")
    assert plot(paper, links, "-o", tmp_path, "-F", "copy_size", "-F", "best", "-f", "svg", "--data")[0] == 0
    assert "'H100. No such points of H200'" in (tmp_path / "copy_size.gp").read_text()
    assert " No such points of H200. " in (tmp_path / "copy_size.caption.txt").read_text()
    assert "No such points" not in (tmp_path / "best.gp").read_text()


def test_a_message_one_way_has_the_roof_of_one_way(gnuplot, plot, paper, tmp_path):
    contention = paper.with_name("h200-contention.h5")
    assert plot(contention, "-o", tmp_path, "-F", "contention_size", "-F", "contention", "-f", "svg", "--data")[0] == 0
    one, both = re.split("\n# ---- ", (tmp_path / "contention_size.gp").read_text())[1:3]
    links = np.unique(planted.table(contention, "results")["link_peak"]) / 1e9
    (link,) = {link for link in links if f"'link {link:.1f} GB/s'" in one}  # of one pair of GPUs
    assert f"'link {2 * link:.1f} GB/s'" in both and f"{2 * link:.1f}" not in one and f"{link:.1f}" not in both
    script = (tmp_path / "contention.gp").read_text()
    assert "digits(column('shown'))" in script and "set label 'Over alone'" in script  # the numbers, and the scale


def test_a_bar_that_leaves_its_panel_is_clipped_and_has_an_arrow(gnuplot, plot, copies, tmp_path):
    """The least certain point must not look exact."""
    rows, samples = planted.table(copies[0], "results"), planted.table(copies[0], "samples")
    of = [rows[name] == value for name, value in (("variant", b"load"), ("dtype", b"f32"), ("stride", 4), ("vector", 1))]
    (row,) = rows[np.all(of, 0)]
    own = samples[row["sample_offset"]:row["sample_offset"] + row["sample_count"]]
    own["seconds"] *= 9.0 ** (own["process"].astype(int) % 3 - 1)  # its processes do not agree
    path = planted.rewritten(shutil.copy(copies[0], tmp_path / "wide.h5"), samples=samples)
    assert plot(path, "-o", tmp_path, "-F", "copy_stride", "-f", "svg", "--data")[0] == 0
    drawn = pd.concat(blocks(tmp_path / "copy_stride.tsv").values())
    (one,) = drawn[drawn["clipped"] != "no"].to_dict("records")
    assert one["clipped"] == "both" and one["low"] < one["y"] < one["high"]
    assert " Arrows: 1 bar beyond the panel." in (tmp_path / "copy_stride.caption.txt").read_text()
    assert (tmp_path / "copy_stride.gp").read_text().count("with vectors head") == 2
    assert plot(copies[0], "-o", tmp_path, "-F", "copy_stride", "-f", "svg", "--data")[0] == 0
    assert "vectors" not in (tmp_path / "copy_stride.gp").read_text() and "Arrows" not in (tmp_path / "copy_stride.caption.txt").read_text()


# ---- Skipped figures and errors ------------------------------------------------------------------------------------


def test_skipped(gnuplot, plot, paper, tmp_path):
    code, out, _ = plot(paper, "-o", tmp_path, "-F", "hints", "-F", "aa", "-F", "copy_size", "-f", "svg")
    assert code == 1 and "skipped hints: fewer than two values of hint were measured\n" in out
    assert "skipped aa: it needs two files\n" in out and (tmp_path / "copy_size.svg").exists()
    code, out, _ = plot(paper.with_name("h100-ladder.h5"), "-o", tmp_path, "-F", "tensor_matmul_error")
    assert code == 1 and out == "skipped tensor_matmul_error: fewer than three values of k were measured\n"


def test_no_gnuplot(plot, paper, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    code, _, err = plot(paper, "-o", tmp_path, "-F", "copy_size")
    assert code == 3 and "install gnuplot" in err


def test_mistakes_in_a_figure(plot, paper, tmp_path):
    good = "#: title t\n#: kernel copy\n#: x stride\n#: y bandwidth\n#: series dtype\n"
    for line, message in [("#: serie dtype", "mine.gp:6: unknown directive 'serie' (did you mean 'series'?)"),
                          ("#: xscale log3", "unknown xscale 'log3'"), ("#: law copy_read 64", "expected NAME KNEE WORDS"),
                          ("#: finding variant=load: words", "finding: expected CONDITION"), ("plot x", "#: draw dots")]:
        (tmp_path / "mine.gp").write_text(good + line + "\n")
        code, _, err = plot(paper, "-o", tmp_path / "out", "--analysis", tmp_path)
        assert code == 2 and message in err
    old = directives.parse(good + "plot @curves\nset key top\n", "mine")  # of an earlier release
    assert old.code == ["set key top"]


def test_texts_of_a_file_are_no_lines_of_a_script(gnuplot, plot, copies, tmp_path):
    frame = warpsweep.frame(copies[0])
    evil = frame.assign(variant=frame["variant"] + "\nset output 'evil'\n`touch evil` {{ 7 * 7 }}'\\")
    picture = warpsweep.plot(evil, x="stride", y="bandwidth", by="dtype", panel="variant", kernel="copy")
    assert not re.search("^(set output 'evil|`)", picture.script + picture.table, re.M)
    assert b"{{ 7" in picture.data  # as it is, though the title is in several lines


def test_a_device_is_no_output(gnuplot, plot, paper, tmp_path):
    (tmp_path / "copy_size.svg").symlink_to("/dev/full")
    assert plot(paper, "-o", tmp_path, "-F", "copy_size", "-f", "svg")[0] == 2


def test_nothing_of_somebody_else_is_replaced(gnuplot, plot, copies, tmp_path):
    words = [copies[0], "-o", tmp_path, "-F", "copy_size", "-f", "svg", "--data"]
    assert plot(*words)[0] == 0 and plot(*words)[0] == 0  # as it was written
    script = tmp_path / "copy_size.gp"
    script.write_text(script.read_text().replace("set", "set ", 1))
    edited = script.read_text()
    (tmp_path / "copy_size.svg").write_text("old")
    code, _, error = plot(*words)
    assert code == 2 and "copy_size.gp was edited" in error
    assert script.read_text() == edited and (tmp_path / "copy_size.svg").read_text() == "old"
    script.unlink()
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "copy_size.caption.txt").unlink()
    (tmp_path / "copy_size.caption.txt").symlink_to("mine.txt")
    code, _, error = plot(*words)
    assert code == 2 and "copy_size.caption.txt is a link" in error and (tmp_path / "mine.txt").read_text() == "mine"


def test_each_condition_names_another_figure(paper):
    rows = plots.read_rows([paper])
    names = [plots.own(rows, "stride", "bandwidth", kernel="copy", conditions=[f"stride{sign}4"])[0].name
             for sign in ("=", "!=", "<", "<=", ">", ">=")]
    names += [plots.own(rows, "size", "bandwidth", kernel="copy", conditions=[f"stride={'1,2,4,8,' * 16}{last}"])[0].name for last in (1, 2)]
    assert len(set(names)) == len(names) and names[0] == "copy_bandwidth_stride_stride_4" and names[-3] == "copy_bandwidth_stride_stride_from_4"


def test_full_disk(monkeypatch, tmp_path):
    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "a.svg").write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(warpsweep.WarpsweepError, match="a.svg: No space left"):  # exit code 3
        outputs.write(tmp_path / "a.svg", "new")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("a.svg", "old")]


def test_a_replaced_file_keeps_its_permissions(tmp_path):
    for mode in (0o600, 0o664):
        (tmp_path / "a").write_text("old")
        (tmp_path / "a").chmod(mode)
        outputs.write(tmp_path / "a", "new")
        assert (tmp_path / "a").read_text() == "new" and (tmp_path / "a").stat().st_mode & 0o777 == mode


# ---- Axes ----------------------------------------------------------------------------------------------------------


def test_ticks():
    sizes = figure.Axis("Size", "log2", 2.0**15, 2.0**33, True, [2.0**power for power in range(16, 33, 2)])
    assert [label for label, _ in page.ticks(sizes, 2.6, False, 1)] == ["32KiB", "256KiB", "2MiB", "16MiB", "128MiB", "1GiB", "8GiB"]
    labels = [label for label, _ in page.ticks(figure.Axis("", "linear", 78, 121), 0.8, False, 0.1)]
    assert labels == ["80", "100", "120"]
    for axis, most in ((figure.Axis("", "log10", 0.05, 2000), ["0.1", "10", "1000"]),  # three or more if logarithmic
                       (figure.Axis("", "log10", 250, 757), ["300", "400", "500", "600", "700"]),
                       (figure.Axis("", "log2", 2.0**22.8, 2.0**29.2, True), ["16MiB", "64MiB", "256MiB"])):
        assert [label for label, _ in page.ticks(axis, 1.3, axis.high == 757, 0.1)] == most
    errors = figure.Axis("", "log10", 4e-8, 2e-2)  # never "0.001" beside "1e-4"
    assert [label for label, _ in page.ticks(errors, 1.3, True, 0.1)] == ["10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²"]
    assert [label for label, _ in page.ticks(figure.Axis("", "log10", 2e-4, 8e-4), 1.3, True, 0.1)][:2] == ["2·10⁻⁴", "4·10⁻⁴"]
    names = figure.Axis("", "names", -0.5, 1.5, names=["a", "b"])
    assert page.ticks(names, 1, True, 0) == [("a", 0), ("b", 1)]


def drawn(names, *figures):
    """The drawings of figures of shipped files, 3.4 in wide."""
    rows = plots.read_rows(tuple(ROOT / "analysis/data" / f"{name}.h5" for name in names))
    request = plots.Request(rows)
    return [request.make(d)[1] for d in directives.read_folder(ROOT / "analysis", figures)]


def test_a_curve_without_a_value_is_named_by_its_family():
    rows = pd.DataFrame({".source": "H200", "kernel": ["add", "triton_add", "triton_add"], "variant": ["packed", "masked", "masked"],
                         "block_size": [np.nan, 512, 1024]})
    d = directives.Directives("beside", {"series": ["kernel", "variant", "block_size"]})
    assert figure.name_curves(d, rows, rows, "", columns.Columns())["label"].tolist() == ["add", "block_size 512", "block_size 1024"]


def test_rows_without_a_number_name_a_curve_of_its_own(both):
    rows = plots.read_rows(both).copy()
    rows["part"] = np.where(rows["size"] >= 2**24, 1.0, np.nan)  # NaN as of a family without the axis
    d = directives.Directives("own", {"title": ["T"], "kernel": ["copy"], "where": ["variant=load", "cache=cold"], "x": ["size"],
                                      "y": ["bandwidth"], "series": ["kernel", "part"]})
    assert {curve.label for curve in plots.Request(rows).make(d)[0].curves} == {"copy", "part 1"}


def test_labels_along_x_do_not_run_into_the_next_panel():
    (one,) = drawn(("h100-paper", "h200-paper"), "add_shape")
    of_page = one.page
    x, shown = one.figure.x, page.ticks(one.figure.x, of_page.panel_width, False, 1.0)
    (first, low), (last, high) = shown[0], shown[-1]
    assert (first, last) == ("1024", "4096")
    ends = of_page.panel_width * x.position(low) + of_page.gap + of_page.panel_width * (1 - x.position(high))
    assert ends > (len(first) + len(last)) / 2 / page.LETTERS


def test_a_panel_names_a_roof_once_and_apart_from_its_curves():
    (one,) = drawn(("h100-links",), "peer_copy_size")
    local = one.script.split("# ---- ")[1]
    assert local.count("1508 GB/s") == 1 and "'L2 3402 GB/s'" in local
    assert "roofs measured in the same run: L2 3402 GB/s, DRAM read 1508 GB/s" in one.figure.caption  # each, in the caption
    (copies,) = drawn(("h100-paper", "h200-paper"), "copy_size")
    roofs = [planted.table(ROOT / f"analysis/data/{name}-paper.h5", "devices")["peak_copy"][0] / 1e9 for name in ("h100", "h200")]
    # the long one of the H100 lies on H200's curve
    assert f"'DRAM read and write {roofs[1]:.0f} GB/s'" in copies.script and f"'DRAM {roofs[0]:.0f} GB/s'" in copies.script


def test_names_of_peaks_lie_on_no_slope_of_the_roofline():
    (one,) = drawn(("h100-paper", "h200-paper"), "roofline")
    assert re.findall(r"set label 'FP64 33.\d+' at graph ([\d.]+)", one.script) == ["0.99", "0.99"]  # slopes cross the left end


def test_titles_of_panels_are_no_wider_than_the_panel():
    (one,) = drawn(("h100-links", "h200-links"), "links")
    titles = [one.page.title(panel).split("\n") for panel in one.figure.panels]
    assert max(len(lines) for lines in titles) == 2
    assert max(len(line) for lines in titles for line in lines) <= (one.page.panel_width + one.page.gap) * page.LETTERS
    assert not one.page.scale  # the rates of a pair are alike both ways: there is nothing to shade


def test_cells_and_their_scale_have_one_unit():
    (one,) = drawn(("h100-contention",), "contention")
    shown = pd.concat([curve.points for curve in one.figure.curves])
    assert (shown["row.shown"] == shown["row.over_alone"]).all() and 0.5 < shown["row.shown"].min() < 1.1
    assert one.page.scale_ticks == pytest.approx([np.log(shown["row.shown"].min()), np.log(shown["row.shown"].max())])


def test_each_device_has_one_panel_of_multiprocessors_and_each_sharer_is_there():
    home, reach, sharing = drawn(("h100-chip", "h200-chip"), "l2_topology_home", "pages_reach", "pages_sharing")
    assert [panel.title for panel in home.figure.panels] == ["H100", "H200"]
    assert {word for curve in sharing.figure.curves for word in curve.label.split(", ")} == {"one", "two", "cluster", "all"}
    assert {curve.label for curve in reach.figure.curves} == {"pages", "lines"} and len(reach.figure.panels) == 1
    with pytest.raises(directives.Skipped, match="two values of chasers"):
        plots.Request(frames.frame([ROOT / "analysis/data/h100-chip.h5"]), ["chasers=one"]).make(sharing.figure.directives)


# ---- Notebooks -----------------------------------------------------------------------------------------------------


def test_picture(gnuplot, paper, tmp_path):
    picture = warpsweep.plot(warpsweep.frame(paper), "copy_stride")
    assert isinstance(picture, warpsweep.Picture) and picture.data == warpsweep.plot(paper, "copy_stride").data
    bundle = picture._repr_mimebundle_()
    assert xml.etree.ElementTree.fromstring(bundle["image/svg+xml"].encode()).tag.endswith("svg")
    assert "A strided load" in picture.caption and picture.caption in bundle["text/plain"]
    assert picture.save(tmp_path / "mine.svg").read_bytes() == picture.data
    png = warpsweep.plot(paper, "copy_stride", format="png")
    assert png._repr_mimebundle_()["image/png"].startswith(b"\x89PNG")


def test_rows_and_values_of_a_frame(gnuplot, both):
    frame = warpsweep.frame(both)
    some = frame[(frame["dtype"] == "f32") & (frame["stride"] <= 8)]
    assert warpsweep.plot(some, "copy_stride").table == warpsweep.plot(both, "copy_stride", where="dtype=f32 stride<=8").table
    assert "H200" not in warpsweep.plot(frame[frame[".file_number"] == 0], "copy_stride").table
    faster = some.assign(bandwidth=2 * some["bandwidth"], speed=some["bandwidth"] / 1e9)
    assert "\n4\t4836.9364587\t" in warpsweep.plot(faster, "copy_stride").table  # twice 2418.5
    mine = warpsweep.plot(faster, x="stride", y="speed", by="dtype", kernel="copy", where="variant=load")
    assert "[H100]" in mine.table or "[H100, " in mine.table


def test_what_notebooks_get_wrong(gnuplot, paper):
    frame = warpsweep.frame(paper)
    with pytest.raises(warpsweep.UsageError, match="did you mean 'copy_stride'"):
        warpsweep.plot(frame, "copy_strides")
    with pytest.raises(warpsweep.WarpsweepError, match="hints: fewer than two values"):
        warpsweep.plot(frame, "hints")
    with pytest.raises(warpsweep.WarpsweepError, match="no point of copy"):
        warpsweep.plot(frame[frame["kernel"] == "none"], "copy_stride")
    with pytest.raises(warpsweep.UsageError, match="rows of warpsweep.frame"):
        warpsweep.plot(warpsweep.load(paper), "copy_stride")
    with pytest.raises(ValueError, match="bmp"):
        warpsweep.plot(frame, "copy_stride", format="bmp")


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), errors.ProgramError("{0}.journal: No space left on device", 3),
                                   errors.ProgramError("{0}.tmp-4ec5b204-10182-0: No space left on device", 3)])
def test_errors_name_the_output_that_was_asked_for(tmp_path, error):
    temporary = tmp_path / ".p.h5.17.points"
    error.args = tuple(str(one).format(temporary) if isinstance(one, str) else one for one in error.args)
    with pytest.raises(errors.WarpsweepError) as found, outputs.named("p.h5", temporary):
        raise error
    assert "p.h5: No space left" in str(found.value) and str(tmp_path) not in str(found.value)


def test_a_file_of_a_folder_that_is_not_complete_is_named_by_the_folder(tmp_path):
    with pytest.raises(errors.WarpsweepError, match=f"^cannot write {re.escape(str(tmp_path / 'paper'))}/"):
        with paper_folder.output(str(tmp_path / "paper")) as made:
            outputs.write(made / "none/a.tex", "x")
