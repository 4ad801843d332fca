"""Padded layouts of MFMA operands: no bank conflicts, by the static count and by the addresses that lanes use."""

import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket import CompileError
from hocket import language as gl
from hocket.language import amd

VERSIONS = {"gfx942": 3, "gfx950": 4}
K_OF_INSTRUCTION = {"gfx942": {16: 16, 32: 8}, "gfx950": {16: 32, 32: 16}}
# dtype, elements in 16 bytes
WIDE = {"float16": 8, "bfloat16": 8, "float8": 16}
SHAPES = [[256, 64], [128, 32], [64, 128], [64, 64]]


def element(target, name):
    if name == "float8":
        return gl.float8e4b8 if target == "gfx942" else gl.float8e4nv
    return getattr(gl, name)


def operand(target, rows, index, k_width, warps=(2, 2)):
    k = {4: K_OF_INSTRUCTION[target][rows], 8: K_OF_INSTRUCTION[target][rows]}.get(k_width, 512 // rows)
    return gl.DotOperandLayout(index, amd.AMDMFMALayout(VERSIONS[target], [rows, rows, k], True, list(warps)), k_width)


def padded(layout, shape, dtype, is_k_contig=True):
    if is_k_contig:  # which is the default
        return amd.cdna4.compute_efficient_padded_shared_layout(layout, shape, dtype)
    return amd.cdna4.compute_efficient_padded_shared_layout(layout, shape, dtype, is_k_contig)


def extra_wavefronts(target, layout, shape, dtype, shared, access="load"):
    return gl.bank_conflicts(
        gl.distributed_type(dtype, shape, layout),
        gl.shared_memory_descriptor_type(dtype, shape, shared),
        access,
        target,
    )


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("index", [0, 1])
@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("rows", [16, 32])
@pytest.mark.parametrize("target", VERSIONS)
def test_reads_of_16_bytes_have_no_conflicts(target, rows, dtype, index, shape):
    shape = shape if index == 0 else shape[::-1]
    layout, dtype = operand(target, rows, index, WIDE[dtype]), element(target, dtype)
    shared = padded(layout, shape, dtype)
    assert extra_wavefronts(target, layout, shape, dtype, shared) == 0
    if shape[1 - index] * dtype.itemsize >= 64:  # shorter rows have no conflicts to begin with
        plain = gl.SwizzledSharedLayout(1, 1, 1, [1 - index, index])
        assert extra_wavefronts(target, layout, shape, dtype, plain) > 0
    ((interval, padding),) = shared.interval_padding_pairs
    assert padding * dtype.itemsize % 16 == 0
    if target == "gfx950":
        assert interval * dtype.itemsize % 1024 == 0


def test_the_layouts_that_gfx950_kernels_use():
    found = padded(operand("gfx950", 16, 0, 8), [256, 64], gl.float16)
    assert found.interval_padding_pairs == [[512, 16]]
    found = padded(operand("gfx950", 32, 0, 8), [256, 64], gl.float16)
    assert found.interval_padding_pairs == [[512, 8]]
    assert found.offset_bases[:6] == [[0, 1 << bit] for bit in range(6)]  # a row stays in one piece


@hocket.jit
def read_operand(x, out, SHAPE: gl.constexpr, SHARED: gl.constexpr, OPERAND: gl.constexpr, FILL: gl.constexpr):
    M: gl.constexpr = SHAPE[0]
    N: gl.constexpr = SHAPE[1]
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, FILL))
    cols = gl.arange(0, N, layout=gl.SliceLayout(0, FILL))
    smem = gl.allocate_shared_memory(x.dtype.element_ty, [M, N], SHARED)
    smem.store(gl.load(x + rows[:, None] * N + cols[None, :]))
    value = smem.load(OPERAND)
    rows_out = gl.arange(0, M, layout=gl.SliceLayout(1, OPERAND))
    cols_out = gl.arange(0, N, layout=gl.SliceLayout(0, OPERAND))
    gl.store(out + rows_out[:, None] * N + cols_out[None, :], value)


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("rows", [16, 32])
@pytest.mark.parametrize("target", VERSIONS)
def test_the_emulator_sees_no_conflicts(target, rows, dtype):
    layout, language_dtype = operand(target, rows, 0, WIDE[dtype]), element(target, dtype)
    numpy_dtype = {
        "float16": np.float16, "bfloat16": ml_dtypes.bfloat16,
        "float8": ml_dtypes.float8_e4m3fnuz if target == "gfx942" else ml_dtypes.float8_e4m3fn,
    }[dtype]  # fmt: skip
    shared = padded(layout, [64, 64], language_dtype)
    vector = WIDE[dtype]
    fill = gl.BlockedLayout([1, vector], [64 * vector // 64, 64 // vector], [4, 1], [1, 0])
    x = (np.arange(64 * 64).reshape(64, 64) % 7).astype(numpy_dtype)
    out = np.zeros_like(x)
    with hocket.emulator.target(target), hocket.emulator.count_bank_conflicts() as counts:
        read_operand[(1,)](x, out, (64, 64), shared, layout, fill)
    np.testing.assert_array_equal(out, x)
    (load,) = [count for count in counts.entries if count.access == "load"]
    assert load.bytes == 16 and load.extra == 0, counts
    (store,) = [count for count in counts.entries if count.access == "store"]
    assert store.bytes == 16
    if target == "gfx942":
        assert store.extra == 0, counts


@pytest.mark.parametrize("index", [0, 1])
@pytest.mark.parametrize("rows", [16, 32])
@pytest.mark.parametrize("target", VERSIONS)
@pytest.mark.parametrize("is_k_contig", [True, False])
def test_narrow_reads_take_at_most_twice_as_long(target, rows, index, is_k_contig):
    shape = [128, 64] if index == 0 else [64, 128]
    layout = operand(target, rows, index, 4)
    shared = padded(layout, shape, gl.float16, is_k_contig)
    types = gl.distributed_type(gl.float16, shape, layout), gl.shared_memory_descriptor_type(gl.float16, shape, shared)
    for actual, ideal in hocket._core.bank_wavefronts(*types, "load", target):
        assert actual <= 2 * ideal


def test_a_tile_that_padding_cannot_mend():
    # 32 rows of 64 bytes are two intervals of a KiB: rows 0 to 3 share their banks with others whatever lies between.
    assert padded(operand("gfx950", 32, 0, 8, (1, 1)), [32, 32], gl.float16) is None


@pytest.mark.parametrize("dtype", ["float16", "float8"])
@pytest.mark.parametrize("target", VERSIONS)
def test_two_elements_at_a_time_have_no_layout(target, dtype):
    parent = amd.AMDMFMALayout(VERSIONS[target], [16, 16, 16], True, [2, 2])
    assert padded(gl.DotOperandLayout(0, parent, 2), [128, 64], element(target, dtype)) is None
    assert padded(gl.DotOperandLayout(0, parent, 4), [128, 64], element(target, dtype)) is not None


@pytest.mark.parametrize(
    "layout, shape, message",
    [
        (gl.BlockedLayout([1, 1], [1, 64], [4, 1], [1, 0]), [64, 64], "DotOperandLayout of an AMDMFMALayout"),
        (operand("gfx950", 16, 0, 8), [64, 64, 64], "must have 2 dimensions"),
        (operand("gfx950", 16, 0, 8), [64, 48], "powers of two"),
    ],
)
def test_what_has_no_padded_layout(layout, shape, message):
    with pytest.raises(ValueError, match=message):
        padded(layout, shape, gl.float16)


@hocket.jit
def pad_in_kernel(OPERAND: gl.constexpr):
    shared: gl.constexpr = amd.cdna4.compute_efficient_padded_shared_layout(OPERAND, [64, 64], gl.float16, True)
    smem = gl.allocate_shared_memory(gl.float16, [64, 64], shared)
    value = gl.full([64, 64], 1.0, gl.float16, OPERAND)
    gl.static_assert(gl.bank_conflicts(value.type, smem.type) == 0)


def test_kernels_compute_padding_too():
    with hocket.emulator.target("gfx950"):
        pad_in_kernel[(1,)](operand("gfx950", 16, 0, 8))
        with pytest.raises(CompileError, match="DotOperandLayout of an AMDMFMALayout"):
            pad_in_kernel[(1,)](gl.BlockedLayout([1, 1], [1, 64], [4, 1], [1, 0]))
