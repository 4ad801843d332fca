"""The HIP runtime that a distribution installs, on a machine without an AMD GPU: it loads, and says what is missing."""

import ctypes.util
import os
import subprocess
import sys

import pytest
from patience import HANG_SECONDS

LIBRARY = ctypes.util.find_library("amdhip64")

pytestmark = [
    pytest.mark.skipif(LIBRARY is None, reason="no HIP runtime is installed (on Debian: libamdhip64-5)"),
    pytest.mark.skipif(os.path.exists("/dev/kfd"), reason="this machine has an AMD GPU"),
]

LAUNCH = """
import ctypes
import hocket
from stand_ins.dlpack import KDL_ROCM, DLTensor, capsule, fill
import numpy as np

@hocket.jit
def kernel(x):
    pass

tensor = DLTensor()
fill(tensor, np.zeros(64, np.float32), 0, KDL_ROCM)
try:
    kernel[(1,)](capsule(ctypes.pointer(tensor), b"dltensor"))
except hocket.LaunchError as error:
    print(error)
"""


def run(*command, **options):
    found = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=HANG_SECONDS, **options)
    assert found.returncode == 0, found.stderr
    return found.stdout.splitlines()


def test_info():
    expected = f"the HIP runtime ({LIBRARY}) sees no GPU; every target runs on the emulator"
    assert any(line.endswith(expected) for line in run("-m", "hocket", "info"))


def test_launching(tmp_path):
    here = os.path.dirname(__file__)
    (tmp_path / "launch.py").write_text(LAUNCH)
    path = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))
    lines = run(tmp_path / "launch.py", env={**os.environ, "PYTHONPATH": path})
    assert lines == [f"argument `x` is on an AMD GPU: the HIP runtime ({LIBRARY}) sees no GPU"]
