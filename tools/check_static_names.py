"""Checks that files which CI and wheels compile together define no static function twice.

    python tools/check_static_names.py [ROOT]

CMake's unity build compiles several files of a library as one (`CMAKE_UNITY_BUILD` in cmake/Toolchain.cmake), and a new
file changes which ones. Two static functions with one name and equal types of parameters must therefore be in files of
different libraries, or one of the files must be compiled alone (`ALONE` in `hocket_library`). Constants are checked by
name.
"""

from __future__ import annotations

import collections
import pathlib
import re
import sys

DEFINITION = re.compile(r"^static (?:inline |constexpr |const )*[\w:<>,*& ]+?[ *&](\w+)(\(|\s*=|\[|\{|;)", re.MULTILINE)


def types_of_parameters(text: str, start: int) -> str:
    """Returns the types of the parameters of a function, whose list begins at `start`, without names and defaults."""
    end, depth = start, 1
    while depth:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    parameters = re.sub(r"\s+", " ", text[start : end - 1]).split(",")
    return ", ".join(re.sub(r"(?<=[ *&])\w+$", "", parameter.split("=")[0].strip()).strip() for parameter in parameters)


def static_names(text: str) -> set[tuple[str, str]]:
    """Returns the names that a file defines for itself, with the types of the parameters of functions."""
    return {
        (found[1], types_of_parameters(text, found.end()) if found[2] == "(" else "")
        for found in DEFINITION.finditer(text)
    }


def problems_of(folder: pathlib.Path, root: pathlib.Path) -> list[str]:
    """Returns the collisions within the library of `folder`, which has a CMakeLists.txt."""
    build = (folder / "CMakeLists.txt").read_text()
    alone = {name for group in re.findall(r"\bALONE((?:\s+[\w/]+\.cpp)+)", build) for name in group.split()}
    alone.update(re.findall(r"([\w/]+\.cpp) PROPERTIES SKIP_UNITY_BUILD_INCLUSION", build))
    files = collections.defaultdict(set)
    for path in sorted(folder.rglob("*.cpp")):
        nearest = next(parent for parent in path.parents if (parent / "CMakeLists.txt").exists())
        name = str(path.relative_to(folder))
        if nearest == folder and name not in alone:
            for key in static_names(path.read_text()):
                files[key].add(name)
    return [
        f"{folder.relative_to(root)}: {name}({types}) is static in {' and '.join(sorted(found))}: share it, or "
        "rename one, or list one of the files after ALONE in CMakeLists.txt"
        for (name, types), found in sorted(files.items())
        if len(found) > 1
    ]


def main(arguments: list[str]) -> int:
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parents[1]
    folders = sorted(path.parent for path in (root / "csrc").rglob("CMakeLists.txt"))
    problems = [problem for folder in folders for problem in problems_of(folder, root)]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
