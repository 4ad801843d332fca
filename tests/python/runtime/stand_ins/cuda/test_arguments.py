"""The key of a specialization: launches that use the same compiled kernel, and the facts that the compiler receives."""

import collections
import ctypes

import ml_dtypes
import numpy as np
import pytest
from stand_ins.arrays import CudaArray, TorchLike, aligned
from stand_ins.dlpack import KDL_ROCM, CurrentStream, DLTensor, ExchangeApi, FromObject, capsule, fill

import hocket
from hocket import language as gl


class Recorder(hocket.JITFunction):
    """A jit function that records its compilation requests."""

    def __init__(self, fn, **options):
        super().__init__(fn, **options)
        self.requests = []

    def _compile(self, types, values, options, place):
        self.requests.append((types, values, options, place))
        return super()._compile(types, values, options, place)

    @property
    def types(self):
        return self.requests[-1][0]

    @property
    def values(self):
        return self.requests[-1][1]


def recorder(fn=None, **options):
    return Recorder(fn, **options) if fn else lambda decorated: Recorder(decorated, **options)


@pytest.fixture
def one():
    @recorder
    def kernel(x):
        pass

    return kernel


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (0, "i32:16"),
        (2, "i32"),
        (48, "i32:16"),
        (-3, "i32"),
        (-32, "i32:16"),
        (2**31 - 1, "i32"),
        (2**31, "i64:16"),
        (-(2**31) - 1, "i64"),
        (2**63 - 1, "i64"),
        (2**63, "u64:16"),
        (2**64 - 1, "u64"),
        (True, "i1"),
        (False, "i1"),
        (1.5, "f32"),
        (np.float32(2.5), "f32"),
        (np.float64(2.5), "f32"),
        (np.float16(2.5), "f32"),
        (np.int64(7), "i32"),
        (np.int8(16), "i32:16"),
        (np.bool_(True), "i1"),
    ],
)
def test_scalar_types(driver, one, value, type_):
    one[(1,)](value)
    assert one.types == [type_]


@pytest.mark.parametrize("value", [1, np.int32(1)])
def test_the_int_1_is_a_constant(driver, one, value):
    one[(1,)](value)
    assert (one.types, one.values) == ([None], [1])


@pytest.mark.parametrize("value", [None, gl.float16, "text", gl.constexpr(5)])
def test_constants_wherever_they_are_passed(driver, one, value):
    one[(1,)](value)
    assert one.types == [None]
    assert one.values == [getattr(value, "value", value)]


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1])
def test_ints_that_fit_nothing(one, value):
    with pytest.raises(hocket.LaunchError, match=f"`x` is {value}, which does not fit"):
        one[(1,)](value)


@pytest.mark.parametrize("value", [object(), {}, 1j, b"bytes"])
def test_objects_that_kernels_cannot_take(one, value):
    with pytest.raises(hocket.LaunchError, match=r"`x` is a .*, which kernels cannot take"):
        one[(1,)](value)


DTYPES = {
    np.bool_: "*i1",
    np.int8: "*i8",
    np.int16: "*i16",
    np.int32: "*i32",
    np.int64: "*i64",
    np.uint8: "*u8",
    np.uint16: "*u16",
    np.uint32: "*u32",
    np.uint64: "*u64",
    np.float16: "*f16",
    np.float32: "*f32",
    np.float64: "*f64",
    ml_dtypes.bfloat16: "*bf16",
    ml_dtypes.float8_e5m2: "*f8e5",
    ml_dtypes.float8_e4m3fn: "*f8e4nv",
    ml_dtypes.float8_e5m2fnuz: "*f8e5b16",
    ml_dtypes.float8_e4m3fnuz: "*f8e4b8",
}


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("wrap", [CudaArray, TorchLike], ids=["interface", "data_ptr"])
def test_element_types(driver, one, dtype, wrap):
    one[(1,)](wrap(aligned(64, dtype)))
    assert one.types == [DTYPES[dtype] + ":16"]


def test_element_types_that_kernels_cannot_have(one):
    with pytest.raises(hocket.LaunchError, match="`x` has elements of type complex64"):
        one[(1,)](CudaArray(aligned(64, np.complex64)))


def test_an_address_off_16_bytes(driver, one):
    one[(1,)](CudaArray(aligned(64, np.float32, offset=1)))
    assert one.types == ["*f32"]


def test_equal_specializations_share_a_kernel(driver, one):
    first = one[(1,)](3)
    assert one[(1,)](5) is first
    assert one[(2,)](-7) is first
    assert one[(1,)](16) is not first
    assert len(one.requests) == 2


class TestModes:
    def test_do_not_specialize(self, driver):
        @recorder(do_not_specialize=["n"])
        def kernel(n, m):
            pass

        kernel[(1,)](1, 1)
        assert kernel.types == ["i32", None]
        kernel[(1,)](16, 16)
        assert kernel.types == ["i32", "i32:16"]

    def test_do_not_specialize_by_index(self, driver):
        @recorder(do_not_specialize=[0])
        def kernel(n):
            pass

        kernel[(1,)](1)
        assert kernel.types == ["i32"]

    def test_do_not_specialize_on_alignment(self, driver):
        @recorder(do_not_specialize_on_alignment=["x", "n"])
        def kernel(x, n):
            pass

        kernel[(1,)](CudaArray(aligned(64)), 16)
        assert kernel.types == ["*f32", "i32"]
        kernel[(1,)](CudaArray(aligned(64)), 1)
        assert kernel.types == ["*f32", None]

    @pytest.mark.parametrize(
        ("annotation", "value", "type_"),
        [(gl.int64, 5, "i64"), (gl.uint8, 255, "u8"), (gl.float64, 1.5, "f64"), (gl.float32, 2, "f32")],
    )
    def test_declared_types(self, driver, annotation, value, type_):
        def kernel(n):
            pass

        kernel.__annotations__["n"] = annotation
        kernel = recorder(kernel)
        kernel[(1,)](value)
        assert kernel.types == [type_]

    def test_a_value_outside_the_declared_type(self):
        @recorder
        def kernel(n: gl.int8):
            pass

        with pytest.raises(hocket.LaunchError, match="`n` is 128, which does not fit i8"):
            kernel[(1,)](128)


class TestConstexpr:
    @pytest.fixture
    def kernel(self):
        @recorder
        def kernel(C: gl.constexpr):
            pass

        return kernel

    def test_equal_values_share_a_kernel(self, driver, kernel):
        first = kernel[(1,)](1000)
        assert kernel[(1,)](int("1000")) is first
        assert kernel[(1,)](gl.constexpr(1000)) is first

    def test_values_that_python_calls_equal_and_that_differ(self, driver, kernel):
        for value in (1, True, 1.0, (1, 2), (True, 2), 0.0, -0.0, "1"):
            kernel[(1,)](value)
        assert len(kernel.requests) == 8

    def test_unhashable(self, kernel):
        with pytest.raises(hocket.LaunchError, match="the constexpr parameter `C` is a list, which cannot be hashed"):
            kernel[(1,)]([1, 2])

    def test_annotation_as_text(self, driver):
        def kernel(C):
            pass

        kernel.__annotations__["C"] = "gl.constexpr[int]"
        kernel = recorder(kernel)
        kernel[(1,)](7)
        assert kernel.types == [None]


class TestTuples:
    def test_elements_are_specialized_one_by_one(self, driver, one):
        driver.set("parameter_count", 2)
        array = CudaArray(aligned(64))
        one[(1,)]((array, 1, (5, None)))
        assert one.types == [("*f32:16", None, ("i32", None))]
        assert one.values == [(None, 1, (None, None))]
        assert driver.parameters(1) == [array.address]
        assert driver.parameters(2)[1] & 0xFFFFFFFF == 5

    def test_named_tuples_keep_their_class(self, driver, one):
        Shape = collections.namedtuple("Shape", ["rows", "columns"])
        one[(1,)](Shape(2, 1))
        assert one.values == [Shape(None, 1)]

    def test_length_matters(self, driver, one):
        one[(1,)]((2, 3))
        one[(1,)]((2, 3, 4))
        assert len(one.requests) == 2


class TestBinding:
    @pytest.fixture
    def kernel(self):
        @recorder
        def kernel(x, n, scale=2.0, *, BLOCK: gl.constexpr = 128):
            pass

        return kernel

    def test_defaults_and_keywords(self, driver, kernel):
        kernel[(1,)](5, n=6)
        assert kernel.types == ["i32", "i32", "f32", None]
        assert kernel.values[3] == 128
        assert kernel[(1,)](n=6, x=5, scale=3.0, BLOCK=128) is kernel[(1,)](5, 6)

    def test_options_are_part_of_the_specialization(self, driver, kernel):
        kernel[(1,)](5, 6, num_warps=8)
        assert kernel.requests[-1][2] == {"num_warps": 8}
        kernel[(1,)](5, 6, num_warps=2)
        assert len(kernel.requests) == 2

    @pytest.mark.parametrize(
        ("args", "kwargs", "message"),
        [
            ((), {}, r"kernel\(\) is missing 2 arguments: `x`, `n`"),
            ((5,), {}, r"kernel\(\) is missing 1 argument: `n`"),
            ((5, 6, 7.0, 8), {}, r"kernel\(\) takes 3 positional arguments, but 4 were given"),
            ((5, 6), {"x": 5}, r"kernel\(\) got two values for parameter `x`"),
            ((5, 6), {"BLOKC": 5}, r"no parameter or launch option `BLOKC`\n  hint: did you mean `BLOCK`"),
            ((5, 6), {"num_warp": 4}, "did you mean `num_warps`"),
            ((5, 6), {"num_warps": 3}, "num_warps must be a power of two or 12, not 3"),
            ((5, 6), {"num_ctas": 3}, "num_ctas must be a power of two, not 3"),
            ((5, 6), {"grid": (1,)}, r"pass the grid in brackets: kernel\[grid\]"),
        ],
    )
    def test_mistakes(self, kernel, args, kwargs, message):
        with pytest.raises(hocket.LaunchError, match=message):
            kernel[(1,)](*args, **kwargs)

    def test_calling_without_a_grid(self, kernel):
        with pytest.raises(hocket.LaunchError, match=r"launch it with kernel\[grid\]"):
            kernel(5, 6)


class TestDlpack:
    def test_exchange_table(self, driver, one):
        @FromObject
        def from_object(array, out):
            fill(out.contents, array.array, array.device)
            return 0

        @CurrentStream
        def current_stream(device_type, device, out):
            out[0] = 0x4000 + device
            return 0

        api = ExchangeApi(1, 3, from_object=from_object, current_stream=current_stream)

        class Array:
            __dlpack_c_exchange_api__ = capsule(ctypes.pointer(api), b"dlpack_exchange_api")

            def __init__(self, device):
                self.array, self.device = aligned(64), device

        driver.set("parameter_count", 1)
        array = Array(device=1)
        one[(1,)](array)
        assert one.types == ["*f32:16"]
        assert driver.parameters(1) == [array.array.ctypes.data]
        assert (driver.last.device, driver.last.stream) == (1, 0x4001)

    def test_capsules_and_the_python_protocol(self, driver, one):
        array = aligned(64)
        tensor = DLTensor()
        fill(tensor, array, 0)

        class Array:
            def __dlpack_device__(self):
                return (2, 0)

            def __dlpack__(self, *, stream):
                assert stream == -1
                return capsule(ctypes.pointer(tensor), b"dltensor")

        driver.set("parameter_count", 1)
        for argument in (Array(), capsule(ctypes.pointer(tensor), b"dltensor")):
            one[(1,)](argument)
            assert driver.parameters(1) == [array.ctypes.data]

    def test_a_used_capsule(self, one):
        with pytest.raises(hocket.LaunchError, match="holds no DLPack tensor, or one that was already consumed"):
            one[(1,)](capsule(ctypes.pointer(DLTensor()), b"used_dltensor"))

    def test_an_amd_gpu(self, one):
        tensor = DLTensor()
        fill(tensor, aligned(64), 0, KDL_ROCM)
        with pytest.raises(hocket.LaunchError, match="argument `x` is on an AMD GPU: the HIP runtime"):
            one[(1,)](capsule(ctypes.pointer(tensor), b"dltensor"))

    def test_another_vendors_gpu(self, one):
        tensor = DLTensor(device_type=8, code=2, bits=32, lanes=1)
        with pytest.raises(hocket.LaunchError, match="DLPack device type 8"):
            one[(1,)](capsule(ctypes.pointer(tensor), b"dltensor"))


def test_cupy(driver, one):
    class Memory:
        def __init__(self, array):
            self.ptr, self.device_id = array.ctypes.data, 1

    array = aligned(64, np.float16)
    ndarray = type("ndarray", (), {"__module__": "cupy", "dtype": array.dtype, "data": Memory(array)})
    driver.set("parameter_count", 1)
    one[(1,)](ndarray())
    assert one.types == ["*f16:16"]
    assert driver.parameters(1) == [array.ctypes.data]
    assert driver.last.device == 1
