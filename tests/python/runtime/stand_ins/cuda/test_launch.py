"""From a call to cuLaunchKernel: what arrives there."""

import struct

import numpy as np
import pytest
from stand_ins.arrays import CudaArray, TorchLike, aligned

import hocket
from hocket import language as gl


@hocket.jit
def add(x, y, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(4)
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n) + gl.load(y + i, mask=i < n), mask=i < n)


@hocket.jit
def scale(out, factor, enabled, count):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, 128, layout=layout)
    gl.store(out + i, gl.where(enabled, factor, 0.0) + count, mask=i < 100)


@pytest.fixture
def arrays():
    return [CudaArray(aligned(1024)) for _ in range(3)]


def test_grid_block_and_arguments_arrive(driver, arrays):
    driver.set("parameter_count", 4)
    kernel = add[(7,)](*arrays, 1000, BLOCK=256)
    assert list(driver.last.grid) == [7, 1, 1]
    assert list(driver.last.block) == [128, 1, 1]
    assert driver.last.shared_bytes == 0
    assert driver.parameters(3) == [array.address for array in arrays]
    assert driver.parameters(4)[3] & 0xFFFFFFFF == 1000
    assert driver.kernel_name == "add"
    assert kernel.target == "sm_90a"


def test_num_warps_sets_the_block(driver, arrays):
    kernel = add[(1,)](*arrays, 1000, BLOCK=256, num_warps=8)
    assert list(driver.last.block) == [256, 1, 1]
    assert kernel.num_warps == 8


def test_scalars_arrive_in_their_types(driver):
    out = CudaArray(aligned(128))
    driver.set("parameter_count", 4)
    scale[(1,)](out, 2.5, True, 7)
    _, factor, enabled, count = driver.parameters(4)
    assert struct.unpack("<f", struct.pack("<I", factor & 0xFFFFFFFF))[0] == 2.5
    assert enabled & 0xFF == 1
    assert count & 0xFFFFFFFF == 7


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ((3,), [3, 1, 1]),
        ((3, 4), [3, 4, 1]),
        ((3, 4, 5), [3, 4, 5]),
        ([2, 6], [2, 6, 1]),
        (9, [9, 1, 1]),
        (np.int64(5), [5, 1, 1]),
        ((np.int32(2), 2), [2, 2, 1]),
        (lambda meta: (hocket.cdiv(meta["n"], meta["BLOCK"]), meta["num_warps"]), [4, 4, 1]),
        (lambda meta: 11, [11, 1, 1]),
    ],
)
def test_grids(driver, arrays, grid, expected):
    add[grid](*arrays, 1000, BLOCK=256)
    assert list(driver.last.grid) == expected


def test_an_empty_grid_launches_nothing(driver, arrays):
    before = driver.get("launches")
    add[(0,)](*arrays, 1000, BLOCK=256)
    assert driver.get("launches") == before


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ((1, 2, 3, 4), "a grid has one to three extents, not 4"),
        ((), "a grid has one to three extents, not 0"),
        ((1.5,), "a grid holds integers, not 1.5"),
        ((-1,), "a grid cannot have -1 blocks"),
        ((1, 70000), "a grid has at most 65535 blocks along axis 1, not 70000"),
    ],
)
def test_bad_grids(arrays, grid, message):
    with pytest.raises(hocket.LaunchError, match=message):
        add[grid](*arrays, 1000, BLOCK=256)


class TestStream:
    def test_default_is_the_default_stream(self, driver, arrays):
        add[(1,)](*arrays, 1000, BLOCK=256)
        assert driver.last.stream == 0

    def test_handle(self, driver, arrays):
        add[(1,)](*arrays, 1000, BLOCK=256, stream=0x1234)
        assert driver.last.stream == 0x1234

    @pytest.mark.parametrize("attribute", ["cuda_stream", "ptr", "handle"])
    def test_objects_of_libraries(self, driver, arrays, attribute):
        stream = type("Stream", (), {attribute: 0x77})()
        add[(1,)](*arrays, 1000, BLOCK=256, stream=stream)
        assert driver.last.stream == 0x77

    def test_protocol(self, driver, arrays):
        stream = type("Stream", (), {"__cuda_stream__": lambda self: (0, 0x99)})()
        add[(1,)](*arrays, 1000, BLOCK=256, stream=stream)
        assert driver.last.stream == 0x99

    def test_nonsense(self, arrays):
        with pytest.raises(hocket.LaunchError, match="`stream` is a str"):
            add[(1,)](*arrays, 1000, BLOCK=256, stream="fast")


class TestDevices:
    def test_the_arrays_choose_the_gpu(self, driver):
        arrays = [TorchLike(aligned(1024), device=1) for _ in range(3)]
        add[(1,)](*arrays, 1000, BLOCK=256)
        assert driver.last.device == 1

    def test_each_gpu_loads_its_own_copy(self, driver):
        for device in (0, 1, 0, 1):
            arrays = [TorchLike(aligned(1024), device) for _ in range(3)]
            add[(1,)](*arrays, 1001, BLOCK=256)
            assert driver.last.device == device

    def test_arrays_on_two_gpus(self):
        x, y, out = (TorchLike(aligned(1024), device) for device in (0, 0, 1))
        with pytest.raises(hocket.LaunchError, match="`x` is on GPU 0 and `out` on GPU 1"):
            add[(1,)](x, y, out, 1000, BLOCK=256)

    def test_gpu_and_host_memory(self, arrays):
        with pytest.raises(hocket.LaunchError, match="`x` is on a GPU and `out` in host memory"):
            add[(1,)](arrays[0], arrays[1], np.zeros(1024, np.float32), 1000, BLOCK=256)


class TestDriverErrors:
    def test_a_failing_launch(self, driver, arrays):
        add[(1,)](*arrays, 1000, BLOCK=256)
        driver.set("next_launch_result", 1)
        with pytest.raises(hocket.LaunchError, match="launching kernel 'add' failed: the stand-in was told to fail"):
            add[(1,)](*arrays, 1000, BLOCK=256)

    def test_a_broken_context_says_what_to_do(self, driver, arrays):
        driver.set("next_launch_result", 700)
        with pytest.raises(hocket.LaunchError, match="an earlier kernel broke the CUDA context") as caught:
            add[(1,)](*arrays, 1000, BLOCK=256)
        assert "emulator names the line" in str(caught.value)

    def test_a_failing_load_carries_the_log(self, driver, arrays):
        driver.set("next_load_result", 218)
        with pytest.raises(hocket.LaunchError, match="stand-in ptxas: line 1: bad"):
            add[(1,)](*arrays, 1000, BLOCK=64)

    def test_registers_leave_no_room(self, driver, arrays):
        driver.set("max_threads", 64)
        try:
            with pytest.raises(hocket.OutOfResources, match="at most 64 threads per block; it needs 128"):
                add[(1,)](*arrays, 1000, BLOCK=32)
        finally:
            driver.set("max_threads", 1024)


def test_facts_of_the_loaded_kernel(driver, arrays):
    driver.set("registers", 40)
    driver.set("local_bytes", 12)
    try:
        kernel = add[(1,)](*arrays, 1000, BLOCK=16)
    finally:
        driver.set("local_bytes", 0)
    assert (kernel.n_regs, kernel.n_spills, kernel.n_max_threads) == (40, 3, 1024)


def test_artifacts_are_made_when_asked_for(arrays):
    kernel = add[(1,)](*arrays, 1000, BLOCK=256)
    assert list(kernel.asm) == ["hk", "lane", "llvm", "ptx", "cubin"]
    assert ".target sm_90a" in kernel.asm["ptx"]
    assert "hk.load" in kernel.asm["hk"]
    assert "define" in kernel.asm["llvm"]
    with pytest.raises(KeyError, match="'amdgcn'; a kernel for sm_90a has hk, lane, llvm, ptx, cubin"):
        kernel.asm["amdgcn"]
