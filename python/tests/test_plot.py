"""frame.ws.plot: the picture is the program's, of the rows of the frame."""
import subprocess
import xml.etree.ElementTree

import pandas as pd
import pytest

import warpsweep


@pytest.fixture(scope="session")
def plotter(program):
    if subprocess.run(["gnuplot", "--version"], capture_output=True).returncode != 0:
        pytest.skip("there is no gnuplot")
    return program


def drawn(program, paths, tmp_path, *options):
    subprocess.run([program, "plot", *paths, "--figure", "copy_stride", "--format", "svg", "-o", tmp_path, *options], check=True,
                   capture_output=True)
    return (tmp_path / "copy_stride.svg").read_bytes()


def test_picture(plotter, paper, tmp_path):
    picture = warpsweep.load(paper).ws.plot("copy_stride", program=plotter)
    assert isinstance(picture, warpsweep.Picture) and picture.data == drawn(plotter, [paper], tmp_path)
    bundle = picture._repr_mimebundle_()
    assert xml.etree.ElementTree.fromstring(bundle["image/svg+xml"].encode()).tag.endswith("svg")
    assert picture.caption.startswith("A strided load costs DRAM") and picture.caption in bundle["text/plain"]
    assert picture.save(tmp_path / "mine.svg").read_bytes() == picture.data
    png = warpsweep.load(paper).ws.plot("copy_stride", format="png", program=plotter)
    assert png._repr_mimebundle_()["image/png"].startswith(b"\x89PNG")


def test_rows_of_the_frame(plotter, paper, tmp_path):
    frame = warpsweep.load(paper)
    one = frame[(frame["dtype"] == "f32") & (frame["stride"] <= 8)].ws.plot("copy_stride", program=plotter)
    assert one.data == drawn(plotter, [paper], tmp_path, "--where", "dtype=f32", "--where", "stride<=8")
    assert one.data != frame.ws.plot("copy_stride", program=plotter).data
    assert frame.ws.plot("copy_stride", where=["dtype=f32", "stride<=8"], program=plotter).data == one.data


def test_several_files(plotter, paper, tmp_path):
    other = paper.parent / "h200-paper.h5"
    frame = warpsweep.load(paper, other)
    assert frame.ws.plot("copy_stride", program=plotter).data == drawn(plotter, [paper, other], tmp_path)
    alone = frame[frame["file"] == str(other)].ws.plot("copy_stride", program=plotter)
    assert alone.data == drawn(plotter, [other], tmp_path)
    with pytest.raises(warpsweep.WarpsweepError, match="other points"):
        frame[(frame["file"] == str(other)) | (frame["stride"] == 1)].ws.plot("copy_stride", program=plotter)


def test_refusals(plotter, paper, tmp_path):
    frame = warpsweep.load(paper)
    with pytest.raises(warpsweep.ProgramError, match="copy_strid"):
        frame.ws.plot("copy_strid", program=plotter)
    with pytest.raises(warpsweep.ProgramError, match="copy_stride"):
        frame[frame["kernel"] == "latency"].ws.plot("copy_stride", program=plotter)
    with pytest.raises(warpsweep.ProgramError, match="no program"):
        frame.ws.plot("copy_stride", program=tmp_path / "warpsweep")
    with pytest.raises(ValueError, match="format"):
        frame.ws.plot("copy_stride", format="gif", program=plotter)
    with pytest.raises(warpsweep.WarpsweepError, match="no rows"):
        frame[frame["stride"] == 12345].ws.plot("copy_stride", program=plotter)
    with pytest.raises(warpsweep.WarpsweepError, match="not of load"):
        pd.DataFrame({"id": ["0"]}).ws.plot("copy_stride", program=plotter)
