"""What other harnesses say: the table and the figure of jobs/harnesses.yaml, and the tools' own times beside it."""
import subprocess

import pytest
from conftest import ROOT
from planted import rewritten, table

from warpsweep import frames
from warpsweep.directives import Skipped, read_folder
from warpsweep.kernels.harness.tables import AGREES, harnesses, tools_path
from warpsweep.plots import Request
from warpsweep.results import read

SAYS = {"event_pair": 1.5, "event_loop": 1.1, "do_bench": 1.2, "do_bench_cudagraph": 1.0, "nvbench_cold": 1.3, "nvbench_batch": 1.05}
POINT = 4096, 0


@pytest.fixture(scope="module")
def timed(program, tmp_path_factory):
    """A file of the job in which each harness says so many times the duration, in the mean of its samples; their median is less."""
    path = tmp_path_factory.mktemp("harnesses") / "all.h5"
    done = subprocess.run([program, "run", ROOT / "jobs/harnesses.yaml", "--set", "timing.replicates=1", "--backend", "fake", "-o", path],
                          capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    results, samples = table(path, "results"), table(path, "samples")
    for row in results:
        factor, own = SAYS.get(row["harness"].decode(), 1), slice(row["sample_offset"], row["sample_offset"] + row["sample_count"])
        row["time_median"] = 1e-6
        row["gpu__time_duration.sum"] = 1700
        samples["seconds"][own] = factor * 1e-6 * 0.9
        samples["seconds"][own.start] += factor * 1e-6 * 0.1 * row["sample_count"]
    return rewritten(path, results=results, samples=samples)


def test_each_harness_is_compared_in_its_state_of_l2(timed):
    made = harnesses(frames.frame(timed))
    assert set(made["by"]) == {"emulated"} and made.attrs["remark"] == ""
    for name, factor in {**SAYS, "ncu": 1.7}.items():
        own = made[made["harness"] == name]
        assert own["ratio"].to_numpy() == pytest.approx(factor), name
        assert len(own) == (20 if name == "event_pair" else 10)
    states = made.groupby("harness")["cache"].unique().str.join(" ")
    assert states["do_bench"] == states["nvbench_cold"] == "cold" and states["ncu"] == "clean" and states["event_loop"] == "hot"


def test_the_tools_lie_beside_the_file(timed):
    size, rounds = POINT
    near, far = 1.2e-6 * (1 + AGREES / 200), 1.3e-6 * (1 - AGREES / 50)
    tools_path(read(timed)).write_text("harness,version,cache,size,rounds,seconds\n"
                                       f"do_bench,3.6,cold,{size},{rounds},{near}\nnvbench_cold,1,cold,{size},{rounds},{far}\n")
    frame = frames.frame(timed)
    made = harnesses(frame)
    own = made[made["by"] == "the tool"].set_index("harness")
    assert own["ratio"].to_dict() == pytest.approx({"do_bench": 1e6 * near, "nvbench_cold": 1e6 * far})
    assert made.attrs["remark"] == "1 of 2 emulations are within 2 % of the tool, the worst within 4.2 %"
    (d,) = read_folder(ROOT / "analysis", ["harnesses"])
    assert len(Request(frame).make(d)[0].panels) == 8


def test_other_files_have_no_such_table(copies):
    with pytest.raises(Skipped, match="family harness"):
        harnesses(frames.frame(copies[0]))
