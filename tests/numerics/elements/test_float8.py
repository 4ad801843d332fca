"""8-bit floats: every code widens exactly, every f16 and bf16 narrows as ml_dtypes says, but saturates."""

import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket import language as gl

BLOCK = 4096
FLOAT8 = {
    "float8e5": ml_dtypes.float8_e5m2,
    "float8e4nv": ml_dtypes.float8_e4m3fn,
    "float8e5b16": ml_dtypes.float8_e5m2fnuz,
    "float8e4b8": ml_dtypes.float8_e4m3fnuz,
}
WIDE = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}


@hocket.jit
def cast_kernel(x, out, n, BLOCK: gl.constexpr):
    i = gl.program_id(0) * BLOCK
    i += gl.arange(0, BLOCK, layout=gl.row_layout(4))
    gl.store(out + i, gl.load(x + i, mask=i < n).to(out.dtype.element_ty), mask=i < n)


def cast(device, x, dtype):
    out = device.to_device(np.zeros(x.size, dtype))
    cast_kernel[(hocket.cdiv(x.size, BLOCK),)](device.to_device(x), out, x.size, BLOCK=BLOCK)
    return device.to_host(out)


def narrowed(x, dtype):
    """The codes that `x` becomes: ml_dtypes rounds to nearest even; beyond the largest number we saturate; one NaN."""
    largest = float(ml_dtypes.finfo(dtype).max)
    with np.errstate(invalid="ignore"):
        wide = x.astype(np.float64)
        codes = np.clip(wide, -largest, largest).astype(x.dtype).astype(dtype).view(np.uint8)
    nan = 0x80 if dtype in (ml_dtypes.float8_e5m2fnuz, ml_dtypes.float8_e4m3fnuz) else 0x7F
    return np.where(np.isnan(wide), np.uint8(nan), codes)


@pytest.mark.parametrize("wide", WIDE)
@pytest.mark.parametrize("name", FLOAT8)
def test_every_code_widens_exactly(device, name, wide):
    codes = np.arange(256, dtype=np.uint8).view(FLOAT8[name])
    actual = cast(device, codes, WIDE[wide]).astype(np.float64)
    np.testing.assert_array_equal(actual, codes.astype(np.float64))
    is_number = ~np.isnan(actual)  # GPUs do not keep the sign of a NaN
    np.testing.assert_array_equal(np.signbit(actual)[is_number], (np.arange(256) >= 128)[is_number])


@pytest.mark.parametrize("wide", ["f16", "bf16"])
@pytest.mark.parametrize("name", FLOAT8)
def test_every_half_narrows_to_the_nearest(device, name, wide):
    x = np.arange(2**16, dtype=np.uint16).view(WIDE[wide])
    actual = cast(device, x, FLOAT8[name]).view(np.uint8)
    np.testing.assert_array_equal(actual, narrowed(x, FLOAT8[name]))


@pytest.mark.parametrize("name", FLOAT8)
def test_float32_narrows_to_the_nearest(device, name):
    """Random bits, and what lies next to each number of the format and to each tie between two."""
    numbers = np.arange(128, dtype=np.uint8).view(FLOAT8[name]).astype(np.float32)
    numbers = numbers[np.isfinite(numbers)]
    ties = (numbers[1:] + numbers[:-1]) / 2
    exact = np.concatenate([numbers, ties])
    near = [exact, np.nextafter(exact, np.float32(np.inf)), np.nextafter(exact, np.float32(-np.inf))]
    random = np.random.default_rng(0).integers(0, 2**32, 20000, dtype=np.uint32).view(np.float32)
    x = np.concatenate([*near, *(-part for part in near), random])
    np.testing.assert_array_equal(cast(device, x, FLOAT8[name]).view(np.uint8), narrowed(x, FLOAT8[name]))


@pytest.mark.parametrize(
    "source, target",
    [("float8e5", "float8e4nv"), ("float8e4nv", "float8e5"), ("float8e4nv", "float8e4b8"), ("float8e5b16", "float8e5")],
)
def test_float8_to_the_other_float8(device, source, target):
    x = np.arange(256, dtype=np.uint8).view(FLOAT8[source])
    actual = cast(device, x, FLOAT8[target]).view(np.uint8)
    np.testing.assert_array_equal(actual, narrowed(x.astype(np.float32), FLOAT8[target]))


@pytest.mark.parametrize("name", FLOAT8)
def test_integers_and_float8(device, name):
    x = np.arange(-600, 600, dtype=np.int32)
    codes = cast(device, x, FLOAT8[name])
    np.testing.assert_array_equal(codes.view(np.uint8), narrowed(x.astype(np.float32), FLOAT8[name]))
    finite = codes[np.isfinite(codes.astype(np.float32))]
    np.testing.assert_array_equal(cast(device, finite, np.int32), finite.astype(np.float32).astype(np.int32))


@hocket.jit
def constants_kernel(out, value: gl.constexpr, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    gl.store(out + gl.arange(0, BLOCK, layout=layout), gl.full([BLOCK], value, out.dtype.element_ty, layout=layout))


@pytest.mark.parametrize("name", FLOAT8)
@pytest.mark.parametrize("value", [1.1, 0.0, -0.01, 1e6, -1e6])
def test_constants_round_and_saturate_alike(device, name, value):
    out = device.to_device(np.zeros(256, FLOAT8[name]))
    constants_kernel[(1,)](out, value=value, BLOCK=256)
    expected = narrowed(np.full(256, value, np.float32), FLOAT8[name])
    np.testing.assert_array_equal(device.to_host(out).view(np.uint8), expected)


@hocket.jit
def there_and_back_kernel(x, out, WIDE: gl.constexpr, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout(4))
    gl.store(out + i, gl.load(x + i).to(WIDE).to(out.dtype.element_ty))


@pytest.mark.parametrize("name", FLOAT8)
@pytest.mark.parametrize("wide", ["float16", "bfloat16", "float32", "float64"])
def test_widened_and_narrowed_is_what_it_was(device, name, wide):
    x = np.arange(256, dtype=np.uint8).view(FLOAT8[name])
    x = np.resize(x[~np.isnan(x.astype(np.float32))], 1024)
    out = device.to_device(np.zeros_like(x))
    there_and_back_kernel[(1,)](device.to_device(x), out, WIDE=getattr(gl, wide), BLOCK=1024)
    # bfloat16 is reached by way of float32, so the two conversions do not cancel.
    expected = narrowed(x, FLOAT8[name]) if wide == "bfloat16" else x.view(np.uint8)
    np.testing.assert_array_equal(device.to_host(out).view(np.uint8), expected)


@hocket.jit
def transpose_kernel(x, out, SIZE: gl.constexpr):
    """Through shared memory and a layout conversion."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [gl.num_lanes() // 8, 8], [gl.num_warps(), 1], [1, 0])
    row = gl.arange(0, SIZE, layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, SIZE, layout=gl.SliceLayout(0, layout))
    offsets = row[:, None] * SIZE + column[None, :]
    tile = gl.load(x + offsets)
    buffer = gl.allocate_shared_memory(tile.dtype, [SIZE, SIZE], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]), tile)
    gl.store(out + offsets, buffer.permute([1, 0]).load(layout))


@pytest.mark.parametrize("name", FLOAT8)
def test_float8_through_shared_memory(device, name):
    x = np.arange(64 * 64).astype(np.uint8).reshape(64, 64).view(FLOAT8[name])
    out = device.to_device(np.zeros_like(x))
    transpose_kernel[(1,)](device.to_device(x), out, SIZE=64)
    np.testing.assert_array_equal(device.to_host(out).view(np.uint8), x.view(np.uint8).T)


@pytest.mark.codegen
@pytest.mark.parametrize("name, suffix", [("float8e5", "e5m2x2"), ("float8e4nv", "e4m3x2")])
def test_hopper_narrows_by_an_instruction(name, suffix):
    dtype = getattr(gl, name)
    codes = {
        target: cast_kernel.warmup(gl.float32, dtype, BLOCK, BLOCK=BLOCK, target=target).asm["ptx"]
        for target in ("sm_80", "sm_90a")
    }
    assert f"cvt.rn.satfinite.{suffix}.f32" in codes["sm_90a"]
    assert "cvt.rn.satfinite" not in codes["sm_80"]
