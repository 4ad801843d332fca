"""The tests in stand_ins/ need processes of their own: test_cuda_driver.py and test_hip_runtime.py start them."""

import signal
import subprocess
import sys
import textwrap

import pytest
from patience import HANG_SECONDS

collect_ignore = ["stand_ins"]

KERNELS = """\
import multiprocessing, os, signal, sys, threading, time
import numpy as np, hocket
from hocket import _core, language as gl
from hocket.runtime import compiler

@hocket.constexpr_function
def meeting(value):
    # Runs while the kernel is compiled.
    started.set()
    assert may_end.wait()
    return value

started, may_end = threading.Event(), threading.Event()

@hocket.jit
def add(x, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n) + BLOCK, mask=i < n)

@hocket.jit
def slow(x, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.program_id(0) * meeting(BLOCK) + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n) + BLOCK, mask=i < n)

x = np.ones(1 << 16, np.float32)
out = np.empty_like(x)

def launch(kernel, block=256):
    kernel[(x.size // block,)](x, out, x.size, BLOCK=block)
"""


@pytest.fixture
def run(tmp_path):
    """Runs code after KERNELS in a process of its own: (exit status, output)."""

    def run(code: str) -> tuple[int, str]:
        file = tmp_path / "program.py"
        file.write_text(KERNELS + textwrap.dedent(code))
        # From Python 3.12 on, os.fork() warns in a process that has threads.
        done = subprocess.run(
            [sys.executable, "-W", "ignore::DeprecationWarning", file],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=HANG_SECONDS,
            # A parent process that runs the tests in the background may ignore SIGINT.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        return done.returncode, done.stdout

    return run
