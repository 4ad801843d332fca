"""NVIDIA's assembler, for tests of its warnings. It is found as the compiler finds it."""

import pathlib
import subprocess
import tempfile

import pytest

from hocket import _core
from hocket.runtime import compiler


def path() -> str | None:
    """Returns the path of `ptxas`: of a pip package (nvidia-cuda-nvcc), a CUDA toolkit, or PATH."""
    compiler.find_assembler()
    # Kernels with register budgets are assembled by ptxas, never by nvJitLink.
    name = _core.cubin_assembler("setmaxnreg.")
    return name.removeprefix("ptxas (").removesuffix(")") if name.startswith("ptxas (") else None


PATH = path()
needed = pytest.mark.skipif(PATH is None, reason="needs ptxas (pip install nvidia-cuda-nvcc)")


def messages(ptx: str, target: str = "sm_90a") -> str:
    """Returns the output of `ptxas -v`: registers, spills, warnings."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "kernel.ptx")
        source.write_text(ptx)
        command = [PATH, "-v", f"-arch={target}", str(source), "-o", str(source.with_suffix(".cubin"))]
        return subprocess.run(command, capture_output=True, text=True, check=True).stderr
