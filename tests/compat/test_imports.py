"""`import triton..` gives Hocket: which modules and names there are, and what is missing."""

import pytest

from hocket.compat import finder
from hocket.compat.triton_names import NAMES

MODULES = """
import triton
import triton.language as tl
import triton.testing
import triton.experimental.gluon.language.nvidia.hopper.tma
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language import amd, nvidia
from triton.experimental.gluon.language.amd import cdna3, cdna4, rdna4, warp_pipeline_stage
from triton.experimental.gluon.language.amd.cdna4 import async_copy
from triton.experimental.gluon.language.nvidia import ampere, blackwell, hopper
from triton.experimental.gluon.language.nvidia.blackwell import tcgen05_mma
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor
from triton.runtime.driver import active
from triton.runtime import RedisRemoteCacheBackend
from triton.tools.mxfp import MXFP4Tensor
from triton.tools.tensor_descriptor import TensorDescriptor as Same
"""


def test_what_is_the_same(python):
    status, output = python(
        MODULES
        + """
import hocket
from hocket import language
assert gl.load is language.load and gl.BlockedLayout is language.BlockedLayout and tl.range is language.range
assert gl.nvidia.hopper.tma is tma and tma.async_load is language.nvidia.hopper.tma.async_load
assert triton.cdiv(5, 2) == 3 and triton.next_power_of_2(5) == 8 and triton.Config is hocket.Config
assert triton.__version__ == "3.9.0" and TensorDescriptor is Same
assert triton.OutOfResources is triton.runtime.errors.OutOfResources is hocket.OutOfResources
assert triton.compiler.errors.CompilationError is hocket.CompileError
assert "load" in dir(gl) and "hopper" in dir(nvidia)
from triton.language.core import _aggregate
assert _aggregate is hocket.aggregate and not hasattr(gl, "_creation") and not hasattr(tl.core, "_scan")
assert not hasattr(gl, "no_such_name") and not hasattr(triton, "no_such_name")
with triton.knobs.runtime.scope():
    triton.knobs.runtime.launch_exit_hook = print
assert triton.knobs.runtime.launch_exit_hook.functions() == []
assert triton.knobs.compilation.always_compile is False and triton.knobs.nvidia.anything is None
print("fine")
"""
    )
    assert (status, output) == (0, "fine\n"), output


@pytest.mark.parametrize(
    ("use", "error"),
    [
        ("rdna4.wmma(1, 2, 3)", "triton.experimental.gluon.language.amd.rdna4.wmma is part of Triton, but Hocket"),
        (
            "RedisRemoteCacheBackend.get",
            "triton.runtime.RedisRemoteCacheBackend is part of Triton, but Hocket does not",
        ),
        (
            "class A(RedisRemoteCacheBackend): pass",
            "triton.runtime.RedisRemoteCacheBackend is part of Triton, but Hocket does",
        ),
        ("import triton.profiler", "Hocket has no module for triton.profiler, and Triton itself is not used in this"),
        ("triton.no_such_name", "module 'triton' has no attribute 'no_such_name', neither of Triton's nor of Hocket"),
        ("active.get_current_target()", "hint: python -m hocket.compat --emulate sm_90a FILE runs it on an emulated"),
    ],
)
def test_what_is_missing_is_an_error_when_it_is_used(python, use, error):
    if use.startswith("active") and __import__("hocket")._core.device_count() > 0:
        pytest.skip("there is a GPU")
    status, output = python(f"{MODULES}\nprint('imported')\n{use}\n")
    assert status == 1 and output.startswith("imported\n") and error in output, output


def test_a_kernel_that_uses_what_is_missing(python):
    status, output = python(
        MODULES
        + """
@gluon.jit
def kernel(x):
    rdna4.wmma(x, x, x)

kernel.warmup(gl.float32, target="gfx950")
"""
    )
    assert status == 1
    assert "error: amd.rdna4.wmma is an operation of RDNA4 GPUs" in output, output


def test_kernels_compile_without_a_gpu(python):
    status, output = python(
        """
import triton
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource

@gluon.jit
def kernel(x, n, BLOCK: gl.constexpr, num_warps: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.BlockedLayout([1], [gl.num_lanes()], [num_warps], [0]))
    gl.store(x + i, i.to(gl.float16), mask=i < n)

signature = {"x": "*fp16", "n": "i32", "BLOCK": "constexpr", "num_warps": "constexpr"}
for target in (GPUTarget("hip", "gfx950", 64), GPUTarget("cuda", 90, 32)):
    source = GluonASTSource(kernel, signature, {"BLOCK": 512, "num_warps": 8}, {(0,): [["tt.divisibility", 16]]})
    compiled = triton.compile(source, target=target, options={"num_warps": 8, "kpack": 1})
    print(compiled.target, compiled.metadata.num_warps, sorted(compiled.asm)[0], "llir" in compiled.asm)
"""
    )
    assert status == 0, output
    lines = output.splitlines()
    assert lines[-1] == "sm_90a 8 cubin True" and any(line.endswith("gfx950 8 amdgcn True") for line in lines)
    assert "the launch option `kpack` has no effect in Hocket" in output


def test_every_home_is_there():
    """A module whose homes cannot be imported would say that it has no names at all."""
    import importlib

    for homes in finder.HOMES.values():
        for home in homes:
            importlib.import_module(home)


def test_names_of_triton_belong_to_modules_that_import():
    assert set(NAMES) <= set(finder.HOMES)


def test_install_comes_first(tmp_path, run):
    (tmp_path / "program.py").write_text(
        "import sys, types\nsys.modules['triton'] = types.ModuleType('triton')\n"
        "import hocket.compat\nassert not hocket.compat.is_installed()\nhocket.compat.install()\n"
    )
    import subprocess
    import sys

    done = subprocess.run([sys.executable, tmp_path / "program.py"], capture_output=True, text=True)
    assert "RuntimeError: Triton itself is imported already: call hocket.compat.install() before" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "name a file, or a module with -m"),
        (["--report"], "--report needs files"),
        (["no_such_file.py"], "no such file: no_such_file.py"),
        (["/"], "/ is a folder: name a file, or a module with -m"),
        (["/bin/sh"], "/bin/sh cannot be read as Python: source code "),
        (["-m", "no.such"], "no module named no.such"),
        (["--emulate", "sm_12", "-m", "pytest"], "unknown target 'sm_12'; hocket compiles for sm_80, sm_90a, gfx942"),
        (["--emulate", "sm_12", "x.py"], "unknown target 'sm_12'; hocket compiles for sm_80, sm_90a, gfx942, gfx950"),
    ],
)
def test_wrong_command_lines(run, arguments, text):
    status, output = run(*arguments)
    assert status == 2 and text in output
