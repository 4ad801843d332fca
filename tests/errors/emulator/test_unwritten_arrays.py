"""Uses of elements of hocket.emulator.empty that nothing has written."""

import gc

import numpy as np
import pytest
import texts
import undefined as kernels

import hocket
from hocket import _core, errors
from hocket.emulator import empty

_TEXTS = texts.TextsOf(kernels)
place_of, text_of, expected = _TEXTS.place_of, _TEXTS.text_of, _TEXTS.expected

BOTH = pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int8, np.uint8, np.float16, np.int64])


def strict(target="sm_90a"):
    return hocket.emulator.target(target, undefined=True)


def fails(kernel, *arguments, target="sm_90a", match="an undefined value is stored", **constants):
    with strict(target), pytest.raises(errors.UndefinedValueError, match=match) as raised:
        kernel[(1,)](*arguments, **constants)
    return raised.value


@BOTH
@DTYPES
def test_an_array_that_nothing_has_written(target, dtype):
    x, out = empty(128, dtype), np.zeros(128, dtype)
    line, *_ = place_of("plus_one = gl.load(x + i, mask=i < n, other=0) + 1")
    assert text_of(fails(kernels.add_one, x, out, 100, SIZE=128, target=target)) == expected(
        "an undefined value is stored",
        "gl.store(out + i, plus_one, mask=i < n)",
        f"""
        from:  line {line}, elements of an array that nothing has written
        at:    block (0, 0, 0), warp 0, lane 0
        hint:  store to all of its elements before reading them
        """,
    )


@DTYPES
def test_what_kernels_and_the_host_have_written(dtype):
    x, out = empty(128, dtype), empty((4, 32), dtype)
    with strict():
        x[:] = np.arange(128)
        kernels.add_one[(1,)](x, out, 128, SIZE=128)
        kernels.add_one[(1,)](out.reshape(128), x, 128, SIZE=128)
    assert (x == (np.arange(128) + 2).astype(dtype)).all()


def test_a_kernel_that_is_not_looked_through_writes_as_the_host_does():
    x, out = empty(128), np.zeros(128, np.float32)
    with hocket.emulator.target("sm_90a"):
        kernels.add_one[(1,)](np.zeros(128, np.float32), x, 128, SIZE=128)
    with strict():
        kernels.add_one[(1,)](x, out, 128, SIZE=128)


@BOTH
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int16])
def test_elements_that_a_kernel_has_left_out(target, dtype):
    x, out = empty(256, dtype), np.zeros(256, dtype)
    with strict(target):
        kernels.store_every_other[(1,)](x, SIZE=128)
        kernels.add_one[(1,)](x[:1], out, 1, SIZE=128)
    error = fails(kernels.add_one, x, out, 256, SIZE=256, target=target)
    assert (error.warp, error.lane) == (0, 0)
    bits = np.frombuffer(_core.UnwrittenMemory.find(x.ctypes.data).shadow(), np.uint8).reshape(128, 2, x.itemsize)
    assert (bits == np.array([[0], [255]])).all()


def test_what_the_host_assigns_to_some_elements():
    x, out = empty(128), np.zeros(128, np.float32)
    x[:64] = 1
    with strict():
        kernels.add_one[(1,)](x, out, 64, SIZE=128)
    error = fails(kernels.add_one, x, out, 65, SIZE=128)
    assert (error.warp, error.lane) == (1, 0)


def test_masked_off_elements():
    with strict():
        kernels.add_one[(1,)](empty(128), np.zeros(128, np.float32), 0, SIZE=128)


@BOTH
@pytest.mark.parametrize(
    ("kind", "use"),
    [
        ("add", "an undefined value is changed"),
        ("cas", "an undefined value is compared"),
        ("stored", "an undefined value is stored"),
    ],
)
def test_atomics(target, kind, use):
    out = np.zeros(1, np.int32)
    error = fails(kernels.use_atomics, empty(1, np.int32), out, KIND=kind, target=target, match=use)
    # If a value reaches the lanes that use it through shared memory, the message names both accesses.
    assert "elements of an array that nothing has written" in str(error)
    with strict(target):
        kernels.use_atomics[(1,)](np.zeros(1, np.int32), out, KIND=kind)
        kernels.use_atomics[(1,)](x := empty(1, np.int32), out, KIND="xchg")
        kernels.use_atomics[(1,)](x, out, KIND=kind)


@BOTH
def test_through_shared_memory(target):
    fails(kernels.store_by_way_of_shared_memory, empty(128), np.zeros(128, np.float32), SIZE=128, target=target)


@pytest.mark.parametrize("kernel", [kernels.store_copied, kernels.read_buffer])
def test_unwritten_elements_read_by_copies_and_buffer_loads(kernel):
    x, out = empty(256), np.zeros(256, np.float32)
    fails(kernel, x, out, SIZE=256, target="gfx950")
    x[:] = 1
    with strict("gfx950"):
        kernel[(1,)](x, out, SIZE=256)
    assert (out == 1).all()


def test_check_finds_it():
    def launch():
        kernels.add_one[(1,)](empty(128), out := np.zeros(128, np.float32), 128, SIZE=128)
        return out

    report = hocket.check(launch, schedules=2)
    assert [finding.kind for finding in report.findings] == ["undefined value"]


@pytest.mark.parametrize(("shown", "count", "first"), [(np.s_[:, :], 64, "[0, 1]"), (np.s_[::-1, 1::2], 64, "[0, 0]")])
def test_check_looks_at_what_is_returned(shown, count, first):
    def launch():
        kernels.store_every_other[(1,)](out := empty(128, np.int32), SIZE=64)
        return {"out": out.reshape(2, 64)[shown]}

    (finding,) = hocket.check(launch, schedules=2).findings
    size = 128 if count == 64 and first == "[0, 1]" else 64
    text = (
        f"nothing has written {count} of the {size} elements of `result['out']`, the first at {first}\n  in store_every"
    )
    assert finding.kind == "undefined value"
    assert finding.text.startswith(text)
    assert finding.count == 2


def test_check_is_content_with_what_is_written():
    def launch():
        kernels.store_every_other[(1,)](out := empty(128, np.int32), SIZE=64)
        return out[::2]

    assert hocket.check(launch, schedules=2).ok


def test_arrays_are_as_others():
    x = empty((3, 5), "float16")
    assert (x.shape, x.dtype, x.flags.writeable, x.flags.c_contiguous) == ((3, 5), np.float16, True, True)
    assert empty(0).shape == (0,)
    assert (empty(1000, np.uint64) == empty(1000, np.uint64)).all()  # the same in each run
    address = x.ctypes.data
    assert address % 256 == 0
    view = x[1:, ::2]
    del x
    gc.collect()
    assert _core.UnwrittenMemory.find(address) is not None
    del view
    gc.collect()
    assert _core.UnwrittenMemory.find(address) is None
