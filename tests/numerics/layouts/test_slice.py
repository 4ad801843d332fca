"""gl.slice: parts of tensors of several layouts, without a move of data."""

import itertools

import numpy as np
import pytest
from tiles import tile_offsets

import hocket
from hocket import language as gl
from hocket.language import amd


@hocket.jit
def slice_kernel(x, out, M: gl.constexpr, N: gl.constexpr, SHAPE: gl.constexpr, OFFSETS: gl.constexpr, L: gl.constexpr):
    part = gl.slice(gl.load(x + tile_offsets(M, N, L)), SHAPE, OFFSETS)
    gl.static_assert(part.shape == SHAPE and part.type.layout == L)
    gl.store(out + tile_offsets(SHAPE[0], SHAPE[1], L), part)


def layouts(lanes):
    mfma = amd.AMDMFMALayout(3, [16, 16, 16], True, [2, 2])
    mma = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    wgmma = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 128, 16])
    of_nvidia = {"wgmma": wgmma, "mma": mma, "mma operand": gl.DotOperandLayout(0, mma, 2)}
    return {
        "blocked": gl.BlockedLayout([1, 4], [lanes // 4, 4], [2, 2], [1, 0]),
        "columns": gl.BlockedLayout([2, 2], [8, lanes // 8], [2, 2], [0, 1]),
        **({"mfma": mfma, "operand": gl.DotOperandLayout(0, mfma, 4)} if lanes == 64 else of_nvidia),
    }


@pytest.mark.parametrize("dtype", [np.float16, np.int32])
@pytest.mark.parametrize(
    ("target", "kind"),
    [(target, kind) for target in ("sm_90a", "gfx942", "gfx950") for kind in layouts(64 if target[0] == "g" else 32)],
)
def test_parts(target, kind, dtype):
    known = layouts(64 if target[0] == "g" else 32)
    x = np.arange(128 * 256).reshape(128, 256).astype(dtype)
    sliced = 0
    with hocket.emulator.target(target):
        for shape, places in itertools.product(((64, 256), (128, 64), (64, 128)), ((0, 0), (1, 1), (0, 1))):
            start = [
                min(extent * place, size - extent) for extent, place, size in zip(shape, places, x.shape, strict=True)
            ]
            out = np.zeros(shape, dtype)
            kernel = slice_kernel[(1,)](x, out, *x.shape, shape, tuple(start), known[kind])
            np.testing.assert_array_equal(out, x[start[0] :, start[1] :][: shape[0], : shape[1]])
            assert kernel.metadata.shared == 0
            sliced += 1
    assert sliced == 9


@pytest.mark.parametrize(("target", "kind"), [("gfx950", "blocked"), ("sm_90a", "blocked"), ("sm_90a", "wgmma")])
def test_no_data_moves(target, kind):
    layout = layouts(64 if target[0] == "g" else 32)[kind]
    kernel = slice_kernel.warmup(gl.float16, gl.float16, 128, 256, (64, 64), (64, 128), layout, target=target)
    text = kernel.asm["ptx" if target[0] == "s" else "amdgcn"]
    moves = ("shfl.", "shared.", "movmatrix", "ds_", "v_permlane", "dpp")
    assert [move for move in moves if move in text] == []


@pytest.mark.parametrize(
    ("shape", "offsets", "message"),
    [
        ((32, 64), (0,), r"gl.slice takes an extent and an offset for each of 2 dimensions, not \(32, 64\), \(0,\)"),
        ((8, 64), (0, 0), "gl.slice: the extent 8 of dimension 0 must be a power of two, 32 or more"),
        ((96, 64), (0, 0), "gl.slice: the extent 96 of dimension 0 must be a power of two, 32 or more"),
        ((32, 64), (0, 32), "the offset 32 of dimension 1 must be a multiple of the extent 64, at most 192"),
        ((32, 64), (128, 0), "the offset 128 of dimension 0 must be a multiple of the extent 32, at most 96"),
        ((32, 64), (-32, 0), "the offset -32 of dimension 0 must be a multiple of the extent 32, at most 96"),
    ],
)
def test_mistakes(shape, offsets, message):
    with pytest.raises(hocket.CompileError, match=message):
        slice_kernel.warmup(gl.float16, gl.float16, 128, 256, shape, offsets, layouts(64)["blocked"], target="gfx950")
