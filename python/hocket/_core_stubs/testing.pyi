"""Hooks of Hocket's own tests; programs do not use them."""

from .emulator import EmulatedKernel

def replace_code(kernel: EmulatedKernel, by: EmulatedKernel) -> None:
    """Replaces the code that `kernel` runs by that of another."""

def hold_compilations_at(step: str) -> None:
    """Hold the next compilation that reaches this step until this is called again with ""."""

def is_compilation_held() -> bool:
    """Returns True if a compilation is held."""

def set_fork_patience(seconds: float) -> None:
    """Sets how long a fork waits for other threads that compile."""
