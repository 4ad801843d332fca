"""Bank conflicts: what gl.bank_conflicts says of two layouts is what the emulator counts from the lanes' addresses."""

import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket import _core
from hocket import language as gl
from hocket.language import amd

TARGETS = ["gfx942", "gfx950", "sm_90a"]
NUMPY = {
    "int8": np.int8, "float8e5": ml_dtypes.float8_e5m2, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16,
    "float32": np.float32, "int64": np.int64,
}  # fmt: skip


def lanes_of(target):
    return 64 if target.startswith("gfx") else 32


# Layouts --------------------------------------------------------------------------------------------------------------


def blocked(size, threads, warps, order):
    """`threads` names the lanes along dimension 0; the others lie along dimension 1."""
    return lambda lanes: gl.BlockedLayout(size, [threads, lanes // threads], warps, order)


def columns(size, warps):
    return lambda lanes: gl.BlockedLayout([size, 1], [lanes, 1], warps, [0, 1])


def operand(index, size=2):
    return lambda lanes: gl.DotOperandLayout(index, gl.BlockedLayout([size, size], [4, lanes // 4], [2, 2], [1, 0]))


def matrix_operand(rows, k_width, index=0):
    """An operand of a matrix instruction, by hand: lane l holds `k_width` elements of row l % rows."""

    def bits(dim, low, high):
        return [[1 << bit if d == dim else 0 for d in range(2)] for bit in range(low, high)]

    def layout(lanes):
        row_bits, k_bits, lane_bits = rows.bit_length() - 1, k_width.bit_length() - 1, lanes.bit_length() - 1
        k_of_lanes = k_bits + lane_bits - row_bits
        bases = [
            bits(1, 0, k_bits) + bits(1, k_of_lanes, 6) + bits(0, row_bits + 1, 6),
            bits(0, 0, row_bits) + bits(1, k_bits, k_of_lanes),
            [*bits(0, row_bits, row_bits + 1), [0, 0]],
        ]
        if index == 1:
            bases = [[row[::-1] for row in rows_] for rows_ in bases]
        return gl.DistributedLinearLayout(*bases, [], [64, 64])

    return layout


def swizzled(vec, per_phase, max_phase, order=(1, 0)):
    return lambda shape: gl.SwizzledSharedLayout(vec, per_phase, max_phase, list(order))


def padded(pairs, order=(1, 0)):
    return lambda shape: gl.PaddedSharedLayout.with_identity_for(pairs, shape, list(order))


def wrapped(pairs):
    """Rows r and r + 16 next to each other."""

    def layout(shape):
        rows, cols = (size.bit_length() - 1 for size in shape)
        bases = [[0, 1 << bit] for bit in range(cols)] + [[1 << bit, 0] for bit in (*range(4, rows), *range(4))]
        return gl.PaddedSharedLayout(pairs, bases, [], shape)

    return layout


PLAIN, TRANSPOSED = swizzled(1, 1, 1), swizzled(1, 1, 1, (0, 1))

# (shape, register layout, shared layout, dtype)
PAIRS = {
    "rows in rows": ([64, 64], blocked([1, 8], 8, [4, 1], [1, 0]), PLAIN, "float16"),
    "rows in columns": ([64, 64], blocked([1, 8], 8, [4, 1], [1, 0]), TRANSPOSED, "float16"),
    "columns in rows": ([64, 64], columns(1, [1, 4]), PLAIN, "float32"),
    "columns in padded rows": ([64, 64], columns(1, [1, 4]), padded([[64, 1]]), "float32"),
    "columns in badly padded rows": ([64, 64], columns(1, [1, 4]), padded([[64, 8]]), "float32"),
    "columns in swizzled rows": ([64, 64], columns(1, [1, 4]), swizzled(1, 1, 32), "float32"),
    "wide columns in rows": ([64, 64], columns(4, [1, 4]), PLAIN, "float32"),
    "wide columns in columns": ([64, 64], columns(4, [1, 4]), TRANSPOSED, "float32"),
    "bytes": ([64, 64], blocked([1, 1], 1, [4, 1], [1, 0]), PLAIN, "int8"),
    "columns of bytes": ([64, 64], columns(1, [1, 4]), PLAIN, "int8"),
    "16 bytes of fp8": ([64, 64], blocked([1, 16], 16, [4, 1], [1, 0]), PLAIN, "float8e5"),
    "16 bytes of padded fp8": ([64, 64], blocked([1, 16], 16, [4, 1], [1, 0]), padded([[64, 16]]), "float8e5"),
    "8 bytes of padded fp8": ([64, 64], blocked([1, 16], 16, [4, 1], [1, 0]), padded([[64, 8]]), "float8e5"),
    "4 bytes of padded fp8": ([64, 64], blocked([1, 16], 16, [4, 1], [1, 0]), padded([[64, 4], [256, 32]]), "float8e5"),
    "pairs": ([32, 64], blocked([1, 2], 4, [2, 2], [1, 0]), swizzled(2, 2, 8), "bfloat16"),
    "boxes": ([32, 64], blocked([2, 4], 4, [2, 2], [1, 0]), swizzled(4, 1, 4), "bfloat16"),
    "boxes in padded columns": ([32, 64], blocked([2, 4], 4, [2, 2], [1, 0]), padded([[32, 4]], (0, 1)), "bfloat16"),
    "doubles": ([32, 32], blocked([1, 2], 8, [4, 1], [1, 0]), PLAIN, "int64"),
    "columns of doubles": ([64, 32], columns(1, [1, 4]), PLAIN, "int64"),
    "columns of padded doubles": ([64, 32], columns(1, [1, 4]), padded([[32, 2]]), "int64"),
    "copies": ([16, 16], blocked([1, 4], 8, [2, 2], [1, 0]), PLAIN, "float32"),
    "copies in padded rows": ([16, 16], blocked([1, 4], 8, [2, 2], [1, 0]), padded([[16, 4]]), "float32"),
    "first operand": ([64, 32], operand(0), PLAIN, "float32"),
    "second operand": ([32, 64], operand(1), PLAIN, "float32"),
    "second operand, swizzled": ([32, 64], operand(1, 4), swizzled(4, 1, 8), "float16"),
    "first operand, padded": ([64, 32], operand(0, 4), padded([[32, 4], [512, 16]]), "float16"),
    "matrix 16": ([64, 64], matrix_operand(16, 8), PLAIN, "float16"),
    "matrix 16, swizzled": ([64, 64], matrix_operand(16, 8), swizzled(8, 1, 8), "float16"),
    "matrix 16, padded by 16 bytes": ([64, 64], matrix_operand(16, 8), padded([[64, 8]]), "float16"),
    "matrix 16, padded by 32 bytes": ([64, 64], matrix_operand(16, 8), padded([[64, 16]]), "float16"),
    "matrix 16, wrapped": ([64, 64], matrix_operand(16, 8), wrapped([[512, 16]]), "float16"),
    "matrix 32, padded": ([64, 64], matrix_operand(32, 8), padded([[64, 8]]), "bfloat16"),
    "matrix 32, wrapped": ([64, 64], matrix_operand(32, 8), wrapped([[512, 8]]), "bfloat16"),
    "matrix 16, 8 bytes": ([64, 64], matrix_operand(16, 4), padded([[64, 4]]), "float16"),
    "matrix 16, fp8": ([64, 64], matrix_operand(16, 16), padded([[64, 16]]), "float8e5"),
    "matrix 16 along rows": ([64, 64], matrix_operand(16, 8, 1), PLAIN, "float16"),
    "matrix 32 along padded rows": ([64, 64], matrix_operand(32, 4, 1), padded([[64, 32]]), "float16"),
}  # fmt: skip


# The kernel, and what it should count ---------------------------------------------------------------------------------


@hocket.jit
def store_and_load(out, dtype: gl.constexpr, M: gl.constexpr, N: gl.constexpr, REG: gl.constexpr, SMEM: gl.constexpr):
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, REG))
    cols = gl.arange(0, N, layout=gl.SliceLayout(0, REG))
    offsets = rows[:, None] * N + cols[None, :]
    smem = gl.allocate_shared_memory(dtype, [M, N], SMEM)
    x = gl.load(out + offsets)
    smem.store(x)
    gl.store(out + offsets, smem.load(REG))


def counted(target, pair, access):
    """(wavefronts, ideal) from addresses."""
    shape, registers, shared, dtype = pair
    numbers = (np.arange(np.prod(shape)) % 63).reshape(shape).astype(NUMPY[dtype])
    out = numbers.copy()
    with hocket.emulator.target(target, races=False), hocket.emulator.count_bank_conflicts() as counts:
        store_and_load[(1,)](out, getattr(gl, dtype), *shape, registers(lanes_of(target)), shared(shape))
    np.testing.assert_array_equal(out, numbers)
    (count,) = [count for count in counts.entries if count.access == access]
    return count.wavefronts, count.ideal


def types(target, pair):
    shape, registers, shared, dtype = pair
    element = getattr(gl, dtype)
    return (
        gl.distributed_type(element, shape, registers(lanes_of(target))),
        gl.shared_memory_descriptor_type(element, shape, shared(shape)),
    )


@pytest.mark.parametrize("access", ["load", "store"])
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("target", TARGETS)
def test_the_emulator_counts_what_the_layouts_say(target, pair, access):
    pair = PAIRS[pair]
    warps = _core.bank_wavefronts(*types(target, pair), access, target)
    assert counted(target, pair, access) == tuple(map(sum, zip(*warps, strict=True)))
    extra = gl.bank_conflicts(*types(target, pair), access, target=target)
    assert extra == max(actual - ideal for actual, ideal in warps)


# Matrix layouts, by the chip: (shape, layout, shared layout, dtype)
MFMA = {"gfx942": (3, {16: 16, 32: 8}), "gfx950": (4, {16: 32, 32: 16})}


def mfma_pairs(target):
    version, k_of = MFMA[target]
    for rows, transposed in ((16, True), (32, False)):
        acc = amd.AMDMFMALayout(version, [rows, rows, k_of[rows]], transposed, [2, 2])
        for name, shared in {
            "plain": PLAIN, "swizzled": swizzled(8, 1, 8), "padded": padded([[64, 8]]), "wrapped": wrapped([[512, 16]]),
        }.items():  # fmt: skip
            yield f"{rows} accumulator {name}", ([64, 64], acc, shared([64, 64]), "float32")
            for index, k_width in ((0, 8), (1, 4)):
                layout = gl.DotOperandLayout(index, acc, k_width)
                yield f"{rows} operand {index} {name}", ([64, 64], layout, shared([64, 64]), "float16")


MFMA_PAIRS = [(target, *pair) for target in MFMA for pair in mfma_pairs(target)]


@pytest.mark.parametrize(
    "target, pair", [(t, pair) for t, _, pair in MFMA_PAIRS], ids=[f"{t}-{n}" for t, n, _ in MFMA_PAIRS]
)
def test_matrix_layouts(target, pair):
    shape, registers, shared, dtype = pair
    pair = shape, lambda lanes: registers, lambda shape: shared, dtype
    for access in ("load", "store"):
        warps = _core.bank_wavefronts(*types(target, pair), access, target)
        assert counted(target, pair, access) == tuple(map(sum, zip(*warps, strict=True)))


# Tensor cores: ldmatrix, and from Hopper on stmatrix, take the 8 rows of a matrix at once.
TENSOR_CORES = {
    "mma": gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]),
    "wgmma": gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 32, 16]),
}
MATRIX_MEMORY = {
    "plain": gl.SwizzledSharedLayout(1, 1, 1, [1, 0]),
    "swizzled": gl.SwizzledSharedLayout(8, 1, 8, [1, 0]),
    "nvmma": gl.NVMMASharedLayout(64, 16),
    "columns": gl.NVMMASharedLayout(128, 16, transposed=True),
    "padded": gl.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0]),
}


@pytest.mark.parametrize("shared", MATRIX_MEMORY)
@pytest.mark.parametrize("kind", ["operand 0", "operand 1", "result"])
@pytest.mark.parametrize("unit", TENSOR_CORES)
def test_matrices_of_tensor_cores(unit, kind, shared):
    registers = TENSOR_CORES[unit]
    if kind != "result":
        registers = gl.DotOperandLayout(int(kind[-1]) if unit == "mma" else 0, registers, 2)
    pair = [64, 64], lambda lanes: registers, lambda shape: MATRIX_MEMORY[shared], "float16"
    for target in ("sm_80", "sm_90a") if unit == "mma" else ("sm_90a",):
        for access in ("load", "store"):
            warps = _core.bank_wavefronts(*types(target, pair), access, target)
            assert counted(target, pair, access) == tuple(map(sum, zip(*warps, strict=True)))
            if shared in ("swizzled", "columns", "padded") and (access == "load" or target == "sm_90a"):
                assert gl.bank_conflicts(*types(target, pair), access, target=target) == 0


@hocket.jit
def load_part(out, SMEM: gl.constexpr, REG: gl.constexpr, SLOT: gl.constexpr, BEGIN: gl.constexpr):
    ring = gl.allocate_shared_memory(gl.float16, [3, 64, 64], SMEM)
    for slot in gl.static_range(3):
        ring.index(slot).store(gl.zeros([64, 64], gl.float16, REG))
    part = ring.index(SLOT).slice(BEGIN, 16, dim=1)
    gl.store(out, gl.bank_conflicts(part.load(REG).type, part.type))
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, REG))
    cols = gl.arange(0, 16, layout=gl.SliceLayout(0, REG))
    gl.store(out + 1 + rows[:, None] * 16 + cols[None, :], part.load(REG).to(gl.int32))


@pytest.mark.parametrize("shared", [PLAIN, swizzled(4, 1, 8), padded([[64, 4]])], ids=["plain", "swizzled", "padded"])
@pytest.mark.parametrize("target", TARGETS)
def test_parts_of_a_ring(target, shared):
    """A slot turns the row of banks, and so does the start of a part: the count is that of the part at the origin."""
    layout = gl.BlockedLayout([1, 8], [lanes_of(target) // 2, 2], [4, 1], [1, 0])
    for slot, begin in ((0, 0), (1, 16), (2, 48)):
        out = np.zeros(1 + 64 * 16, np.int32)
        with hocket.emulator.target(target, races=False), hocket.emulator.count_bank_conflicts() as counts:
            load_part[(1,)](out, shared([64, 64]), layout, slot, begin)
        loads = {count.line: count for count in counts.entries if count.access == "load"}
        extras = {count.extra for count in loads.values()}
        assert extras == {4 * int(out[0])}  # four warps alike


def test_the_pairs_are_not_all_alike():
    extras = {(target, gl.bank_conflicts(*types(target, pair), target=target) > 0)
              for target in TARGETS for pair in PAIRS.values()}  # fmt: skip
    assert len(extras) == 2 * len(TARGETS)
