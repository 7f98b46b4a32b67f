"""The fastest way of the same work: on one device, on two of a product, and with a way made slower."""
import shutil

import numpy as np
import pytest

from conftest import ROOT
from planted import changed, rewritten, said, table

from warpsweep.results import read
from warpsweep.winners import first_choices, ways, winners

DATA = ROOT / "analysis/data"


@pytest.fixture(scope="module")
def copy():
    return read(DATA / "h200-copy.h5")


def test_a_file_beside_itself_has_no_regret(copy):
    found = winners(copy, copy)
    assert len(found) > 20 and found["same"].all() and (found["regret"] == 0).all() and (found["tied_a"] == found["tied_b"]).all()
    assert (found["ways"] >= 2).all() and (found["tied_a"] <= found["ways"]).all()


def test_a_host_is_no_rival_of_a_gpu(copy, tmp_path):
    path = shutil.copy(DATA / "h200-copy.h5", tmp_path / "host.h5")
    results = table(path, "results")
    assert "backend" in results.dtype.names
    results["backend"] = b"host"
    assert winners(copy, read(rewritten(path, results=results))).empty


def test_ways_of_one_problem_differ_in_choices_alone(copy):
    rows, found = ways(copy), winners(copy, copy)
    one = found[found["problem"].str.contains("size 1GiB") & found["problem"].str.contains("stride 1,")].iloc[0]
    assert "variant" not in one["problem"] and not {"stride", "size", "cache"} & set(one["choice"].split())
    assert rows["repeat"].eq(0).all() and rows["status"].eq("ok").all()


def test_the_same_device_again_chooses_alike(copy):
    alike = winners(copy, read(DATA / "h200-copy-again.h5"))
    assert alike["same"].mean() > 0.95 and alike["regret"].max() < 0.02


@pytest.mark.weekly
def test_two_units_of_a_product_choose_alike_and_two_products_do_not():
    one, other = (read(DATA / f"{name}.h5") for name in ("h200-paper", "h200-runs/unit10-paper"))
    alike, apart = winners(one, other), winners(read(DATA / "h100-paper.h5"), one)
    assert len(alike) == len(apart) > 150
    assert (~alike["same"]).sum() <= 3 < 30 < (~apart["same"]).sum()
    assert alike["regret"].max() < 0.01 < apart["regret"].max()


def test_a_slower_way_is_left_and_its_regret_is_by_how_much(copy, tmp_path):
    """Accesses of four floats take a fifth longer in the second run: where they were the fastest, they cost that, or less where
    another way is nearer."""
    slower = changed(DATA / "h200-copy-again.h5", tmp_path / "slower.h5", 1.2, lambda t: (t["vector"] == 4) & (t["dtype"] == b"f32"))
    found = winners(copy, read(slower))
    hit = found["choice"].str.contains(r"\bvector 4\b") & ~found["same"]
    others = found[~found["choice"].str.contains(r"\bvector 4\b") & ~found["best"].str.contains(r"\bvector 4\b")]
    assert hit.any() and found.loc[hit, "regret"].between(0.005, 0.21).all() and found.loc[hit, "regret"].max() > 0.18
    assert len(others) and others["regret"].max() < 0.02
    out = said("report", DATA / "h200-copy.h5", slower, "--winners")
    assert out.returncode == 0 and f"in {(~found['same']).sum()} of {len(found)} problems" in out.stdout, out


@pytest.fixture
def ranked(tmp_path):
    """Products whose order of tiles is called a library's ranking: 1, 8, 16 and 32 are its choices 0, 7, 15 and 31."""
    file = shutil.copy(DATA / "h100-tensor.h5", tmp_path / "ranked.h5")
    rows, columns = table(file, "results"), table(file, "columns")
    rows["group"] -= 1
    rows.dtype.names = ["lt_algorithm" if name == "group" else name for name in rows.dtype.names]
    columns["name"][columns["name"] == b"group"] = b"lt_algorithm"
    return rewritten(file, results=rows, columns=columns)


def test_a_library_s_first_choice_is_judged_by_all_that_it_ranks(ranked):
    found, rows = first_choices(read(ranked)), table(ranked, "results")
    one = rows[(rows["variant"] == b"wgmma") & (rows["m"] == 8192) & (rows["dtype"] == b"bf16") & (rows["cluster"] == 1) & (rows["data"] == b"random")
               & (rows["sparse"] == b"off") & (rows["stages"] == 4) & (rows["tile_shape"] == b"128x256") & (rows["repeat"] == 0)]
    times = dict(zip(one["lt_algorithm"], one["time_median"]))
    here = found[found["problem"].str.contains("wgmma, bf16.*m 8192") & found["choice"].eq("lt_algorithm 0") & (found["ways"] == 4)]
    assert len(here) == 1 and set(times) == {0, 7, 15, 31}
    assert here["regret"].iloc[0] == pytest.approx(times[0] / min(times.values()) - 1, abs=0.005) and here["regret"].iloc[0] > 0.01
    assert here["regret_low"].iloc[0] <= here["regret"].iloc[0] <= here["regret_high"].iloc[0]
    out = said("report", ranked, "--winners")
    assert out.returncode == 0 and f"in {found['same'].sum()} of {len(found)} problems" in out.stdout, out


def test_without_a_first_choice_nothing_is_said_of_libraries(copy):
    assert first_choices(copy).empty and first_choices(read(DATA / "h200-tensor.h5")).empty
    assert "ranks first" not in said("report", DATA / "h200-tensor.h5", "--winners").stdout


def test_files_of_one_name_are_told_apart(tmp_path):
    files = [tmp_path / device / "copy.h5" for device in ("h100", "h200")]
    for file in files:
        file.parent.mkdir()
        file.symlink_to(DATA / f"{file.parent.name}-copy.h5")
    head, rule, *_ = said("report", *files, "--winners").stdout.splitlines()
    assert "Told apart, NVIDIA H100 80GB HBM3" in head and "Told apart, NVIDIA H200" in head and "Largest, %" in head, head


def test_without_ways_it_is_an_error():
    out = said("report", DATA / "h100-link-matrix.h5", "--winners")
    assert out.returncode == 2 and "no points" in out.stderr
