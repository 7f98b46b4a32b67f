"""Executes a notebook as `jupyter execute` does, in its folder, and checks what it shows. usage: notebook.py NOTEBOOK"""
import pathlib
import sys

import nbclient
import nbformat

path = pathlib.Path(sys.argv[1])
notebook = nbformat.read(path, as_version=4)
kept = [cell for cell in notebook.cells if cell.cell_type == "code" and (cell.outputs or cell.execution_count)]
if kept:
    sys.exit(f"{path} has outputs: clear them before you commit it")
try:
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": path.parent}}).execute()
except nbclient.exceptions.CellExecutionError as error:
    sys.exit(f"{path}: {error}")
outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
warnings = [output.text for output in outputs if output.output_type == "stream" and output.name == "stderr"]
pictures = [output.data["image/svg+xml"] for output in outputs if "image/svg+xml" in output.get("data", {})]
empty = [cell.source for cell in notebook.cells if cell.cell_type == "code" and not cell.outputs]
if warnings or empty or not any("</svg>" in picture for picture in pictures):
    sys.exit(f"{path}: warnings {warnings}, cells without output {empty}, {len(pictures)} pictures")
