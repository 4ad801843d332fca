"""Kernels launched through HIP: results, and what arrives at the driver."""

import numpy as np
import pytest
from kernels import add, reverse, softmax, store_scalars
from stand_in import GFX942, GFX950, GFX1100

import hocket

TARGETS = {GFX942: "gfx942", GFX950: "gfx950"}


@pytest.fixture(params=TARGETS, ids=TARGETS.values())
def gpu(request):
    return request.param


def random(*shape):
    return np.random.default_rng(0).standard_normal(shape, dtype=np.float32)


@pytest.mark.parametrize("num_warps", [1, 4])
def test_vector_add(hip, gpu, num_warps):
    x, y, out = (hip.array(values, gpu) for values in (random(1000), random(1000)[::-1], np.zeros(1000, np.float32)))
    kernel = add[(hocket.cdiv(1000, 256),)](x, y, out, 1000, BLOCK=256, num_warps=num_warps)
    np.testing.assert_array_equal(out.array, x.array + y.array)
    assert kernel.target == TARGETS[gpu]
    assert list(hip.last.grid) == [4, 1, 1]
    assert list(hip.last.block) == [64 * num_warps, 1, 1]
    assert hip.last.device == gpu


def test_softmax(hip, gpu):
    x, out = hip.array(random(37, 781), gpu), hip.array(np.zeros((37, 781), np.float32), gpu)
    softmax[(37,)](x, out, 781, BLOCK=1024)
    expected = np.exp(x.array - x.array.max(axis=1, keepdims=True))
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(out.array, expected, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("enabled", [True, False])
def test_arguments_of_all_sizes(hip, gpu, enabled):
    """1, 4 and 8 bytes, each at a multiple of its size: where the code object says, whatever lies between."""
    out = hip.array(np.zeros(4, np.int64), gpu)
    store_scalars[(1,)](out, enabled, 2.5, 2**40, -7, (5, 4.0), 2**64 - 1)
    assert out.array.tolist() == [2**40 - 7, 5 if enabled else 0, 10, 2**63 - 1]
    sizes = [argument[".size"] for argument in hip.last_kernel[".args"]]
    assert sizes == [8, 1, 4, 8, 4, 4, 4, 8]


def test_shared_memory_is_the_code_objects(hip, gpu):
    """A code object declares its LDS; what a launch adds comes on top of it."""
    x, out = hip.array(random(4096), gpu), hip.array(np.zeros(4096, np.float32), gpu)
    kernel = reverse[(1,)](x, out, SIZE=4096)
    np.testing.assert_array_equal(out.array, x.array[::-1])
    assert kernel.metadata.shared == hip.last_kernel[".group_segment_fixed_size"] == 16384
    assert hip.last.shared_bytes == 0


def test_cdna4_has_more_shared_memory(hip):
    x, out = hip.array(random(32768), GFX950), hip.array(np.zeros(32768, np.float32), GFX950)
    reverse[(1,)](x, out, SIZE=32768)
    np.testing.assert_array_equal(out.array, x.array[::-1])
    assert hip.last_kernel[".group_segment_fixed_size"] == 131072


def test_each_gpu_loads_its_own_copy(hip):
    """Devices 0 and 4 are of one kind."""
    for device, loads in ((0, 1), (4, 1), (0, 0), (4, 0)):
        before = hip.loads
        x, y, out = (hip.array(random(64), device) for _ in range(3))
        add[(1,)](x, y, out, 63, BLOCK=64)
        assert hip.last.device == device
        assert hip.loads == before + loads


def test_the_current_device_stays(hip):
    x, y, out = (hip.array(random(64), GFX950) for _ in range(3))
    hip.hipSetDevice(5)
    add[(1,)](x, y, out, 64, BLOCK=64)
    assert hocket._core.current_device() == 5
    hip.hipSetDevice(0)


def test_facts_of_the_loaded_kernel(hip):
    x, y, out = (hip.array(random(64)) for _ in range(3))
    kernel = add[(1,)](x, y, out, 64, BLOCK=64, num_warps=2)
    assert kernel.n_regs == hip.last_kernel[".vgpr_count"] > 0
    assert (kernel.n_spills, kernel.n_max_threads) == (0, 128)
    assert list(kernel.asm) == ["hk", "lane", "llvm", "amdgcn", "hsaco"]
    assert kernel.asm["hsaco"].startswith(b"\x7fELF")
    assert "amdgcn-amd-amdhsa--gfx942" in kernel.asm["amdgcn"]


def test_compiled_kernels_are_kept_on_disk(hip, monkeypatch):
    x, y, out = (hip.array(random(512)) for _ in range(3))
    add[(1,)](x, y, out, 512, BLOCK=512)
    add._forget()
    monkeypatch.setattr("hocket.runtime.compiler.Request.run", None)
    out.array[...] = 0
    loads = hip.loads
    add[(1,)](x, y, out, 512, BLOCK=512)
    assert hip.loads == loads + 1
    np.testing.assert_array_equal(out.array, x.array + y.array)


def test_modules_are_unloaded(hip):
    x, y, out = (hip.array(random(64)) for _ in range(3))
    add[(1,)](x, y, out, 62, BLOCK=64)
    before = hip.stand_in_unloaded()
    add._forget()
    assert hip.stand_in_unloaded() > before


def test_a_kernel_without_arrays_runs_on_the_current_gpu(hip):
    @hocket.jit
    def nothing(n):
        pass

    hip.hipSetDevice(GFX950)
    assert nothing[(1,)](5).target == "gfx950"
    assert hip.last.device == GFX950
    hip.hipSetDevice(0)


def test_where_the_current_gpu_is_of_no_use_the_emulator_runs(hip):
    @hocket.jit
    def nothing(n):
        pass

    hip.hipSetDevice(GFX1100)
    assert hocket._core.device_count() == 0
    assert nothing[(1,)](5).target == "sm_90a"
    hip.hipSetDevice(0)
    assert hocket._core.device_count() == 16


def test_numpy_arrays_still_run_on_the_emulator(hip):
    before = hip.loads
    x, y, out = random(64), random(64), np.zeros(64, np.float32)
    kernel = add[(1,)](x, y, out, 64, BLOCK=64)
    np.testing.assert_array_equal(out, x + y)
    assert (kernel.target, hip.loads) == ("sm_90a", before)


def test_a_cooperative_launch(hip, gpu):
    x, y, out = (hip.array(values, gpu) for values in (random(1000), random(1000), np.zeros(1000, np.float32)))
    before = hip.stand_in_cooperative_launches()
    add[(4,)](x, y, out, 1000, BLOCK=256, launch_cooperative_grid=True)
    np.testing.assert_array_equal(out.array, x.array + y.array)
    assert hip.stand_in_cooperative_launches() == before + 1


def test_programmatic_launches_are_plain_ones(hip, gpu):
    x, y, out = (hip.array(values, gpu) for values in (random(1000), random(1000), np.zeros(1000, np.float32)))
    before = hip.stand_in_cooperative_launches()
    add[(4,)](x, y, out, 1000, BLOCK=256, launch_pdl=True)
    np.testing.assert_array_equal(out.array, x.array + y.array)
    assert hip.stand_in_cooperative_launches() == before
