"""Errors that the emulator raises for a faulty kernel: the whole text, and its parts as attributes."""

import misbehaving as kernels
import numpy as np
import pytest
import texts

import hocket
from hocket import errors

_TEXTS = texts.TextsOf(kernels)
place_of, text_of, expected = _TEXTS.place_of, _TEXTS.text_of, _TEXTS.expected


@pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
def test_read_past_the_end(target):
    x, out = np.zeros(1000, np.float32), np.zeros(1024, np.float32)
    with hocket.emulator.target(target), pytest.raises(errors.OutOfBoundsError) as raised:
        kernels.copy[(8,)](x, out, SIZE=128)
    # 1000 = 7 * 128 + 104
    warp, lane = divmod(104, 32 if target == "sm_90a" else 64)
    assert text_of(raised.value) == expected(
        "out-of-bounds read of `x`",
        "gl.load(x + i)",
        f"""
        index:    1000, but `x` has 1000 elements of float32
        address:  ADDRESS, 4 bytes
        at:       block (7, 0, 0), warp {warp}, lane {lane}
        hint:     mask the access, or pass an array that is large enough
        """,
    )
    error = raised.value
    assert (error.block, error.warp, error.lane) == ((7, 0, 0), warp, lane)
    assert (error.array, error.index) == ("x", 1000)
    assert error.address == x.ctypes.data + 4000
    assert error.filename == kernels.__file__


def test_write_past_the_end():
    x, out = np.zeros(1024, np.float16), np.zeros(1000, np.float16)
    with pytest.raises(errors.OutOfBoundsError) as raised:
        kernels.copy[(8,)](x, out, SIZE=128)
    assert text_of(raised.value) == expected(
        "out-of-bounds write to `out`",
        "gl.store(out + i, gl.load(x + i))",
        """
        index:    1000, but `out` has 1000 elements of float16
        address:  ADDRESS, 2 bytes
        at:       block (7, 0, 0), warp 3, lane 8
        hint:     mask the access, or pass an array that is large enough
        """,
    )
    assert not np.any(out)


def test_read_before_the_start_in_a_function():
    x, out = np.zeros(16, np.int64), np.zeros(1, np.int64)
    with pytest.raises(errors.OutOfBoundsError) as raised:
        kernels.read_through_a_function[(1,)](x, out, -2)
    line, *_ = place_of("gl.store(out, read_element(x, i))")
    assert text_of(raised.value) == expected(
        "out-of-bounds read of `x`",
        "gl.load(x + index)",
        f"""
        index:    -2, but `x` has 16 elements of int64
        address:  ADDRESS, 8 bytes
        at:       block (0, 0, 0), warp 0, lane 0
        hint:     mask the access, or pass an array that is large enough
        in read_element, called from misbehaving.py:{line} in read_through_a_function
        """,
    )


def test_misaligned_read():
    x, out = np.zeros(2048, np.float32), np.zeros(512, np.float32)
    with pytest.raises(errors.MisalignedAccessError) as raised:
        kernels.shift[(1,)](x, out, 2, SIZE=512)
    assert text_of(raised.value) == expected(
        "misaligned read of `x`",
        "gl.load(x + gl.multiple_of(by, 4) + i)",
        """
        index:    2 to 5
        address:  ADDRESS, 16 bytes; it must be a multiple of 16
        at:       block (0, 0, 0), warp 0, lane 0
        hint:     the pointer is not aligned as promised, or an offset breaks the promise
        """,
    )


def test_write_to_a_read_only_array():
    x, out = np.zeros(128, np.float32), np.zeros(128, np.float32)
    out.flags.writeable = False
    with pytest.raises(errors.ReadOnlyArrayError) as raised:
        kernels.copy[(1,)](x, out, SIZE=128)
    assert text_of(raised.value) == expected(
        "write to `out`, which is read-only",
        "gl.store(out + i, gl.load(x + i))",
        """
        index:    0
        address:  ADDRESS, 4 bytes
        at:       block (0, 0, 0), warp 0, lane 0
        """,
    )


def test_division_by_zero():
    with pytest.raises(errors.DivisionByZeroError) as raised:
        kernels.divide[(1,)](np.zeros(1, np.int32), 7, 0)
    assert text_of(raised.value) == expected(
        "integer division by zero", "n // d", "at: block (0, 0, 0), warp 0, lane 0"
    )


def test_failed_assertion():
    x = np.ones(128, np.int32)
    kernels.positive[(1,)](x, SIZE=128)
    x[77] = -1
    with pytest.raises(errors.DeviceAssertError) as raised:
        kernels.positive[(1,)](x, SIZE=128)
    assert text_of(raised.value) == expected(
        "device assertion failed: x must be positive",
        'gl.device_assert(gl.load(x + gl.arange(0, SIZE, layout=layout)) > 0, "x must be positive")',
        "at: block (0, 0, 0), warp 2, lane 13",
    )


@pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
@pytest.mark.parametrize(
    "dtype, value, by, line, message",
    [
        (np.int32, 46341, 0, "value * value", "int32 overflow in a multiplication"),
        (np.int32, 46340, -100_000, "square - by", "int32 overflow in a subtraction"),
        (np.uint32, 65536, 0, "value * value", "uint32 overflow in a multiplication"),
        (np.uint32, 1, 2, "square - by", "uint32 overflow in a subtraction"),
        (np.uint16, 255, 0, "shifted += value", ""),
        (np.int32, -46340, 0, "shifted += value", ""),
        (np.int32, 46340, -50_000, "shifted += value", "int32 overflow in an addition"),
        (np.int64, 1 << 62, 0, "value * value", ""),
    ],
)
def test_overflow_of_integers(target, dtype, value, by, line, message):
    """With the launch option. The kernel exempts its last multiplication."""
    x, out = np.zeros(256, dtype), np.zeros(256, dtype)
    x[77] = value
    by = np.asarray(by).astype(dtype)[()] if by >= 0 else by
    with hocket.emulator.target(target):
        kernels.square_and_shift[(1,)](x, out, by)
        if not message:
            kernels.square_and_shift[(1,)](x, out, by, sanitize_overflow=True)
            return
        with pytest.raises(errors.DeviceAssertError) as raised:
            kernels.square_and_shift[(1,)](x, out, by, sanitize_overflow=True)
    warp, lane = divmod(77, 32 if target == "sm_90a" else 64)
    at = f"at: block (0, 0, 0), warp {warp}, lane {lane}"
    if by and line == "square - by" and dtype == np.uint32:
        at = "at: block (0, 0, 0), warp 0, lane 0"  # 0 - 2 comes first
    assert text_of(raised.value) == expected(f"device assertion failed: {message}", line, at)


def test_sums_are_not_checked_for_overflow():
    x, out = np.full(256, 1 << 24, np.int32), np.zeros(1, np.int32)
    kernels.sum_all[(1,)](x, out, sanitize_overflow=True)
    assert out[0] == 0  # 2^32


def test_barrier_that_some_warps_do_not_reach():
    """The first warp reads 0 and waits at the barrier; the other warps read the value that it wrote, which is also a
    race."""
    with hocket.emulator.schedule(races=False), pytest.raises(errors.DeadlockError) as raised:
        kernels.barrier_for_some[(1,)](np.zeros(1, np.int32))
    line, *_ = place_of("        gl.barrier()")
    assert text_of(raised.value) == expected(
        "deadlock: lanes wait for lanes that never arrive",
        "gl.barrier()",
        f"""
        at:        block (0, 0, 0)
        waiting:   warp 0 at the barrier in line {line}, where 32 of 128 threads have arrived
        finished:  warps 1-3
        hint:      all warps must execute the same barriers and reductions
        """,
    )


@pytest.mark.parametrize("slot", [2, 0x7FFF_FFFF, -1])
def test_a_slot_outside_a_ring(slot):
    """Another buffer lies there: the access itself would be within shared memory."""
    out = np.zeros(128, np.int32)
    kernels.use_slot[(1,)](out, 1, SLOTS=2)
    np.testing.assert_array_equal(out, np.arange(128))
    with pytest.raises(errors.DeviceAssertError) as raised:
        kernels.use_slot[(1,)](out, slot, SLOTS=2)
    assert text_of(raised.value) == expected(
        "device assertion failed: the index lies outside a ring of 2 buffers",
        "ring.index(slot)",
        "at: block (0, 0, 0), warp 0, lane 0",
    )


def test_a_slot_that_is_not_used_need_not_exist():
    """A loop that runs ahead computes the slots of iterations that never come."""
    out = np.zeros(1, np.int32)
    with hocket.emulator.target("sm_90a"):
        kernels.use_slot_of_barriers[(1,)](out, 5, 0, SLOTS=2)
        assert out == 1
        with pytest.raises(errors.DeviceAssertError) as raised:
            kernels.use_slot_of_barriers[(1,)](out, 5, 1, SLOTS=2)
    assert text_of(raised.value) == expected(
        "device assertion failed: the index lies outside a ring of 2 buffers",
        "bars.index(slot)",
        "at: block (0, 0, 0), warp 0, lane 0",
    )


GAP_HINT = "pass the strides and multiply each index by its own, or pass a contiguous copy"


@pytest.mark.filterwarnings("ignore:`x` of copy_elements")
def test_read_between_the_elements_of_a_view():
    whole = np.arange(256, dtype=np.float32)
    with pytest.raises(errors.OutOfBoundsError) as raised:
        kernels.copy_elements[(1,)](whole[::2], np.zeros(128, np.float32), SIZE=128)
    assert text_of(raised.value) == expected(
        "read of `x` between its elements",
        "gl.load(x + k)",
        f"""
        index:    1 in memory, but `x` is a view whose strides are (2,)
        address:  ADDRESS, 4 bytes
        at:       block (0, 0, 0), warp 0, lane 1
        hint:     {GAP_HINT}
        """,
    )


@pytest.mark.filterwarnings("ignore:`out` of copy_elements")
def test_write_between_the_elements_of_a_view():
    out = np.zeros((128, 3), np.int32)
    with pytest.raises(errors.OutOfBoundsError) as raised:
        kernels.copy_elements[(1,)](np.arange(128), out[:, 0], SIZE=128)
    assert text_of(raised.value) == expected(
        "write to `out` between its elements",
        "gl.store(out + k, gl.load(x + k))",
        f"""
        index:    1 in memory, but `out` is a view whose strides are (3,)
        address:  ADDRESS, 4 bytes
        at:       block (0, 0, 0), warp 0, lane 1
        hint:     {GAP_HINT}
        """,
    )
    np.testing.assert_array_equal(out[:, 1:], 0)


NOBODY = "no other thread can change this value: all other blocks have ended or are waiting"


@pytest.mark.parametrize(("threads", "seed"), [(1, 0), (2, 0), (2, 1), (1, 3)])
def test_a_flag_that_no_block_sets(threads, seed):
    line, *_ = place_of("gl.atomic_add(flag + 2, 0)")
    with hocket.emulator.schedule(threads=threads, seed=seed), pytest.raises(errors.DeadlockError) as raised:
        kernels.wait_for_flag[(3,)](np.full(3, 2, np.int32), np.zeros(3, np.int32), num_warps=2)
    block = 2 if seed == 3 else raised.value.block[0]
    assert text_of(raised.value) == expected(
        "endless loop: lanes wait for values that are never written",
        "gl.atomic_add(flag + 2, 0)",
        f"""
        at:       block ({block}, 0, 0)
        waiting:  warp 0, lane 0 in a loop over line {line}, where `flag`[2] is 2
        hint:     {NOBODY}
        """,
    )
    assert raised.value.block[0] == 0 or seed or threads > 1  # the first block, where their order is known


def test_a_lock_that_is_never_released():
    with pytest.raises(errors.DeadlockError) as raised:
        kernels.lock_twice[(1,)](np.zeros(1, np.int32), np.zeros(1, np.int32), num_warps=1)
    assert text_of(raised.value).splitlines()[4:] == [
        f"  waiting:  warp 0, lane 0 in a loop over line {raised.value.lineno}, where `lock`[0] is 1",
        f"  hint:     {NOBODY}",
    ]


def test_a_block_that_waits_for_one_that_cannot_begin():
    with hocket.emulator.schedule(threads=1), pytest.raises(errors.DeadlockError) as raised:
        kernels.wait_for_the_next[(40,)](np.zeros(40, np.int32), num_warps=1)
    assert text_of(raised.value).splitlines()[3:] == [
        "  at:           block (0, 0, 0)",
        f"  waiting:      warp 0, lane 0 in a loop over line {raised.value.lineno}, where `flags`[1] is 0",
        "  not started:  8 more blocks: a host thread runs 32 blocks at a time",
        "  hint:         wait only for blocks with lower numbers: others may not begin before this one ends; or launch "
        "with launch_cooperative_grid=True, which runs all blocks at once",
    ]
    with hocket.emulator.schedule(threads=1):
        kernels.wait_for_the_next[(30,)](np.zeros(30, np.int32), num_warps=1)
