# Sphinx's configuration; build.py lays out the pages that it is applied to.
import pathlib

project = "warpsweep"
author = "the warpsweep authors"
release = version = pathlib.Path(__file__).with_name("VERSION").read_text(encoding="utf-8").strip()
extensions = ["myst_parser"]
myst_heading_anchors = 4  # as other readers of Markdown make them: links within and between documents are checked
html_theme = "furo"
html_title = f"warpsweep {release}"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
highlight_language = "text"  # indented blocks are commands or formulas
templates_path = []
exclude_patterns = []
html_static_path = ["site.css"]
html_css_files = ["site.css"]
