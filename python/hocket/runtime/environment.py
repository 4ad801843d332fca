"""Every environment variable that hocket reads.

HOCKET_CACHE_DIR       where compiled kernels are kept; default $XDG_CACHE_HOME/hocket or ~/.cache/hocket.
                       Empty: nothing is kept.
HOCKET_CACHE_SIZE      bytes that they may take there, such as 500M or 4G; default 1G. Those not used for longest go.
HOCKET_DEBUG           1: compile every kernel with `debug=True`, so that asserts in kernels are checked on GPUs too.
HOCKET_EMULATOR_OPTIMIZE  0: what the emulator runs is not optimised. Kernels compile in half the time or less, and run
                       slower: for tests that launch many kernels once.
HOCKET_EMULATOR_RACES  0: the emulator does not look for races; see hocket.emulator.schedule.
HOCKET_EMULATOR_UNDEFINED  1: the emulator looks for uses of undefined values; see hocket.emulator.schedule.
HOCKET_FULL_TRACEBACK  1: tracebacks of errors show the frames of hocket too.
HOCKET_TIMING          1: say on the standard error how long each stage of each compilation takes.
HOCKET_VERIFY_MACHINE  1: check machine code after each of Hocket's passes over it (AMD); for tests of the compiler.
CUDA_HOME              a CUDA toolkit to take nvJitLink or ptxas from when NVIDIA's pip packages are not installed.
"""

import os
import pathlib
import re

from ..errors import LaunchError

#: An entry takes 10 to 100 KiB, so this is what months of work compile, and less than one package of a deep-learning
#: framework takes.
DEFAULT_CACHE_BYTES = 2**30


def cache_directory() -> pathlib.Path | None:
    """Where compiled kernels are kept, or None to keep none: when that is wanted, or when the user has no home."""
    chosen = os.environ.get("HOCKET_CACHE_DIR")
    if chosen is not None:
        return _with_home(chosen) if chosen else None
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # the standard says to ignore it then
        base = "~/.cache" if os.environ.get("HOME", "~") else ""
    folder = _with_home(base) if base else None
    return folder / "hocket" if folder and folder.is_absolute() else None


def _with_home(path: str) -> pathlib.Path | None:
    """`path` with `~` replaced; None when there is nothing to replace it by."""
    try:
        return pathlib.Path(path).expanduser()
    except RuntimeError:
        return None


def cache_limit() -> int:
    """How many bytes of compiled kernels are kept."""
    text = os.environ.get("HOCKET_CACHE_SIZE", "")
    if not text:
        return DEFAULT_CACHE_BYTES
    match = re.fullmatch(r"(\d{1,15})\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if not match:
        raise LaunchError(
            f"HOCKET_CACHE_SIZE is {text!r}\n  hint: write a number of bytes, or one with K, M, G or T, such as 500M"
        )
    return int(match[1]) << (10 * " KMGT".index(match[2].upper() or " "))


def debug() -> bool:
    return os.environ.get("HOCKET_DEBUG", "") not in ("", "0")


def emulator_optimize() -> bool:
    return os.environ.get("HOCKET_EMULATOR_OPTIMIZE", "") != "0"


def emulator_races() -> bool:
    return os.environ.get("HOCKET_EMULATOR_RACES", "") != "0"


def emulator_undefined() -> bool:
    return os.environ.get("HOCKET_EMULATOR_UNDEFINED", "") not in ("", "0")


def verify_machine() -> bool:
    return os.environ.get("HOCKET_VERIFY_MACHINE", "") not in ("", "0")


def timing() -> bool:
    return os.environ.get("HOCKET_TIMING", "") not in ("", "0")


def cuda_home() -> str | None:
    return os.environ.get("CUDA_HOME") or ("/usr/local/cuda" if os.path.isdir("/usr/local/cuda") else None)
