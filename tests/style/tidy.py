"""tidy.py ROOT BUILD [FILE...] - clang-tidy 14, by .clang-tidy, finds nothing in these files, or in src and kernels. Other
releases know other checks.

Nearly all of its time goes into paths through functions, so what it found nothing in is remembered in BUILD/tidy: a
file is looked at again when its text after the preprocessor (thus its headers), its compile command, the checks or
the tool have changed. Only files that this build compiles: without a CUDA Toolkit there is no command for the rest."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys


def find_tool():
    """clang-tidy 14 and what it says of itself; (None, None) where there is none."""
    for tool in "clang-tidy-14", "clang-tidy":
        try:
            said = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            continue
        if "version 14." in said:
            return tool, said
    return None, None


def entries(root, build):
    """The compile commands of the C files of src and kernels; the largest files first."""
    commands = json.loads((build / "compile_commands.json").read_text())
    found = {}
    for entry in commands:
        path = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
        if path.suffix == ".c" and any(folder in path.parents for folder in (root / "src", root / "kernels")):
            found[path] = entry
    return sorted(found.items(), key=lambda item: -item[0].stat().st_size)


def key_of(entry, tool_and_checks):
    """A hash of all that the findings of one file depend on; None where it cannot be preprocessed."""
    words = shlex.split(entry["command"])
    if "-o" in words:
        del words[words.index("-o"):words.index("-o") + 2]
    text = subprocess.run([*words, "-E", "-P", "-CC", "-o", "-"], cwd=entry["directory"], capture_output=True).stdout
    if not text:
        return None
    return hashlib.sha256(b"\0".join([tool_and_checks, entry["command"].encode(), text])).hexdigest()


def look_at(path, entry, tool, build, tool_and_checks):
    """What is wrong with a file, or ""."""
    key = key_of(entry, tool_and_checks)
    known = build / "tidy" / key if key else None
    if known and known.exists():
        return ""
    done = subprocess.run([tool, "-p", str(build), "--quiet", str(path)], capture_output=True, text=True)
    if done.returncode or done.stdout.strip():
        return done.stdout or done.stderr or f"{path}: {tool} ends with {done.returncode}\n"
    if known:
        known.touch()
    return ""


def main():
    root, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    tool, version = find_tool()
    if not tool:
        print("no clang-tidy 14: skipped")
        sys.exit(77)
    files = entries(root, build)
    if not files:
        sys.exit("no file of src or kernels is compiled? the check is blind")
    if len(sys.argv) > 3:
        chosen = {root / name for name in sys.argv[3:]}
        files = [(path, entry) for path, entry in files if path in chosen]
    (build / "tidy").mkdir(exist_ok=True)
    checks = (version + (root / ".clang-tidy").read_text()).encode()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda item: look_at(*item, tool, build, checks), files))
    sys.stdout.write("".join(found))
    sys.exit(any(found))


main()
