"""Functions that compile kernels (csrc/bindings/Compile.cpp). The arguments `types` and `values` are the specialization
that LaunchFunction passes to `_compile`."""

from collections.abc import Sequence
from typing import Any

from hocket.runtime.options import Options

from .kernel_facts import KernelFacts

llvm_version: str

def compile(
    function: Any,
    types: list,
    values: list,
    target: str,
    options: Options,
    wanted: Sequence[str],
    trace: CompileTrace | None = None,
) -> tuple[KernelFacts, dict[str, bytes]]:
    """Returns the kernel's properties, and the artifacts in `wanted` by name."""

def codegen_passes() -> list[str]: ...
def set_machine_verifier(on: bool) -> None: ...

class CompileTrace:
    """Records the steps of a compilation, including a compilation that fails."""

    def __init__(self, print_after: str = "") -> None:
        """Prints the module after the pass `print_after`; after each pass if it is "all", after no pass if it is
        ""."""

    @property
    def printed(self) -> str: ...
    @property
    def seconds(self) -> list[tuple[str, float]]:
        """The name and the duration in seconds of each pass, and of each step after the passes, in order."""

def emit(function: Any, types: list, values: list, target: str, options: Options) -> str:
    """Returns the front end's output, before any pass."""

def emit_to_go_on(function: Any, types: list, values: list, target: str, options: Options) -> tuple[str, list[str]]:
    """Returns the front end's output with all locations, and the names of the parameters: the input of
    `compile_emitted`."""

def compile_emitted(
    text: str, parameters: list[str], target: str, options: Options, wanted: Sequence[str]
) -> tuple[KernelFacts, dict[str, bytes]]:
    """Compiles the output of `emit_to_go_on`, possibly in another process. Raises ValueError if another build of the
    compiler made the output."""

def check_signature(text: str) -> None: ...
def artifacts(target: str) -> list[str]: ...
def cubin_assembler(ptx: str | bytes = "") -> str: ...
def set_cuda_toolchain(folders: Sequence[str], newest_major: int) -> None: ...
def finish_prefetch() -> None: ...
def ptx_to_cubin(ptx: bytes, facts: KernelFacts) -> bytes:
    """Assembles the PTX of a kernel with the properties `facts`. If the assembler rejects the PTX, raises CompileError
    for a kernel with inline assembly, otherwise InternalError."""
