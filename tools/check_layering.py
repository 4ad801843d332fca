"""Checks that each folder of csrc/ includes only headers of folders to its left in this order:

    support <- layout <- target <- plans <- dialect <- analysis <- {transforms, conversion} <- pipeline <- bindings
                                               dialect <- emulator_abi <- {conversion/lane_to_host, emulator}

Also checks that no folder of csrc/ and tests/ has too many files; that no small header is included by only one file;
that no code compares the name, family or vendor of a GPU; that string literals with the name of a dialect appear only
in the folders that own the dialect; and that the discardable attributes of each dialect are declared in one header.

check_python_layering.py checks the imports of python/hocket.

Usage: python tools/check_layering.py [ROOT]      ROOT: the repository (default: the one this file is in)
Prints a line, `file:line: message`, for each include, import, name, header or folder that breaks a rule. The exit
status is 1 if there is such a line.
"""

from __future__ import annotations

import collections
import pathlib
import re
import sys

from check_python_layering import check_package

EVERYTHING_BELOW_PIPELINE = tuple(
    "support layout target plans dialect analysis transforms emulator_abi conversion codegen runtime frontend "
    "emulator".split()
)

# For each folder of csrc/: the other folders whose headers it may include, with their subfolders. The order is left to
# right.
MAY_INCLUDE = {
    "third_party": (),
    "support": (),
    "layout": ("support",),
    "target": ("support", "layout"),
    "plans": ("support", "layout", "target"),
    "dialect": ("support", "layout", "target", "plans"),
    "analysis": ("support", "layout", "target", "plans", "dialect"),
    "transforms": ("support", "layout", "target", "plans", "dialect", "analysis"),
    "emulator_abi": ("support", "layout", "target", "plans", "dialect"),
    "conversion": ("support", "layout", "target", "plans", "dialect", "analysis", "emulator_abi"),
    "codegen": ("support", "layout", "target", "third_party"),
    "runtime": ("support", "layout", "target", "third_party"),
    "dispatch": ("support", "runtime", "third_party"),
    "profiler": ("support",),
    "frontend": ("support", "layout", "target", "dialect"),
    "emulator": ("support", "layout", "target", "dialect", "emulator_abi", "codegen", "runtime"),
    "pipeline": EVERYTHING_BELOW_PIPELINE,
    "bindings": (*EVERYTHING_BELOW_PIPELINE, "pipeline", "dispatch", "profiler", "third_party"),
    "tools": (*EVERYTHING_BELOW_PIPELINE, "pipeline"),
}

# Pairs of folders: files of the first must not include files of the second. Back ends never include each other, and the
# dialect `hk` does not include the dialects to which it is lowered.
SIBLINGS_APART = (
    ("dialect/hk/", "dialect/lane/"),
    ("dialect/hk/", "dialect/hk_amd/"),
    ("dialect/hk/", "dialect/hk_nv/"),
    ("dialect/hk_amd/", "dialect/hk_nv/"),
    ("dialect/hk_nv/", "dialect/hk_amd/"),
    ("dialect/lane/", "dialect/hk_amd/"),
    ("dialect/lane/", "dialect/hk_nv/"),
    ("conversion/hk_nv_to_nvvm/", "conversion/hk_amd_to_rocdl/"),
    ("conversion/lane_to_nvvm/", "conversion/lane_to_rocdl/"),
    ("conversion/hk_amd_to_rocdl/", "conversion/hk_nv_to_nvvm/"),
    ("conversion/lane_to_rocdl/", "conversion/lane_to_nvvm/"),
    ("conversion/lane_to_host/", "conversion/lane_to_nvvm/"),
    ("conversion/lane_to_host/", "conversion/lane_to_rocdl/"),
)

# The subfolders of a folder from left to right. Files directly in the folder may include files of all its subfolders.
SUBFOLDERS = {"frontend": ("values", "ast", "semantics", "emit")}

# VENDOR_FREE: folders for all vendors. FOR_ONE_VENDOR: a subfolder for one vendor. OF_VENDORS: dialects of vendors.
VENDOR_FREE = ("analysis/", "transforms/")
FOR_ONE_VENDOR = "transforms/nvidia/"
OF_VENDORS = ("dialect/hk_amd/", "dialect/hk_nv/", "mlir/Dialect/LLVMIR/")

# The profiler is optional: passes and back ends that compile without profiling must not include its headers.
OF_PROFILER = ("dialect/prof/", "transforms/prof/", "conversion/prof_to_llvm/")
USES_PROFILER = (
    *OF_PROFILER,
    "conversion/Passes.cpp",  # lists the passes
    "conversion/Passes.h",
    "emulator/EmulatedKernel.cpp",  # passes the memory of the records as an argument
    "frontend/",
    "pipeline/",
    "tools/",
)

# Prefixes of headers of other projects, and the only folders of csrc/ that may include these headers.
USES_MLIR = (
    "dialect",
    "emulator_abi",
    "analysis",
    "transforms",
    "conversion",
    "frontend",
    "emulator",
    "pipeline",
    "bindings",
    "tools",
)
FOREIGN = {
    "mlir/": USES_MLIR,
    "llvm/": (*USES_MLIR, "codegen", "plans"),
    "pybind11/": ("frontend", "bindings"),
    "Python.h": ("frontend", "bindings"),
}

# For each identifier that only one header may contain: the header, the reason, and the replacement for other files.
ONE_HOME = {
    "gil_scoped_release": ("bindings/Presence.h", "a process that ends would unwind it; write WithoutGil"),
    "PyEval_SaveThread": ("bindings/Presence.h", "a process that ends would unwind what follows; write WithoutGil"),
}

#: Largest number of lines of a small header. A small header that only one file includes must be merged into that file,
#: unless a .cpp file of the same name exists.
SMALL_HEADER = 40

#: Largest number of files of a folder. A larger folder must be split by subject.
MOST_FILES = 40

# Files whose code may compare vendors. Other code uses the vendor and the family of a target only in messages: all
# differences between GPUs are fields in target/TargetInfo.h or functions in target/.
OWNS_VENDORS = (
    "target/",
    "pipeline/AmdBackend.cpp",
    "pipeline/Backends.cpp",
    "pipeline/NvidiaBackend.cpp",
    "runtime/hip/HipApi.cpp",  # lists the GPUs that its library runs on
)
BY_FAMILY = re.compile(r"\bfamily\s*[!=]=|[!=]=\s*[\w:.()>-]*(?:\.|->)family\b")
BY_VENDOR = re.compile(
    r"\bVendor::|\bvendor\s*[!=]=|[!=]=\s*[\w:.()>-]*(?:\.|->)vendor\b|\bswitch\s*\([^;{]*\bvendor\s*\)"
)
BY_NAME = re.compile(r'[!=]=\s*"(?:sm_|gfx)\d|"(?:sm_|gfx)\d\w*"\s*[!=]=')

# For each dialect or prefix of intrinsics: the folders whose string literals may contain its name. Code in other
# folders queries interfaces of operations, or reads the names of asynchronous counters from the counter.
SPELLS = {
    "hk_amd": ("dialect/hk_amd/",),
    "hk_nv": ("dialect/hk_nv/",),
    "prof": ("dialect/prof/", "transforms/prof/", "conversion/prof_to_llvm/"),
    "lane": ("dialect/lane/", "conversion/"),
    "nvvm": (
        "codegen/",
        "conversion/lane_to_host/",
        "conversion/hk_nv_to_nvvm/",
        "conversion/lane_to_nvvm/",
        "conversion/prof_to_llvm/Nvvm",
        "pipeline/NvidiaBackend.cpp",
    ),
    "rocdl": (
        "codegen/",
        "conversion/lane_to_host/",
        "conversion/hk_amd_to_rocdl/",
        "conversion/lane_to_rocdl/",
        "conversion/prof_to_llvm/Rocdl",
        "pipeline/AmdBackend.cpp",
        "target/MatrixInstructions.cpp",
    ),
}
SPELLS["llvm.nvvm"], SPELLS["llvm.amdgcn"] = SPELLS["nvvm"], SPELLS["rocdl"]
QUOTED_DIALECT = re.compile(
    r'"(?:(?P<name>hk_amd|hk_nv|prof|nvvm|rocdl|llvm\.nvvm|llvm\.amdgcn)[."]|(?P<operation>lane)\.)'
)
# For each dialect: the header that declares its discardable attributes with their types, and the files that declare
# names of asynchronous counters, such as hk.copy_groups. No other file may contain a name of these attributes.
DECLARES = {
    "hk": ("dialect/hk/facts/Facts.h", "dialect/hk/facts/AsyncCounter.h"),
    "hk_nv": ("dialect/hk_nv/HkNvDialect.h", "dialect/hk_nv/TmaOps.cpp", "dialect/hk_nv/WarpgroupOps.cpp"),
    "hk_amd": ("dialect/hk_amd/HkAmdDialect.h",),
    "lane": ("dialect/lane/LaneFacts.h",),
    "prof": ("dialect/prof/ProfDialect.h",),
}
QUOTED_ATTRIBUTE = re.compile(r'"(?P<dialect>hk|hk_nv|hk_amd|lane|prof)\.\w+"')
COMMENT = re.compile(r"(?:^|\s)//.*")

INCLUDE = re.compile(r'^\s*(?:#\s*include|include)\s+["<]([^">]+)[">]')
SOURCES = {".h", ".cpp", ".td"}


def is_within(path: str, folders: tuple[str, ...]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def check_subfolder(source: str, included: str) -> str | None:
    """Returns a message if `source` must not include `included`, a file of the same folder, by SUBFOLDERS; else
    None."""
    folder, inside = source.split("/")[:2]
    order = [*SUBFOLDERS.get(folder, ()), folder]
    here = inside if inside in order else folder
    there = included.split("/")[1] if included.split("/")[1] in order else folder
    if order.index(there) <= order.index(here):
        return None
    return f"{folder}/{here} must not include {included}: the order is {' <- '.join(order)}"


def check_include(source: str, included: str) -> str | None:
    """Returns a message if `source` must not include `included`, else None. Both paths are relative to csrc/."""
    folder = source.split("/")[0]
    for prefix, users in FOREIGN.items():
        if included.startswith(prefix) and folder not in users:
            return f"{folder} must not include {prefix.rstrip('/')} (only {', '.join(users)} may)"
    for neutral in VENDOR_FREE:
        if source.startswith(neutral) and included.startswith(OF_VENDORS) and not source.startswith(FOR_ONE_VENDOR):
            return f"{neutral.rstrip('/')} must not include {included}: it works for every vendor"
    if included.startswith(OF_PROFILER) and not source.startswith(USES_PROFILER):
        return f"{folder} must not include {included}: it works without the profiler"
    target = included.split("/")[0]
    if "/" not in included or target not in MAY_INCLUDE:
        return None
    if target == folder:
        for left, right in SIBLINGS_APART:
            if source.startswith(left) and included.startswith(right):
                return f"{left.rstrip('/')} must not include {right.rstrip('/')}"
        return check_subfolder(source, included)
    if is_within(included, MAY_INCLUDE[folder]):
        return None
    may = ", ".join(MAY_INCLUDE[folder]) or "nothing else"
    return f"{folder} must not include {target} (it may include {may})"


def check_names(source: str, line: str) -> str | None:
    """Returns a message if a line of C++ compares the name, family or vendor of a GPU, or contains a name of a dialect
    that `source` may not use; else None."""
    code = COMMENT.sub("", line)
    field = "decide by a field of target/TargetInfo.h"
    if BY_FAMILY.search(code):
        return f"a family is for messages: {field}"
    if BY_NAME.search(code) and not source.startswith("target/"):
        return f"a target's name decides nothing: {field}"
    if BY_VENDOR.search(code) and not source.startswith(OWNS_VENDORS):
        return f"a vendor decides nothing: {field}"
    for match in QUOTED_DIALECT.finditer(code):
        name = match["name"] or match["operation"]
        if not source.startswith(SPELLS[name]):
            return f"{name} is spelled in {', '.join(SPELLS[name])} alone: ask an interface of the operation"
    if (match := QUOTED_ATTRIBUTE.search(code)) and source not in DECLARES[match["dialect"]]:
        return f"{match[0]} is an attribute: declare it with its type in {DECLARES[match['dialect']][0]}"
    return None


def check_tree(root: pathlib.Path) -> list[str]:
    """Returns a message for each include or name in csrc/ that breaks a rule."""
    problems = []
    csrc = root / "csrc"
    for path in sorted(csrc.rglob("*")):
        if path.suffix not in SOURCES:
            continue
        source = path.relative_to(csrc).as_posix()
        folder = source.split("/")[0]
        if folder not in MAY_INCLUDE:
            problems.append(
                f"csrc/{source}:1: {folder} has no place in the layering; add it to tools/check_layering.py"
            )
            continue
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines, start=1):
            if path.suffix != ".td" and (problem := check_names(source, line)):
                problems.append(f"csrc/{source}:{number}: {problem}")
            for word, (home, why) in ONE_HOME.items():
                if word in line and not source.startswith(home.removesuffix(".h")):
                    problems.append(f"csrc/{source}:{number}: {word} is for {home} alone: {why}")
            match = INCLUDE.match(line)
            problem = match and check_include(source, match[1])
            if problem:
                problems.append(f"csrc/{source}:{number}: {problem}")
    return problems


def check_sizes(root: pathlib.Path) -> list[str]:
    """Returns a message for each folder of csrc/ and tests/ with more than MOST_FILES files."""
    files = [path for part in ("csrc", "tests") for path in (root / part).rglob("*") if path.is_file()]
    counts = collections.Counter(path.parent for path in files if path.suffix != ".pyc")
    return [
        f"{folder.relative_to(root).as_posix()}: {count} files, more than {MOST_FILES}; split the folder by kind"
        for folder, count in sorted(counts.items())
        if count > MOST_FILES
    ]


def check_small_headers(root: pathlib.Path) -> list[str]:
    """Returns a message for each small header of csrc/ that only one file includes, and that has no .cpp file of the
    same name."""
    files = [path for part in ("csrc", "tests/unit", "cmake") for path in (root / part).rglob("*")]
    clients = collections.defaultdict(list)
    for path in files:
        if path.suffix in SOURCES and path.is_file():
            for match in map(INCLUDE.match, path.read_text().splitlines()):
                if match:
                    clients[match[1]].append(path.relative_to(root).as_posix())
    problems = []
    for path in sorted((root / "csrc").rglob("*.h")):
        users = clients[path.relative_to(root / "csrc").as_posix()]
        is_small = len(path.read_text().splitlines()) <= SMALL_HEADER
        if is_small and len(users) == 1 and not path.with_suffix(".cpp").exists():
            problems.append(f"{path.relative_to(root).as_posix()}:1: only {users[0]} includes it: join the two")
    return problems


def main(arguments: list[str]) -> int:
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    problems = check_tree(root) + check_sizes(root) + check_small_headers(root) + check_package(root)
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
