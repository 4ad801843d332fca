"""Checks that a wheel may be distributed: hardening, needed libraries, licenses and bill of materials.

Usage: python tools/check_wheel.py WHEEL ...
Prints a line per problem. The exit status is 1 if there are problems. Needs `readelf`.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

# Libraries that every Linux system with glibc has. The modules of a wheel must not need other libraries.
SYSTEM_LIBRARIES = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
#: Compiler options that the module must be compiled with; see HOCKET_HARDENED in cmake/Toolchain.cmake.
HARDENING = ("-fstack-protector-strong", "-D_FORTIFY_SOURCE=2", "-fcf-protection=full")


def readelf(path: pathlib.Path, *options: str) -> str:
    return subprocess.run(["readelf", "--wide", *options, path], capture_output=True, text=True, check=True).stdout


def link_problems(path: pathlib.Path) -> list[str]:
    """Checks the properties of a module that the linker determines. Developers' builds have these properties, too."""
    dynamic, segments = readelf(path, "--dynamic"), readelf(path, "--segments")
    needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic))
    found = {
        "is not linked with -z now": "BIND_NOW" not in dynamic and not re.search(r"FLAGS_1.*NOW", dynamic),
        "is not linked with -z relro": "GNU_RELRO" not in segments,
        "has an executable stack": not re.search(r"GNU_STACK .* RW +0", segments),
        "has relocations in its code": "TEXTREL" in dynamic,
        "looks for libraries in folders of the machine that built it": "RPATH" in dynamic or "RUNPATH" in dynamic,
        f"needs {', '.join(sorted(needed - SYSTEM_LIBRARIES))}": bool(needed - SYSTEM_LIBRARIES),
    }
    return [problem for problem, is_so in found.items() if is_so]


def compile_problems(path: pathlib.Path) -> list[str]:
    """Checks that hocket's own code is compiled with the options in HARDENING, by a text in the module. Imports and ELF
    markers of the module would not suffice, because the module also contains LLVM, which the Linux distribution has
    compiled with other options."""
    said = re.search(rb"hocket is compiled with:([^\0]*)\0", path.read_bytes())
    given = said[1].decode().split() if said else []
    return [f"is compiled without {option}" for option in HARDENING if option not in given]


def wheel_problems(wheel: pathlib.Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        names = archive.namelist()
        problems = [
            f"lacks {what}"
            for what in ("licenses/LICENSE", "licenses/third_party/LICENSES.txt", "sboms/hocket.cdx.json")
            if not any(name.endswith(f".dist-info/{what}") for name in names)
        ]
        if "manylinux" not in wheel.name:
            problems.append("has no manylinux tag")
        for name in names:
            if name.endswith(".so"):
                module = pathlib.Path(archive.extract(name, folder))
                problems += [f"{name} {problem}" for problem in link_problems(module) + compile_problems(module)]
    return problems


def main() -> int:
    problems = [f"{name}: {problem}" for name in sys.argv[1:] for problem in wheel_problems(pathlib.Path(name))]
    print(*problems, sep="\n", end="\n" if problems else "")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
