"""Quick part of kernel_code.py: the machine code of one family of kernels has no findings."""

import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).with_name("kernel_code.py")


def test_nothing_is_found_in_scaled_products():
    done = subprocess.run([sys.executable, SCRIPT, "--only", "matmul_scaled"], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1].endswith("12 different kernels, 0 findings"), done.stdout + done.stderr
    assert done.returncode == 0
