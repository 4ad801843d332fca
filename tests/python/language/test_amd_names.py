"""The names of hocket.language.amd, as Gluon kernels import them."""

import importlib
import re

import pytest
from builtin_checks import assert_documented_and_typed, call_with_nones, objection_to_nones

from hocket import CompileError
from hocket import language as gl
from hocket.language import amd
from hocket.language.amd import cdna3, cdna4
from hocket.language.amd.cdna4 import async_copy

MODULES = {"cdna3": cdna3, "cdna4": cdna4, "async_copy": async_copy}
STUBS = sorted(
    (module, name)
    for module, names in MODULES.items()
    for name in names.__all__
    if hasattr(getattr(names, name), "__hocket_builtin__")
)


def test_gluons_names_are_there():
    atomics = {f"buffer_atomic_{op}" for op in ("add", "and", "max", "min", "or", "xor", "xchg")}
    assert atomics | {"buffer_load", "buffer_store", "mfma", "scaled_upcast"} <= set(cdna3.__all__)
    assert {*cdna3.__all__, "async_copy", "mfma_scaled", "get_mfma_scale_layout"} <= set(cdna4.__all__)
    assert {"compute_efficient_padded_shared_layout"} <= set(dir(cdna4))
    copies = {"global_load_to_shared", "buffer_load_to_shared", "commit_group", "wait_group", "load_shared_relaxed"}
    assert copies <= set(async_copy.__all__)
    assert gl.amd is amd
    assert amd.AMDMFMALayout(4, [32, 32, 16], True, [2, 2]).rank == 2


def test_modules_are_found_by_their_paths():
    assert importlib.import_module("hocket.language.amd.cdna4.async_copy") is cdna4.async_copy
    assert importlib.import_module("hocket.language.amd.cdna3").mfma is cdna4.mfma


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"module 'hocket\.language\.amd' has no attribute 'mfma'"):
        _ = amd.mfma


@pytest.mark.parametrize("module, name", STUBS)
def test_builtins_are_documented_and_typed(module, name):
    stub = getattr(MODULES[module], name)
    assert stub.__hocket_builtin__.startswith("amd.cdna") and stub.__hocket_builtin__.endswith("." + name)
    assert_documented_and_typed(stub)


@pytest.mark.parametrize("module, name", STUBS)
def test_the_compiler_knows_each_builtin(emit, module, name):
    assert "is not supported yet" not in objection_to_nones(emit, getattr(MODULES[module], name), _target="gfx950")


#: Builtin -> the feature of Hopper that it needs.
NVIDIA = {
    gl.nvidia.hopper.fence_async_shared: "the async proxy",
    gl.nvidia.hopper.warpgroup_mma: "wgmma",
}


@pytest.mark.parametrize("stub", NVIDIA, ids=lambda stub: stub.__name__)
@pytest.mark.parametrize("target", ["sm_80", "gfx950"])
def test_nvidias_names_say_what_they_need(emit, stub, target):
    name = stub.__name__ if target == "sm_80" else f"gl.{stub.__hocket_builtin__}"
    needed = f"{NVIDIA[stub]}, which Hopper (sm_90a) has" if target == "sm_80" else "an NVIDIA GPU"
    with pytest.raises(CompileError, match=re.escape(f"{name} needs {needed}; this kernel is compiled for {target}")):
        emit(
            call_with_nones,
            function=stub,
            count=0 if stub is gl.nvidia.hopper.fence_async_shared else 3,
            _target=target,
        )
