"""Functions that only Hocket's own tests use."""

from .emulator import EmulatedKernel

def replace_code(kernel: EmulatedKernel, by: EmulatedKernel) -> None:
    """Makes `kernel` run the code of the kernel `by`."""

def hold_compilations_at(step: str) -> None:
    """Makes the next compilation that reaches `step` wait, until `hold_compilations_at("")` is called."""

def is_compilation_held() -> bool:
    """Returns True if a compilation waits at the step of `hold_compilations_at`."""

def set_fork_patience(seconds: float) -> None:
    """Sets for how many seconds a fork of this process waits until other threads have finished compiling."""
