"""`reproduce`: claims of a paper held against another unit, planted times, another product and what cannot be compared."""
import json
import re
import shutil

import numpy as np
import pandas as pd
import planted
import pytest
from conftest import ROOT

pytest.importorskip("jinja2")
from warpsweep.artifact.kit import ABOUT, CLAIMS  # noqa: E402
from warpsweep.claims import DEVICES, ORDER, RATE, SHARE, Claim, claims_of  # noqa: E402
from warpsweep.paper.study import Study  # noqa: E402
from warpsweep.reproducing import reproduce  # noqa: E402
from warpsweep.results import read  # noqa: E402

DATA = ROOT / "analysis/data"
H200, UNIT, H100, REVISION = "h200-paper", "h200-runs/unit10-paper", "h100-paper", "h100-runs/unit6-paper"
FAMILIES = ("add", "matmul")


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Shipped files with the points of few families."""
    folder, made = tmp_path_factory.mktemp("small"), {}

    def of(name):
        if name not in made:
            path = folder / f"{name.replace('/', '-')}.h5"
            results = planted.table(DATA / f"{name}.h5", "results")
            shutil.copy(DATA / f"{name}.h5", path)
            made[name] = planted.rewritten(path, results=results[np.isin(results["kernel"].astype(str), FAMILIES)])
        return made[name]
    return of


@pytest.fixture(scope="module")
def artifact(small, tmp_path_factory):
    """As `warpsweep artifact` makes it, with the claims of such files."""
    made = {}

    def of(*names):
        if names not in made:
            made[names] = tmp_path_factory.mktemp("artifact")
            (made[names] / "results").mkdir()
            for name in names:
                shutil.copy(small(name), made[names] / "results")
            claims_of(Study([read(small(name)) for name in names])).to_csv(made[names] / CLAIMS, index=False)
            (made[names] / ABOUT).write_text(json.dumps({"files": [small(name).name for name in names]}))
        return made[names]
    return of


@pytest.fixture
def revision(small, tmp_path):
    return planted.of_another_board(small(UNIT), tmp_path / "revision.h5")


@pytest.fixture(scope="module")
def again(small, artifact):
    """The claims of a file, held against another unit."""
    return reproduce(artifact(H200), small(UNIT))


def test_its_own_files_reproduce_nothing(small, artifact, tmp_path):
    for file in (small(H200), shutil.copy(small(H200), tmp_path / "renamed.h5")):
        done = planted.said("reproduce", artifact(H200), file)
        assert done.returncode == 2 and "is a file of the artifact, not a new measurement" in done.stderr


def test_each_new_file_counts(small, artifact, again, revision, tmp_path):
    """In whichever order they are given, the one that fits least decides."""
    slow = planted.changed(revision, tmp_path / "slow.h5", 1.5, lambda t: t["variant"] == b"packed")
    alone = reproduce(artifact(H200), slow).set_index("claim")
    for files in ((small(UNIT), slow), (slow, small(UNIT))):
        found = reproduce(artifact(H200), *files).set_index("claim")
        assert (found["verdict"] == "not reproduced").sum() == (alone["verdict"] == "not reproduced").sum() > 0
        rates = alone["verdict"] == "not comparable"  # of another board revision: the other file tells
        assert rates.any() and (found.loc[rates, "verdict"] == again.set_index("claim").loc[rates[rates].index, "verdict"]).all()


def test_a_failed_point_is_no_success(small, artifact, tmp_path):
    results = planted.table(small(UNIT), "results")
    results["status"][results["kernel"] == b"add"] = b"failed"
    done = planted.said("reproduce", artifact(H200), planted.rewritten(shutil.copy(small(UNIT), tmp_path / "x.h5"), results=results))
    few, many, apart, whole = map(int, re.findall(r"\d+", done.stdout.splitlines()[-1]))
    assert done.returncode == 1 and 0 < few == many == whole - apart < whole, done.stdout


def test_claims_that_do_not_follow_are_refused(small, artifact, tmp_path):
    """The new number is told by the claimed one: that has to be the one of the results."""
    one = shutil.copytree(artifact(H200), tmp_path / "artifact")
    claims = pd.read_csv(one / CLAIMS)
    for name, value, said in (("value", 2 * claims["value"][0], ":2: value is"), ("claim", "mine", ":2: 'mine' is no claim"),
                              ("sentence", "It is fast.", ":2: sentence is")):
        claims.assign(**{name: claims[name].where(claims.index > 0, value)}).to_csv(one / CLAIMS, index=False)
        done = planted.said("reproduce", one, small(UNIT))
        assert done.returncode == 2 and said in done.stderr, done.stderr
    claims.iloc[:0].to_csv(one / CLAIMS, index=False)
    done = planted.said("reproduce", one, small(UNIT))
    assert done.returncode == 2 and "has no claims" in done.stderr


def test_another_unit_reproduces(again):
    assert (again["verdict"] == "reproduced").mean() >= 0.95 and (again["verdict"] != "not comparable").all()
    assert again["tolerance"].dropna().between(0.01, 0.05).all()


def test_a_results_file_stands_for_its_claims(small, again):
    table = reproduce(small(H200), small(UNIT))
    pd.testing.assert_frame_equal(table, again, check_dtype=False)


def failing(table, family):
    """The rates and shares of a family fail, and nothing of another one: its ratios are as they were."""
    mine, bad = table["family"] == family, table["verdict"] == "not reproduced"
    assert (bad == (mine & table["kind"].isin([RATE, SHARE]))).all() and bad.sum() > 5
    assert (table.loc[~mine, "verdict"] == "reproduced").all(), table[~mine & (table["verdict"] != "reproduced")]


def test_planted_times_make_the_claims_of_their_family_fail(small, artifact, tmp_path):
    path = planted.changed(small(UNIT), tmp_path / "slow.h5", 1.05, lambda t: t["kernel"] == b"add")
    failing(table := reproduce(artifact(H200), path), "add")
    assert table.loc[table["verdict"] == "not reproduced", "ratio"].sub(1 / 1.05).abs().max() < 0.02


def test_an_order_fails_only_if_the_reverse_is_shown(small, artifact, again, tmp_path):
    order = again[(again["kind"] == ORDER) & (again["family"] == "matmul") & again["value"].between(1.2, 1.3)].iloc[0]
    better = order["points"].encode().split()[1]
    for factor, verdict in ((order["measured"], "uncertain"), (1.5, "not reproduced")):
        path = planted.changed(small(UNIT), tmp_path / f"{verdict}.h5", factor, lambda t: t["id"] == better)
        found = reproduce(artifact(H200), path).set_index("claim").loc[order["claim"]]
        assert found["verdict"] == verdict and found["measured"] == pytest.approx(order["measured"] / factor, rel=1e-3)


def test_another_product_is_not_comparable_and_its_orders_are_told_apart(small, artifact):
    done = planted.said("reproduce", artifact(H200), small(H100), "-f", "json")
    assert done.returncode == 1 and done.stderr.startswith("0 of 0 comparable")  # which is no success
    table = pd.DataFrame(json.loads(done.stdout))
    assert (table["verdict"] == "not comparable").all() and table["measured"].isna().all()
    order = table["kind"] == ORDER
    assert table.loc[~order, "why"].unique().tolist() == ["other device: NVIDIA H100 80GB HBM3"]
    assert table.loc[order, "why"].str.contains(", where it (?:holds|is uncertain)$").all()


def test_another_board_revision_has_no_comparable_rates(artifact, revision):
    done = planted.said("reproduce", artifact(H200), revision)
    (line,) = (line for line in done.stdout.splitlines() if "other board revision" in line)
    assert "692-2G520-0282-000 against 692-2G520-0282-001" in line and "add" in line
    assert next(line for line in done.stdout.splitlines() if line.startswith("| rate |")).split(" | ")[2] == "0"


def test_ratios_of_devices(small, artifact, tmp_path):
    """Both devices are measured again, at all points or at some, or one is."""
    def told(*files):
        table = reproduce(artifact(H100, H200), *files)
        return table[(table["kind"] == DEVICES) & (table["family"] == "add")].iloc[0]
    first = planted.table(small(H100), "results")
    environment = planted.table(small(H100), "environment")
    environment["value"][environment["name"] == b"start"] = b"2026-11-28T00:00:00Z"  # another run
    again = planted.rewritten(shutil.copy(small(H100), tmp_path / "again.h5"), environment=environment)
    slow = planted.changed(again, tmp_path / "slow.h5", 1.05, lambda t: t["kernel"] == b"add")
    fewer = planted.table(small(UNIT), "results")
    point = first["id"][(first["kernel"] == b"add") & (first["status"] == b"ok")][0]
    fewer = planted.rewritten(shutil.copy(small(UNIT), tmp_path / "fewer.h5"), results=fewer[fewer["id"] != point])
    one, other, alone = told(small(UNIT), again), told(fewer, slow), told(small(UNIT))
    assert one["verdict"] == "reproduced" and one["note"] == "" and 0.01 < one["tolerance"] < 0.03
    count = len(one["points"].split())
    assert other["verdict"] == "not reproduced" and other["note"] == f"at {count - 1} of {count} points"
    assert other["ratio"] == pytest.approx(1.05 * one["ratio"], rel=1e-2)
    assert alone["verdict"] == "not comparable" and alone["why"] == "other device: NVIDIA H200"


@pytest.mark.parametrize("name, before, after, said", [
    ("claims.csv", "quantity", "quality", "claims.csv: expected a column 'quantity'"),
    ("claims.csv", ",GB/s,", ",GB/s,x", "claims.csv:2: value is 'x"),
    ("artifact.json", "{", "[", "no artifact.json and claims.csv of an artifact"),
    ("artifact.json", "h200-paper", "absent", "absent.h5: no such file")])
def test_a_damaged_artifact_is_refused(small, artifact, tmp_path, name, before, after, said):
    one = shutil.copytree(artifact(H200), tmp_path / "artifact")
    text = (one / name).read_text()
    assert before in text
    (one / name).write_text(text.replace(before, after, 1))
    done = planted.said("reproduce", one, small(UNIT))
    assert done.returncode == 2 and said in done.stderr


def test_why_points_are_not_comparable(small, artifact, again, tmp_path):
    """Each reason at the point of a claim; no other verdict changes."""
    results, devices, samples = (planted.table(small(UNIT), name) for name in ("results", "devices", "samples"))
    results = results.astype([(name, {"status": "S16", "cache": "S8"}.get(name, results.dtype[name])) for name in results.dtype.names])
    points = again.loc[again["kind"] == RATE, "points"].unique()
    reasons = {"failed": ("status", b"failed"), "other states of L2: rotate against": ("cache", b"rotate"),
               "other timers: clock against": ("timer", b"clock"), "not measured": ("repeat", 1)}
    for point, (column, value) in zip(points, reasons.values()):
        results[column][results["id"] == point.encode()] = value
    devices["power_limit"] -= 100
    (hot,) = results[(results["id"] == points[len(reasons)].encode()) & (results["repeat"] == 0)]
    samples["sm_clock"][hot["sample_offset"]:][:hot["sample_count"]] *= 0.9
    path = planted.rewritten(shutil.copy(small(UNIT), tmp_path / "x.h5"), results=results, devices=devices, samples=samples)
    found = reproduce(artifact(H200), path)
    reasons["power limit, which lowers the clock: 600 W against 700 W"] = ()
    for point, why in zip(points, reasons):
        mine = found[found["points"] == point]
        assert (mine["verdict"] == "not comparable").all() and mine["why"].str.startswith(why).all(), (mine["why"], why)
    rest = ~found["points"].str.contains("|".join(points[:len(reasons)]))
    assert (found.loc[rest, "verdict"] == again.loc[rest, "verdict"]).all() and rest.sum() > 10


@pytest.mark.weekly
def test_whole_files():
    for one, other, reproduced, comparable in ((H200, UNIT, 133, 134), (H100, REVISION, 45, 48)):  # the page says so
        counts = reproduce(DATA / f"{one}.h5", DATA / f"{other}.h5")["verdict"].value_counts()
        assert counts["reproduced"] == reproduced and counts.sum() - counts.get("not comparable", 0) == comparable


@pytest.mark.weekly
@pytest.mark.parametrize("family", ["add", "copy", "matmul", "reduce"])
def test_planted_in_a_whole_file(family, tmp_path):
    path = planted.changed(DATA / f"{UNIT}.h5", tmp_path / "slow.h5", 1.05, lambda t: t["kernel"] == family.encode())
    table = reproduce(DATA / f"{H200}.h5", path)
    failing(table[(table["verdict"] != "uncertain") | (table["tolerance"] < 0.03)], family)  # 5 % is not much for a wide interval


@pytest.mark.weekly
def test_what_artifact_writes_is_read(tmp_path):
    files, again = ([DATA / f"{name}-{of}.h5" for name in ("h100", "h200")] for of in ("copy", "copy-again"))
    assert planted.said("artifact", *files, "-o", tmp_path / "made").returncode == 0
    done = planted.said("reproduce", tmp_path / "made", *again)
    assert done.returncode == 0 and f"| {DEVICES} | 1 | 1 |" in done.stdout, done
