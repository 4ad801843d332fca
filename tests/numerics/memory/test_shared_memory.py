"""Tiles in shared memory: contents, rings of slots, views, and the barriers that the compiler inserts."""

import ml_dtypes
import numpy as np
import pytest
from tiles import tile_offsets

import hocket
from hocket import language as gl

DTYPES = {"i8": np.int8, "bf16": ml_dtypes.bfloat16, "i16": np.int16, "f32": np.float32, "i64": np.int64}


def lanes(device):
    return 64 if device.name.startswith("gfx") else 32


def register_layouts(device):
    n = lanes(device)
    return {
        "rows": gl.BlockedLayout([1, 8], [n // 4, 4], [4, 1], [1, 0]),
        "columns": gl.BlockedLayout([4, 1], [4, n // 4], [1, 4], [0, 1]),
        "dot": gl.DotOperandLayout(1, gl.BlockedLayout([2, 2], [4, n // 4], [2, 2], [1, 0])),
    }


def shared_layouts(m, n):
    return {
        "plain": gl.SwizzledSharedLayout(1, 1, 1, [1, 0]),
        "columns": gl.SwizzledSharedLayout(1, 1, 1, [0, 1]),
        "swizzled": gl.SwizzledSharedLayout(4, 2, 8, [1, 0]),
        "swizzled_columns": gl.SwizzledSharedLayout(2, 1, 4, [0, 1]),
        "padded": gl.PaddedSharedLayout.with_identity_for([[64, 4], [256, 8]], [m, n], [1, 0]),
        "padded_columns": gl.PaddedSharedLayout.with_identity_for([[16, 1]], [m, n], [0, 1]),
    }


REGISTERS = ["rows", "columns", "dot"]
SHARED = ["plain", "columns", "swizzled", "swizzled_columns", "padded", "padded_columns"]


@hocket.jit
def round_trip_kernel(
    x, out, M: gl.constexpr, N: gl.constexpr, SRC: gl.constexpr, SHARED: gl.constexpr, DST: gl.constexpr
):
    value = gl.load(x + tile_offsets(M, N, SRC))
    smem = gl.allocate_shared_memory(x.dtype.element_ty, [M, N], SHARED, value)
    result = smem.load(DST)
    gl.device_assert(result == gl.load(x + tile_offsets(M, N, DST)), "a lane read another element")
    gl.store(out + tile_offsets(M, N, DST), result)


def numbers(shape, dtype):
    return (np.random.default_rng(0).permutation(np.prod(shape)).reshape(shape) % 199 - 99).astype(dtype)


@pytest.mark.parametrize("width", [8, 16, 32])
@pytest.mark.parametrize("dtype", ["i8", "bf16", "f32"])
def test_nvmma_layouts_of_another_element_width(hopper_device, dtype, width):
    layout = gl.NVMMASharedLayout(64, width)
    x = numbers((64, 128), DTYPES[dtype])
    out = hopper_device.to_device(np.zeros_like(x))
    registers = register_layouts(hopper_device)
    round_trip_kernel[(1,)](hopper_device.to_device(x), out, 64, 128, registers["rows"], layout, registers["columns"])
    np.testing.assert_array_equal(hopper_device.to_host(out), x)


@pytest.mark.parametrize("dst", REGISTERS)
@pytest.mark.parametrize("shared", SHARED)
@pytest.mark.parametrize("src", REGISTERS)
def test_round_trip(device, src, shared, dst):
    x = numbers((32, 64), np.float32)
    registers = register_layouts(device)
    out = device.to_device(np.zeros_like(x))
    round_trip_kernel[(1,)](
        device.to_device(x), out, M=32, N=64, SRC=registers[src], SHARED=shared_layouts(32, 64)[shared],
        DST=registers[dst], debug=True,
    )  # fmt: skip
    np.testing.assert_array_equal(device.to_host(out), x)


@pytest.mark.parametrize("shared", SHARED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(device, dtype, shared):
    x = numbers((64, 32), DTYPES[dtype])
    registers = register_layouts(device)
    out = device.to_device(np.zeros_like(x))
    round_trip_kernel[(1,)](
        device.to_device(x), out, M=64, N=32, SRC=registers["rows"], SHARED=shared_layouts(64, 32)[shared],
        DST=registers["columns"], debug=True,
    )  # fmt: skip
    np.testing.assert_array_equal(device.to_host(out), x)


# Views ----------------------------------------------------------------------------------------------------------------


@hocket.jit
def slices_kernel(x, out, M: gl.constexpr, N: gl.constexpr, SHARED: gl.constexpr, REGS: gl.constexpr):
    """Exchanges the quarters of a tile with those across the diagonal."""
    smem = gl.allocate_shared_memory(x.dtype.element_ty, [M, N], SHARED)
    target = gl.allocate_shared_memory(x.dtype.element_ty, [M, N], SHARED)
    smem.store(gl.load(x + tile_offsets(M, N, REGS)))
    for row in gl.static_range(2):
        for column in gl.static_range(2):
            quarter = smem.slice(row * (M // 2), M // 2, dim=0).slice(column * (N // 2), N // 2, dim=1)
            across = target.slice((1 - row) * (M // 2), M // 2, dim=0).slice((1 - column) * (N // 2), N // 2, dim=1)
            across.store(quarter.load(REGS))
    gl.store(out + tile_offsets(M, N, REGS), target.load(REGS))


@pytest.mark.parametrize("registers", REGISTERS)
@pytest.mark.parametrize("shared", SHARED)
def test_slices(device, shared, registers):
    x = numbers((32, 64), np.float32)
    out = device.to_device(np.zeros_like(x))
    slices_kernel[(1,)](
        device.to_device(x), out, M=32, N=64, SHARED=shared_layouts(32, 64)[shared],
        REGS=register_layouts(device)[registers],
    )  # fmt: skip
    np.testing.assert_array_equal(device.to_host(out), np.roll(x, (16, 32), (0, 1)))


@hocket.jit
def ring_kernel(x, out, tiles, M: gl.constexpr, N: gl.constexpr, SLOTS: gl.constexpr, SHARED: gl.constexpr,
                STORE: gl.constexpr, LOAD: gl.constexpr):  # fmt: skip
    """Writes each tile to the next slot, and adds up what the slot before holds."""
    ring = gl.allocate_shared_memory(x.dtype.element_ty, [SLOTS, M, N], SHARED)
    ring.index(0).store(gl.load(x + tile_offsets(M, N, STORE)))
    total = gl.full([M, N], 0, x.dtype.element_ty, LOAD)
    for t in range(1, tiles):
        ring.index(t % SLOTS).store(gl.load(x + t * M * N + tile_offsets(M, N, STORE)))
        total = total * 2 + ring.index((t - 1) % SLOTS).load(LOAD)
    gl.store(out + tile_offsets(M, N, LOAD), total)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("slots", [2, 3])
@pytest.mark.parametrize("shared", SHARED)
def test_ring(device, shared, slots, seed):
    x = numbers((6, 16, 32), np.int32)
    expected = np.zeros((16, 32), np.int32)
    for tile in x[:-1]:
        expected = expected * 2 + tile
    out = device.to_device(np.zeros_like(expected))
    registers = register_layouts(device)
    with hocket.emulator.schedule(seed=seed):
        ring_kernel[(1,)](
            device.to_device(x), out, 6, M=16, N=32, SLOTS=slots, SHARED=shared_layouts(16, 32)[shared],
            STORE=registers["rows"], LOAD=registers["columns"],
        )  # fmt: skip
    np.testing.assert_array_equal(device.to_host(out), expected)


@hocket.jit
def transpose_kernel(x, out, M: gl.constexpr, N: gl.constexpr, SHARED: gl.constexpr, REGS: gl.constexpr):
    smem = gl.allocate_shared_memory(x.dtype.element_ty, [M, N], SHARED, gl.load(x + tile_offsets(M, N, REGS)))
    gl.store(out + tile_offsets(N, M, REGS), smem.permute([1, 0]).load(REGS))


@pytest.mark.parametrize("shared", SHARED)
def test_permute(device, shared):
    x = numbers((32, 64), np.int16)
    out = device.to_device(np.zeros((64, 32), np.int16))
    transpose_kernel[(1,)](
        device.to_device(x), out, M=32, N=64, SHARED=shared_layouts(32, 64)[shared],
        REGS=register_layouts(device)["rows"],
    )  # fmt: skip
    np.testing.assert_array_equal(device.to_host(out), x.T)


@hocket.jit
def reshape_kernel(x, out, REGS: gl.constexpr):
    SHARED: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    smem = gl.allocate_shared_memory(gl.int32, [16, 64], SHARED, gl.load(x + tile_offsets(16, 64, REGS)))
    gl.store(out + tile_offsets(32, 32, REGS), smem.reshape([32, 32]).load(REGS))


def test_reshape(device):
    x = numbers((16, 64), np.int32)
    out = device.to_device(np.zeros((32, 32), np.int32))
    reshape_kernel[(1,)](device.to_device(x), out, REGS=register_layouts(device)["columns"])
    np.testing.assert_array_equal(device.to_host(out), x.reshape(32, 32))


@hocket.jit
def reinterpret_kernel(x, out, REGS: gl.constexpr):
    PLAIN: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    smem = gl.allocate_shared_memory(gl.int32, [16, 32], PLAIN, gl.load(x + tile_offsets(16, 32, REGS)))
    halves = smem._reinterpret(gl.int16, [32, 32], PLAIN)
    gl.store(out + tile_offsets(32, 32, REGS), halves.load(REGS))


def test_reinterpret(device):
    x = numbers((16, 32), np.int32) * 12345
    out = device.to_device(np.zeros((32, 32), np.int16))
    reinterpret_kernel[(1,)](device.to_device(x), out, REGS=register_layouts(device)["rows"])
    np.testing.assert_array_equal(device.to_host(out), x.view(np.int16).reshape(32, 32))


@hocket.jit
def chosen_buffer_kernel(x, out, which, REGS: gl.constexpr):
    SHARED: gl.constexpr = gl.SwizzledSharedLayout(2, 1, 4, [1, 0])
    value = gl.load(x + tile_offsets(16, 32, REGS))
    first = gl.allocate_shared_memory(gl.int32, [16, 32], SHARED, value)
    second = gl.allocate_shared_memory(gl.int32, [16, 32], SHARED, value + 1000)
    chosen = first if which == 0 else second.permute([1, 0]).permute([1, 0])
    part = chosen.slice(8, 8, 0) if which == 0 else chosen.slice(0, 8, 0)
    gl.store(out + tile_offsets(8, 32, REGS), part.load(REGS))


@pytest.mark.parametrize("which", [0, 2])
def test_buffer_chosen_at_run_time(device, which):
    x = numbers((16, 32), np.int32)
    out = device.to_device(np.zeros((8, 32), np.int32))
    chosen_buffer_kernel[(1,)](device.to_device(x), out, which, REGS=register_layouts(device)["rows"])
    np.testing.assert_array_equal(device.to_host(out), x[8:] if which == 0 else x[:8] + 1000)


@hocket.jit
def swapped_kernel(x, out, steps, REGS: gl.constexpr):
    SHARED: gl.constexpr = gl.SwizzledSharedLayout(4, 1, 8, [1, 0])
    cur = gl.allocate_shared_memory(gl.int32, [32, 32], SHARED, gl.load(x + tile_offsets(32, 32, REGS)))
    nxt = gl.allocate_shared_memory(gl.int32, [32, 32], SHARED)
    for _ in range(steps):
        turned = cur.permute([1, 0]).load(REGS)
        nxt.store(turned + 1)
        cur, nxt = nxt, cur
    gl.store(out + tile_offsets(32, 32, REGS), cur.load(REGS))


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
def test_view_of_a_carried_buffer(device, steps):
    """The compiler used to crash where a view's source was a variable of a loop."""
    x = numbers((32, 32), np.int32)
    out = device.to_device(np.zeros_like(x))
    swapped_kernel[(1,)](device.to_device(x), out, steps, REGS=register_layouts(device)["rows"])
    np.testing.assert_array_equal(device.to_host(out), (x.T if steps % 2 else x) + steps)


@hocket.jit
def slot_kernel(x, out, slot, REGS: gl.constexpr):
    SHARED: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    ring = gl.allocate_shared_memory(gl.int32, [3, 16, 32], SHARED)
    other = gl.allocate_shared_memory(gl.int32, [16, 32], SHARED, gl.load(x + tile_offsets(16, 32, REGS)))
    ring.index(slot).store(gl.load(x + tile_offsets(16, 32, REGS)) + 1)
    gl.store(out + tile_offsets(16, 32, REGS), ring.index(slot).load(REGS) + other.load(REGS))


@pytest.mark.parametrize("slot", [0, 2])
def test_slot_checked_in_debug_mode(device, slot):
    x = numbers((16, 32), np.int32)
    out = device.to_device(np.zeros_like(x))
    slot_kernel[(1,)](device.to_device(x), out, slot, REGS=register_layouts(device)["rows"], debug=True)
    np.testing.assert_array_equal(device.to_host(out), 2 * x + 1)


@pytest.mark.parametrize("slot", [3, -1])
@pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
def test_slot_outside_the_ring(target, slot):
    x = np.zeros((16, 32), np.int32)
    registers = gl.BlockedLayout([1, 1], [1, 64 if target == "gfx950" else 32], [4, 1], [1, 0])
    with hocket.emulator.target(target), pytest.raises(hocket.errors.DeviceAssertError, match="a ring of 3 buffers"):
        slot_kernel[(1,)](x, x.copy(), slot, REGS=registers, debug=True)


@hocket.jit
def reinterpret_parts_kernel(x, out, REGS: gl.constexpr):
    """Properties that are not given keep their values."""
    PLAIN: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    smem = gl.allocate_shared_memory(gl.int32, [32, 32], PLAIN, gl.load(x + tile_offsets(32, 32, REGS)))
    as_floats = smem.reinterpret(gl.float32)
    halves = smem.reinterpret(gl.int16, [64, 32]).reinterpret(shape=[32, 64]).reinterpret(gl.int32, shape=[32, 32])
    gl.store(out + tile_offsets(32, 32, REGS), as_floats.load(REGS).to(gl.int32, bitcast=True) + halves.load(REGS))


def test_parts_of_reinterpret(device):
    x = np.random.default_rng(0).integers(-1000, 1000, (32, 32)).astype(np.int32)
    out = device.to_device(np.zeros_like(x))
    reinterpret_parts_kernel[(1,)](device.to_device(x), out, REGS=register_layouts(device)["rows"])
    np.testing.assert_array_equal(device.to_host(out), 2 * x)


@hocket.jit
def aligned_kernel(x, out, BYTES: gl.constexpr):
    i = gl.arange(0, 64, gl.row_layout())
    rows: gl.constexpr = [[1], [2], [4], [8], [16], [32]]
    small = gl.allocate_shared_memory(gl.int8, [64], gl.SharedLinearLayout(rows, alignment=BYTES))
    tile = gl.allocate_shared_memory(gl.int32, [64], gl.SharedLinearLayout(rows, alignment=BYTES))
    small.store(i.to(gl.int8))
    tile.store(gl.load(x + i))
    gl.store(out + i, tile.load(i.type.layout) + small.load(i.type.layout))


def test_alignment_of_linear_layouts(every_device):
    """Both buffers begin at a multiple of their layouts' alignment."""
    x = np.arange(64, dtype=np.int32)
    out = every_device.to_device(np.zeros_like(x))
    kernel = aligned_kernel[(1,)](every_device.to_device(x), out, 1024)
    np.testing.assert_array_equal(every_device.to_host(out), 2 * x)
    assert 1024 + 64 <= kernel.metadata.shared <= 1024 + 256
