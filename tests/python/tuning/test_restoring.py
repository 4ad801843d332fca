"""Timed runs of kernels that work in place: arrays that they read and write are restored."""

import numpy as np
import pytest
from kernels_to_tune import add_one, blocks, grid, increment

import hocket
from hocket import language as gl

N = 1000


def counted(runs):
    """A `do_bench` that runs each configuration `runs` times."""

    def bench(run, quantiles):
        for _ in range(runs):
            run()
        return [1.0, 1.0, 1.0]

    return bench


def add_to_output(x, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.atomic_add(out + i, gl.load(x + i, mask=i < n, other=0), mask=i < n)


def increment_pair(pair, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(pair[1] + i, gl.load(pair[1] + i, mask=i < n) + 1, mask=i < n)


class TestInPlace:
    @pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
    def test_on_the_virtual_clock(self, target):
        kernel = hocket.autotune(blocks(64, 128, 256))(hocket.jit(increment))
        x = np.arange(N, dtype=np.float32)
        with hocket.emulator.target(target):
            kernel[grid](x, N)
        np.testing.assert_array_equal(x, np.arange(N) + 1)

    def test_with_many_runs(self):
        kernel = hocket.autotune(blocks(64, 128), do_bench=counted(5))(hocket.jit(increment))
        x = np.arange(N, dtype=np.float32)
        kernel[grid](x, N)
        np.testing.assert_array_equal(x, np.arange(N) + 1)

    def test_sums_by_atomics(self):
        kernel = hocket.autotune(blocks(64, 128), do_bench=counted(3))(hocket.jit(add_to_output))
        x, out = np.arange(N, dtype=np.float32), np.full(N, 7, np.float32)
        kernel[grid](x, out, N)
        np.testing.assert_array_equal(out, x + 7)

    def test_one_array_as_two_arguments(self):
        kernel = hocket.autotune(blocks(64, 128), do_bench=counted(3))(hocket.jit(add_one))
        x = np.arange(N, dtype=np.float32)
        kernel[grid](x, x, N)
        np.testing.assert_array_equal(x, np.arange(N) + 1)

    def test_an_array_in_a_tuple(self):
        kernel = hocket.autotune(blocks(64, 128), do_bench=counted(3))(hocket.jit(increment_pair))
        x = np.arange(N, dtype=np.float32)
        kernel[grid]((1, x), N)
        np.testing.assert_array_equal(x, np.arange(N) + 1)

    def test_what_is_only_written_is_left_alone(self):
        seen = []

        def bench(run, quantiles):
            seen.append(out.copy())
            run()
            return [1.0, 1.0, 1.0]

        kernel = hocket.autotune(blocks(64, 128), do_bench=bench)(hocket.jit(add_one))
        x, out = np.arange(N, dtype=np.float32), np.zeros(N, np.float32)
        kernel[grid](x, out, N)
        np.testing.assert_array_equal(seen[1], x + 1)

    def test_an_error_leaves_it_as_it_was(self):
        def bench(run, quantiles):
            run()
            raise RuntimeError("no clock")

        kernel = hocket.autotune(blocks(64, 128), do_bench=bench)(hocket.jit(increment))
        x = np.arange(N, dtype=np.float32)
        with pytest.raises(RuntimeError, match="no clock"):
            kernel[grid](x, N)
        np.testing.assert_array_equal(x, np.arange(N))

    @pytest.mark.parametrize("options", [{"restore_value": ()}, {"pre_hook": lambda args, reset_only=False: None}])
    def test_the_user_may_choose_otherwise(self, options):
        kernel = hocket.autotune(blocks(64, 128), do_bench=counted(1), **options)(hocket.jit(increment))
        x = np.zeros(N, np.float32)
        kernel[grid](x, N)
        assert (x == 3).all()


class TestFacts:
    @pytest.mark.parametrize("target", ["sm_80", "sm_90a", "gfx942", "gfx950"])
    def test_what_is_read_and_written(self, target):
        kernel = hocket.jit(add_one).warmup(gl.float32, gl.float32, 64, BLOCK=64, target=target)
        assert (kernel.metadata.read_arguments, kernel.metadata.written_arguments) == (["x"], ["out"])

    def test_atomics_are_both(self):
        kernel = hocket.jit(add_to_output).warmup(gl.float32, gl.float32, 64, BLOCK=64, target="sm_90a")
        assert (kernel.metadata.read_arguments, kernel.metadata.written_arguments) == (["x", "out"], ["out"])

    def test_what_a_worker_writes(self):
        kernel = splits.warmup(gl.float32, gl.float32, target="sm_90a")
        assert (kernel.metadata.read_arguments, kernel.metadata.written_arguments) == (["x"], ["out"])

    def test_buffers(self):
        kernel = through_buffers.warmup(gl.float32, gl.float32, target="gfx950")
        assert (kernel.metadata.read_arguments, kernel.metadata.written_arguments) == (["x"], ["out"])

    def test_descriptors(self):
        from hocket.nvidia.hopper import TensorDescriptor

        layout = gl.NVMMASharedLayout(128, 16, 2)
        desc = TensorDescriptor.from_tensor(np.zeros((64, 64), np.float16), [16, 64], layout)
        kernel = stores_a_block.warmup(gl.float32, desc, target="sm_90a")
        assert (kernel.metadata.read_arguments, kernel.metadata.written_arguments) == ([], ["desc"])


@hocket.jit
def nothing():
    pass


@hocket.jit
def copies(x, out):
    gl.store(out, gl.load(x))


@hocket.jit
def splits(x, out):
    gl.warp_specialize([(nothing, ()), (copies, (x, out))], [1])


@hocket.jit
def through_buffers(x, out):
    i = gl.arange(0, 256, gl.BlockedLayout([1], [64], [4], [0]))
    gl.amd.cdna3.buffer_store(gl.amd.cdna3.buffer_load(x, i), out, i)


@hocket.jit
def stores_a_block(x, desc):
    smem = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    gl.nvidia.hopper.tma.async_store(desc, [0, 0], smem)
    gl.nvidia.hopper.tma.store_wait(0)
