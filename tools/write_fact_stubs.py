"""Writes the properties of KernelFacts, as the built module lists them, to python/hocket/_core_stubs/kernel_facts.pyi.

Usage: python tools/write_fact_stubs.py      after a build that has changed csrc/runtime/KernelFacts.def
"""

import pathlib
import sys

from hocket import _core

STUB = pathlib.Path(__file__).resolve().parent.parent / "python/hocket/_core_stubs/kernel_facts.pyi"
BEGIN = "    # Written by tools/write_fact_stubs.py from csrc/runtime/KernelFacts.def:\n"
END = "    # End of the generated part.\n"


def with_facts(text: str, facts: tuple[tuple[str, str, str], ...]) -> str:
    """Returns the stub file `text` with a property for each of `facts` (name, type, docstring) between BEGIN and
    END."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    lines = [
        f'    @property\n    def {name}(self) -> {type_}:\n        """{about}"""\n' for name, type_, about in facts
    ]
    return before + BEGIN + "".join(lines) + END + after


def main() -> int:
    STUB.write_text(with_facts(STUB.read_text(), _core.KernelFacts.FACTS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
