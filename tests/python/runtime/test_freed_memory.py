"""Memory that a compilation frees stays in the process, and the next compilation reuses it."""

import json
import os
import subprocess
import sys

import pytest

SCRIPT = """
import resource

import hocket
from hocket import language as gl


def kernel(p):
    gl.store(p, 1)


def faults_of_a_compilation():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    hocket.jit(kernel).warmup(gl.int32, target="gfx950", num_warps=1)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


print([faults_of_a_compilation() for _ in range(8)][4:])
"""


@pytest.mark.skipif("san" in os.environ.get("LD_PRELOAD", ""), reason="sanitizers have an allocator of their own")
def test_a_compilation_takes_the_memory_of_the_last_one(tmp_path):
    """Page faults: next to none, and 820 if the system takes back what LLVM's tables of registers were in."""
    script = tmp_path / "faults.py"
    script.write_text(SCRIPT)
    # Nannies of Dask, which other tests start in this process, set MALLOC_TRIM_THRESHOLD_ for their children.
    settings = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    command = [sys.executable, script]
    found = subprocess.run(command, env=settings, capture_output=True, text=True, check=True).stdout
    assert min(json.loads(found)) < 150, found
