"""What `check` forecasts of a job, beside the time that its shipped run has taken."""
import re
import subprocess

import h5py
import pytest

from conftest import ROOT

WITHIN = 0.25  # the model's constants are means over all jobs
OTHERS = {"h200-l2-sharing", "h200-options"}  # a run of 2 s; contended atomics, which forecasts leave out
OWN = {"harness"}  # families that say themselves what a sample is: it may be as long as another tool makes it
UNITS = {"ms": 1e-3, "s": 1, "min": 60, "h": 3600}


def taken(path):
    """Job, device's profile and seconds of a whole run of built-in families on one rank that says how long it took; else None."""
    with h5py.File(path) as file:
        known = {row["name"].decode(): row["value"].decode() for row in file["environment"][()]}
        device = file["devices"]["name"][0].decode() if len(file["devices"]) else ""
        product = re.search(r"\b[AHB]\d00\b", device)
        if "execution_seconds" not in known or known.get("ranks") != "1" or not product or len(set(file["results"]["run"])) > 1:
            return None
        rows, kernels = file["results"], {name.decode() for name in file["results"]["kernel"]}
        measured = rows["processes"][(rows["status"] == b"ok") & (rows["repeat"] == 0)]
        if len(set(measured)) > 1 or kernels & OWN or not all((ROOT / "kernels" / name).is_dir() for name in kernels):
            return None
        return file["job"][()].decode(), product[0].lower(), float(known["setup_seconds"]) + float(known["execution_seconds"])


def forecast(program, job, profile, tmp_path):
    file = tmp_path / "job.yaml"
    file.write_text(job, encoding="utf-8")
    done = subprocess.run([program, "check", file, "--profile", profile], capture_output=True, text=True)
    said = re.search(r"kernels? to compile, (.*) expected", done.stdout)
    return sum(float(value) * UNITS[unit] for value, unit in re.findall(r"([\d.]+)(ms|s|min|h)\b", said[1])) if said else pytest.fail(done.stderr)


def test_shipped_runs_took_about_as_long_as_check_says(program, tmp_path):
    files = {path.stem: found for path in sorted((ROOT / "analysis/data").glob("*.h5")) if (found := taken(path))}
    assert files
    apart = {name: (forecast(program, job, profile, tmp_path), seconds) for name, (job, profile, seconds) in files.items()}
    assert {name for name, (said, seconds) in apart.items() if abs(said / seconds - 1) > WITHIN} == OTHERS, apart
