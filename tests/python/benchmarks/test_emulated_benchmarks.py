"""Benchmarks that compare results on the emulator."""

import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "benchmarks"


@pytest.mark.parametrize("name", ["waits", "warp_pipelines_hopper"])
def test_results_agree(name):
    command = [sys.executable, str(FOLDER / f"{name}.py"), "--emulated"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "results agree" in done.stdout
