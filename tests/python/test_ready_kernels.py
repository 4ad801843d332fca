"""tools/ready_kernels.py, which `make run` begins with: every kernel on every target, in a table of 100 columns."""

import pathlib
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

pytest.importorskip("rich")
TOOLS = pathlib.Path(__file__).parents[2] / "tools"


def test_the_table_has_every_kernel_and_fits():
    command = [sys.executable, TOOLS / "ready_kernels.py"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    said, header, *rows = done.stdout.splitlines()
    assert said.startswith("hocket: running the ready kernels on sm_90a (emulated), gfx950 (emulated)")
    assert header.split() == ["kernel", "target", "shape", "largest", "error", "seconds"]
    for kernel in ("matmul", "attention, causal", "rms_norm", "rms_norm_backward", "layer_norm"):
        for target in ("sm_90a (emulated)", "gfx950 (emulated)"):
            [row] = [row for row in rows if row.split("  ")[0].strip() == kernel and target in row]
            assert " ulp " in row
    assert all(len(line) <= 100 for line in done.stdout.splitlines())
