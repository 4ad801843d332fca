"""`hocket cache`: shows the cache of compiled kernels, clears it, or ships it to other machines."""

from __future__ import annotations

import argparse
import os

DESCRIPTION = """\
Show the folder of compiled kernels, their number and their size. HOCKET_CACHE_DIR and HOCKET_CACHE_SIZE set the folder
and the largest size; beyond it, the least recently used kernels are removed.

`hocket cache pack` writes the kernels to an archive, and `hocket cache unpack` adds them to the cache of another
machine with the same build of Hocket, which then compiles none of them.
"""

EPILOG = """\
Exit status: 0; 1 if the cache cannot be used; 2 for a damaged archive, or one of another build.

examples
  hocket cache pack kernels.tar.gz --kernels matmul_by_partitions,attention_hopper
  hocket cache unpack kernels.tar.gz
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--clear", action="store_true", help="remove all compiled kernels")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    pack = actions.add_parser("pack", help="write the kernels to an archive")
    pack.add_argument("output", metavar="OUT", help="the archive; equal kernels give equal bytes")
    pack.add_argument("--kernels", metavar="NAME,..", default="", help="pack only the kernels with these names")
    unpack = actions.add_parser("unpack", help="add the kernels of an archive to the cache")
    unpack.add_argument("archive", metavar="FILE", help="the archive, which is verified before anything is written")
    unpack.add_argument("--sha256", metavar="DIGEST", help="refuse an archive with another digest than pack printed")


def run(arguments: argparse.Namespace) -> int:
    """Prints the state of the cache, or packs or unpacks it. Returns 1 if the folder of the cache cannot be used."""
    if arguments.action == "pack":
        return _pack(arguments)
    if arguments.action == "unpack":
        return _unpack(arguments)
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


def _pack(arguments: argparse.Namespace) -> int:
    from ..runtime import cache_archives

    names = [name.strip() for name in arguments.kernels.split(",") if name.strip()]
    packed = cache_archives.pack(arguments.output, names)
    print(f"packed   {_kernels(packed.kernels)} to {arguments.output}, {_size(os.path.getsize(arguments.output))}")
    if packed.others:
        print(f"skipped  {_kernels(packed.others)} of other builds of Hocket")
    print(f"sha256   {packed.digest}")
    return 0


def _unpack(arguments: argparse.Namespace) -> int:
    from ..runtime import cache_archives

    unpacked = cache_archives.unpack(arguments.archive, arguments.sha256)
    print(f"added    {_kernels(unpacked.kernels)}")
    if unpacked.others:
        print(f"present  {_kernels(unpacked.others)}")
    print(f"sha256   {unpacked.digest}")
    return 0


def _kernels(count: int) -> str:
    return "1 kernel" if count == 1 else f"{count} kernels"


def _size(count: int) -> str:
    """Returns `count` bytes in the largest unit in which the number is at least 1, such as "12.0 KiB"."""
    unit = min(max(count.bit_length() - 1, 0) // 10, 4)
    return f"{count / 2 ** (10 * unit):.1f} {['bytes', 'KiB', 'MiB', 'GiB', 'TiB'][unit]}" if unit else f"{count} bytes"
