"""load, samples, devices: against h5py, and on what real files seldom have."""
import contextlib
import shutil
import signal
import subprocess
import time
import zlib

import h5py
import numpy as np
import numpy.lib.recfunctions
import pandas as pd
import pytest

import warpsweep
from planted import rewritten, said, table
from warpsweep import checks, declared, results
from warpsweep.rates import DERIVED, PREDICTED
from warpsweep.units import seconds_text

KINDS = {"S": b"text", "f": b"real"}


def test_load_is_the_table_with_units(paper):
    frame = warpsweep.load(paper, canaries=True)
    with h5py.File(paper) as file:
        raw = file["results"][:]
    assert len(frame) == len(raw) > 1000
    assert np.array_equal(frame["time_median"], raw["time_median"], equal_nan=True)
    assert list(frame["kernel"].astype(str)) == [name.decode() for name in raw["kernel"]]
    assert frame.attrs["units"]["time_median"] == "s" and frame.attrs["units"]["bandwidth"] == "bytes/s"
    assert frame.attrs["roles"]["stride"] == "axis" and frame.attrs["meanings"]["flops"]
    assert frame.attrs["files"][0]["commit"]
    assert (warpsweep.load(paper)["canary"] == 0).all() and len(warpsweep.load(paper)) < len(frame)


def test_columns_without_a_value_are_not_in_the_file(paper, tmp_path):
    """Readers have them all the same, as /columns describes them."""
    path, whole, known, dropped = tmp_path / "few.h5", warpsweep.read(paper), [], 0
    shutil.copy(paper, path)
    for name, missing in (("results", np.iinfo(np.int64).min), ("devices", -1)):
        raw = table(path, name)
        empty = {"f": lambda values: np.isnan(values), "S": lambda values: values == b"", "i": lambda values: values == missing}
        has = [one for one in raw.dtype.names if not empty[raw.dtype[one].kind](raw[one]).all() or one in declared.REQUIRED]
        dropped += len(raw.dtype.names) - len(has)
        known += [one for one in raw.dtype.names if one not in has]
        rewritten(path, **{name: np.lib.recfunctions.repack_fields(raw[has])})
    few = warpsweep.read(path)
    assert dropped > 50 and few.rows.equals(whole.rows) and few.devices.equals(whole.devices)
    assert list(warpsweep.read(path, columns=known[:1]).rows[known[0]].unique()) in ([""], [pytest.approx(np.nan, nan_ok=True)])
    assert warpsweep.load(path).equals(warpsweep.load(paper))


def test_categories_and_integers(synthetic):
    frame = warpsweep.load(synthetic)
    assert isinstance(frame["variant"].dtype, pd.CategoricalDtype) and frame["id"].dtype != "category"
    assert frame["size"].dtype == "Int64" and frame["size"][0] == 2**53 + 1, "no double holds it"
    last = frame.iloc[3]
    assert last["message"] == "µ" and last["kernel"] == "latency"
    assert pd.isna(last["stride"]) and pd.isna(last["device"]) and pd.isna(last["variant"])
    assert pd.isna(last["device.name"]) and frame["device.name"][0] == "Made-up device"


def test_several_files(paper, copies):
    frame = warpsweep.load(*copies, paper, device=["name", "peak_copy"])
    assert frame["file"].nunique() == 3 and isinstance(frame["kernel"].dtype, pd.CategoricalDtype)
    assert len(frame) == sum(len(warpsweep.load(path)) for path in (*copies, paper))
    assert frame["device.peak_copy"].notna().any() and frame["stride"].dtype == "Int64"
    assert len(frame.attrs["files"]) == 3 and frame.attrs["units"]["device.peak_copy"] == "bytes/s"


def test_samples_are_those_of_their_rows(synthetic, paper):
    every = warpsweep.samples(synthetic)
    assert every["seconds"].tolist() == [1.4, 1.6, 2.4, 2.6, 3.5, 1.6]
    assert every["id"].str[0].tolist() == list("001120") and every["repeat"].tolist() == [0, 0, 0, 0, 0, 1]
    assert every["process"].tolist() == [8, 8, 7, 7, 9, 8]
    real = warpsweep.load(paper)
    row = real[(real["processes"] == 1) & (real["sample_count"] > 0)].head(1)
    if row.empty:  # all of several processes: the median over samples lies near that over processes
        row = real[real["sample_count"] > 0].head(1)
    taken = warpsweep.samples(paper).query("repeat == 0 and id in @row.id")
    assert len(taken) == row["sample_count"].iloc[0]
    assert np.isclose(taken["seconds"].median(), row["time_median"].iloc[0], rtol=0.05)


def test_samples_that_are_not_there(synthetic):
    with h5py.File(synthetic, "a") as file:
        rows = file["results"][:]
        rows["sample_offset"][0] = 100
        file["results"][:] = rows
    with pytest.raises(warpsweep.ResultsFileError, match="row 0 of /results names samples that do not exist"):
        warpsweep.samples(synthetic)


def test_the_rest_of_a_file(paper, synthetic):
    results = warpsweep.read(paper)
    assert results.devices["name"].tolist() == ["NVIDIA H100 80GB HBM3"] and results.device_columns.unit("peak_copy") == "bytes/s"
    assert pd.isna(warpsweep.read(synthetic).devices["numa_node"][0]), "-1 is unknown"
    assert "sweeps:" in results.job and "commit" in set(results.environment["name"])


TITLES = [("title: Plain, with a - and a#b  # a remark", "Plain, with a - and a#b"), ('title: "Two: one"', "Two: one"), ("title: 'Two \"2\"'", 'Two "2"'),
          (">-\n  Folded\n  title", "Folded title"), ('"a \\"b\\" \\u00b5"', 'a "b" µ'), ("'It''s'", "It's"), ("Two\n  lines", "Two lines")]


@pytest.mark.parametrize("text, title", [*TITLES[:3], *((f"title: {text}", title) for text, title in TITLES[3:]),
                                         ('"title": Quoted', "Quoted"), ("title : Apart", "Apart"), ("counters: none", "")])
def test_the_title_is_what_the_program_read(text, title, program, tmp_path):
    (tmp_path / "job.yaml").write_text(f"{text}\nsweeps: [{{kernel: copy, axes: {{size: 64KiB}}}}]\n")
    subprocess.run([program, "run", "job.yaml", "-o", "x.h5", "--backend", "fake", "--counters", "none"], cwd=tmp_path, check=True, capture_output=True)
    results = warpsweep.read(tmp_path / "x.h5")
    assert results.title == title
    # An older file has the text of the job alone: what is not plain in one line is no title, rather than a wrong one.
    results.environment = results.environment[results.environment["name"] != "title"]
    del results.environment_pairs
    assert results.title == (title if (text, title) in TITLES[:3] else "")


def test_of_several_runs_the_last_one_counts(program, tmp_path):
    job = tmp_path / "job.yaml"
    job.write_text("title: First\nsweeps: [{kernel: copy, axes: {size: 64KiB}}]\n")
    for title in ("First", "Second"):
        subprocess.run([program, "run", "job.yaml", "--set", f"title={title}", "-o", "x.h5", "--resume", "--backend", "fake"], cwd=tmp_path, check=True,
                       capture_output=True)
    assert warpsweep.read(tmp_path / "x.h5").title == "Second"


def test_statuses_are_those_that_the_program_writes(make_results, tmp_path):
    subprocess.run([make_results, "s.h5"], cwd=tmp_path, check=True)
    results = warpsweep.read(tmp_path / "s.h5")
    rows, statuses = table(tmp_path / "s.h5", "results"), table(tmp_path / "s.h5", "statuses")
    assert dict(statuses[["name", "outcome"]].tolist()) == {name.encode(): outcome.encode() for name, outcome in declared.OUTCOMES.items()}
    assert list(results.outcomes(results.rows).value_counts()) == [52, 1, 1]
    rows["status"][rows["status"] == b"failed"] = b"melted"
    with pytest.raises(warpsweep.ResultsFileError, match="has a status that this release does not know"):
        warpsweep.read(rewritten(tmp_path / "s.h5", results=rows))


def test_columns_are_those_that_the_program_writes(make_results, tmp_path):
    """Those of the tables of C, read by declared.py."""
    subprocess.run([make_results, "s.h5"], cwd=tmp_path, check=True)
    told = {of: {} for of in checks.TYPES}
    for of, name, kind, role in table(tmp_path / "s.h5", "columns")[["table", "name", "type", "role"]].tolist():
        if role not in (b"axis", b"counter"):
            told[of.decode()][name.decode()] = kind.decode()
    words = {"variant", "dtype", "arch", "cache"}  # axes that are words in every family
    told["results"] |= dict.fromkeys(words, "text") | {name: column.type for name, column in (DERIVED | PREDICTED).items()}
    assert told == checks.TYPES


@pytest.mark.parametrize("where, name, value", [
    ("/", "format_version", np.float64("inf")), ("/", "format_version", np.int64(0)), ("/", "sequence", np.int64(-1)),
    ("/", "sequence", np.int64(2**62 + 1)), ("/", "runs", np.int64(2**31)), ("results", "crc32", np.float64("inf"))])
def test_attributes_are_refused_as_the_program_does(where, name, value, small, tmp_path, program):
    """Those that readers do not use, too: the program cannot go on with such a file."""
    path = shutil.copy(small, tmp_path / "x.h5")
    with h5py.File(path, "r+") as file:
        file[where].attrs[name] = value
    with pytest.raises(warpsweep.ResultsFileError, match="x.h5"):
        warpsweep.read(path)
    assert subprocess.run([program, "status", "--verify", path], capture_output=True).returncode != 0


def test_a_file_without_descriptions_is_reported(copies, tmp_path):
    path = shutil.copy(copies[0], tmp_path / "x.h5")
    with h5py.File(path, "r+") as file:
        del file["columns"]
    for words in (("report", path, "--roofs"), ("compare", copies[0], path)):
        assert said(*words).returncode == 0


def test_what_is_no_results_file(tmp_path, paper, synthetic):
    with pytest.raises(warpsweep.ResultsFileError, match="none.h5: no such file"):
        warpsweep.load(tmp_path / "none.h5")
    text = tmp_path / "text.h5"
    text.write_text("title: a job file\n")
    joined = tmp_path / "joined.h5"
    joined.write_bytes(paper.read_bytes() * 2)
    with pytest.raises(warpsweep.ResultsFileError, match="joined.h5: the results file ends after"):
        warpsweep.read(joined)
    with pytest.raises(warpsweep.ResultsFileError, match="cannot be opened as a results file"):
        warpsweep.load(text)
    foreign = tmp_path / "foreign.h5"
    with h5py.File(foreign, "w") as file:
        file["results"] = np.arange(3)
    with pytest.raises(warpsweep.ResultsFileError, match="not a results file"):
        warpsweep.load(foreign)
    with h5py.File(synthetic, "a") as file:
        file.attrs["format_version"] = 99
    with pytest.raises(warpsweep.ResultsFileError, match="newer release"):
        warpsweep.load(synthetic)
    with pytest.raises(warpsweep.UsageError, match="no column 'nmae'"):
        warpsweep.load(paper, device=["nmae"])
    with pytest.raises(TypeError):
        warpsweep.load()


def test_the_journal_is_read_by_the_program(synthetic, program):
    journal = synthetic.with_name("synthetic.h5.journal")
    journal.touch()  # of a run that has not begun to write
    assert len(warpsweep.load(synthetic)) == 4
    journal.write_bytes(b"this is no journal" * 10)
    with pytest.raises(warpsweep.ProgramError, match="synthetic.h5"):
        warpsweep.load(synthetic)


def test_a_running_job_is_read(tmp_path, program, monkeypatch):
    monkeypatch.setenv("WARPSWEEP_FAKE", "sleep=300ms")
    run = subprocess.Popen([program, "run", "--kernel", "copy", "--set", "stride=1,2,3,4,5,6,7,8", "--set", "block=32,64,96,128", "-o",
                            "running.h5", "--backend", "fake"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    try:
        deadline, rows = time.monotonic() + 60, []
        while len(rows) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
            with contextlib.suppress(warpsweep.WarpsweepError):  # its journal has no head yet
                rows = warpsweep.load(tmp_path / "running.h5")
        assert run.poll() is None and 2 <= len(rows) < 32 and (rows["status"] == "ok").all()
    finally:
        run.send_signal(signal.SIGINT)
        run.wait(60)


def test_release_0_1_gets_its_roles_from_the_program(oldest, program):
    frame = warpsweep.load(oldest)
    assert len(frame) and frame["time_median"].notna().any()
    assert "stride" in warpsweep.axes(frame)


def changed(path, table, change):
    """The file with a table changed as another program would: without its checksum."""
    with h5py.File(path, "a") as file:
        rows = file[table][:]
        change(rows)
        file[table][:] = rows


@pytest.mark.parametrize("table", ["results", "devices", "samples", "columns", "environment"])
def test_every_table_is_compared_with_its_checksum(table, small, tmp_path):
    copy = tmp_path / "copy.h5"
    copy.write_bytes(small.read_bytes())

    def change(rows):
        name = next(name for name in ("time_median", "seconds", "meaning", "name") if name in rows.dtype.names)
        rows[name] = b"x" if rows.dtype[name].kind == "S" else 1e-3

    changed(copy, table, change)
    with pytest.raises(warpsweep.ResultsFileError, match=f"wrong checksum of /{table}"):
        warpsweep.read(copy).samples
    salvaged = warpsweep.read(copy, salvage=True)
    assert len(salvaged.samples) and table in salvaged.unverified


def test_other_files_are_not_followed(small, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"x" * 64)
    layout = h5py.VirtualLayout((3,), [("run", "i8"), ("name", "S8"), ("value", "S8")])
    layout[:] = h5py.VirtualSource(small, "environment", (3,), layout.dtype)  # without one, h5py 3.7 makes a plain dataset
    cases = {
        "external": lambda file: file.create_dataset("environment", (1,), [("run", "i8"), ("name", "S8"), ("value", "S8")],
                                                     external=[(secret, 0, 24)]),
        "virtual": lambda file: file.create_virtual_dataset("environment", layout),
        "link": lambda file: file.__setitem__("environment", h5py.ExternalLink(small, "/environment")),
        "soft": lambda file: file.__setitem__("environment", h5py.SoftLink("/columns")),
    }
    for name, make in cases.items():
        copy = tmp_path / f"{name}.h5"
        copy.write_bytes(small.read_bytes())
        with h5py.File(copy, "a") as file:
            del file["environment"]
            make(file)
        with pytest.raises(warpsweep.ResultsFileError, match="does not follow"):
            warpsweep.read(copy)


def test_values_that_no_release_writes(synthetic):
    for name, value, message in (("id", b"0" * 15, "16 hexadecimal"), ("status", b"fine", "status"),
                                 ("device", 7, "/devices has 1"), ("time_ci_low", 9.0, "above"),
                                 ("sample_offset", 1, "another row"), ("time_median", -1.0, "time_median -1, which cannot be"),
                                 ("time_median", np.inf, "time_median inf, which cannot be")):
        with h5py.File(synthetic, "a") as file:
            before = file["results"][:]
            rows = before.copy()
            rows[name][0] = value
            file["results"][:] = rows
        with pytest.raises(warpsweep.ResultsFileError, match=message):
            warpsweep.read(synthetic)
        with h5py.File(synthetic, "a") as file:
            file["results"][:] = before


def test_numbers_that_no_release_writes(small, tmp_path):
    """A wrong output may be infinitely wrong, and an interval of two samples very wide."""
    copy = tmp_path / "copy.h5"
    for table, name, value, bad in (("results", "bandwidth", np.inf, True), ("results", "energy", -1.0, True),
                                    ("results", "time_ci_high", 1e17, False), ("results", "temperature", -300.0, True),
                                    ("results", "temperature", -20.0, False), ("results", "error_max", np.inf, False),
                                    ("samples", "sm_clock", -1.0, True), ("samples", "sm_clock", np.inf, True),
                                    ("samples", "process", 2**31, True), ("samples", "seconds", np.nan, True)):
        copy.write_bytes(small.read_bytes())

        def change(rows):
            rows[name][0] = value

        changed(copy, table, change)

        def read():
            return warpsweep.read(copy, salvage=True).samples

        if bad:
            with pytest.raises(warpsweep.ResultsFileError, match=f"row 0 of /{table} has .*{name}.* cannot be"):
                read()
        else:
            assert len(read())


@pytest.mark.parametrize("table, name, kind, expected", [
    ("results", "bandwidth", "S8", "real"), ("results", "processes", "S8", "real"),
    ("results", "roof", "f8", "text"), ("results", "dtype", "f8", "text"), ("devices", "peak_copy", "S8", "real"), ("devices", "uuid", "f8", "text")])
def test_a_known_column_of_another_kind_is_named(small, tmp_path, table, name, kind, expected):
    """Also where /columns says the same: its values would be missing, or end in a traceback."""
    copy = tmp_path / "copy.h5"
    copy.write_bytes(small.read_bytes())
    with h5py.File(copy, "a") as file:
        for of in (table, "columns"):
            rows = file[of][:]
            if of == "columns":
                rows["type"][(rows["table"] == table.encode()) & (rows["name"] == name.encode())] = KINDS[kind[0]]
            else:
                fields = [(one, kind if one == name else rows.dtype[one]) for one in rows.dtype.names]
                made = np.zeros(len(rows), fields)
                for one in set(rows.dtype.names) - {name}:
                    made[one] = rows[one]
                rows = made
            del file[of]
            file.create_dataset(of, data=rows).attrs["crc32"] = np.uint32(zlib.crc32(rows.tobytes()))
    with pytest.raises(warpsweep.ResultsFileError, match=f"/{table} column '{name}' has type .*, expected {expected}$"):
        warpsweep.read(copy)


def test_load_takes_a_list(paper):
    assert len(warpsweep.load([paper, paper])) == len(warpsweep.load(paper, paper))


def test_long_expressions_are_refused(paper):
    from warpsweep.frames import frame
    from warpsweep.selecting import derive
    rows = frame(paper)
    for text in ("-" * 100000 + "1", "(" * 5000 + "1" + ")" * 5000, "+".join(["1"] * 50000)):
        with pytest.raises(warpsweep.UsageError, match="expect"):
            derive(rows, "x=" + text)


def test_axes_are_those_that_vary(synthetic):
    frame = warpsweep.load(synthetic)
    assert warpsweep.axes(frame) == ["variant", "size", "stride"]
    copy = frame[frame["kernel"] == "copy"]
    assert warpsweep.axes(copy) == ["variant", "stride"]
    assert warpsweep.axes(copy, varying=False) == ["variant", "size", "stride"]


def test_parquet(paper, synthetic, tmp_path):
    pytest.importorskip("pyarrow")
    for path in paper, synthetic:
        frame = warpsweep.load(path)
        frame.to_parquet(tmp_path / "frame.parquet")
        again = pd.read_parquet(tmp_path / "frame.parquet")
        kept = frame.drop(columns="id")  # pandas 3 reads texts as str, not as object
        pd.testing.assert_frame_equal(again[kept.columns], kept)
        assert list(again["id"]) == list(frame["id"]) and again.attrs["units"] == frame.attrs["units"]


def test_texts_may_be_held_as_pandas_does_by_itself(small, tmp_path):
    """In notebooks they are: where there is pyarrow, in its arrays."""
    with pd.option_context("mode.string_storage", pd.get_option("mode.string_storage")):
        pd.reset_option("mode.string_storage")
        own = shutil.copy(small, tmp_path)
        frame, compared = warpsweep.load(own), warpsweep.compare(own, own)
    for one, plain in ((frame, warpsweep.load(small)), (compared, warpsweep.compare(small, small))):
        assert one.columns.tolist() == plain.columns.tolist()
        pd.testing.assert_frame_equal(one, plain, check_dtype=False, check_column_type=False, check_categorical=False)


def test_roofs_of_earlier_releases(paper):
    """Products of tensor cores had the roof of other arithmetic, and collectives that of a link that carries all of their bytes."""
    contention, collectives = (warpsweep.read(paper.with_name(f"h100-{name}.h5")).rows for name in ("contention", "collectives"))
    assert not contention["roof"].str.startswith("flop_").any() and (contention["roof"] == "link_peer").sum() > 50
    assert 0.9 < collectives["fraction_peak"].max() < 1.05


@pytest.mark.parametrize("seconds, text", [(0.9998e-3, "1ms"), (0.9994e-3, "999us"), (0.9996, "1s"), (59.4, "59.4s"), (59.96, "1min 0s"),
                                           (125.9, "2min 5s"), (3599.96, "1h 0min"), (7260, "2h 1min"), (float("nan"), "?")])
def test_seconds_in_three_digits(seconds, text):
    assert seconds_text(seconds) == text
