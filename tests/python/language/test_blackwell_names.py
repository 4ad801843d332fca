"""Names of Blackwell can be imported; a kernel that uses one gets an error that names the GPU."""

import importlib

import pytest
from builtin_checks import objection_to_nones

from hocket.compat.other_gpus.nvidia import blackwell
from hocket.language.nvidia import hopper

MODULES = {name: getattr(blackwell, name) for name in ("clc", "float2", "tma")} | {"": blackwell}
OWN = sorted(
    (module, name)
    for module, names in MODULES.items()
    for name in names.__all__
    if getattr(getattr(names, name), "__hocket_builtin__", "").startswith("nvidia.blackwell.")
)


def test_imports_of_gluons_files():
    assert importlib.import_module("hocket.compat.other_gpus.nvidia.blackwell.tma") is blackwell.tma
    names = """
        TensorMemoryLayout TensorMemoryScalesLayout allocate_tensor_memory tensor_memory_descriptor tcgen05_copy
        tcgen05_mma tcgen05_mma_scaled tcgen05_commit tcgen05_mma_barrier_count get_tmem_reg_layout tma clc float2
    """.split()
    assert set(names) <= set(blackwell.__all__)


def test_what_hopper_has_is_hoppers():
    assert blackwell.mbarrier is hopper.mbarrier
    assert blackwell.fence_async_shared is hopper.fence_async_shared
    assert blackwell.tma.async_load is hopper.tma.async_load


@pytest.mark.parametrize("module", MODULES)
def test_dir_shows_what_there_is(module):
    assert dir(MODULES[module]) == sorted(MODULES[module].__all__)


@pytest.mark.parametrize("module, name", OWN)
def test_kernels_cannot_use_them(emit, module, name):
    objection = objection_to_nones(emit, getattr(MODULES[module], name), _target="sm_90a")
    assert f"{name} is an operation of Blackwell GPUs, which hocket does not support" in objection
