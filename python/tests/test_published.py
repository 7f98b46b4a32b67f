"""Published values: the profiles made from them, predictions beside them, and files beside them."""
import math
import runpy

import pandas as pd
import pytest
from conftest import ROOT

from warpsweep import UsageError, profiles, published

TOLERANCE = 0.05  # beyond the interval: two tools of one device differ by as much
WIDEST = 1.5


@pytest.fixture(scope="module")
def make():
    return runpy.run_path(str(ROOT / "profiles/make.py"))


def test_profiles_are_what_the_script_makes(make):
    """A profile that was edited by hand, or a table that was, fails here."""
    for name in make["DEVICES"]:
        assert (ROOT / f"profiles/{name}.yaml").read_text() == make["text"](name), f"run profiles/make.py {name}"
    assert {*make["DEVICES"], "h100", "h200"} == {*profiles.SHIPPED}


def test_each_row_has_a_range_a_unit_and_a_source():
    rows = published.table()
    assert (rows["low"] <= rows["high"]).all() and (rows["low"] > 0).all() and (rows["source"] != "").all()
    assert not rows.duplicated(["device", "quantity", "source"]).any()
    assert {*rows["field"]} <= {*profiles.FIELDS, "dram_nominal", ""}
    dram = rows["where"][rows["quantity"].str.startswith("DRAM") & (rows["where"] != "")]
    assert len(dram) >= 10 and dram.str.contains("cache=cold size>=1GiB").all()  # not what L2 serves
    for measure in rows["measure"][rows["measure"] != ""].unique():
        name, units, factor = published._parsed(measure)
        assert name and {*units} <= {"sm", "clock"} and factor > 0


def left_out(make):
    """What the rules say of each published value of a profile, without what is published of the device itself."""
    rows = published.table()
    rows = rows[rows["device"].isin([device for device, _ in make["DEVICES"].values()]) & (rows["field"] != "")]
    for (device, field), of in rows.groupby(["device", "field"]):
        if field in ("multiprocessors", "clock_max", "dram_nominal"):
            continue
        ruled = make["made"](device, field)
        if field in ruled:
            own, one = make["Device"](device)[field], ruled[field]
            yield device, field, own, one


# B300 has few units for FP64 and none for products of integers; the DRAM of a RTX PRO 6000 is used less than HBM. Of GB10's FP4
# the vendor's peak is published, of a RTX 5090's what was measured. An A100 has 64 lanes for FP32, and four times as many for FP16.
MISSES = {("B200", "peak_tensor_i8"), ("B300", "peak_tensor_i8"), ("B300", "peak_flop_f64"), ("RTX PRO 6000", "peak_copy"),
          ("GB10", "peak_tensor_f4"), ("A100-SXM4-80GB", "peak_flop_f32"), ("A100-SXM4-80GB", "peak_flop_f16")}


def test_rules_hold_for_devices_of_which_they_have_seen_nothing(make):
    """Published values are in the interval of the rule, made from other devices, but for those above."""
    held = {(device, field): one.low * (1 - TOLERANCE) <= own.high and own.low <= one.high * (1 + TOLERANCE)
            for device, field, own, one in left_out(make)}
    assert len(held) >= 25 and {key for key, good in held.items() if not good} == MISSES


def test_what_is_copied_from_hopper_holds_on_other_architectures(make):
    """Published values are in the interval of what is copied without them, which is no wider than they need."""
    used = dict.fromkeys(profiles.COPIED_WITHIN, 1.0)
    missed = set()
    for name, (device, _) in make["DEVICES"].items():
        for field, own in make["Device"](device).known.items():
            if field not in profiles.FIELDS or profiles.FIELDS[field].of is None:
                continue
            rest = profiles.read(name)
            rest.values[field] = profiles.Value()
            copied = profiles.assume(rest).values[field]
            if not copied.low <= own.high * (1 + TOLERANCE) or not own.low <= copied.high * (1 + TOLERANCE):
                missed.add((device, field))
            start = max((one for one in used if field.startswith(one)), key=len, default=None)
            if start:
                factor = profiles.COPIED_WITHIN[start]
                used[start] = max(used[start], own.low / copied.high * factor, copied.low * factor / own.high)
    assert missed == {("GB10", "peak_read")}  # its copies are by a rule, from the nominal rate
    assert all(0.95 <= used[start] / factor <= 1 + TOLERANCE for start, factor in profiles.COPIED_WITHIN.items()), used


@pytest.mark.parametrize("name, device", [
    ("NVIDIA B200", "B200"), ("NVIDIA GB200", "GB200"), ("NVIDIA GB200 (one GPU) (predicted)", "GB200"), ("NVIDIA H200", "H200"),
    ("NVIDIA H100 80GB HBM3", "H100"), ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000"), ("NVIDIA A100-SXM4-80GB", "A100-SXM4-80GB"),
    ("A100", ""), ("GH200", "")])
def test_device_of_a_name(name, device):
    assert published.device_of(name) == device


def test_a_file_beside_published_values():
    found = published.compared(ROOT / "analysis/data/h200-paper.h5").set_index("quantity")
    copy = found.loc["DRAM copy"]
    assert copy["verdict"] == "above" and copy["factor"] == pytest.approx(copy["here"] / 4.01) and copy["here"] == pytest.approx(4.270, abs=1e-3)
    assert found.loc["latency of L2", "verdict"] == "within"
    of_h100 = published.compared(ROOT / "analysis/data/h100-paper.h5").set_index("quantity")
    assert of_h100.loc["latency of L1, Luo", "verdict"] == "below" and "latency of L1, Luo" not in found.index  # of an H100
    assert found.loc["cuBLASLt fp8 8192", "verdict"] == "not measured" and math.isnan(found.loc["cuBLASLt fp8 8192", "here"])
    with pytest.raises(UsageError, match="nothing is published here of 'A100'; name a device: A100-SXM4-80GB, B200"):
        published.compared(ROOT / "analysis/data/h200-paper.h5", "A100")


def test_the_command(capsys):
    from warpsweep.__main__ import main

    path = str(ROOT / "analysis/data/h100-paper.h5")
    assert main(["compare", "--published", path]) == 0
    said = capsys.readouterr().out
    assert "L2 read, mt4g" in said and "% above" in said and "Luo et al." in said and "not measured" in said
    assert main(["compare", "--published", path, "-f", "tsv"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert {"quantity", "here", "low", "high", "verdict", "source"} <= {*head.split("\t")} and len(lines) == said.count("\n") - 3
    assert main(["compare", "--published", path, path]) == 2 and "takes one file" in capsys.readouterr().err


@pytest.mark.parametrize("profile", ["b200", "gb200", "b300", "gb10", "a100"])
def test_predictions_beside_published_values(profile, program, tmp_path):
    """Published values are in the interval of the prediction, which is at most a factor of 1.5 from it."""
    from warpsweep.__main__ import main

    out = tmp_path / "out.h5"
    assert main(["predict", str(ROOT / "jobs/first_day.yaml"), "--profile", profile, "-o", str(out)]) == 0
    found = published.compared(out)
    found = found[(found["where"] != "") & found["here_low"].notna()]
    held = (found["low"] <= found["here_high"] * (1 + TOLERANCE)) & (found["here_low"] <= found["high"] * (1 + TOLERANCE))
    width = pd.concat([found["here_high"] / found["here"], found["here"] / found["here_low"]])
    assert len(found) >= 1 and held.all(), found[~held][["quantity", "low", "high", "here", "here_low", "here_high"]]
    assert (width <= WIDEST).all(), found[["quantity", "here", "here_low", "here_high"]]
