"""Every environment variable that hocket reads.

HOCKET_CACHE_DIR       where compiled kernels are kept; default $XDG_CACHE_HOME/hocket or ~/.cache/hocket.
                       Empty: nothing is kept.
HOCKET_DEBUG           1: compile every kernel with `debug=True`, so that asserts in kernels are checked.
HOCKET_EMULATOR_RACES  0: the emulator does not look for races; see hocket.emulator.schedule.
CUDA_HOME              a CUDA toolkit to take nvJitLink or ptxas from when NVIDIA's pip packages are not installed.
"""

import os
import pathlib


def cache_directory() -> pathlib.Path | None:
    """Where compiled kernels are kept, or None to keep none."""
    chosen = os.environ.get("HOCKET_CACHE_DIR")
    if chosen is not None:
        return pathlib.Path(chosen) if chosen else None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(base) / "hocket"


def debug() -> bool:
    return os.environ.get("HOCKET_DEBUG", "") not in ("", "0")


def emulator_races() -> bool:
    return os.environ.get("HOCKET_EMULATOR_RACES", "") != "0"


def cuda_home() -> str | None:
    return os.environ.get("CUDA_HOME") or ("/usr/local/cuda" if os.path.isdir("/usr/local/cuda") else None)
