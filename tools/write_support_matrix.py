"""Writes docs/support.md: the names of the language that each target supports, and properties of the targets.

Usage: python tools/write_support_matrix.py [--check]
    --check   write nothing; exit with 1 if the page differs

tests/python/language/test_examples.py runs the docstring example of each name on each target that supports the name.
tests/python/language/test_support_matrix.py compiles the example for all other targets, and expects an error.
"""

from __future__ import annotations

import itertools
import pathlib
import sys
from collections.abc import Iterator
from typing import Any

from hocket import devices
from hocket import language as gl
from hocket.language._builtin import KernelFunction

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "support.md"

MODULES = {
    "gl": gl,
    "gl.amd": gl.amd,
    "gl.amd.cdna3": gl.amd.cdna3,
    "gl.amd.cdna4": gl.amd.cdna4,
    "gl.amd.cdna4.async_copy": gl.amd.cdna4.async_copy,
    "gl.nvidia.ampere": gl.nvidia.ampere,
    "gl.nvidia.ampere.async_copy": gl.nvidia.ampere.async_copy,
    "gl.nvidia.ampere.mbarrier": gl.nvidia.ampere.mbarrier,
    "gl.nvidia.hopper.mbarrier": gl.nvidia.hopper.mbarrier,
    "gl.nvidia.hopper.tma": gl.nvidia.hopper.tma,
    "gl.nvidia.hopper": gl.nvidia.hopper,
    "gl.extra.cuda": gl.extra.cuda,
}
#: Modules whose functions have no examples in their docstrings.
OTHER_MODULES = {
    "gl.nvidia.ampere.named_barrier": gl.nvidia.ampere.named_barrier,
    "gl.nvidia.hopper.cluster": gl.nvidia.hopper.cluster,
}
#: Types of values in kernels whose methods are listed on the page.
VALUES = {
    "gl.tensor": gl.tensor,
    "gl.shared_memory_descriptor": gl.shared_memory_descriptor,
    "gl.nvidia.hopper.tma.tensor_descriptor": gl.nvidia.hopper.tma.tensor_descriptor,
}
NVIDIA, AMD = ["sm_80", "sm_90a"], ["gfx942", "gfx950"]
#: Supported targets of names for which they differ from the targets of the module.
TARGETS = {"gl.warp_specialize": NVIDIA, "gl.amd.slice": [*NVIDIA, *AMD], "gl.amd.warp_pipeline_stage": [*NVIDIA, *AMD]}

HEAD = """\
# Support matrix

`tools/write_support_matrix.py` writes this page. Tests run every name on every target that supports it, and check that
the other targets reject it. [limits.md](limits.md) lists missing features. [language_rows.md](language_rows.md) and
[hopper_operations.md](hopper_operations.md) describe the state of each name.

"yes" means that kernels with this name compile for the target and run on its emulator. Kernels for `sm_90a` have run on
hardware; kernels for `sm_80`, `gfx942` and `gfx950` have not ([limits.md](limits.md#machines)).
"""


def is_builtin(value: Any) -> bool:
    return hasattr(value, "__hocket_builtin__") or isinstance(value, KernelFunction)


def builtins_of_modules(modules: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for prefix, module in modules.items():
        for name in module.__all__:
            if is_builtin(value := getattr(module, name)):
                yield f"{prefix}.{name}", value


def builtins_of_values() -> Iterator[tuple[str, Any]]:
    for prefix, owner in VALUES.items():
        for name, value in vars(owner).items():
            value = value.fget if isinstance(value, property) else value
            if hasattr(value, "__hocket_builtin__"):
                yield f"{prefix}.{name}", value


#: Stub functions by name, for names with an example in their docstring.
STUBS = dict(itertools.chain(builtins_of_modules(MODULES), builtins_of_values()))


def targets_of_module(name: str) -> list[str]:
    if ".cdna4." in name and ".async_copy" not in name:
        return ["gfx950"]
    if ".amd" in name:
        return AMD
    if ".hopper" in name:
        return ["sm_90a"]
    return NVIDIA if ".nvidia" in name else devices.targets()


def targets_of(name: str) -> list[str]:
    """Returns the targets that support a name, such as "gl.nvidia.ampere.mma_v2". If several modules export one object,
    all its names have the same supported targets."""
    if name in TARGETS:
        return TARGETS[name]
    aliases = [other for other, stub in STUBS.items() if stub is STUBS.get(name)] or [name]
    supported = {target for alias in aliases for target in targets_of_module(alias)}
    return [target for target in devices.targets() if target in supported]


def markdown_row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def fact_rows() -> Iterator[list[str]]:
    every = [devices.properties(target) for target in devices.targets()]
    yield ["vendor", *({"nvidia": "NVIDIA", "amd": "AMD"}[facts.vendor] for facts in every)]
    yield ["lanes of a warp", *(str(facts.warp_size) for facts in every)]
    yield ["threads of a block", *(str(facts.max_threads_per_block) for facts in every)]
    yield ["shared memory of a block, KiB", *(str(facts.max_shared_bytes // 1024) for facts in every)]
    yield ["shared memory banks", *(str(facts.shared_banks) for facts in every)]
    yield ["L2 caches (dies)", *(str(facts.cache_dies) for facts in every)]


def name_rows() -> Iterator[list[str]]:
    """Yields a table row for all names of a module or type that have the same supported targets."""
    others = dict(builtins_of_modules(OTHER_MODULES))
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name in [*STUBS, *others]:
        owner, _, last = name.rpartition(".")
        groups.setdefault((owner, tuple(targets_of(name))), []).append(last)
    for (owner, supported), names in groups.items():
        cells = ["yes" if target in supported else "-" for target in devices.targets()]
        yield [f"`{owner}`", ", ".join(f"`{name}`" for name in names), *cells]


def page_text() -> str:
    targets = [f"`{target}`" for target in devices.targets()]
    facts = [["property", *targets], ["---"] * 5, *fact_rows()]
    names = [["module or type", "names", *targets], ["---"] * 6, *name_rows()]
    sections = [HEAD, "## Targets\n", *map(markdown_row, facts), "\n## Names\n", *map(markdown_row, names)]
    return "\n".join(sections) + "\n"


def main() -> int:
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.exists() and PAGE.read_text() == page_text() else 1
    PAGE.write_text(page_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
