"""Descriptors whose fields are assigned, as hooks of configurations do."""

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket.compat.namespaces.descriptors import TensorDescriptor
from hocket.language.nvidia.hopper import mbarrier, tma


@hocket.jit
def copy_block(source, target):
    smem = gl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, source.block_type.nbytes)
    tma.async_load(source, [0, 0], bar, smem)
    mbarrier.wait(bar, phase=0)
    mbarrier.invalidate(bar)
    tma.async_store(target, [0, 0], smem)
    tma.store_wait(pendings=0)


def descriptors(rows):
    layout = gl.NVMMASharedLayout.get_default_for([rows, 64], gl.float16)
    arrays = np.arange(64 * 64, dtype=np.float16).reshape(64, 64), np.zeros((64, 64), np.float16)
    return [TensorDescriptor.from_tensor(array, [rows, 64], layout) for array in arrays]


def rows_written(target):
    return int((target.base != 0).any(axis=1).sum())


def test_the_block_of_the_launch_is_the_assigned_one():
    source, target = descriptors(16)
    copy_block[(1,)](source, target)
    assert rows_written(target) == 16
    for one in (source, target):
        one.block_shape = [32, 64]
    copy_block[(1,)](source, target)
    assert rows_written(target) == 32


def test_by_the_hook_of_a_configuration():
    def set_block(args):
        for name in ("source", "target"):
            args[name].block_shape = [args["ROWS"], 64]

    @hocket.jit
    def copy(source, target, ROWS: gl.constexpr):
        gl.static_assert(source.block_shape[0] == ROWS)
        copy_block(source, target)

    configs = [hocket.Config({"ROWS": rows}, pre_hook=set_block) for rows in (16, 32)]
    tuned = hocket.autotune(
        configs, cache_results=False, do_bench=lambda run, quantiles: run() or [1.0 / next(costs)] * 3
    )(copy)
    costs = iter([1.0, 2.0])
    source, target = descriptors(64)
    tuned[(1,)](source, target)
    assert tuned.best_config.kwargs == {"ROWS": 32} and rows_written(target) == 32


def test_what_is_assigned_is_checked():
    source, _ = descriptors(16)
    source.block_shape = [17, 64]
    with pytest.raises(ValueError, match=r"powers of two|power of two"):
        _ = source._launch_descriptor
    with pytest.raises(AttributeError, match="a TensorDescriptor has no field 'blocks'"):
        source.blocks = [1]
