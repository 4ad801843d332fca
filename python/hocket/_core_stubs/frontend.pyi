"""Functions of the front end (csrc/bindings/Frontend.cpp)."""

from typing import Any

def emit_hk(
    function: Any,
    signature: list[str],
    constexprs: dict[str, Any] = ...,
    target: str = "sm_90a",
    num_warps: int = 4,
    debug: bool = False,
    locations: bool = False,
) -> str: ...
def builtin_signatures() -> dict[str, str]: ...
