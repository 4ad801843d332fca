"""Runs the files named on the command line one after the other, in this process; a line of JSON for each."""

import json
import pathlib
import runpy
import sys

paths = sys.argv[1:]
for path in paths:
    sys.argv = [path]
    try:
        runpy.run_path(path, run_name="__main__")
        outcome = "ran"
    except SystemExit as end:
        outcome = "ran" if not end.code else f"exit status {end.code}"
    except BaseException as error:
        outcome = f"{type(error).__name__}: {error}"
    print(json.dumps({"file": pathlib.Path(path).stem, "outcome": outcome}), flush=True)
