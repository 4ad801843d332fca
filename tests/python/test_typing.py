"""Type checkers accept kernels, and report names that do not exist."""

import json
import pathlib
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

pytest.importorskip("basedpyright")
ROOT = pathlib.Path(__file__).resolve().parents[2]

KERNEL = """
import hocket
from hocket import language as gl
from hocket.language import amd

SCALE: gl.constexpr = 3

@hocket.jit
def kernel(x, out, BLOCK: gl.constexpr, WARPS: gl.constexpr[int] = 4):
    layout: gl.constexpr = gl.BlockedLayout([1, BLOCK // 8], [gl.num_lanes(), 1], [gl.num_warps(), 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(8, 2, 4, [1, 0])
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=gl.SliceLayout(0, layout))
    buffer = gl.allocate_shared_memory(x.dtype.element_ty, [BLOCK, BLOCK * 2], shared)
    for k in gl.static_range(WARPS - 1):
        gl.store(out + i, SCALE * gl.load(x + i, mask=i < 7) + k)
    with amd.warp_pipeline_stage("load", priority=1):
        buffer.store(gl.zeros([BLOCK, BLOCK * 2], gl.float32, layout))
"""


def problems(folder, text):
    """(line, message) of every error that the checker reports of a file with this text."""
    (folder / "kernel.py").write_text(text)
    (folder / "pyrightconfig.json").write_text(
        json.dumps({"typeCheckingMode": "basic", "extraPaths": [f"{ROOT}/python"]})
    )
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, "kernel.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    found = json.loads(done.stdout)["generalDiagnostics"]
    return [(one["range"]["start"]["line"], one["message"]) for one in found if one["severity"] == "error"]


def test_a_kernel_is_understood_and_typos_are_flagged(tmp_path):
    typos = """
    gl.laod(x)
    amd.warp_pipeline_stages('a')
    gl.BlockedLayout([1], [32])
hocket.chek(kernel)
from hocket.language import BlockedLayuot
"""
    first = KERNEL.count("\n") + 1
    found = problems(tmp_path, KERNEL + typos)
    assert [line - first for line, _ in found] == [0, 1, 2, 3, 4], found


AGGREGATE = """
import hocket
from hocket import language as gl

@hocket.aggregate
class Pair:
    low: gl.tensor
    size: gl.constexpr = 4

    @hocket.jit
    def next(self):
        return Pair(self.low + 1, self.size)

@hocket.jit
def kernel(x):
    pair = Pair(gl.load(x), size=8).next()
    gl.store(x, pair.low)
"""


def test_aggregates_take_their_fields(tmp_path):
    wrong = """
Pair(gl.zeros([4], gl.float32), 4, 5)
Pair(lwo=3)
"""
    first = AGGREGATE.count("\n") + 1
    found = problems(tmp_path, AGGREGATE + wrong)
    assert {line - first for line, _ in found} == {0, 1}, found
