"""gl.bank_conflicts on the host and in kernels: the numbers by hand, and its errors."""

import numpy as np
import pytest

import hocket
from hocket import language as gl

COLUMNS = gl.BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1])
ROWS = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])


def tensor(layout, shape=(32, 32), dtype=gl.float32):
    return gl.distributed_type(dtype, list(shape), layout)


def shared(layout, shape=(32, 32), dtype=gl.float32, **kwargs):
    return gl.shared_memory_descriptor_type(dtype, list(shape), layout, **kwargs)


def test_columns_of_a_row_major_tile():
    # A warp holds 8 columns of 32 rows of 32 words: all lanes meet in one bank, 8 times.
    assert gl.bank_conflicts(tensor(COLUMNS), shared(ROWS), target="sm_90a") == 8 * 31
    assert gl.bank_conflicts(tensor(COLUMNS), shared(ROWS), access="store", target="sm_90a") == 8 * 31
    padded = gl.PaddedSharedLayout.with_identity_for([[32, 1]], [32, 32], [1, 0])
    assert gl.bank_conflicts(tensor(COLUMNS), shared(padded), target="sm_90a") == 0


def test_loads_and_stores_of_gfx950_differ():
    columns = gl.BlockedLayout([1, 1], [64, 1], [1, 4], [0, 1])
    types = tensor(columns, (64, 32)), shared(ROWS, (64, 32))
    # Loads serve 64 lanes at once from 64 banks, of which rows of 32 words meet two; stores 32 lanes, one bank of 32.
    assert gl.bank_conflicts(*types, target="gfx950") == 8 * (32 - 1)
    assert gl.bank_conflicts(*types, access="store", target="gfx950") == 8 * 2 * (32 - 1)


def test_a_part_of_a_buffer_is_counted_at_its_beginning():
    part = shared(ROWS, (32, 16), alloc_shape=[32, 32])
    layout = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    # Rows of 32 words: two of the eight lanes of a phase meet (rows r and r + 1), whatever is beside the part.
    assert gl.bank_conflicts(tensor(layout, (32, 16)), part, target="sm_90a") == 4
    assert gl.bank_conflicts(tensor(layout, (32, 16)), shared(ROWS, (32, 16)), target="sm_90a") == 0


@hocket.jit
def count(out, REG: gl.constexpr, SMEM: gl.constexpr):
    smem = gl.allocate_shared_memory(gl.float32, [32, 32], SMEM)
    x = gl.zeros([32, 32], gl.float32, REG)
    loads: gl.constexpr = gl.bank_conflicts(x.type, smem.type)
    stores: gl.constexpr = gl.bank_conflicts(x.type, smem.type, access="store", target="sm_80")
    gl.store(out, loads)
    gl.store(out + 1, stores)


def test_kernels_count_for_their_own_target():
    out = np.zeros(2, np.int32)
    with hocket.emulator.target("sm_90a"):
        count[(1,)](out, COLUMNS, ROWS)
    assert out.tolist() == [8 * 31, 8 * 31]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({}, "needs a target"),
        ({"target": "gfx90a"}, "target: unknown target 'gfx90a' .hocket knows sm_80, sm_90a, gfx942, gfx950"),
        ({"target": "gfx950"}, "distr_ty: the layout has 32 lanes per warp but a warp of gfx950 has 64"),
        ({"target": "sm_90a", "access": 1}, "access: expected 'load' or 'store', not 1"),
        ({"target": "sm_90a", "distr_ty": COLUMNS}, "distr_ty: expected a gl.distributed_type"),
        ({"target": "sm_90a", "shared_ty": shared(ROWS, (32, 64))}, "shared_ty: the tensor has the shape"),
        ({"target": "sm_90a", "shared_ty": shared(ROWS, dtype=gl.int32)}, "shared_ty: the tensor holds float32"),
        ({"target": "sm_90a", "shared_ty": shared(COLUMNS)}, "shared_ty: shared memory must have a shared layout"),
        ({"target": "sm_90a", "distr_ty": tensor(ROWS)}, "distr_ty: the tensor's layout must be a distributed one"),
        ({"target": "sm_90a", "distr_ty": tensor(COLUMNS, (32, 33))}, "distr_ty: sizes must be powers of two"),
        ({"target": "sm_90a", "distr_ty": tensor(COLUMNS, (32, 0))}, "distr_ty: sizes are positive integers"),
        ({"target": "sm_90a", "distr_ty": tensor(COLUMNS, (32, 2**63))}, "distr_ty: sizes are positive integers"),
        ({"target": "sm_90a", "distr_ty": tensor(COLUMNS, (2**40, 32))}, "distr_ty: the shape .* is too large"),
        ({"target": "sm_90a", "distr_ty": tensor(COLUMNS, (32,))}, "distr_ty: the layout has rank 2"),
        ({"target": "sm_90a", "shared_ty": shared(ROWS, (2, 32, 32))}, "shared_ty: a ring of buffers"),
        ({"target": "sm_90a", "shared_ty": shared(ROWS, alloc_shape=[16, 32])}, "exceeds its buffer's"),
        ({"target": "sm_90a", "shared_ty": shared(ROWS, alloc_shape=[32])}, "shared_ty: the layout has rank 2"),
    ],
)
def test_questions_without_an_answer(arguments, message):
    with pytest.raises(ValueError, match=message):
        gl.bank_conflicts(**{"distr_ty": tensor(COLUMNS), "shared_ty": shared(ROWS), **arguments})
