"""A pytest file: fixtures, parametrization, skips by the kind of GPU, errors that are expected."""

import pytest
import torch
import triton
from triton._internal_testing import is_cuda, is_hip, is_hopper_or_newer
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import cdna3
from triton.experimental.gluon.language.nvidia import blackwell
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

THREADS_PER_WARP = triton.runtime.driver.active.get_current_target().warp_size


@pytest.fixture
def fresh_allocator():
    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    yield


@gluon.jit
def add_kernel(x, y, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [THREADS], [4], [0])
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n) + gl.load(y + i, mask=i < n), mask=i < n)


THREADS = gl.constexpr(THREADS_PER_WARP)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int32], ids=str)
@pytest.mark.parametrize("n", [1, 128, 1000])
def test_add(n, dtype, fresh_allocator):
    x = torch.arange(n, device="cuda").to(dtype)
    y = torch.ones(n, device="cuda", dtype=dtype)
    out = torch.empty_like(x)
    compiled = add_kernel[(triton.cdiv(n, 128),)](x, y, out, n, BLOCK=128)
    assert torch.equal(out, x + y)
    assert "ptx" in compiled.asm if is_cuda() else "amdgcn" in compiled.asm
    assert compiled.metadata.num_warps == 4


@pytest.mark.skipif(not is_hopper_or_newer(), reason="needs TMA")
def test_tma_round_trip():
    x = torch.randn((32, 64), device="cuda", dtype=torch.float16)
    out = torch.zeros_like(x)
    layout = gl.NVMMASharedLayout.get_default_for([32, 64], gl.float16)
    source, target = (TensorDescriptor.from_tensor(t, [32, 64], layout) for t in (x, out))
    round_trip[(1,)](source, target)
    torch.testing.assert_close(out, x, atol=0, rtol=0)


@gluon.jit
def round_trip(source, target):
    smem = gl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, source.block_type.nbytes)
    tma.async_copy_global_to_shared(source, [0, 0], bar, smem)
    mbarrier.wait(bar, phase=0)
    mbarrier.invalidate(bar)
    tma.async_copy_shared_to_global(target, [0, 0], smem)
    tma.store_wait(pendings=0)


@pytest.mark.skipif(not is_hip(), reason="needs buffer operations")
def test_buffer_operations():
    x = torch.arange(64, device="cuda", dtype=torch.int32)
    out = torch.zeros_like(x)
    buffer_copy[(1,)](x, out)
    assert torch.equal(out, x)


@gluon.jit
def buffer_copy(x, out):
    i = gl.arange(0, 64, layout=gl.BlockedLayout([1], [64], [4], [0]))
    cdna3.buffer_store(cdna3.buffer_load(x, i), out, i)


@gluon.jit
def needs_blackwell(out):
    blackwell.allocate_tensor_memory(gl.float32, [128, 64], blackwell.TensorMemoryLayout([128, 64], 1))


def test_what_is_missing_is_an_error_where_it_is_used():
    with pytest.raises(triton.compiler.errors.CompilationError):
        needs_blackwell[(1,)](torch.empty(1, device="cuda"))


def test_too_many_warps():
    x = torch.empty(128, device="cuda")
    with pytest.raises(triton.runtime.errors.OutOfResources):
        add_kernel[(1,)](x, x, x, 128, BLOCK=128, num_warps=64)
