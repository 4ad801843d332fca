"""Implicit arguments, and arguments that are wider than 64 bits, on the emulator.

Nothing in the language makes such arguments yet. So a kernel that takes its scratch memory as its last array is
compiled, and the argument declared as an implicit one in its lane form.
"""

import numpy as np
import pytest

import hocket
from hocket import _core, errors
from hocket import language as gl
from hocket.runtime.options import Options

SIZE = 128


@hocket.jit
def through_scratch(x, out, scratch):
    i = gl.program_id(0) * 128 + gl.arange(0, 128, layout=gl.row_layout())
    gl.store(scratch + i, gl.load(x + i))
    gl.store(out + i, gl.load(scratch + i) + 1)


def kernel_with_scratch(target, bytes_per_launch=0, bytes_per_block=0):
    """`through_scratch(x, out)`, and its facts as the compiler has made them."""
    types = ["*f32:16"] * 3
    facts, text = _core.lane_form(through_scratch, types, [None] * 3, target, Options())
    before, mark, after = text.rpartition("{llvm.align = 16 : i64}")
    sizes = f"bytes_per_launch = {bytes_per_launch}, bytes_per_block = {bytes_per_block}"
    text = before + mark[:-1] + f", hk.implicit = #hk.implicit<scratch, {sizes}>}}" + after
    return _core.emulate_lane(text, facts.parameters[:-1])


def launch(kernel, blocks, x, out):
    values = [(array.ctypes.data, array.nbytes, True, "float32", 0, ()) for array in (x, out)]
    kernel.launch((blocks, 1, 1), values, 0, 1, True, "late")


@pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
@pytest.mark.parametrize("sizes", [(0, 4 * SIZE), (4 * 3 * SIZE, 0), (4 * SIZE, 4 * SIZE)])
def test_scratch_memory(target, sizes):
    x = np.arange(3 * SIZE, dtype=np.float32)
    out = np.zeros_like(x)
    launch(kernel_with_scratch(target, *sizes), 3, x, out)
    np.testing.assert_array_equal(out, x + 1)


@pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
def test_accesses_beyond_scratch_memory_are_found(target):
    x = np.zeros(SIZE, np.float32)
    with pytest.raises(errors.OutOfBoundsError, match="out-of-bounds write to scratch memory"):
        launch(kernel_with_scratch(target, bytes_per_launch=4 * SIZE - 4), 1, x, np.zeros_like(x))


def test_a_caller_does_not_pass_it():
    with pytest.raises(ValueError, match="the kernel takes 2 arguments, not 3"):
        kernel_with_scratch("sm_90a", 64).launch((1, 1, 1), [0, 0, 0], 0, 1, True, "late")


def test_names_for_all_arguments():
    _, text = _core.lane_form(through_scratch, ["*f32"] * 3, [None] * 3, "sm_90a", Options())
    with pytest.raises(ValueError, match="the kernel takes 3 arguments, but has 2 names for them"):
        _core.emulate_lane(text, ["x", "out"])


WIDE = """
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
  llvm.func @last_byte(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64},
                       %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %address = llvm.ptrtoint %map : !llvm.ptr to i64
    %place = llvm.getelementptr %map[127] : (!llvm.ptr) -> !llvm.ptr, i8
    %last = llvm.load %place : !llvm.ptr -> i8
    %wide = llvm.zext %last : i8 to i64
    %next = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i64
    lane.store %out, %wide : !llvm.ptr<1>, i64
    lane.store %next, %address : !llvm.ptr<1>, i64
    llvm.return
  }
}
"""


def test_a_tensor_map_arrives_whole_and_aligned():
    kernel = _core.emulate_lane(WIDE, ["map", "out"])
    out = np.zeros(2, np.int64)
    values = [bytes(range(128)), (out.ctypes.data, out.nbytes, True, "int64", 0, ())]
    kernel.launch((1, 1, 1), values, 0, 1, False, "late")
    assert out[0] == 127
    assert out[1] != 0 and out[1] % 64 == 0
