"""Disassembles NVIDIA machine code with nvdisasm, which is part of the CUDA toolkit and its pip packages."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable

from ..errors import HocketError, LaunchError
from . import environment


def sass(cubin: bytes) -> str:
    """Returns the disassembly of a cubin. Raises LaunchError if nvdisasm is not installed, or fails."""
    tool = _nvdisasm()
    if tool is None:
        raise LaunchError(
            'asm["sass"] needs nvdisasm, which was not found\n'
            "  hint: pip install nvidia-cuda-nvdisasm, or let CUDA_HOME name a CUDA toolkit"
        )
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        done = subprocess.run([tool, "-c", file.name], capture_output=True, text=True)
    if done.returncode:
        raise LaunchError(f"nvdisasm failed: {done.stderr.strip()}")
    return done.stdout


def text_of_nvidia(ptx: Callable[[], str], cubin: Callable[[], bytes]) -> tuple[str, str]:
    """Returns the language and the code for a report: SASS if an assembler and nvdisasm are installed, otherwise
    PTX."""
    try:
        return "sass", sass(cubin())
    except HocketError:
        return "ptx", ptx()


def _nvdisasm() -> str | None:
    folders = [os.path.join(home, "bin")] if (home := environment.cuda_home()) else []
    package = importlib.util.find_spec("nvidia")
    for root in (package.submodule_search_locations or []) if package else []:
        folders += [os.path.join(root, part, "bin") for part in ("cu13", "cuda_nvdisasm")]
    return shutil.which("nvdisasm", path=os.pathsep.join([*folders, os.environ.get("PATH", "")]))
