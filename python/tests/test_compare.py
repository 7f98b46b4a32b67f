"""compare: what the program says, as a frame."""
import subprocess

import pandas as pd
import pytest

import warpsweep


def test_two_files(program, copies):
    frame = warpsweep.compare(*copies, program=program)
    assert isinstance(frame["verdict"].dtype, pd.CategoricalDtype)
    families = warpsweep.compare(*copies, points=False, program=program)
    said = subprocess.run([program, "compare", *copies, "-f", "tsv"], capture_output=True, text=True, check=True)
    head, row = (line.split("\t") for line in said.stdout.splitlines()[:2])
    for name in ("same", "uncertain", "faster", "slower"):
        assert families[f"points_{name}"][0] == int(row[head.index(f"points_{name}")])
        assert (frame["verdict"] == name).sum() == families[f"points_{name}"][0]
    judged = frame[frame["ratio"].notna()]
    assert all(r in interval for r, interval in zip(judged["ratio"], judged["ratio_interval"]))
    assert frame["ratio_interval"].isna().sum() == frame["ratio"].isna().sum()
    assert frame.attrs["assumed"]


def test_options_reach_the_program(program, copies):
    by = warpsweep.compare(copies[0], by="variant", baseline="load", kernel="copy", where=["dtype=f32"],
                           threshold=0.5, program=program)
    assert set(by["a"]) == {"load"} and "gridstride" in set(by["b"])
    assert not by["verdict"].isin(["faster", "slower"]).all()


def test_refusals(program, copies, oldest, tmp_path):
    with pytest.raises(warpsweep.ProgramError, match="times are not comparable") as refused:
        warpsweep.compare(oldest, copies[0], program=program)
    assert refused.value.exit_code == 2
    assert len(warpsweep.compare(oldest, copies[0], mixed=True, program=program))
    with pytest.raises(warpsweep.ProgramError, match="no such file|cannot|No such file"):
        warpsweep.compare(tmp_path / "none.h5", copies[0], program=program)
    with pytest.raises(warpsweep.ProgramError, match="no program"):
        warpsweep.compare(*copies, program=tmp_path / "warpsweep")
