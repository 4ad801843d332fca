"""An error of HIP becomes a LaunchError with hocket's operation and HIP's message."""

import numpy as np
import pytest
from kernels import add, reverse
from stand_in import GFX942, GFX950, GFX1100, NAMELESS
from stand_ins.arrays import CudaArray, aligned

import hocket
from hocket import _core

REASON = "failed: the stand-in was told to fail (hipErrorStandIn)"

#: Devices that no other test opens: what failed while opening is asked again.
unopened = iter(range(6, 16))


def arrays(hip, device=GFX942):
    return [hip.array(np.zeros(64, np.float32), device) for _ in range(3)]


def launch(hip, device=GFX942):
    return add[(1,)](*arrays(hip, device), 64, BLOCK=64)


def message_of(action):
    with pytest.raises(hocket.LaunchError) as caught:
        action()
    return str(caught.value)


@pytest.mark.parametrize(
    ("function", "doing"),
    [
        ("hipDeviceGet", "opening the GPU"),
        ("hipDeviceGetName", "querying the GPU's name"),
        ("hipDeviceTotalMem", "querying the size of the GPU's memory"),
        ("hipDeviceGetAttribute", "querying the number of compute units"),
        ("hipGetDeviceProperties", "querying the GPU's architecture"),
    ],
)
def test_opening_a_device(hip, function, doing):
    device = next(unopened)
    hip.fail(hip.properties_function if function == "hipGetDeviceProperties" else function, 999)
    assert message_of(lambda: _core.device_info(device)) == f"{doing} {REASON}"
    assert hip.stand_in_last_error() == 0  # else PyTorch would take it for its own
    assert _core.device_info(device).target == "gfx942"


@pytest.mark.parametrize(
    ("function", "doing"),
    [
        ("hipGetDevice", "querying the current GPU"),
        ("hipSetDevice", "selecting the GPU"),
        ("hipModuleLoadData", "loading kernel 'add'"),
        ("hipModuleGetFunction", "finding kernel 'add'"),
        ("hipFuncGetAttribute", "reading register use"),
        ("hipModuleLaunchKernel", "launching kernel 'add'"),
    ],
)
def test_loading_and_launching(hip, function, doing):
    add._forget()
    given = arrays(hip, GFX950)
    hip.fail(function, 999)
    assert message_of(lambda: add[(1,)](*given, 64, BLOCK=64)) == f"{doing} {REASON}"
    assert hip.stand_in_last_error() == 0
    launch(hip, GFX950)


def test_a_kernel_that_cannot_be_used_is_unloaded(hip):
    add._forget()
    given = arrays(hip)
    before = hip.stand_in_unloaded()
    hip.fail("hipFuncGetAttribute", 999)
    message_of(lambda: add[(1,)](*given, 64, BLOCK=64))
    assert hip.stand_in_unloaded() == before + 1


@pytest.mark.parametrize(
    ("function", "doing", "action"),
    [
        ("hipDeviceSynchronize", "waiting for the GPU", lambda event, flusher: _core.synchronize(0)),
        ("hipEventCreateWithFlags", "making an event", lambda event, flusher: _core.DeviceEvent(0)),
        ("hipEventRecord", "recording an event", lambda event, flusher: event.record()),
        ("hipEventSynchronize", "waiting for an event", lambda event, flusher: event.synchronize()),
        (
            "hipEventElapsedTime",
            "reading the time between events",
            lambda event, flusher: event.milliseconds_since(event),
        ),
        ("hipMalloc", "allocating memory to flush the cache with", lambda event, flusher: _core.CacheFlusher(0)),
        ("hipMemsetD32Async", "flushing the cache", lambda event, flusher: flusher.flush()),
    ],
)
def test_waiting_and_timing(hip, function, doing, action):
    event, flusher = _core.DeviceEvent(0), _core.CacheFlusher(0)
    hip.fail(function, 999)
    assert message_of(lambda: action(event, flusher)) == f"{doing} {REASON}"


def test_a_pointer_that_hip_does_not_know(hip):
    """`__cuda_array_interface__` does not say on which GPU memory lies; HIP's refusal to say must not linger."""
    given = [CudaArray(aligned(64)) for _ in range(3)]
    with pytest.raises(hocket.LaunchError, match="launching kernel 'add' failed"):
        add[(1,)](*given, 64, BLOCK=64)
    assert "is not device memory" in str(hip.error)
    hip.error = None
    assert hip.stand_in_last_error() == 0


def test_a_broken_context_says_what_to_do(hip):
    hip.fail("hipModuleLaunchKernel", 700)
    assert message_of(lambda: launch(hip)) == (
        "launching kernel 'add' failed: an illegal memory access was encountered (hipErrorIllegalAddress)\n"
        "  an earlier kernel broke the HIP context; this process can no longer use the GPU\n"
        "  hint: run the kernels with NumPy arrays: the emulator names the line and the access"
    )


def test_out_of_resources(hip):
    hip.fail("hipModuleLaunchKernel", 701)
    with pytest.raises(hocket.OutOfResources, match="out of resources"):
        launch(hip)


def test_an_architecture_that_hocket_has_no_code_for(hip):
    assert message_of(lambda: launch(hip, GFX1100)) == (
        "Stand-in GPU has the architecture gfx1100; hocket supports gfx942, gfx950"
    )


def test_a_device_without_names(hip):
    assert message_of(lambda: launch(hip, NAMELESS)) == (
        "AMD GPU has an architecture that HIP does not name; hocket supports gfx942, gfx950"
    )


def test_a_device_that_is_not_there(hip):
    assert message_of(lambda: _core.device_info(16)) == "there is no GPU 16"


def facts_of_add(**others):
    return _core.KernelFacts(**{"name": "add", "num_warps": 4, "warp_size": 64, **others})


def test_more_shared_memory_than_the_device_has(hip):
    code = launch(hip).asm["hsaco"]
    with pytest.raises(hocket.OutOfResources) as caught:
        _core.load_kernel(GFX942, code, facts_of_add(shared=65537))
    assert str(caught.value) == (
        "out of resource: shared memory: kernel 'add' needs 65537 bytes per block, Stand-in GPU has 65536\n"
        "  hint: use smaller tiles or fewer stages"
    )


def test_more_shared_memory_than_the_target_has(hip):
    x, out = (hip.array(np.zeros(32768, np.float32)) for _ in range(2))
    with pytest.raises(hocket.OutOfResources, match="131072 bytes of shared memory, but a block on gfx942 has 65536"):
        reverse[(1,)](x, out, SIZE=32768)


def test_more_threads_than_the_registers_allow(hip):
    code = launch(hip).asm["hsaco"]
    with pytest.raises(hocket.OutOfResources, match="allows at most 256 threads per block; it needs 512"):
        _core.load_kernel(GFX942, code, facts_of_add(num_warps=8))


def test_code_for_another_gpu(hip):
    code = launch(hip, GFX950).asm["hsaco"]
    assert message_of(lambda: _core.load_kernel(GFX942, code, facts_of_add())) == f"loading kernel 'add' {REASON}"


def test_a_grid_of_more_threads_than_a_packet_counts(hip):
    given = arrays(hip)
    assert message_of(lambda: add[(2**24,)](*given, 64, BLOCK=64)) == (
        "a grid of blocks with 256 threads has at most 16777215 blocks along axis 0 on AMD GPUs, not 16777216"
        " (kernel 'add')"
    )


SCRATCH = [("scratch", 64, 16)]


def test_scratch_memory_of_a_launch_comes_and_goes(hip):
    kernel = _core.load_kernel(GFX942, launch(hip).asm["hsaco"], facts_of_add(implicit_arguments=SCRATCH))
    x, y, out = arrays(hip)
    x.array[...], y.array[...] = 2, 3
    before = hip.stand_in_async_allocations()
    kernel.launch((1, 1, 1), [x.data_ptr(), y.data_ptr(), out.data_ptr(), 64], stream=0x77)
    assert (out.array == 5).all()
    assert hip.last.stream == 0x77
    assert (hip.stand_in_async_allocations() - before, hip.stand_in_async_bytes()) == (1, 80)
    assert hip.stand_in_async_frees() == hip.stand_in_async_allocations()


def test_no_scratch_memory_is_left(hip):
    kernel = _core.load_kernel(GFX942, launch(hip).asm["hsaco"], facts_of_add(implicit_arguments=SCRATCH))
    hip.fail("hipMallocAsync", 2)
    message = message_of(lambda: kernel.launch((1, 1, 1), [0, 0, 0, 64]))
    assert message == f"allocating the kernel's scratch memory {REASON}"


def test_scratch_memory_of_a_launch_that_fails_goes_too(hip):
    kernel = _core.load_kernel(GFX942, launch(hip).asm["hsaco"], facts_of_add(implicit_arguments=SCRATCH))
    hip.fail("hipModuleLaunchKernel", 1)
    assert message_of(lambda: kernel.launch((1, 1, 1), [0, 0, 0, 64])) == f"launching kernel 'add' {REASON}"
    assert hip.stand_in_async_frees() == hip.stand_in_async_allocations()
