"""All environment variables that hocket's Python code reads. (csrc/bindings reads those of the emulator and of
tracebacks.)

HOCKET_CACHE_DIR       folder of compiled kernels; default $XDG_CACHE_HOME/hocket or ~/.cache/hocket.
                       Empty: no disk cache.
HOCKET_CACHE_SIZE      size limit of the cache, such as 500M or 4G; default 1G. Least recently used kernels are evicted.
HOCKET_DEBUG           1: compile every kernel with `debug=True`, so that assertions in kernels are also checked on
                       GPUs.
HOCKET_EMULATOR_OPTIMIZE  0: do not optimize code for the emulator. Kernels compile in half the time or less, and run
                       slower: for tests that launch many kernels once.
HOCKET_EMULATOR_RACES  0: the emulator does not check for races; see hocket.emulator.schedule.
HOCKET_EMULATOR_UNDEFINED  1: the emulator checks for uses of undefined values; see hocket.emulator.schedule.
HOCKET_FULL_TRACEBACK  1: tracebacks of errors include the frames of hocket.
HOCKET_NORM_SCHEDULE   variant of hocket.kernels.norms for norms whose call, module and `with` block force none, such
                       as "streaming", or "forward=staged,backward=cluster"; see norms.force_schedule. The variable is
                       read when a process first chooses a variant.
HOCKET_TIMING          1: print the time of each step of each compilation to stderr.
HOCKET_VERIFY_MACHINE  1: verify machine code after each of Hocket's passes over it (AMD); for tests of the compiler.
HOCKET_WARP_PIPELINE   auto: default of the launch option `warp_pipeline`, for kernels that set none.
CUDA_HOME              a CUDA toolkit with nvJitLink or ptxas, used if NVIDIA's pip packages are not installed.
"""

import os
import pathlib
import re

from ..errors import LaunchError

#: Name of the environment variable that `norm_schedule` reads.
NORM_SCHEDULE = "HOCKET_NORM_SCHEDULE"

#: An entry takes 10 to 100 KiB, so a cache of this size holds 10,000 to 100,000 kernels.
DEFAULT_CACHE_BYTES = 2**30


def cache_directory() -> pathlib.Path | None:
    """Returns the folder of compiled kernels, or None if the cache is disabled, or if the user has no home folder."""
    chosen = os.environ.get("HOCKET_CACHE_DIR")
    if chosen is not None:
        return _with_home(chosen) if chosen else None
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # the XDG standard requires that programs ignore relative paths in this variable
        base = "~/.cache" if os.environ.get("HOME", "~") else ""
    folder = _with_home(base) if base else None
    return folder / "hocket" if folder and folder.is_absolute() else None


def _with_home(path: str) -> pathlib.Path | None:
    """Returns `path` with `~` replaced by the user's home folder; None if there is no home folder."""
    try:
        return pathlib.Path(path).expanduser()
    except RuntimeError:
        return None


def cache_limit() -> int:
    """Returns the size limit of the cache in bytes."""
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


def verify_machine() -> bool:
    return os.environ.get("HOCKET_VERIFY_MACHINE", "") not in ("", "0")


def warp_pipeline() -> str | None:
    """Returns the default of the launch option `warp_pipeline`."""
    value = os.environ.get("HOCKET_WARP_PIPELINE", "")
    if value not in ("", "auto"):
        raise LaunchError(f'HOCKET_WARP_PIPELINE must be "auto" or empty, not {value!r}')
    return value or None


def norm_schedule() -> str:
    return os.environ.get(NORM_SCHEDULE, "")


def timing() -> bool:
    return os.environ.get("HOCKET_TIMING", "") not in ("", "0")


def cuda_home() -> str | None:
    return os.environ.get("CUDA_HOME") or ("/usr/local/cuda" if os.path.isdir("/usr/local/cuda") else None)
