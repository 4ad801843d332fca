"""Bundles on a GPU, from C and from Python: both make the calls of the driver that a launch of the kernel makes."""

import ctypes
import subprocess
import threading

import ml_dtypes
import numpy as np
import pytest
from stand_ins.arrays import CudaArray, TorchLike, aligned
from stand_ins.c_programs import CBundle, program
from stand_ins.exported_kernels import add, double_tile, scale

import hocket
from hocket import language as gl
from hocket.nvidia.hopper import TensorDescriptor

F32 = gl.float32


@pytest.fixture
def arrays():
    return [CudaArray(aligned(1024)) for _ in range(3)]


@pytest.fixture(autouse=True)
def context(driver):
    """The context of GPU 0 is current, as C programs need it."""
    library = ctypes.CDLL("libcuda.so.1")
    context = ctypes.c_void_p()
    library.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    library.cuCtxSetCurrent(context)
    yield library
    library.cuCtxSetCurrent(context)


@pytest.fixture
def exported(tmp_path):
    add.export(tmp_path / "add", F32, F32, F32, 1000, BLOCK=256, target="sm_90a", grid="cdiv(n, BLOCK)")
    return tmp_path / "add"


def observed(driver, count):
    last = driver.last
    launch = list(last.grid), list(last.block), last.shared_bytes, last.stream, last.device
    attributes = [driver.get(name) for name in ("cooperative", "programmatic", "cluster")]
    return launch, attributes, driver.parameters(count), driver.wide_bytes


def pointers(arrays):
    return [ctypes.c_void_p(array.address) for array in arrays]


class WithStrides(CudaArray):
    """An array whose interface has strides."""

    @property
    def __cuda_array_interface__(self):
        return {**super().__cuda_array_interface__, "strides": self.array.strides}


class TestOneKernel:
    def test_c_and_python_launch_as_the_kernel_does(self, driver, arrays, exported):
        driver.set("parameter_count", 3)
        add[(4,)](*arrays, 1000, BLOCK=256, stream=0x1234)
        expected = observed(driver, 3)
        bundle = CBundle(exported, "add")
        assert bundle.load() == 0, bundle.error
        launches = driver.get("launches")
        assert bundle.launch(*pointers(arrays), 1000, stream=0x1234) == 0, bundle.error
        assert observed(driver, 3) == expected
        hocket.load(exported)(*arrays, 1000, stream=0x1234)
        assert observed(driver, 3) == expected
        assert driver.get("launches") == launches + 2
        assert driver.kernel_name == "add"

    def test_scalars(self, driver, tmp_path):
        out = CudaArray(aligned(128))
        driver.set("parameter_count", 6)
        scale[(1,)](out, 2.5, True, 2**40, (3, 0.25))
        _, _, expected, _ = observed(driver, 6)
        scale.export(tmp_path / "scale", F32, 2.5, True, 2**40, (3, 0.25), target="sm_90a", grid=1)
        hocket.load(tmp_path / "scale")(out, 2.5, True, 2**40, 3, 0.25)
        assert observed(driver, 6)[2] == expected
        bundle = CBundle(tmp_path / "scale", "scale")
        assert bundle.load() == 0, bundle.error
        numbers = ctypes.c_float(2.5), ctypes.c_uint8(1), ctypes.c_int64(2**40), ctypes.c_int32(3), ctypes.c_float(0.25)
        assert bundle.launch(*pointers([out]), *numbers) == 0, bundle.error
        masks = [2**64 - 1, 2**32 - 1, 255, 2**64 - 1, 2**32 - 1, 2**32 - 1]
        assert [a & mask for a, mask in zip(observed(driver, 6)[2], masks, strict=True)] == expected

    def test_names_that_c_uses(self, driver, tmp_path):
        """Names of parameters that are keywords of C, or names in the source."""

        @hocket.jit
        def launch(kernel, stream, double, values, map0, NULL, SIZE: gl.constexpr):
            i = gl.arange(0, SIZE, layout=gl.row_layout())
            gl.store(kernel + i, gl.load(stream + i) + double + values + map0 + NULL)

        launch.export(tmp_path / "launch", F32, F32, 2, 3, 4, 5.5, SIZE=128, target="sm_90a", grid="double * values")
        bundle = CBundle(tmp_path / "launch", "launch")
        assert bundle.load() == 0, bundle.error
        numbers = *map(ctypes.c_int32, (2, 3, 4)), ctypes.c_float(5.5)
        assert bundle.launch(*pointers([CudaArray(aligned(128)) for _ in range(2)]), *numbers) == 0, bundle.error
        assert list(driver.last.grid) == [6, 1, 1]

    @pytest.mark.parametrize("n", [-7, -6, 0, 1, 8])
    def test_rules_of_grids_round_as_in_python(self, driver, arrays, tmp_path, n):
        grid = "(n // 3) + 9, n % 3 + 1, cdiv(n, 4) + 9"
        add.export(tmp_path / "add", F32, F32, F32, 1000, BLOCK=256, target="sm_90a", grid=grid)
        hocket.load(tmp_path / "add")(*arrays, n)
        expected = list(driver.last.grid)
        bundle = CBundle(tmp_path / "add", "add")
        assert bundle.load() == 0, bundle.error
        assert bundle.launch(*pointers(arrays), n) == 0, bundle.error
        assert list(driver.last.grid) == expected == [n // 3 + 9, n % 3 + 1, -(-n // 4) + 9]

    def test_rules_of_grids_that_divide_by_zero(self, driver, arrays, tmp_path):
        add.export(tmp_path / "add", F32, F32, F32, 1000, BLOCK=256, target="sm_90a", grid="7 % n")
        bundle = CBundle(tmp_path / "add", "add")
        assert bundle.load() == 0, bundle.error
        assert bundle.launch(*pointers(arrays), 0) != 0
        assert bundle.error == "the grid `7 % n` divides by zero"

    def test_a_grid_of_the_caller(self, driver, arrays, tmp_path):
        add.export(tmp_path / "add", F32, F32, F32, 1000, BLOCK=256, target="sm_90a")
        bundle = CBundle(tmp_path / "add", "add")
        assert bundle.load() == 0, bundle.error
        sizes = [ctypes.c_int64(size) for size in (3, 4, 5)]
        assert bundle.launch(*sizes, *pointers(arrays), 1000) == 0, bundle.error
        assert list(driver.last.grid) == [3, 4, 5]
        hocket.load(tmp_path / "add")[6, 7](*arrays, 1000)
        assert list(driver.last.grid) == [6, 7, 1]

    def test_attributes_of_launches(self, driver, arrays, tmp_path):
        options = {"num_ctas": 2, "launch_cooperative_grid": True, "launch_pdl": True}
        add.export(tmp_path / "add", F32, F32, F32, 1000, BLOCK=256, target="sm_90a", grid=4, **options)
        bundle = CBundle(tmp_path / "add", "add")
        assert bundle.load() == 0, bundle.error
        loaded = hocket.load(tmp_path / "add")
        for launch in (lambda: bundle.launch(*pointers(arrays), 1000), lambda: loaded(*arrays, 1000)):
            assert not launch()
            assert list(driver.last.grid) == [8, 1, 1]
            assert observed(driver, 0)[1] == [1, 1, 2]

    def test_the_gpu_of_the_arrays(self, driver, exported):
        arrays = [TorchLike(aligned(1024), device=1) for _ in range(3)]
        hocket.load(exported)(*arrays, 1000)
        assert driver.last.device == 1

    def test_the_current_context_stays(self, driver, exported):
        bundle = hocket.load(exported)
        for _ in range(2):
            bundle(*(TorchLike(aligned(1024), device=1) for _ in range(3)), 1000)
            assert driver.last.device == 1
            assert driver.get("current_device") == 0

    def test_threads_without_a_context(self, driver, arrays, exported):
        bundle = hocket.load(exported)
        bundle(*arrays, 1000)
        before, failures = driver.get("launches"), []

        def launch():
            try:
                bundle(*arrays, 1000)
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=launch) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert driver.get("launches") == before + 4

    def test_a_tensor_map_is_encoded_once(self, driver, tmp_path):
        a = np.zeros((512, 256), np.float16)
        hocket.export(hocket.kernels.matmul, tmp_path / "matmul", a, a.T, target="sm_90a")
        loaded = hocket.load(tmp_path / "matmul")
        shapes = [parameter.shape for parameter in loaded.manifest.parameters]
        first, second = ([aligned(m * n, np.float16).reshape(m, n) for m, n in shapes] for _ in range(2))
        for arrays, expected in ((first, True), (first, False), (second, True), (first, False)):
            left, right, out = arrays
            right = right.reshape(512, 256).T
            before = driver.get("encodings")
            loaded(CudaArray(left), WithStrides(right), CudaArray(out))
            assert (driver.get("encodings") > before) == expected

    def test_empty_grids(self, driver, arrays, exported):
        bundle = CBundle(exported, "add")
        assert bundle.load() == 0, bundle.error
        before = driver.get("launches")
        assert bundle.launch(*pointers(arrays), 0) == 0
        hocket.load(exported)(*arrays, 0)
        assert driver.get("launches") == before


class TestTensorMaps:
    def test_the_last_stride(self, tmp_path):
        block = np.zeros((16, 64), np.float16)
        descriptor = TensorDescriptor.from_tensor(block, [16, 64], gl.NVMMASharedLayout(128, 16, 2))
        double_tile.export(tmp_path / "double", descriptor, gl.float16, 64, target="sm_90a")
        transposed = WithStrides(aligned(64 * 48, np.float16).reshape(64, 48).T)
        out = CudaArray(aligned(48 * 64, np.float16))
        with pytest.raises(hocket.LaunchError, match=r"`source` has the strides \[1, 48\]; the kernel reads it by TMA"):
            hocket.load(tmp_path / "double")[(3,)](transposed, out, 64)

    def test_of_the_callers_array(self, driver, tmp_path):
        layout = gl.NVMMASharedLayout(64, 16, 2)
        source, out = CudaArray(aligned(40 * 96, np.float16).reshape(40, 96)), CudaArray(aligned(40 * 64, np.float16))
        driver.set("wide_parameter", 0)
        driver.set("parameter_count", 6)
        double_tile[(3,)](TensorDescriptor(source, [40, 96], [96, 1], [16, 64], layout), out, 64)
        expected = observed(driver, 6)
        stand_in = np.zeros((16, 64), np.float16)
        given = TensorDescriptor.from_tensor(stand_in, [16, 64], layout)
        double_tile.export(tmp_path / "double", given, gl.float16, 64, target="sm_90a", name="twice")
        hocket.load(tmp_path / "double")[(3,)](source, out, 64)
        assert observed(driver, 6)[3] == expected[3]
        assert [p & 0xFFFFFFFF for p in observed(driver, 6)[2][1:3]] == [40, 96]
        bundle = CBundle(tmp_path / "double", "twice")
        assert bundle.load() == 0, bundle.error
        shape, strides = (ctypes.c_int64 * 2)(40, 96), (ctypes.c_int64 * 1)(96)
        sizes = [ctypes.c_int64(size) for size in (3, 1, 1)]
        assert bundle.launch(*sizes, *pointers([source]), shape, strides, *pointers([out]), 64) == 0, bundle.error
        assert observed(driver, 6)[3] == expected[3]
        assert driver.get("wide_misalignment") == 0
        driver.set("next_encoding_result", 1)
        assert bundle.launch(*sizes, *pointers([source]), shape, strides, *pointers([out]), 64) != 0
        assert bundle.error == "encoding a tensor map failed: the stand-in was told to fail (CUDA error 1)"

    def test_of_matmul(self, driver, tmp_path):
        a, b = np.zeros((256, 128), np.float16), np.zeros((128, 512), np.float16)
        hocket.export(hocket.kernels.matmul, tmp_path / "matmul", a, b, target="sm_90a")
        on_gpu = [CudaArray(aligned(x.size, np.float16).reshape(x.shape)) for x in (a, b, np.zeros((256, 512)))]
        bundle, loaded = CBundle(tmp_path / "matmul", "matmul"), hocket.load(tmp_path / "matmul")
        assert bundle.load() == 0, bundle.error
        (kernel,) = loaded.manifest.kernels
        maps = [i for i, argument in enumerate(loaded.manifest.launches[0].arguments) if argument.kind == "map"]
        assert len(maps) >= 2
        driver.set("parameter_count", len(kernel.parameters))
        for parameter in maps:
            driver.set("wide_parameter", parameter)
            assert bundle.launch(*pointers(on_gpu)) == 0, bundle.error
            from_c = observed(driver, 0)
            loaded(*on_gpu)
            assert observed(driver, 0) == from_c
            assert driver.last.shared_bytes == driver.get("opted_in_shared_bytes") == kernel.shared_bytes
            address = int.from_bytes(from_c[3][:8], "little")
            assert address in [array.address for array in on_gpu]


def export_with_copies(tmp_path):
    """B of a GEMM of float8 is copied first, with K contiguous."""
    a, b = (np.zeros((128, 128), ml_dtypes.float8_e4m3fn) for _ in range(2))
    hocket.export(hocket.kernels.matmul, tmp_path / "matmul", a, b, target="sm_90a")
    loaded = hocket.load(tmp_path / "matmul")
    assert len(loaded.manifest.launches) > 1
    assert loaded.manifest.temporaries
    dtypes = a.dtype, b.dtype, np.float16
    return [CudaArray(aligned(128 * 128, dtype).reshape(128, 128)) for dtype in dtypes], loaded


class TestTemporaries:
    def test_memory_of_a_launch(self, driver, tmp_path):
        on_gpu, loaded = export_with_copies(tmp_path)
        count = len(loaded.manifest.temporaries)
        bundle = CBundle(tmp_path / "matmul", "matmul", len(loaded.manifest.kernels))
        assert bundle.load() == 0, bundle.error
        for launch in (lambda: bundle.launch(*pointers(on_gpu)), lambda: loaded(*on_gpu)):
            before = driver.get("async_allocations"), driver.get("async_frees"), driver.get("launches")
            assert not launch()
            assert driver.get("async_allocations") == before[0] + count
            assert driver.get("async_frees") == before[1] + count
            assert driver.get("launches") == before[2] + len(loaded.manifest.launches)

    def test_memory_that_cannot_be_allocated(self, driver, tmp_path):
        on_gpu, loaded = export_with_copies(tmp_path)
        bundle = CBundle(tmp_path / "matmul", "matmul", len(loaded.manifest.kernels))
        assert bundle.load() == 0, bundle.error
        launches = driver.get("launches")
        driver.set("next_allocation_result", 2)
        assert bundle.launch(*pointers(on_gpu)) != 0
        assert bundle.error.startswith("allocating temporary memory failed")
        driver.set("next_allocation_result", 2)
        with pytest.raises(hocket.LaunchError, match="allocating temporary memory failed"):
            loaded(*on_gpu)
        assert driver.get("launches") == launches
        assert driver.get("async_allocations") == driver.get("async_frees")


class TestMistakes:
    def test_a_changed_file(self, driver, exported):
        code = next(path for path in exported.iterdir() if path.suffix in (".cubin", ".ptx"))
        whole = code.read_bytes()
        loads = driver.get("loads")
        bundle = CBundle(exported, "add")
        for changed in (whole[:-1] + b"!", whole + b"!", whole[:100], b""):
            code.write_bytes(changed)
            assert bundle.load() != 0
            assert f"{code} was changed after the export: its SHA-256 is not " in bundle.error
        code.unlink()
        assert bundle.load() != 0
        assert bundle.error == f"{code} cannot be opened"
        assert driver.get("loads") == loads
        code.write_bytes(whole)
        assert bundle.load() == 0, bundle.error

    def test_another_gpu(self, driver, arrays, exported):
        loads = driver.get("loads")
        driver.set("capability_minor", 3)
        try:
            bundle = CBundle(exported, "add")
            assert bundle.load() != 0
            assert bundle.error == "add was exported for sm_90a, and the GPU has compute capability 9.3"
            with pytest.raises(hocket.LaunchError, match="add was exported for sm_90a, and GPU 0 has compute capabi"):
                hocket.load(exported)(*arrays, 1000)
        finally:
            driver.set("capability_minor", 0)
        assert driver.get("loads") == loads

    def test_ptx_for_newer_gpus(self, driver, arrays, tmp_path):
        add.export(tmp_path / "add", F32, F32, F32, 1000, BLOCK=256, target="sm_80", grid=4)
        (tmp_path / "add" / "add.cubin").unlink(missing_ok=True)  # the stand-in's GPU needs the PTX
        bundle = CBundle(tmp_path / "add", "add")
        assert bundle.load() == 0, bundle.error
        assert bundle.launch(*pointers(arrays), 1000) == 0, bundle.error

    def test_addresses_and_numbers(self, driver, arrays, tmp_path):
        add.export(tmp_path / "add", F32, F32, F32, 1024, BLOCK=256, target="sm_90a", grid=4)
        bundle = CBundle(tmp_path / "add", "add")
        assert bundle.launch(*pointers(arrays), 1024) != 0
        assert bundle.error == "add is not loaded"
        assert bundle.load() == 0, bundle.error
        x, y, out = pointers(arrays)
        assert bundle.launch(x, ctypes.c_void_p(y.value + 4), out, 1024) != 0
        assert bundle.error == "the address of y must be a multiple of 16 bytes"
        assert bundle.launch(x, y, out, 1000) != 0
        assert bundle.error == "n must be a multiple of 16"
        bundle.unload()
        assert bundle.launch(x, y, out, 1024) != 0

    def test_failures_of_the_driver(self, driver, arrays, exported):
        bundle = CBundle(exported, "add")
        driver.set("next_load_result", 218)
        assert bundle.load() != 0
        assert bundle.error == "loading a kernel failed: the stand-in was told to fail (CUDA error 218)"
        driver.set("next_load_result", 218)
        with pytest.raises(hocket.LaunchError, match="loading kernel 'add' failed: the stand-in was told to fail"):
            hocket.load(exported)(*arrays, 1000)
        assert bundle.load() == 0, bundle.error
        driver.set("next_launch_result", 700)
        assert bundle.launch(*pointers(arrays), 1000) != 0
        assert bundle.error == "add failed: an illegal memory access was encountered (CUDA error 700)"

    def test_arrays_on_two_gpus(self, exported):
        arrays = [TorchLike(aligned(1024), device) for device in (0, 1, 1)]
        with pytest.raises(hocket.LaunchError, match="add: the arrays are on different devices"):
            hocket.load(exported)(*arrays, 1000)


MAIN = """\
#include "add.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context;
  int (*retain)(void **, int), (*make_current)(void *), (*count)(const char *);
  *(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
  *(void **)&make_current = dlsym(driver, "cuCtxSetCurrent");
  *(void **)&count = dlsym(driver, "stand_in_get");
  add_kernel add;
  float *memory = aligned_alloc(64, 3 * 4096);
  if (argc != 2 || retain(&context, 0) || make_current(context))
    return 3;
  if (add_load(&add, argv[1]) || add_launch(&add, NULL, memory, memory + 1024, memory + 2048, 1000)) {
    fprintf(stderr, "%s\\n", add_error());
    return 1;
  }
  printf("%d launches\\n", count("launches"));
  add_unload(&add);
  free(memory);
  return 0;
}
"""


def test_a_program_without_python(exported):
    path = program(exported, "add", MAIN)
    done = subprocess.run([path, exported], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 launches\n", "")
    done = subprocess.run([path, exported.parent], capture_output=True, text=True)
    assert done.returncode == 1
    assert "cannot be opened" in done.stderr
