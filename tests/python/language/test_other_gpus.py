"""Gluon's modules for GPUs that hocket does not compile for: they import, and say in kernels what is missing."""

import importlib

import pytest

import hocket
from hocket import CompileError
from hocket import language as gl

MODULES = {
    "amd.rdna3": [], "amd.rdna4": [], "amd.gfx1250": ["async_copy", "cluster", "mbarrier", "tdm"],
    "amd.cdna5": [], "nvidia.rubin": [], "fpsan": [],
}  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_modules_import(name):
    module = importlib.import_module(f"hocket.language.{name}")
    for part in MODULES[name]:
        assert getattr(module, part) is importlib.import_module(f"hocket.language.{name}.{part}")
    assert set(dir(module)) >= set(module.__all__)


def test_modules_are_attributes():
    assert gl.amd.rdna4.wmma is not gl.amd.rdna3.wmma
    assert gl.amd.cdna5.wmma is gl.amd.gfx1250.wmma
    assert gl.nvidia.rubin.__name__ == "hocket.language.nvidia.rubin"


@hocket.jit
def rdna_kernel(out):
    gl.amd.rdna4.wmma(1, 2, 3)


@hocket.jit
def tdm_kernel(out):
    gl.amd.gfx1250.tdm.async_wait()


@pytest.mark.parametrize(
    "kernel, name, gpu",
    [(rdna_kernel, "amd.rdna4.wmma", "RDNA4"), (tdm_kernel, "amd.gfx1250.tdm.async_wait", "gfx1250")],
)
def test_kernels_say_what_is_missing(kernel, name, gpu):
    with pytest.raises(CompileError) as error:
        kernel.warmup(gl.float32, target="gfx950")
    assert error.value.message == f"{name} is one of {gpu}'s operations, for which hocket does not compile"
    assert error.value.hint == "on CDNA3 and CDNA4, amd.cdna3.mfma multiplies"
