"""Element types, for Python and for kernels."""

from __future__ import annotations


class dtype:
    """A scalar type. Use the instances in `hocket.language`, such as `gl.float32`, not the constructor.

    Attributes:
        name: the name of the dtype in `hocket.language`, such as "float32".
        primitive_bitwidth: bits of one element; 1 for `int1`, which takes 8 bits in memory.
        itemsize: bytes of one element in memory.
    """

    __slots__ = ("kind", "name", "primitive_bitwidth")

    def __init__(self, name: str, primitive_bitwidth: int, kind: str):
        if not isinstance(name, str):
            raise TypeError("gl.dtype is the class of dtypes; to make a tensor, call gl.zeros or gl.full")
        self.name = name
        self.primitive_bitwidth = primitive_bitwidth
        self.kind = kind  # one of "void", "bool", "int", "uint", "float"

    @property
    def itemsize(self) -> int:
        """Bytes of one element in memory."""
        return (self.primitive_bitwidth + 7) // 8

    @property
    def scalar(self) -> dtype:
        """The dtype itself, because a dtype is the type of a scalar."""
        return self

    def is_void(self) -> bool:
        """Returns True for `void`, which has no values."""
        return self.kind == "void"

    def is_bool(self) -> bool:
        """Returns True for `int1`."""
        return self.kind == "bool"

    def is_int1(self) -> bool:
        """Returns True for `int1`."""
        return self.kind == "bool"

    def is_int(self) -> bool:
        """Returns True for every integer type, `int1` included."""
        return self.kind in ("bool", "int", "uint")

    def is_int_signed(self) -> bool:
        """Returns True for int8, int16, int32 and int64."""
        return self.kind == "int"

    def is_int_unsigned(self) -> bool:
        """Returns True for uint8, uint16, uint32, uint64 and int1."""
        return self.kind in ("bool", "uint")

    def is_floating(self) -> bool:
        """Returns True for every floating-point type."""
        return self.kind == "float"

    def is_standard_floating(self) -> bool:
        """Returns True for float16, bfloat16, float32 and float64."""
        return self.kind == "float" and self.primitive_bitwidth >= 16

    def is_fp8(self) -> bool:
        """Returns True for the four float8 types."""
        return self.kind == "float" and self.primitive_bitwidth == 8

    def is_fp16(self) -> bool:
        """Returns True for float16."""
        return self.name == "float16"

    def is_bf16(self) -> bool:
        """Returns True for bfloat16."""
        return self.name == "bfloat16"

    def is_fp32(self) -> bool:
        """Returns True for float32."""
        return self.name == "float32"

    def is_fp64(self) -> bool:
        """Returns True for float64."""
        return self.name == "float64"

    def is_int8(self) -> bool:
        """Returns True for int8."""
        return self.name == "int8"

    def is_int16(self) -> bool:
        """Returns True for int16."""
        return self.name == "int16"

    def is_int32(self) -> bool:
        """Returns True for int32."""
        return self.name == "int32"

    def is_int64(self) -> bool:
        """Returns True for int64."""
        return self.name == "int64"

    def is_uint8(self) -> bool:
        """Returns True for uint8."""
        return self.name == "uint8"

    def is_uint16(self) -> bool:
        """Returns True for uint16."""
        return self.name == "uint16"

    def is_uint32(self) -> bool:
        """Returns True for uint32."""
        return self.name == "uint32"

    def is_uint64(self) -> bool:
        """Returns True for uint64."""
        return self.name == "uint64"

    def is_ptr(self) -> bool:
        """Returns True for pointers."""
        return False

    def is_block(self) -> bool:
        """Returns False, because a dtype is the type of a scalar."""
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, dtype) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self):
        return _by_name, (self.name,)


class pointer_type(dtype):
    """The type of a pointer to elements of `element_ty` in global memory."""

    __slots__ = ("element_ty",)

    def __init__(self, element_ty: dtype):
        if not isinstance(element_ty, dtype):
            raise TypeError(f"pointer_type needs a dtype, got {element_ty!r}")
        super().__init__(f"pointer<{element_ty.name}>", 64, "ptr")
        self.element_ty = element_ty

    def is_ptr(self) -> bool:
        """Returns True, because a `pointer_type` is the type of a pointer."""
        return True

    def __reduce__(self):
        return pointer_type, (self.element_ty,)


def _by_name(name: str) -> dtype:
    return _DTYPES[name]


void = dtype("void", 0, "void")
int1 = dtype("int1", 1, "bool")
int8 = dtype("int8", 8, "int")
int16 = dtype("int16", 16, "int")
int32 = dtype("int32", 32, "int")
int64 = dtype("int64", 64, "int")
uint8 = dtype("uint8", 8, "uint")
uint16 = dtype("uint16", 16, "uint")
uint32 = dtype("uint32", 32, "uint")
uint64 = dtype("uint64", 64, "uint")
float8e5 = dtype("float8e5", 8, "float")
float8e4nv = dtype("float8e4nv", 8, "float")
float8e5b16 = dtype("float8e5b16", 8, "float")
float8e4b8 = dtype("float8e4b8", 8, "float")
float16 = dtype("float16", 16, "float")
bfloat16 = dtype("bfloat16", 16, "float")
float32 = dtype("float32", 32, "float")
float64 = dtype("float64", 64, "float")

_DTYPES = {value.name: value for value in tuple(globals().values()) if isinstance(value, dtype)}
