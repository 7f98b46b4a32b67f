"""build.py SOURCE BUILD OUT - makes the site of the documents, in OUT/html.

The pages are those of docs/ as they are, with those of every kernel family and every command made here from what the program
says (families.py, commands below). Links between documents are kept; links to other files of the tree become their
paths, since the site does not have them. A link to nothing is an error, and so is every warning of Sphinx.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import families
import provenance

SECTIONS = {  # the order of pages; a document that no section names comes under "More"
    "Guide": ["install", "tutorial", "job-file", "own-kernels", "python-kernels", "python", "clusters", "launchers", "figures", "artifact", "compare",
              "results-file", "status", "faq", "glossary", "blackwell"],
    "Method": ["measurement", "model", "reliability", "peers"],
    "Findings": ["cheat-sheet", "textbook", "winners", "memory-system", "links", "chip", "tensor-cores", "energy", "opponents", "tools", "data"],
    "For contributors": ["architecture", "scaling", "CONTRIBUTING", "CHANGELOG"],
}


def scaled(value, unit):
    """A value in three digits, with a prefix where it has a unit that takes one."""
    prefixes = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n")]
    if unit == "bytes":
        prefixes = [(2.0**30, "Gi"), (2.0**20, "Mi"), (2.0**10, "Ki"), (1, "")]
    elif not re.match(r"bytes|flop|Hz|s$|blocks", unit):
        prefixes = [(1, "")]
    factor, prefix = next((one for one in prefixes if abs(value) >= one[0]), (1, ""))
    number = value / factor
    digits = f"{number:.0f}" if number >= 100 or number == int(number) else f"{number:.3g}"
    return f"{digits} {prefix}{unit.replace('bytes', 'B')}".strip()


class Site:
    def __init__(self, source, build, out):
        self.source, self.pages = pathlib.Path(source), pathlib.Path(out) / "pages"
        self.html = pathlib.Path(out) / "html"
        self.program = pathlib.Path(build) / "bin/warpsweep"
        self.names = {}  # path in the tree -> page
        self.broken = []

    def run(self, *arguments, exits=(0,)):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True)
        if done.returncode not in exits:
            sys.exit(f"warpsweep {' '.join(map(str, arguments))}: exit {done.returncode}\n{done.stderr}")
        return done.stdout

    def write(self, page, text):
        path = self.pages / f"{page}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def relink(self, document, text):
        """The document with links as the site has them."""
        def link(match):
            label, target = match[1], match[2]
            if re.match(r"[a-z]+:|#", target):
                return match[0]
            path, _, anchor = target.partition("#")
            at = os.path.normpath(document.parent / path)
            if at in self.names:
                return f"[{label}]({self.names[at]}.md{'#' + anchor if anchor else ''})"
            if at.startswith("docs/figures/"):
                return f"[{label}]({os.path.relpath(at, 'docs')})"
            if not (self.source / at).exists():
                self.broken.append(f"{document}: links to {target}, which is not there")
            return label if path.rstrip("/") in label else f"{label} (`{at}`)"

        return re.sub(r"\[((?:[^][]|\[[^][]*\])*)\]\(([^()\s]+)\)", link, text)

    def documents(self):
        found = [*sorted({*self.source.glob("docs/**/*.md")} - {self.source / "docs/site/index.md"}),
                 self.source / "CONTRIBUTING.md", self.source / "CHANGELOG.md"]
        self.names = {str(path.relative_to(self.source)): path.stem for path in found}
        for path in found:
            document = path.relative_to(self.source)
            self.write(path.stem, self.relink(document, path.read_text(encoding="utf-8")))
        shutil.copytree(self.source / "docs/figures", self.pages / "figures")
        for name in ("conf.py", "site.css"):
            shutil.copy(self.source / "docs/site" / name, self.pages)
        shutil.copy(self.source / "VERSION", self.pages)

    def commands(self):
        """A page a command: what --help says. Returns the pages."""
        listed = re.findall(r"^  (\w+) {2,}\S|^  (\w{8}) ", self.run("help").partition("Commands:")[2].partition(
            "warpsweep COMMAND")[0], re.M)
        pages = []
        for name in (one or other for one, other in listed):
            help_text = self.run(name, "--help").rstrip()
            title, _, rest = help_text.partition("\n")
            summary = title.partition(" - ")[2]
            self.write(f"commands/{name}", f"# {name}\n\n{summary[:1].upper()}{summary[1:]}. This is `warpsweep {name} "
                       f"--help`:\n\n```text\n{rest.strip()}\n```\n")
            pages.append(f"commands/{name}")
        return pages

    def cheat_sheet(self):
        """A page with the values of the measured profiles side by side."""
        values = {}
        for name in ("h100", "h200"):
            text = (self.source / f"profiles/{name}.yaml").read_text(encoding="utf-8")
            for meaning, key, value, unit, measured in re.findall(
                    r'^  # (.+)\n  (\w+): \{value: ([^,]+),.*?unit: "(.*?)", measured: (\w+)', text, re.M):
                values[name, key] = meaning, scaled(float(value), unit) + " \\*" * (measured == "false")
        rows = [f"| {meaning} | {value} | {values['h200', key][1]} | `{key}` |" for (name, key), (meaning, value) in values.items()
                if name == "h100" and ("h200", key) in values and not key.startswith("spread_")]
        self.write("cheat-sheet", "# H100 and H200 in numbers\n\nThe values of `profiles/h100.yaml` and `profiles/h200.yaml`, which "
                   "say where each comes from. An asterisk: not measured. [The time model](model.md) uses them.\n\n"
                   "| what | H100 | H200 | name |\n|---|---:|---:|---|\n" + "\n".join(rows) + "\n")

    def data(self):
        """A page with the age of every measured file."""
        self.write("data", "# Measured files\n\nWhat each file of the repository was measured on, how many commits ago, and whether its "
                   "kernels are those of the commit. A file whose commit is not in the history, or had changes that were not "
                   "committed, cannot be measured again with the same code.\n\n" + "\n".join(provenance.table(self.source)[0]) + "\n")

    def index(self, commands, kernels):
        text = (self.source / "docs/site/index.md").read_text(encoding="utf-8")
        caption = self.pages / "families/figures/copy_stride.caption.txt"
        text = text.replace("CAPTION", caption.read_text(encoding="utf-8").strip())
        listed = {page for pages in SECTIONS.values() for page in pages}
        sections = {title: [page for page in pages if (self.pages / f"{page}.md").exists()] for title, pages in SECTIONS.items()}
        more = [page for page in self.names.values() if page not in listed]
        sections["Each command"], sections["Each kernel family"] = commands, kernels
        for title, pages in [*sections.items(), *([("More", more)] if more else [])]:
            text += f"\n```{{toctree}}\n:caption: {title}\n:hidden:\n:maxdepth: 1\n\n" + "\n".join(pages) + "\n```\n"
        for title in ("Guide", "Method", "Findings", "For contributors"):
            text += f"\n**{title}:** " + " · ".join(f"[](/{page}.md)" for page in sections[title]) + "\n"
        self.write("index", text + "\n**Each kernel family:** " +
                   " · ".join(f"[{page.split('/')[1]}]({page}.md)" for page in kernels) + "\n")

    def build(self):
        shutil.rmtree(self.pages, ignore_errors=True)
        shutil.rmtree(self.html, ignore_errors=True)
        self.documents()
        if self.broken:
            sys.exit("\n".join(self.broken))
        self.cheat_sheet()
        self.data()
        self.index(self.commands(), families.write(self))
        return subprocess.run([sys.executable, "-m", "sphinx", "-b", "html", "-q", "-W", "--keep-going", "-d",
                               self.pages.parent / "doctrees", self.pages, self.html]).returncode


if __name__ == "__main__":
    sys.exit(Site(*map(os.path.abspath, sys.argv[1:4])).build())
