"""Dtypes as Python values."""

import pickle

import pytest

from hocket import language as gl

WIDTHS = {
    "int1": 1, "int8": 8, "int16": 16, "int32": 32, "int64": 64, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64,
    "float8e5": 8, "float8e4nv": 8, "float8e5b16": 8, "float8e4b8": 8,
    "float16": 16, "bfloat16": 16, "float32": 32, "float64": 64,
}  # fmt: skip


@pytest.mark.parametrize("name", WIDTHS)
def test_name_width_and_size(name):
    dtype = getattr(gl, name)
    assert dtype.name == str(dtype) == repr(dtype) == name
    assert dtype.primitive_bitwidth == WIDTHS[name]
    assert dtype.itemsize == max(WIDTHS[name] // 8, 1)


@pytest.mark.parametrize("name", WIDTHS)
def test_kinds_exclude_each_other(name):
    dtype = getattr(gl, name)
    assert dtype.is_floating() == ("float" in name)
    assert dtype.is_int() == ("int" in name)
    assert dtype.is_fp8() == name.startswith("float8")
    assert dtype.is_int_signed() == (name.startswith("int") and name != "int1")
    assert dtype.is_int_unsigned() == (name.startswith("uint") or name == "int1")
    assert dtype.is_bool() == (name == "int1")
    assert not dtype.is_ptr()
    assert not dtype.is_void()


def test_equality_is_by_name_and_survives_pickling():
    assert gl.float32 == gl.float32
    assert gl.float32 != gl.int32
    assert pickle.loads(pickle.dumps(gl.uint16)) is gl.uint16
    assert pickle.loads(pickle.dumps(gl.pointer_type(gl.int8))) == gl.pointer_type(gl.int8)
    assert len({gl.float16, gl.float16, gl.bfloat16}) == 2


def test_pointer_type():
    pointer = gl.pointer_type(gl.float16)
    assert pointer.is_ptr()
    assert pointer.element_ty == gl.float16
    assert repr(pointer) == "pointer<float16>"
    with pytest.raises(TypeError, match="pointer_type needs a dtype, got 3"):
        gl.pointer_type(3)


def test_tensor_types_compare_by_content():
    layout = gl.BlockedLayout([1], [32], [4], [0])
    left = gl.distributed_type(gl.float32, [128], layout)
    assert left == gl.distributed_type(gl.float32, [128], gl.BlockedLayout([1], [32], [4], [0]))
    assert left != gl.distributed_type(gl.float32, [256], layout)
    assert left.numel == 128
    assert hash(left) == hash(gl.distributed_type(gl.float32, [128], layout))


def test_kernel_values_cannot_be_made_on_the_host():
    with pytest.raises(TypeError, match=r"gl.tensor values exist only inside @hocket.jit kernels"):
        gl.tensor()
