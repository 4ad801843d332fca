"""Runs Gluon's public tests, tutorials and examples through hocket.compat, and writes a table of the results.

    python tools/gluon_suite/run.py FOLDER --target sm_90a --target gfx950 [-n 2 --limit 60] [--sample 12]
    python tools/gluon_suite/run.py FOLDER --target cuda -n 8        # on the GPU of this machine
    python tools/gluon_suite/run.py FOLDER --table docs/gluon_suite.md   # from recorded outcomes

FOLDER is a checkout of Triton, or only its folders python/test/gluon, python/tutorials/gluon and python/examples/gluon.
The script changes no file of FOLDER. Outcomes are recorded in the folder --results, in one record for each test file
and target. A test file with a record is not run again, so an interrupted run can be continued. reasons.toml, beside
this script, lists the files that are not run, and the reasons why functions fail.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import tomllib
from table import write_table

HERE = Path(__file__).resolve().parent
REASONS = HERE / "reasons.toml"
#: For each folder in FOLDER: the name pattern of the files that are run.
SUITES = {"python/test/gluon": "test_*.py", "python/tutorials/gluon": "[0-9]*.py", "python/examples/gluon": "[0-9]*.py"}
#: Exit statuses of pytest after which the record is kept: all passed, some failed, no tests collected.
RECORDED = (0, 1, 5)


def suite_files(folder: Path) -> list[Path]:
    left_out = {file for entry in tomllib.loads(REASONS.read_text())["not_run"] for file in entry["files"]}
    paths = [path for part, pattern in SUITES.items() for path in sorted((folder / part).glob(pattern))]
    return [path for path in paths if path.stem not in left_out]


def record_name(folder: Path, path: Path, target: str) -> str:
    return f"{'.'.join(path.relative_to(folder).with_suffix('').parts)}@{target}.jsonl"


def run_suite(folder: Path, path: Path, target: str, record: Path, options: argparse.Namespace) -> int:
    """Runs one test file and writes `record`. Returns pytest's exit status."""
    emulate = [] if target == "cuda" else ["--emulate", target]
    processes = ["-n", str(options.n)] if options.n else []
    selected = ["-k", options.k] if options.k else []
    part = record.with_suffix(".part")
    part.unlink(missing_ok=True)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "hocket.compat", *emulate, "-m", "pytest", "-q", "--tb=no"),
            *("-p", "no:cacheprovider", "-p", "record", "--rootdir", folder, "--record", part),
            *("--sample", str(options.sample), "--limit", str(options.limit), *processes, *selected, path),
        ],
        cwd=options.results,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode not in RECORDED:
        print(done.stdout[-4000:])
        return done.returncode
    part.touch()
    part.rename(record)
    return done.returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a checkout of Triton")
    parser.add_argument("--target", action="append", default=[], help="an emulated GPU, or cuda for a real one")
    parser.add_argument("--results", type=Path, default=Path("build/gluon_suite"), help="where outcomes are recorded")
    parser.add_argument("--table", type=Path, help="write the table of all that was recorded")
    parser.add_argument("--only", default="", help="files whose names contain this")
    parser.add_argument("-n", type=int, default=0, help="processes of pytest-xdist")
    parser.add_argument("-k", default="", help="pytest's expression: which tests")
    parser.add_argument("--limit", type=int, default=0, help="seconds for each test, with -n; 0: no limit")
    parser.add_argument("--sample", type=int, default=0, help="parameter sets of each function, evenly spread; 0: all")
    options = parser.parse_args()
    options.folder, options.results = options.folder.resolve(), options.results.resolve()
    options.results.mkdir(parents=True, exist_ok=True)
    failed = []
    for target in options.target:
        for path in suite_files(options.folder):
            record = options.results / record_name(options.folder, path, target)
            if options.only not in path.name or record.exists():
                continue
            print(f"{target}  {path.relative_to(options.folder)}", flush=True)
            if run_suite(options.folder, path, target, record, options) not in RECORDED:
                failed.append(f"{target} {path.name}")
    if options.table:
        write_table(options.results, REASONS, options.table, options.sample)
    for name in failed:
        print(f"not recorded: {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
