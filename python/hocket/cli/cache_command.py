"""`hocket cache`: shows the cache of compiled kernels, or clears it."""

from __future__ import annotations

import argparse
import os

DESCRIPTION = """\
Show the folder of compiled kernels, their number and their size. HOCKET_CACHE_DIR and HOCKET_CACHE_SIZE set the folder
and the largest size; beyond it, the least recently used kernels are removed.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--clear", action="store_true", help="remove all compiled kernels")


def run(arguments: argparse.Namespace) -> int:
    """Prints the state of the cache. Returns 1 if the folder of the cache cannot be used."""
    from ..runtime import compiler, environment

    directory, cache = environment.cache_directory(), compiler.disk_cache()
    if directory is None or cache is None:
        reason = "HOCKET_CACHE_DIR is empty" if os.environ.get("HOCKET_CACHE_DIR") == "" else "there is no home folder"
        print(f"off: {reason}")
        return 0
    problem, entries, size = cache.status()
    print(f"folder   {directory / 'kernels'}")
    if problem:
        print(f"not used: {problem}")
        return 1
    if arguments.clear:
        print(f"removed  {_kernels(cache.clear())}")
    else:
        print(f"holds    {_kernels(entries)}, {_size(size)} of {_size(environment.cache_limit())}")
    return 0


def _kernels(count: int) -> str:
    return "1 kernel" if count == 1 else f"{count} kernels"


def _size(count: int) -> str:
    """Returns `count` bytes in the largest unit in which the number is at least 1, such as "12.0 KiB"."""
    unit = min(max(count.bit_length() - 1, 0) // 10, 4)
    return f"{count / 2 ** (10 * unit):.1f} {['bytes', 'KiB', 'MiB', 'GiB', 'TiB'][unit]}" if unit else f"{count} bytes"
