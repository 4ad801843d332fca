"""Gluon's modules for GPUs that Hocket does not compile for live in hocket.compat; hocket.language has only hints."""

import importlib

import pytest

import hocket
from hocket import CompileError
from hocket import language as gl
from hocket.compat.other_gpus.amd import gfx1250
from hocket.compat.other_gpus.nvidia import blackwell


@pytest.mark.parametrize("part", ["async_copy", "cluster", "mbarrier", "tdm"])
def test_modules_import(part):
    module = importlib.import_module(f"hocket.compat.other_gpus.amd.gfx1250.{part}")
    assert getattr(gfx1250, part) is module
    assert set(dir(module)) >= set(module.__all__)


@hocket.jit
def tdm_kernel(out):
    gfx1250.tdm.async_wait()


@hocket.jit
def tcgen05_kernel(out):
    blackwell.tcgen05_mma(1, 2, 3)


@pytest.mark.parametrize(
    ("kernel", "target", "message", "hint"),
    [
        (
            tdm_kernel,
            "gfx950",
            "amd.gfx1250.tdm.async_wait is an operation of gfx1250 GPUs, which hocket does not support",
            "on CDNA3 and CDNA4, amd.cdna3.mfma multiplies",
        ),
        (
            tcgen05_kernel,
            "sm_90a",
            "tcgen05_mma is an operation of Blackwell GPUs, which hocket does not support",
            "on Hopper, nvidia.hopper.warpgroup_mma multiplies and nvidia.hopper.tma copies",
        ),
    ],
)
def test_kernels_say_what_is_missing(kernel, target, message, hint):
    with pytest.raises(CompileError) as error:
        kernel.warmup(gl.float32, target=target)
    assert (error.value.message, error.value.hint) == (message, hint)


@pytest.mark.parametrize(
    ("module", "name", "hint"),
    [
        (gl.nvidia, "blackwell", "Blackwell"),
        (gl.nvidia, "rubin", "Blackwell"),
        *((gl.amd, name, "RDNA and gfx1250 are not supported yet") for name in ("rdna3", "rdna4", "gfx1250", "cdna5")),
    ],
)
def test_names_of_other_gpus_are_absent_with_a_hint(module, name, hint):
    assert name not in dir(module)
    with pytest.raises(AttributeError, match=hint):
        getattr(module, name)
