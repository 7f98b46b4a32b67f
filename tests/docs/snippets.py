"""snippets.py ROOT BUILD - runs the examples of README and docs, in a scratch folder with measured files.

Python blocks of a document run one after the other in one Python; commands (sh, console, indented) line by line;
console blocks must print what they show (`...` stands for anything); a job in YAML is checked, and kept
under the name in its first line, `# NAME.yaml`. What does not run is in
exceptions.txt with its reason, and is counted. A block that is neither run nor excepted fails, and so does an exception
that is of no block any more. PAGES names the documents whose examples run; default: all.
"""
import collections
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from documents import blocks, command_lines, documents

REASONS = {"gpu": "needs a GPU", "cluster": "needs a cluster", "network": "needs the network",
           "tree": "builds or tests the tree: the other tests do", "template": "has names to be filled in",
           "picture": "no code: a picture, a formula or a file's lines", "elsewhere": "another test runs it"}
# The files that examples name, from measured ones: an H100's, an H200's, and the same job twice.
FILES = {"results": "h100-paper", "h100-paper": "h100-paper", "h200-paper": "h200-paper", "h100": "h100-paper",
         "h200": "h200-paper", "hopper": "h100-paper", "blackwell": "h200-paper", "results-CLUSTER": "h100-paper",
         "before": "h100-copy", "after": "h100-copy-again", "main": "h100-copy", "branch": "h100-copy-again",
         "h100-copy": "h100-copy", "h200-copy": "h200-copy", "h100-copy-again": "h100-copy-again",
         "torch": "h200-torch", "mma_rate": "h200-mma", "pair": "h200-profile"}
TREE = ("jobs", "examples", "analysis", "profiles", "kernels", "slurm", "tests", "python", "src")


class Exceptions:
    """Rows of exceptions.txt: document | how the line begins | reason, or `exit N`."""

    def __init__(self, path):
        self.rows, self.used = {}, set()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                parts = [part.strip() for part in line.split(" | ")]
                if len(parts) != 3 or not (parts[2] in REASONS or parts[2].startswith("exit ")):
                    sys.exit(f"{path}:{number}: expected DOCUMENT | BEGINNING | {', '.join(REASONS)} or exit N")
                self.rows[parts[0], parts[1]] = parts[2]

    def of(self, document, line):
        """The reason why this line does not run, `exit N`, or None."""
        matching = [key for key in self.rows if key[0] == document and line.strip().startswith(key[1])]
        if not matching:
            return None
        key = max(matching, key=lambda one: len(one[1]))
        self.used.add(key)
        return self.rows[key]

    def stale(self):
        return [" | ".join(key) for key in self.rows if key not in self.used]


class Runner:
    def __init__(self, root, build):
        self.root, self.build = pathlib.Path(root), pathlib.Path(build)
        self.exceptions = Exceptions(self.root / "tests/docs/exceptions.txt")
        self.counts, self.failures = collections.Counter(), []
        self.folder = None
        self.environment = {**os.environ, "PATH": f"{self.build}/bin:{os.environ['PATH']}", "GNUTERM": "dumb",
                            "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
                            "PYTHONPATH": f"{self.build}/python:{self.root}/python/src",
                            "WARPSWEEP_PYTHON": f"{self.build}/bin/warm_python"}

    def fail(self, block, line, message):
        self.failures.append(f"{block.document}:{line}: {message}")

    def scratch(self, folder):
        """What examples find around them: parts of the tree, build/bin, and files under the names they use."""
        for name in TREE:
            (folder / name).symlink_to(self.root / name)
        (folder / "build").mkdir()
        for name in ("bin", "completion"):
            (folder / "build" / name).symlink_to(self.build / name)
        for name, source in FILES.items():
            shutil.copyfile(self.root / f"analysis/data/{source}.h5", folder / f"{name}.h5")
        self.folder = folder

    def start(self, command):
        """Exit code and output; 124 after five minutes, and then nothing that it started goes on."""
        process = subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
        try:
            output = process.communicate(timeout=300)[0]
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return 124, process.communicate()[0] + "\ntook more than 300 s"

    def excepted(self, block, line):
        reason = self.exceptions.of(block.document, line)
        if reason in REASONS:
            self.counts[reason] += 1
            return True
        return False

    def commands(self, block):
        shown = None
        for line, command in command_lines(block):
            console = block.language == "console" or block.text.startswith("$ ")
            if console and not command.startswith("$ "):
                if shown is not None and command != "..." and command not in [one.strip() for one in shown]:
                    self.fail(block, line, f"is not what the command prints: {command}")
                continue
            shown = None
            command = command.removeprefix("$ ")
            if self.excepted(block, command):
                continue
            expected = (self.exceptions.of(block.document, command) or "exit 0").removeprefix("exit ")
            status, output = self.start(["bash", "-c", command])
            if status == 3 and os.environ.get("CUDA") == "0":  # "this machine cannot do it": compiling, CUPTI
                self.counts["needs the CUDA Toolkit, which this build does not have"] += 1
                continue
            self.counts["run"] += 1
            if str(status) != expected:
                self.fail(block, line, f"exit {status}, expected {expected}: {command}\n{output[-1500:]}")
            elif console:
                shown = output.splitlines()

    def python(self, found):
        """All Python blocks of a document, one after the other, in one Python."""
        code = "\n".join(f"#### {block.document}:{block.line}\n{block.text}" for block in found)
        status, output = self.start([sys.executable, "-W", "error::FutureWarning", "-c", code])
        self.counts["run"] += len(found)
        if status:
            self.fail(found[0], found[0].line, f"the Python of this document:\n{output[-1500:]}")

    def yaml(self, block):
        named = re.match(r"# (\w+\.yaml)$", block.text.split("\n")[0])  # so that commands below can use it
        job = self.folder / (named[1] if named else "documented.yaml")
        job.write_text(block.text + "\n", encoding="utf-8")
        status, output = self.start(["warpsweep", "check", job.name])
        self.counts["run"] += 1
        if status:
            self.fail(block, block.line, f"warpsweep check: exit {status}\n{output[-1500:]}")

    def r(self, block):
        if not shutil.which("Rscript") or self.start(["Rscript", "-e", "library(hdf5r)"])[0]:
            self.counts["no R with hdf5r here"] += 1
            return
        status, output = self.start(["Rscript", "-e", block.text])
        self.counts["run"] += 1
        if status:
            self.fail(block, block.line, f"the R of this block:\n{output[-1500:]}")

    def document(self, name):
        python = []
        for block in blocks(self.root, name):
            if block.language in ("sh", "console", "indented"):
                first = block.text.strip().split("\n")[0]
                if self.exceptions.of(name, first) == "picture":
                    self.counts["picture"] += 1
                else:
                    self.commands(block)
            elif self.excepted(block, block.text.strip().split("\n")[0]):
                pass
            elif block.language == "python":
                python.append(block)
            elif block.language in ("yaml", "r"):
                getattr(self, block.language)(block)
            else:
                self.fail(block, block.line, f"nobody runs a block of {block.language or 'no language'}: give it one "
                          "(sh, console, python, yaml, r) or a row in tests/docs/exceptions.txt")
        if python:
            self.python(python)


def main():
    runner = Runner(*map(os.path.abspath, sys.argv[1:3]))
    asked = os.environ.get("PAGES", "").split()
    for name in documents(runner.root):
        if asked and name not in asked:
            continue
        with tempfile.TemporaryDirectory(prefix="warpsweep docs.") as folder:
            runner.scratch(pathlib.Path(folder))
            runner.document(name)
    for reason, count in sorted(runner.counts.items()):
        print(f"{count:4} {REASONS.get(reason, reason)}")
    for row in [] if asked else runner.exceptions.stale():
        runner.failures.append(f"tests/docs/exceptions.txt: of no block any more: {row}")
    print("\n".join(runner.failures))
    sys.exit(1 if runner.failures or not runner.counts["run"] else 0)


main()
