"""Stand-ins for a GPU's libraries, and processes that load them in place of the real ones."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from patience import HANG_SECONDS


def build(folder: pathlib.Path, source: pathlib.Path, name: str, *flags: str) -> pathlib.Path:
    """Compiles the C file `source` into the shared library `name` in `folder`, which is returned."""
    compiler = next((found for name in ("cc", "clang-22", "gcc") if (found := shutil.which(name))), None)
    if compiler is None:
        pytest.skip("no C compiler to build the library with")
    command = [compiler, "-shared", "-fPIC", "-O1", "-w", f"-Wl,-soname,{name}", *flags]
    subprocess.run([*command, "-o", folder / name, source], check=True)
    return folder


def environment(folder: pathlib.Path, cache: pathlib.Path) -> dict[str, str]:
    """Returns the environment of a process that loads libraries from `folder` first, imports this folder's modules as
    `stand_ins.*`, and has an empty kernel cache."""
    here = pathlib.Path(__file__).parent.parent
    result = {
        **os.environ,
        "LD_LIBRARY_PATH": f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}",
        "PYTHONPATH": f"{here}:{os.environ.get('PYTHONPATH', '')}",
        "HOCKET_CACHE_DIR": str(cache),
    }
    for inherited in ("PYTEST_XDIST_WORKER", "PYTEST_CURRENT_TEST", "PYTEST_ADDOPTS"):
        result.pop(inherited, None)
    return result


def run_pytest(file: pathlib.Path, folder: pathlib.Path, cache: pathlib.Path) -> None:
    """Runs the tests of `file` in a process of their own. Fails with its output when one fails."""
    options = ["-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", file.parent]
    command = [sys.executable, "-m", "pytest", *options, file]
    result = subprocess.run(
        command, env=environment(folder, cache), capture_output=True, text=True, cwd=file.parent, timeout=HANG_SECONDS
    )
    assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"
