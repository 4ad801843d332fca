"""Uses of undefined values: uses that are reported, and uses that are not errors."""

import numpy as np
import pytest
import texts
import undefined as kernels

import hocket
from hocket import errors

_TEXTS = texts.TextsOf(kernels)
place_of, text_of, expected = _TEXTS.place_of, _TEXTS.text_of, _TEXTS.expected

BOTH = pytest.mark.parametrize("target", ["sm_90a", "gfx950"])


def strict(target="sm_90a"):
    return hocket.emulator.target(target, undefined=True)


@BOTH
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int8, np.float16, np.int64])
def test_masked_off_value_that_is_stored(target, dtype):
    x, out = np.ones(128, dtype), np.zeros(128, dtype)
    with strict(target):
        kernels.store_masked_load[(1,)](x, out, 128, SIZE=128)
        with pytest.raises(errors.UndefinedValueError) as raised:
            kernels.store_masked_load[(1,)](x, out, 101, SIZE=128)
    line, *_ = place_of("loaded = gl.load(x + i, mask=i < n)")
    warp, lane = divmod(50, 32 if target == "sm_90a" else 64)
    assert text_of(raised.value) == expected(
        "an undefined value is stored",
        "gl.store(out + i, loaded + 1)",
        f"""
        from:  line {line}, masked off without `other`
        at:    block (0, 0, 0), warp {warp}, lane {lane}
        hint:  give the load `other`, or select with gl.where(mask, ..., ...) before the value is used
        """,
    )


@BOTH
def test_what_is_chosen_before_it_is_used(target):
    with strict(target):
        kernels.choose_after_masked_load[(1,)](np.ones(128, np.int32), np.zeros(128, np.int32), 101, SIZE=128)
        kernels.convert_masked_load[(1,)](np.ones(1024, np.float16), np.zeros(1024, np.float16), 333, SIZE=1024)
        kernels.convert_masked_load[(1,)](np.ones(1024, np.int8), np.zeros(1024, np.int8), 333, SIZE=1024)


@BOTH
def test_through_shuffles_and_shared_memory_of_a_reduction(target):
    with strict(target), pytest.raises(errors.UndefinedValueError, match="an undefined value is stored"):
        kernels.reduce_masked_load[(1,)](np.ones(256, np.int32), np.zeros(1, np.int32), 255, SIZE=256)


def test_branch_address_and_loop():
    x, out = np.ones(64, np.int32), np.zeros(2, np.int32)
    with strict():
        kernels.branch_on_masked_load[(1,)](x, out, 1)
        kernels.access_by_masked_load[(1,)](x, out, 1)
        kernels.count_in_a_loop[(1,)](x, out, 3, 3)
        with pytest.raises(errors.UndefinedValueError, match="an undefined value decides a branch"):
            kernels.branch_on_masked_load[(1,)](x, out, 0)
        with pytest.raises(errors.UndefinedValueError, match="the address of this access is undefined"):
            kernels.access_by_masked_load[(1,)](x, out, 0)
        with pytest.raises(errors.UndefinedValueError, match="an undefined value is stored"):
            kernels.count_in_a_loop[(1,)](x, out, 3, 4)


@BOTH
def test_index_that_is_multiplied(target):
    """A factor of the index may be undefined, or the multiplication may overflow: each has its own error."""
    x, out = np.ones(1, np.int32), np.zeros(4, np.int32)
    with strict(target):
        kernels.access_by_multiplied_load[(1,)](x, out, 1)
        assert out[3] == 1
        with pytest.raises(errors.UndefinedValueError, match="the address of this access is undefined"):
            kernels.access_by_multiplied_load[(1,)](x, out, 0)
        x[0] = 2**30
        with pytest.raises(errors.InvalidIndexError, match="3221225472"):
            kernels.access_by_multiplied_load[(1,)](x, out, 1)


@BOTH
def test_shared_memory_that_nothing_has_written(target):
    x, out = np.ones(256, np.int32), np.zeros(256, np.int32)
    with strict(target):
        kernels.read_part_that_was_not_written[(1,)](x, out, SIZE=256, WRITTEN=256)
        with pytest.raises(errors.UndefinedValueError) as raised:
            kernels.read_part_that_was_not_written[(2,)](x, out, SIZE=256, WRITTEN=128)
    line, *_ = place_of("whole = tile.load(layout)")
    assert f"from:  line {line}, shared memory that nothing has written" in str(raised.value)


@pytest.mark.parametrize(("target", "version"), [("gfx942", 3), ("gfx950", 4)])
def test_rows_of_matrix_products(target, version):
    """Rows that are undefined may be computed, but not stored."""
    a, b, out = np.ones((64, 16), np.float16), np.ones((16, 16), np.float16), np.zeros((16, 16), np.float32)
    with strict(target):
        kernels.multiply_masked[(1,)](a, b, out, 16, WARPS=4, VERSION=version)
        assert np.all(out == 16)
        with pytest.raises(errors.UndefinedValueError, match="an undefined value is stored"):
            kernels.multiply_masked[(1,)](a, b, out, 15, WARPS=4, VERSION=version)


def test_check_finds_undefined_integers():
    """Without it the values would be those of the array, by accident."""

    def launch():
        out = np.zeros(128, np.int32)
        kernels.store_masked_load[(1,)](np.ones(128, np.int32), out, 101, SIZE=128)
        return out

    launch()
    report = hocket.check(launch, schedules=2)
    assert [finding.kind for finding in report.findings] == ["undefined value"]


def test_only_where_asked_for():
    kernels.store_masked_load[(1,)](np.ones(128, np.int32), np.zeros(128, np.int32), 101, SIZE=128)
    with pytest.raises(errors.LaunchError, match="undefined must be True or False"), strict():
        with hocket.emulator.schedule(undefined=1):
            pass
