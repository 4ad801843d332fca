"""Features around kernels, on all four targets: launches, options, closures, tuning, assembly.

tests/COVERAGE.md lists the test of each row. What goes wrong is in tests/errors and tests/python/runtime.
"""

import numpy as np
import pytest
from drawn_programs import target_of

import hocket
from hocket import language as gl
from hocket.errors import LaunchError

N = 512


@hocket.jit
def block_of(n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    return i, i < n


@hocket.jit(do_not_specialize=["n"], version=2)
def scale(x, out, n, FACTOR: gl.constexpr, BLOCK: gl.constexpr):
    i, mask = block_of(n, BLOCK)
    gl.store(out + i, gl.load(x + i, mask=mask) * FACTOR + gl.num_warps(), mask=mask)


@pytest.fixture
def arrays(every_device):
    x = np.arange(N, dtype=np.int32)
    return x, every_device.to_device(x), every_device.to_device(np.full(N, -1, np.int32))


@pytest.mark.parametrize("warps", [1, 4, 8])
@pytest.mark.parametrize("grid", [(2,), (2, 1), lambda meta: (hocket.cdiv(meta["n"], meta["BLOCK"]), 1, 1)])
def test_launches(every_device, arrays, grid, warps):
    expected, x, out = arrays
    scale[grid](x, out, N - 3, FACTOR=3, BLOCK=256, num_warps=warps, num_stages=2, enable_fp_fusion=False)
    expected = expected * 3 + warps
    expected[-3:] = -1
    np.testing.assert_array_equal(every_device.to_host(out), expected)


def test_compiled_kernels(every_device, arrays):
    _, x, out = arrays
    kernel = scale.warmup(x, out, N, FACTOR=2, BLOCK=256, grid=(2,))
    assert (every_device.to_host(out) == -1).all()
    assert scale[(2,)](x, out, N, FACTOR=2, BLOCK=256) is kernel
    assert (kernel.name, kernel.metadata.num_warps, kernel.metadata.shared) == ("scale", 4, 0)
    assert kernel.asm["source" if "source" in kernel.asm else "hk"]
    if every_device.is_gpu:
        assert 8 <= kernel.n_regs <= 64 and kernel.n_spills == 0 and kernel.n_max_threads >= 128


@pytest.mark.parametrize(("grid", "options"), [((0,), {}), ((1, 2, 3, 4), {}), ((1,), {"num_wraps": 4})])
def test_invalid_launches_are_errors(every_device, arrays, grid, options):
    _, x, out = arrays
    if grid == (0,):
        scale[grid](x, out, N, FACTOR=2, BLOCK=256)  # as a loop over nothing
    else:
        with pytest.raises((LaunchError, KeyError, TypeError)):
            scale[grid](x, out, N, FACTOR=2, BLOCK=256, **options)
    assert (every_device.to_host(out) == -1).all()


@pytest.mark.parametrize("step", [2, 5])
def test_closures_and_kernels_in_functions(every_device, arrays, step):
    layout = gl.BlockedLayout([2], [64 if target_of(every_device)[0] == "g" else 32], [4], [0])

    @hocket.jit
    def stepped(i):
        return i * step

    @hocket.jit
    def kernel(out):
        i = gl.arange(0, 512, layout=layout)
        gl.store(out + i, stepped(i))

    expected, _, out = arrays
    kernel[(1,)](out)
    np.testing.assert_array_equal(every_device.to_host(out), expected * step)


@hocket.jit
def facts_kernel(x, out, n):
    i, _ = block_of(n, 512)
    gl.assume(n > 0)
    i = gl.max_constancy(gl.max_contiguous(gl.multiple_of(i, 1), 512), 1)
    gl.store(out + i, gl.add(gl.mul(gl.load(x + i), 2), gl.sub(n, gl.cdiv(n, 3))), mask=i < n)


def test_facts_and_arithmetic_by_name(every_device, arrays):
    expected, x, out = arrays
    facts_kernel[(1,)](x, out, N)
    np.testing.assert_array_equal(every_device.to_host(out), expected * 2 + N - 171)


SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))


@hocket.jit
def queries_kernel(out):
    i, _ = block_of(512, 512)
    smem = gl.allocate_shared_memory(gl.int32, [512], SHARED, value=i)
    linear: gl.constexpr = gl.to_linear_layout(i.type.layout, [512])
    gl.static_assert(smem.shape == [512] and smem.rank == 1 and smem.numel == 512 and smem.nbytes_per_cta == 2048)
    gl.static_assert(smem.dtype == gl.int32 and smem.layout == SHARED and smem.type.element_ty == gl.int32)
    conflicts: gl.constexpr = gl.bank_conflicts(i.type, smem.type)
    gl.store(out + i, smem.load(linear).to(gl.int32) + conflicts)


def test_layouts_and_descriptors_are_asked(every_device, arrays):
    expected, _, out = arrays
    queries_kernel[(1,)](out)
    np.testing.assert_array_equal(every_device.to_host(out), expected)


def test_heuristics_and_tuning(every_device, arrays):
    expected, x, out = arrays
    hooked = []
    configs = [
        hocket.Config({"FACTOR": 3}, num_warps=warps, pre_hook=lambda args: hooked.append(args["n"]))
        for warps in (1, 2, 4)
    ]
    tuned = hocket.autotune(
        configs, key=["n"], cache_results=False, prune_configs_by={"early_config_prune": first_two}
    )(hocket.heuristics({"BLOCK": lambda args: hocket.next_power_of_2(args["n"])})(scale))
    tuned[(1,)](x, out, N)
    assert set(hooked) == {N} and tuned.best_config.num_warps in (1, 2)
    np.testing.assert_array_equal(every_device.to_host(out), expected * 3 + tuned.best_config.num_warps)


def first_two(configs, arguments, **constexprs):
    return configs[:2]


@hocket.jit
def assembly_kernel(out, ASM: gl.constexpr, CONSTRAINTS: gl.constexpr):
    i, _ = block_of(512, 512)
    doubled = gl.inline_asm_elementwise(ASM, CONSTRAINTS, [i, i], gl.int32, is_pure=True, pack=1)
    gl.store(out + i, doubled)


def test_inline_assembly(every_device, arrays):
    expected, _, out = arrays
    is_amd = target_of(every_device)[0] == "g"
    text = ("v_add_u32 $0, $1, $2", "=v,v,v") if is_amd else ("add.s32 $0, $1, $2;", "=r,r,r")
    if every_device.is_gpu:
        assembly_kernel[(1,)](out, *text)
        np.testing.assert_array_equal(every_device.to_host(out), expected * 2)
    else:
        target = every_device.target
        asm = assembly_kernel.warmup(gl.int32, *text, target=target).asm["amdgcn" if is_amd else "ptx"]
        assert text[0].split()[0] in asm
