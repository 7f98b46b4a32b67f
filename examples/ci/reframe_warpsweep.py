"""ReFrame checks: measure a job, and hold it against what was measured before.

    reframe -C SETTINGS -c reframe_warpsweep.py -r -S WarpsweepRegression.baseline=/path/to/baseline.h5

One test measures (WarpsweepRun); the gate (WarpsweepRegression) depends on it and passes when no point is judged slower than the
baseline by more than `limit`: the verdict is warpsweep's own, with its intervals (docs/compare.md); what
ReFrame's performance log holds is a number of the same results file.
"""

import os

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import performance_function, require_deps, run_after, run_before, sanity_function, variable

JOB = "title: ReFrame\nsweeps:\n  - kernel: copy\n    axes: {size: 256MiB, stride: [1, 2, 4, 8]}\n"


class WarpsweepBase(rfm.RunOnlyRegressionTest):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    backend = variable(str, value="auto")  # host: the processor's, to try it where there is no GPU
    executable = "warpsweep"


@rfm.simple_test
class WarpsweepRun(WarpsweepBase):
    """Measure a job: a rank a GPU of the node."""

    descr = "warpsweep: every point of a job"
    ranks = variable(int, value=1)
    job_file = variable(str, value="")  # a job file; none: JOB
    keep_files = ["results.h5"]

    @run_after("setup")
    def write_job(self):
        text = JOB
        if self.job_file:
            with open(self.job_file, encoding="utf-8") as given:
                text = given.read()
        with open(os.path.join(self.stagedir, "job.yaml"), "w", encoding="utf-8") as job:
            job.write(text)

    @run_before("run")
    def name_options(self):
        self.num_tasks = self.ranks
        self.executable_opts = ["run", "job.yaml", "-o", "results.h5", "--backend", self.backend]
        self.postrun_cmds = ["echo measured: $?", "warpsweep table results.h5 --top 1 --per kernel -c kernel,bandwidth -f tsv"]

    @sanity_function
    def all_points_are_ok(self):
        return sn.all([sn.assert_found(r"^measured: 0$", self.stdout),
                       sn.assert_found(r"^kernel\tbandwidth$", self.stdout)])

    @performance_function("GB/s")
    def best_copy(self):
        return sn.extractsingle(r"^copy\t(\S+)$", self.stdout, 1, lambda rate: float(rate) / 1e9)


@rfm.simple_test
class WarpsweepRegression(WarpsweepBase):
    """No point is slower than the baseline by more than the limit."""

    descr = "warpsweep: against the baseline"
    baseline = variable(str, value="baseline.h5")
    limit = variable(str, value="5%")
    local = True

    @run_after("init")
    def depend_on_the_run(self):
        self.depends_on("WarpsweepRun")

    @require_deps
    def name_files(self, WarpsweepRun):  # the name of the test that it needs
        results = os.path.join(WarpsweepRun().stagedir, "results.h5")
        self.executable_opts = ["compare", self.baseline, results, "--fail-above", self.limit]
        self.postrun_cmds = ["echo compared: $?"]

    @sanity_function
    def nothing_is_slower(self):
        return sn.assert_found(r"^compared: 0$", self.stdout)
