"""Writes the results of a benchmark as JSON, with a description of the machine and the versions of packages. README.md
describes the format.

parser = argparse.ArgumentParser()
results = Results("attention", inputs=NORMAL, method=INTERLEAVED)
results.add_option(parser)
options = parser.parse_args()
table = results.table("forward", "attention forward", "TFLOP/s")
table.add("float16 4x16x8192x128", {"Hocket": 612.0, "cuDNN": 590.1}, seconds=times, dtype="float16")
table.show()
results.save(options)
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import subprocess
import sys
from collections.abc import Mapping

from interleave import print_table

FORMAT = 1

#: Distributions of inputs, and measurement methods, that several benchmarks use.
NORMAL = "standard normal"
NO_INPUTS = "none: the kernels do no work"
INTERLEAVED = "CUDA events, medians of interleaved runs, L2 flushed before each run"
GRAPHS = "replays of CUDA graphs, CUDA events, medians of interleaved runs, L2 flushed before each run"
HOST_LOOP = "host clock, medians of loops of calls, interleaved"
CPU_TIME = "CPU time of this process, one compilation each, after another kernel"
FRESH_PROCESSES = "host clock, medians of fresh processes, interleaved"

#: Packages whose versions are recorded, by their names on PyPI. The version of a package that is not installed is null.
PACKAGES = (
    "hocket", "numpy", "torch", "triton", "nvidia-cudnn-cu13", "nvidia-cudnn-cu12", "nvidia-cublas",
    "nvidia-cublas-cu12", "quack-kernels", "flash-attn-4", "nvidia-cutlass-dsl", "liger-kernel", "cupy-cuda13x",
    "cupy-cuda12x",
)  # fmt: skip


def write_section(page: pathlib.Path, script: str, text: str) -> None:
    """Replaces the text of a documentation page between the begin and end markers of `benchmarks/<script>`."""
    begin, end = (f"<!-- benchmarks/{script} {mark} -->" for mark in ("begin", "end"))
    old = page.read_text()
    before, after = old[: old.index(begin) + len(begin)], old[old.index(end) :]
    page.write_text(f"{before}\n{text}\n{after}")


@dataclasses.dataclass
class Table:
    """A table of values in one unit. `better` is "higher" for rates, and "lower" for times and counts.

    `method` and `inputs` are None if they are equal to those of `Results`.
    """

    name: str
    title: str
    unit: str
    better: str = "higher"
    ours: tuple[str, ...] = ("Hocket",)
    method: str | None = None
    inputs: str | None = None
    rows: list[dict] = dataclasses.field(default_factory=list)

    def add(
        self, name: str, values: Mapping[str, float], seconds: Mapping[str, float] | None = None, **case: object
    ) -> None:
        """Appends a row: the median of each implementation in the table's unit, and in seconds if these were measured.

        Args:
            name: name of the row in tables and pictures, unique in the table.
            case: parameters of the measurement, such as dtype and sizes.
        """
        row = {"name": name, "case": case, "values": self._ordered(values)}
        if seconds is not None:
            row["seconds"] = self._ordered(seconds)
        self.rows.append(row)

    def show(self, digits: int = 0) -> None:
        """Prints the table. If it has peers, the last column is the value of Hocket's first implementation divided by
        that of the best peer."""
        names = list(dict.fromkeys(name for row in self.rows for name in row["values"]))
        has_peers = any(name not in self.ours for name in names)
        lines = []
        for row in self.rows:
            values = row["values"]
            cells = [f"{values[name]:.{digits}f}" if name in values else "-" for name in names]
            lines.append([row["name"], *cells, *([self._ratio(values)] if has_peers else [])])
        header = ["", *names, *(["of best peer"] if has_peers else [])]
        print_table(f"{self.title}, {self.unit}", header, lines)

    def _ordered(self, values: Mapping[str, float]) -> dict[str, float]:
        """Returns the rounded values in order: first the implementations in `ours`, then the peers."""
        names = [name for name in self.ours if name in values] + [name for name in values if name not in self.ours]
        return {name: _rounded(values[name]) for name in names}

    def _ratio(self, values: Mapping[str, float]) -> str:
        peers = [value for name, value in values.items() if name not in self.ours]
        mine = next((values[name] for name in self.ours if name in values), None)
        if not peers or mine is None:
            return "-"
        best = max(peers) if self.better == "higher" else min(peers)
        return f"{mine / best:.2f}" if best else "-"


class Results:
    """The tables of one run of a benchmark."""

    def __init__(self, benchmark: str, inputs: str, method: str):
        self.benchmark, self.inputs, self.method = benchmark, inputs, method
        self.tables: list[Table] = []

    def table(
        self,
        name: str,
        title: str,
        unit: str,
        better: str = "higher",
        ours: tuple[str, ...] = ("Hocket",),
        method: str | None = None,
        inputs: str | None = None,
    ) -> Table:
        """Adds an empty table and returns it. `ours` are the names of Hocket's implementations; all other names are
        peers."""
        if better not in ("higher", "lower"):
            raise ValueError(f"better is 'higher' or 'lower', not {better!r}")
        self.tables.append(Table(name, title, unit, better, tuple(ours), method, inputs))
        return self.tables[-1]

    def options(self, description: str | None) -> argparse.Namespace:
        """Parses the command line of a benchmark whose only option is `--json`."""
        parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.add_option(parser)
        return parser.parse_args()

    @staticmethod
    def add_option(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--json", metavar="FILE", help="write the results to this file (format: README.md)")

    def as_dict(self) -> dict:
        return {
            "format": FORMAT,
            "benchmark": self.benchmark,
            "command": " ".join(["benchmarks/" + pathlib.Path(sys.argv[0]).name, *sys.argv[1:]]),
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "commit": _commit(),
            "device": device_facts(),
            "host": {"cpu": _cpu_name(), "cores": len(os.sched_getaffinity(0)), "system": platform.platform()},
            "versions": versions(),
            "inputs": self.inputs,
            "method": self.method,
            "tables": [dataclasses.asdict(table) for table in self.tables if table.rows],
        }

    def save(self, options: argparse.Namespace) -> None:
        """Writes the results to the file that `--json` names; does nothing without `--json`."""
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(self.as_dict(), indent=1) + "\n")


def device_facts() -> dict | None:
    """Returns the name, compute capability, number of SMs, memory size and driver version of the current CUDA device;
    None without a device."""
    torch = sys.modules.get("torch")  # benchmarks that need a GPU have imported it
    if torch is None or not torch.cuda.is_available():
        return None
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    return {
        "name": properties.name,
        "capability": f"{properties.major}.{properties.minor}",
        "multiprocessors": properties.multi_processor_count,
        "memory_bytes": properties.total_memory,
        "driver": _driver_version(),
    }


def versions() -> dict[str, str | None]:
    """Returns the versions of Python, of the CUDA version that PyTorch is built for, and of `PACKAGES`."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    torch = sys.modules.get("torch")
    found["cuda"] = getattr(getattr(torch, "version", None), "cuda", None)
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = None
    # Packages that were only unpacked to a folder of PYTHONPATH have no metadata.
    for module, package in (("hocket", "hocket"), ("torch", "torch"), ("triton", "triton"), ("quack", "quack-kernels")):
        if found[package] is None and module in sys.modules:
            found[package] = getattr(sys.modules[module], "__version__", None)
    return found


def _rounded(value: float) -> float:
    """Rounds a value to six significant digits, which is more precise than the measurements."""
    return float(f"{value:.6g}")


def _driver_version() -> str | None:
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(query, capture_output=True, text=True, check=True).stdout.split()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def _commit() -> str | None:
    """Returns the commit of this checkout, with a plus sign if tracked files have changed. Returns None outside of a
    git checkout."""
    git = ["git", "-C", str(pathlib.Path(__file__).resolve().parent)]
    try:
        commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        changed = subprocess.run([*git, "status", "--porcelain", "-uno"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return commit + ("+" if changed.stdout else "")


def _cpu_name() -> str:
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
