"""pivot, polars and xarray: the same numbers, and never an average."""
import numpy as np
import pandas as pd
import pytest

import warpsweep


@pytest.fixture
def strides(paper):
    """The H100's strided f32 loads, and whatever else the job has of copy."""
    frame = warpsweep.load(paper)
    return frame[(frame["kernel"] == "copy") & (frame["status"] == "ok")]


def test_axes_are_those_that_vary(synthetic):
    frame = warpsweep.load(synthetic)
    assert warpsweep.axes(frame) == ["variant", "size", "stride"]
    copy = frame[frame["kernel"] == "copy"]
    assert warpsweep.axes(copy) == ["variant", "stride"]
    assert warpsweep.axes(copy, varying=False) == ["variant", "size", "stride"]
    with pytest.raises(warpsweep.WarpsweepError, match="does not say which"):
        warpsweep.axes(pd.DataFrame({"stride": [1]}))


def test_pivot_does_not_average(synthetic):
    frame = warpsweep.load(synthetic)
    copy = frame[frame["kernel"] == "copy"]
    with pytest.raises(warpsweep.AmbiguousError, match="2 rows would share .* differ in variant"):
        warpsweep.pivot(copy, rows="stride", columns="size", values="time_median")
    table = warpsweep.pivot(copy, rows="stride", columns="variant", values="time_median")
    assert table.loc[1, "load"] == 1.5 and table.loc[1, "store"] == 2.5 and table.loc[2, "load"] == 3.5
    assert np.isnan(table.loc[2, "store"]) and table.attrs["units"] == {"time_median": "s"}
    with pytest.raises(warpsweep.WarpsweepError, match="no column 'tsride'"):
        warpsweep.pivot(copy, rows="tsride", columns="variant", values="time_median")


def test_pivot_of_measured_points_is_ambiguous(strides):
    with pytest.raises(warpsweep.AmbiguousError, match="variant"):
        warpsweep.pivot(strides, rows="stride", columns="dtype", values="bandwidth")


def test_repetitions_are_no_points(synthetic):
    frame = warpsweep.load(synthetic, canaries=True)
    copy = frame[(frame["kernel"] == "copy") & (frame["variant"] == "load")]
    with pytest.raises(warpsweep.AmbiguousError, match="repeat"):
        warpsweep.pivot(copy, rows="stride", columns="variant", values="time_median")


def test_polars(paper, strides):
    polars = pytest.importorskip("polars")
    frame = warpsweep.load(paper)
    table = warpsweep.to_polars(frame)
    assert table.height == len(frame) and "time_interval" not in table.columns and "time_ci_low" in table.columns
    assert table.schema["stride"] == polars.Int64 and table["stride"].null_count() == frame["stride"].isna().sum() > 0
    best = table.filter((polars.col("kernel") == "copy") & (polars.col("status") == "ok"))["bandwidth"].max()
    assert best == strides["bandwidth"].max()


def test_xarray(synthetic, strides):
    pytest.importorskip("xarray")
    frame = warpsweep.load(synthetic)
    copy = frame[frame["kernel"] == "copy"]
    grid = warpsweep.to_xarray(copy, ["time_median"])
    assert dict(grid.sizes) == {"variant": 2, "stride": 2} and grid["time_median"].attrs["units"] == "s"
    assert grid["time_median"].sel(variant="load", stride=2) == 3.5
    assert np.isnan(grid["time_median"].sel(variant="store", stride=2)), "there is no such point"
    with pytest.raises(warpsweep.AmbiguousError, match="several kernels"):
        warpsweep.to_xarray(frame, ["time_median"])
    with pytest.raises(warpsweep.AmbiguousError, match="differ in variant"):
        warpsweep.to_xarray(copy, ["time_median"], dims=["stride"])
    with pytest.raises(warpsweep.AmbiguousError, match="name dims"):
        warpsweep.to_xarray(copy.head(1), ["time_median"])
    real = warpsweep.to_xarray(strides[strides["variant"] == "load"])
    assert int(real["bandwidth"].count()) == (strides["variant"] == "load").sum()


def test_parquet(paper, synthetic, tmp_path):
    pytest.importorskip("pyarrow")
    for path in paper, synthetic:
        frame = warpsweep.load(path)
        frame.to_parquet(tmp_path / "frame.parquet")
        again = pd.read_parquet(tmp_path / "frame.parquet")
        kept = frame.drop(columns="id")  # pandas 3 reads texts as str, not as object
        pd.testing.assert_frame_equal(again[kept.columns], kept)
        assert list(again["id"]) == list(frame["id"]) and again.attrs["units"] == frame.attrs["units"]
