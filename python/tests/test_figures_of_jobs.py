"""Every figure can be drawn of what a job of this release measures: of its points, as the program predicts them, with made-up
numbers in the columns that only a device fills."""
import subprocess
from functools import lru_cache

import numpy as np
import pytest
from reading import ANALYSIS, ROOT

from warpsweep import directives, frame, plots

pytestmark = pytest.mark.weekly
# Which job has the points. Computed tables are those of `test_derived`; the Triton example's job needs PyTorch.
JOBS = {
    "add": ("add", "add_restrict add_shape add_vector"), "atomics": ("atomics", "atomics_lanes atomics_warps"),
    "block_load": ("block_load", "block_load_items"), "copy": ("copy", "copy_offset copy_size copy_stride copy_vector"),
    "hints": ("copy", "hints"), "cluster": ("cluster", "cluster_bandwidth cluster_latency cluster_multicast"),
    "host_copy": ("host_copy", "host_copy_blocks host_copy_chunk host_copy_memory host_copy_round_trip host_copy_size host_copy_work"),
    "l2_topology": ("l2_topology", "l2_topology_home l2_topology_sm"), "l2_window": ("l2_window", "l2_window"),
    "reduce": ("reduce", "reduce_items reduce_size"), "paper": ("reduce", "reduce_block"), "stream": ("stream", "stream_vector"),
}
CASES = [(job, name) for job, (_, names) in JOBS.items() for name in names.split()]


@pytest.fixture(scope="module")
def points(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("jobs")

    @lru_cache(maxsize=None)
    def made(job):
        path = folder / f"{job}.h5"
        done = subprocess.run([program, "predict", ROOT / f"jobs/{job}.yaml", "--profile", "h200", "-o", path], capture_output=True)
        assert done.returncode < 2, done.stderr  # 1: no point has a predicted time
        rows, random = plots.read_rows(frame([path])), np.random.default_rng(1)
        rows["status"] = "ok"
        for name, column in rows.attrs["columns"].items():
            if column.type == "real" and column.role != "axis" and name in rows:
                rows[name] = rows[name].astype(float).fillna(1e6 * (1 + random.random()))
        rows["dram_bytes_read"] = rows["bytes_read"] + 1
        return rows
    return made


@pytest.mark.parametrize("job, name", CASES)
def test_a_job_can_draw_it(points, job, name):
    (d,) = directives.read_folder(ANALYSIS, [name])
    assert plots.Request(points(job)).make(d)[0].curves
