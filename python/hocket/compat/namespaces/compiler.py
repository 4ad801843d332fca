"""`triton.compiler` and `triton.backends.compiler`: compilation without a launch, and the classes of compilation
errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import CompileError, HocketError
from ...runtime import compiler, places
from ...runtime.compiled import CompiledKernel
from ..functions import without_hints
from ..gpu_targets import GPUTarget
from .driver import active

__all__ = [
    "ASTSource",
    "CompilationError",
    "CompileTimeAssertionFailure",
    "CompiledKernel",
    "GPUTarget",
    "GluonASTSource",
    "TritonError",
    "UnsupportedLanguageConstruct",
    "compile",
    "max_shared_mem",
]

# Hocket raises CompileError for all errors of compilation. Only the messages differ.
CompilationError = CompileTimeAssertionFailure = UnsupportedLanguageConstruct = CompileError
TritonError = HocketError


@dataclass
class ASTSource:
    """A kernel and the types of its arguments by name: {"x": "*fp32", "n": "i32", "BLOCK": "constexpr"}.

    `attrs` maps the position of an argument to attributes, such as {(2,): [["tt.divisibility", 16]]}.
    """

    fn: Any
    signature: dict[str, str]
    constexprs: dict[Any, Any] | None = None
    attrs: dict[Any, Any] | None = None

    def described(self) -> tuple[list, list]:
        """Returns the types and the values of the kernel's parameters, as arguments for the compiler."""
        names = self.fn.arg_names
        constants = {(names[k[0]] if isinstance(k, tuple) else k): v for k, v in (self.constexprs or {}).items()}
        multiples = {
            names[k[0] if isinstance(k, tuple) else k]: dict(map(tuple, v)) for k, v in (self.attrs or {}).items()
        }
        types: list[str | None] = []
        values: list[Any] = []
        for name in names:
            written = self.signature.get(name, "constexpr")
            is_constant = name in constants or written == "constexpr"
            if is_constant and name not in constants:
                raise CompileError(f"{self.fn.__name__}: the constexpr `{name}` has no value")
            types.append(None if is_constant else _type_text(written, multiples.get(name, {})))
            values.append(constants.get(name))
        return types, values


GluonASTSource = ASTSource

#: Maps type names of Triton's signatures to Hocket's type names, for types whose names differ.
_TYPES = {"fp8e5": "f8e5", "fp8e4nv": "f8e4nv", "fp8e4b8": "f8e4b8", "fp8e5b16": "f8e5b16", "fp16": "f16",
          "fp32": "f32", "fp64": "f64", "u1": "i1"}  # fmt: skip
#: Maps type names of Hocket's signatures to Triton's type names, for types whose names differ.
TRITON_TYPES = {ours: theirs for theirs, ours in _TYPES.items()}


def _type_text(written: str, facts: dict[str, int]) -> str:
    star, name = ("*", written[1:]) if written.startswith("*") else ("", written)
    multiple = facts.get("tt.divisibility", 0)
    return f"{star}{_TYPES.get(name, name)}" + (f":{multiple}" if multiple else "")


def compile(src: Any, target: GPUTarget | None = None, options: dict[str, Any] | None = None, **_: Any) -> Any:
    """Compiles a kernel for a GPU, which need not be present.

    Example:
        triton.compile(GluonASTSource(kernel, {"x": "*fp32"}), target=GPUTarget("hip", "gfx950", 64))
    """
    if not isinstance(src, ASTSource):
        raise TypeError(f"triton.compile takes an ASTSource or a GluonASTSource, not {src!r}")
    if target is None:
        target = active.get_current_target()
    name = places.check_target(target.hocket_name)
    chosen = src.fn.options_for(without_hints(src.fn, options or {}))
    return compiler.compile_specialization(src.fn, *src.described(), chosen, places.COMPILE_ONLY + name)


def max_shared_mem(device: int) -> int:
    """Returns the bytes of shared memory that a block can use."""
    return active.utils.get_device_properties(device)["max_shared_mem"]
