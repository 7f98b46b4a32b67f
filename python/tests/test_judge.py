"""judge: the shipped file of jobs/judge.yaml against the shipped references, as it is and with slowness planted."""
import copy
import json
import shutil

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from planted import changed, of_another_board, rewritten, said, table

import warpsweep
from warpsweep import diagnosis, estimates, program, results
from warpsweep.assumptions import scatter_of
from warpsweep.commands import COMMANDS
from warpsweep.results import read

# How much longer parts take, where it is not 3 %: good units differ by more in latencies, processes in copies.
PLANTED = {"h100-judge": {"latency of L2": 1.08, "latency of DRAM": 1.05, "host to device": 1.07}, "h200-judge": {"latency of L2": 1.05}}
LEAST = {"h200-judge": {"host to device": 0.97, "device to host": 0.98}, "h100-judge": {"L2": 0.96}}  # the share that is found, where it is not all
SHIPPED = sorted((ROOT / "analysis/data").glob("*-judge.h5"))


class Devices:
    """Made-up devices like the one of a file: its times, with new draws of what processes and units add."""

    def __init__(self, path):
        self.planted, self.least = PLANTED[path.stem], LEAST.get(path.stem, {})
        (self.unit,) = diagnosis.units_of(read(path))
        self.references = [unit for file in diagnosis.shipped() for unit in diagnosis.units_of(read(file))]
        self.e = self.unit.of(self.unit.rows.index).query("basis != 'none'")
        self.parts = diagnosis.parts_of(self.unit.rows).reindex(self.e.index)

    def draw(self, random, slower=False):
        """All parts take 3 % longer, or what is planted: each is judged by itself."""
        e, units, sides = self.e, self.unit.units.copy(), scatter_of(self.unit.text("name")).unit
        of_class = e["band"].astype(str) + e["kind"]
        each, parts = sorted(set(self.parts)), random.standard_normal(len(set(self.parts)))
        factor = self.parts.map(self.planted).fillna(1.03) if slower else 1.0
        level = np.log(factor) + self.parts.map(dict(zip(each, parts))) * np.sqrt(np.where(e["seconds"] < estimates.LONG, *sides))
        shift = {key: random.standard_normal() for key in zip(of_class[units["row"]], units["id"])}
        shift = np.array([shift[key] for key in zip(of_class[units["row"]], units["id"])])
        common, own = (np.sqrt(e[name] * e["units"]).loc[units["row"]].to_numpy() for name in ("common", "own"))
        units["log_median"] = ((e["log_seconds"] + level).loc[units["row"]].to_numpy() + common * shift
                               + own * random.standard_normal(len(units)))
        made = copy.copy(self.unit)
        made.units, made.pooling = units, estimates.pooling(units)
        return made

    def judged(self, random, slower=False):
        parts = diagnosis.health_of(self.draw(random, slower), self.references, 0.01).parts
        return parts[parts["points"] > 0]["slow"]


@pytest.fixture(scope="module", params=[pytest.param(path, marks=[pytest.mark.weekly] * (path.stem != "h200-judge")) for path in SHIPPED],
                ids=lambda path: path.stem)
def devices(request):
    return Devices(request.param)


@pytest.mark.parametrize("count", [2, pytest.param(100, marks=pytest.mark.weekly)])
def test_three_percent_are_found_in_each_part(devices, count):
    random = np.random.default_rng(3)
    found = pd.DataFrame([devices.judged(random, slower=True) for _ in range(count)])
    assert len(found.columns) >= 10 and all(share >= devices.least.get(part, 1) for part, share in found.mean().items()), found.mean()


@pytest.mark.parametrize("count", [2, pytest.param(1000, marks=pytest.mark.weekly)])
def test_good_devices_cause_no_alarm(devices, count):
    random = np.random.default_rng(4)
    assert not any(devices.judged(random).any() for _ in range(count))


def test_a_reference_of_another_kind_hides_nothing(tmp_path):
    """DRAM 3 % slower: slower than the reference of its kind, and as the other kind of H200 is."""
    bad = changed(ROOT / "analysis/data/h200-judge.h5", tmp_path / "bad.h5", 1.03, lambda t: t["roof"] == b"dram_mix")
    other = of_another_board(diagnosis.shipped()[3], tmp_path / "other.h5")
    for references in ((), (*diagnosis.shipped()[2:], other), (other,)):
        assert warpsweep.judge(bad, *references).set_index("part").loc["DRAM", "verdict"] == "slower"


def without_verdict(source, target):
    """As earlier releases wrote the file."""
    pairs = table(source, "environment")
    return rewritten(shutil.copy(source, target), environment=pairs[~np.char.startswith(pairs["name"], b"verdict")])


def test_what_was_not_measured_is_not_fine(copies, tmp_path):
    good = without_verdict(copies[0].with_name("h200-judge.h5"), tmp_path / "good.h5")
    rows = table(good, "results")
    cut = rewritten(shutil.copy(good, tmp_path / "cut.h5"), results=rows[rows["repeat"] == 0][:1])
    done = said("judge", cut, "-f", "json")
    (device,) = json.loads(done.stdout)
    assert done.returncode == 1 and device["verdict"] == "not judged in full"
    assert device["missing"] == ["The file is not good: missing: 47 of 48 points."]


def test_a_file_that_is_not_good_is_not_fine(copies, tmp_path, monkeypatch):
    """Its last run says so. A file without a verdict is judged by the program, and not without that."""
    good = without_verdict(copies[0].with_name("h200-judge.h5"), tmp_path / "good.h5")
    pairs = table(good, "environment")
    text = "rank 1, a GPU on a node: it lost its worker"
    fields = [("run", pairs.dtype["run"]), ("name", "S40"), ("value", "S500")]

    def with_pairs(name, *more):
        made = np.zeros(len(pairs) + len(more), fields)
        for field in ("run", "name", "value"):
            made[field][:len(pairs)] = pairs[field]
        for i, (run, *pair) in enumerate(more, len(pairs)):
            made[i] = run, *(part.encode() for part in pair)
        return rewritten(shutil.copy(good, tmp_path / name), environment=made)

    lost = with_pairs("lost.h5", (1, "verdict", "not good"), (1, "verdict.lost", text), (1, "verdict.failed", "1 point"))
    assert warpsweep.read(lost).verdict == results.Verdict(False, [("lost", text), ("failed", "1 point")])
    done = said("judge", lost, "-f", "json")
    (device,) = json.loads(done.stdout)
    assert done.returncode == 1 and device["missing"] == [f"The file is not good: lost: {text}."]
    fleet = said("judge", lost, "--fleet")
    assert fleet.returncode == 1 and f"lost: {text}." in fleet.stdout and "failed: 1 point." in fleet.stdout
    confirmed = with_pairs("confirmed.h5", (1, "verdict", "not good"), (1, "verdict.lost", text), (2, "verdict", "good"))
    assert warpsweep.read(confirmed).verdict == results.Verdict(True, []) and said("judge", confirmed).returncode == 0

    assert warpsweep.read(shutil.copy(good, tmp_path / "as_the_program_says.h5")).verdict == results.Verdict(True, [])
    for name in ("WARPSWEEP_PROGRAM", "PATH"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr(program, "__file__", str(tmp_path / "program.py"))
    unknown = warpsweep.read(shutil.copy(good, tmp_path / "unknown.h5"))
    with pytest.raises(warpsweep.ProgramError, match="not found"):
        diagnosis.lacking(unknown)


def test_what_a_launch_could_not_measure_is_no_failure_of_the_device(copies):
    file = copy.deepcopy(warpsweep.read(copies[0].with_name("h200-judge.h5")))
    first = file.rows.query("repeat == 0").index[0]
    file.rows.loc[first, ["status", "message"]] = "unavailable", "device 1 is another rank's"
    (health,) = diagnosis.healths(file)
    assert health.words == "as it should be" and health.failed == 0
    assert health.deferred == "1 point not judged: device 1 is another rank's."
    file.rows.loc[first, "status"] = "failed"
    (health,) = diagnosis.healths(file)
    assert health.words == "NOT AS IT SHOULD BE" and health.failed == 1 and not health.deferred


def test_no_verdict_beside_other_programs(copies):
    file = copy.deepcopy(warpsweep.read(copies[0].with_name("h200-judge.h5")))
    file.rows["shared"] = "no"
    (health,) = diagnosis.healths(file)
    assert health.words == "as it should be"
    file.rows.loc[file.rows.query("repeat == 0").index[:3], "shared"] = "1 other process: 4711"
    (health,) = diagnosis.healths(file)
    assert health.words == "NOT JUDGED" and "3 of its points" in health.shared


@pytest.mark.parametrize("kernel, factor, part", [
    pytest.param("gather", 1.2, "DRAM", marks=pytest.mark.weekly), ("copy", 1.03, "DRAM"),
    pytest.param("shared_stride", 1.03, "shared memory", marks=pytest.mark.weekly)])
def test_judge_by_kind_and_by_point(copies, tmp_path, kernel, factor, part):
    bad = changed(copies[0].with_name("h200-judge.h5"), tmp_path / "bad.h5", factor, lambda t: t["kernel"] == kernel.encode())
    done = said("judge", bad, "-f", "json")
    (device,) = json.loads(done.stdout)
    assert device["verdict"] == "not as it should be"
    assert done.returncode == 1 and part in [p["part"] for p in device["parts"] if p["slow"]]


def of_another_release(file, hashes=None):
    """As another release writes the file: with other hashes of families, and with those of what each point ran only if given."""
    made = copy.copy(file)
    made.environment_pairs = {name: "of HEAD" if name.startswith("code.") else value for name, value in file.environment_pairs.items()}
    made.rows, made.samples, made.cells, made.estimator = file.rows.copy(), file.samples.copy(), None, None
    made.rows["code_hash"] = made.rows["id"] + hashes if hashes else ""
    return made


def slower(file, rows, factor):
    """In place: the times of these rows take longer."""
    for begin, count in file.rows.loc[rows, ["sample_offset", "sample_count"]].to_numpy():
        file.samples.loc[begin:begin + count - 1, "seconds"] *= factor
    for name in [name for name in file.rows if name.startswith("time_")]:
        file.rows.loc[rows, name] *= factor
    return file


def slow_parts(file, *references):
    (health,) = diagnosis.healths(file, references)
    return health.parts[health.parts["slow"]]


@pytest.mark.parametrize("conditions, factor", [
    ("kernel == 'reduce'", 1.10), ("kernel == 'copy' and stride > 1", 1.10), ("variant == 'store'", 1.10),
    ("variant == 'memcpy'", 1.20), ("variant == 'memcpy'", 1.065)])
def test_single_points_are_judged_whatever_release_measured_them(conditions, factor):
    """As of the release that measured the references: what is unknown is not different."""
    good = of_another_release(read(SHIPPED[-1]))
    rows = good.rows.query(f"repeat == 0 and {conditions}").index
    assert len(rows) and len(slow_parts(slower(good, rows, factor)))


@pytest.mark.weekly
@pytest.mark.parametrize("path, found, faster", [(SHIPPED[0], 39, 2), (SHIPPED[-1], 43, 0)], ids=["h100", "h200"])
def test_most_points_are_found_alone(path, found, faster):
    """Those that are not, scatter too much, and are named; some latencies of L2 were lower than the reference's before."""
    good, references = read(path), [read(path) for path in diagnosis.shipped()]
    rows, missed = good.rows.query("repeat == 0 and status == 'ok'"), []
    for row, name in rows["id"].items():
        (health,) = diagnosis.healths(slower(of_another_release(good), [row], 1.065), references)
        if not health.parts["slow"].any():
            missed.append(health.uncertain["point"].str.contains(name).any())
    assert len(rows) == 48 and len(rows) - len(missed) >= found and missed.count(False) <= faster


def test_a_point_that_scatters_is_uncertain():
    """A slow copy of 16 MiB whose references differ by more is not found, and said so; one of 256 MiB is found."""
    good = read(SHIPPED[-1])
    for size, slow in ((16 << 20, False), (256 << 20, True)):
        row = good.rows.query(f"repeat == 0 and kernel == 'host_copy' and size == {size} and direction == 'h2d'").index
        (health,) = diagnosis.healths(slower(of_another_release(good), row, 1.065))
        name = good.rows.loc[row[0], "id"]
        assert health.parts["slow"].any() == slow and health.uncertain["point"].str.contains(name).any() != slow


def test_single_points_of_other_code_are_not_judged():
    file = read(SHIPPED[-1])
    row = file.rows.query("repeat == 0 and variant == 'memcpy'").index[:1]
    references = [of_another_release(read(path), "a") for path in diagnosis.shipped()]
    for hashes, many in (("a", 1), ("b", 0)):
        found = slow_parts(slower(of_another_release(file, hashes), row, 1.065), *references)
        assert len(found) == many and not found["cause"].str.contains("no reference says").any()
    unknown = slow_parts(slower(of_another_release(file), row, 1.065))
    assert unknown["cause"].str.contains("no reference says that it ran the same code").all() and len(unknown) == 1


def test_single_points_are_judged_by_references_of_their_revision_alone(tmp_path):
    """Another revision ran the same code, but differs by an unknown amount: it makes nothing slow or uncertain."""
    file, paths = read(SHIPPED[-1]), diagnosis.shipped()
    row = file.rows.query("repeat == 0 and variant == 'memcpy'").index[:1]
    bad = slower(of_another_release(file, "a"), row, 1.065)
    other = of_another_release(read(of_another_board(paths[3], tmp_path / "other.h5")), "a")
    for hashes, many in (("a", 1), ("b", 0)):
        (health,) = diagnosis.healths(bad, [*(of_another_release(read(path), hashes) for path in paths), other])
        assert health.parts["slow"].sum() == many
        assert not health.uncertain["point"].str.contains(file.rows.loc[row[0], "id"]).any()
    (health,) = diagnosis.healths(bad, [other])
    assert health.uncertain.empty and not health.parts["cause"].str.contains("of its points").any()


def test_judge_finds_planted_slowness(tmp_path, copies):
    good = copies[0].with_name("h200-judge.h5")
    bad = changed(good, tmp_path / "bad.h5", 1.10, lambda t: t["roof"] == b"dram_mix")
    found = warpsweep.judge(bad)
    assert found.attrs["wrong"] == [0] and found.set_index("part").loc["DRAM", "verdict"] == "slower"
    done = said("judge", good, copies[0])
    assert done.returncode == 2 and "no reference for device 0" in done.stderr


def test_help_names_the_differences_that_are_judged_of_points():
    text = " ".join(COMMANDS["judge"].help.split())
    (other,) = diagnosis.POINT_OF.values()
    assert f"by {100 * diagnosis.POINT - 100:.0f} % (in shared memory's or L1's latency {100 * other - 100:.0f} %," in text


def test_the_headline_says_what_is_uncertain():
    """Of parts in its table, and of points below it."""
    for name, words in (("h200-runs/unit1-copy.h5", "that were measured; uncertain: DRAM"), ("h200-judge.h5", "that were measured")):
        assert f" parts {words}\n" in said("judge", ROOT / "analysis/data" / name).stdout
