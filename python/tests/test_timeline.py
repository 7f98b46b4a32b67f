"""report --time: every second of a run has an owner; a timeline that is damaged costs the timeline, not the file."""
import subprocess

import numpy as np
import pytest
from conftest import ROOT
from planted import rewritten, said, table

COPIES = ROOT / "analysis/data/h200-copy.h5"
ROUND = [("MPI start", 0, 1), ("peaks", 1, 2), ("reference", 2, 3), ("warm-up", 3, 3.5), ("sampling", 3.5, 9.5), ("end", 9.5, 10)]


@pytest.fixture
def timed(tmp_path):
    """timed(*spans): two ranks of ten seconds in round numbers, the second of which waits from 6 s on; and further spans of it."""
    def write(*more):
        spans = [(rank, *span) for rank in (0, 1) for span in ROUND]
        spans[10:11] = [(1, "sampling", 3.5, 6), (1, "wait: work", 6, 9.5)]
        rows = np.zeros(len(spans) + len(more), table(COPIES, "timeline").dtype)
        for row, (rank, phase, start, end) in zip(rows, [*spans, *((1, "sampling", *span[:2]) for span in more)]):
            row["run"], row["rank"], row["lane"], row["phase"], row["parts"], row["start"], row["end"] = 1, rank, b"rank", phase, 1, start, end
        for row, span in zip(rows[len(spans):], more):
            row["device"] = span[2] if len(span) > 2 else 0
        (tmp_path / "t.h5").write_bytes(COPIES.read_bytes())
        return rewritten(tmp_path / "t.h5", timeline=rows)
    return write


def test_seconds_by_phase_and_rank(timed):
    text = said("report", timed(), "--time").stdout
    assert "2 lanes of ranks, 20.000 s together. GPU at work: 47.5 % (samples, warm-up, energy, counted launches)." in text
    assert "wait: work 17.5 %, MPI start 10.0 %, peaks 10.0 %. Phases cover 100.00 % of the time." in text
    assert "| sampling | 8.500 | 42.5 | 2 |" in text and "| unaccounted | 0.000 | 0.0 | 0 |" in text
    ranks = [line for line in text.splitlines() if line.startswith("| 1 | ")]
    assert [line.split("|")[-2].strip() for line in ranks] == ["65.0", "30.0"]


def test_of_a_host_its_processor_is_at_work(timed):
    environment = table(path := timed(), "environment")
    environment["value"][environment["name"] == b"backend"] = b"host"
    text = said("report", rewritten(path, environment=environment), "--time").stdout
    assert "together. CPU at work: 47.5 %" in text and "GPU" not in text


def test_a_file_without_a_timeline(oldest):
    assert "This file has no timeline" in said("report", oldest, "--time").stdout


@pytest.mark.parametrize("span, verified, message", [
    ((12, 11), 1, "row 13 of /timeline is not a span of time of a rank"),
    ((11, 12, 7), 1, "row 13 of /timeline names device 7; /devices has 1"),
    ((9.75, 11), 0, "row 13 of /timeline")])  # which overlaps: no damage, but it cannot be added up
def test_a_damaged_timeline_is_left_out(timed, program, span, verified, message):
    path = timed(span)
    done = subprocess.run([program, "status", "--verify", path], capture_output=True, text=True)
    assert done.returncode == verified and (not verified or message in done.stdout + done.stderr)
    assert subprocess.run([program, "table", path], capture_output=True).returncode == 0
    text = said("report", path, "--time").stdout
    assert f"is left out: {message.split(' of ')[0]} of /timeline" in text and "By phase" not in text


def test_merging_a_copy_adds_no_spans(timed, program, tmp_path):
    path, merged = timed(), tmp_path / "twice.h5"
    subprocess.run([program, "merge", path, path, "-o", merged], capture_output=True, check=True)
    assert len(table(merged, "timeline")) == 13
