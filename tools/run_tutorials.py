"""Runs every tutorial notebook in order and prints a table of the results of all notebooks.

    python tools/run_tutorials.py [--save DIR] [NN_topic ...]

With --save the executed notebooks, with their pictures, are written to DIR as .ipynb.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

import jupytext
import nbclient
import nbformat
from ready_kernels import WIDTH, table_of
from rich.console import Console
from rich.progress import track

#: Options that suppress the warnings of Jupyter's kernel.
QUIETLY = ["--IPKernelApp.log_level=ERROR"]

TUTORIALS = pathlib.Path(__file__).resolve().parent.parent / "tutorials"

NEXT = """
Next:
  . .venv/bin/activate                     gives this shell `hocket`, and a Python that imports it
  make notebook                            opens the tutorials in JupyterLab
  hocket check examples/ring_check.py::wrong_ring --target gfx950         finds a race
  hocket profile examples/profiled_gemm.py::blocking_loads --explain      finds what bounds a kernel"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="tutorials to run, such as 02_softmax; all without names")
    parser.add_argument("--save", type=pathlib.Path, help="write the executed notebooks here")
    options = parser.parse_args()

    files = sorted(TUTORIALS.glob("[0-9][0-9]_*.py"))
    if options.names:
        files = [file for file in files if file.stem in options.names]
    if not files:
        parser.error(f"no tutorial in {TUTORIALS} is called {' or '.join(options.names)}")

    console = Console()
    if console.width > WIDTH or not console.is_terminal:
        console = Console(width=WIDTH)
    with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as rows_file:
        os.environ["HOCKET_TUTORIAL_ROWS"] = rows_file.name
        for file in track(files, "running tutorials", console=console):
            started = time.perf_counter()
            notebook = jupytext.read(file)
            client = nbclient.NotebookClient(
                notebook, timeout=600, resources={"metadata": {"path": str(TUTORIALS)}}, extra_arguments=QUIETLY
            )
            try:
                client.execute()
            except nbclient.exceptions.CellExecutionError as error:
                console.print(f"[red]{file.name} failed[/red]")
                print(error, file=sys.stderr)
                return 1
            console.print(f"{file.name}: {time.perf_counter() - started:.1f} s")
            if options.save:
                options.save.mkdir(parents=True, exist_ok=True)
                nbformat.write(notebook, options.save / f"{file.stem}.ipynb")
        rows = [json.loads(line) for line in rows_file]

    console.print(table_of(rows))
    count = "1 tutorial" if len(files) == 1 else f"{len(files)} tutorials"
    console.print(f"[green]{count} ran, every result is as NumPy's[/green]")
    if not options.names and not options.save:
        console.print(NEXT, soft_wrap=True, highlight=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
