"""The emulator: csrc/bindings/Emulator.cpp."""

from collections.abc import Callable
from typing import Any

from hocket.runtime.options import Options

from .kernel_facts import KernelFacts

class EmulatedKernel:
    def launch(
        self,
        grid: tuple[int, int, int],
        values: list,
        seed: int,
        threads: int,
        races: bool,
        completion: str,
        count_banks: bool = False,
        recorded_blocks: int = 0,
        show: Callable[[str], object] | None = None,
        cooperative: bool = False,
        keeps_time: bool = False,
        clock_start: int = 0,
        profile: int = 0,
    ) -> tuple[list[tuple[str, int, str, int, int, int, int]], list[tuple]]:
        """Run the kernel. Return two lists, empty unless requested.

        With `count_banks`: file, line, access, bytes, instructions, wavefronts and ideal wavefronts of each source
        line. If the
        kernel was compiled with timing: block, warp, kind, label, operations, file, line, begin and end of each
        interval.
        `show` is called with the text that the kernel prints. With `keeps_time`, the kernel reads the virtual clock.
        `profile`
        is the address of the memory for the profiler's records.
        """

    @property
    def workers(self) -> list[str]:
        """The name of each warp's partition of warp_specialize; empty for the warps of the default partition."""

def compile_emulated(
    function: Any,
    types: list,
    values: list,
    target: str,
    options: Options,
    timing: bool = False,
    undefined: bool = False,
    unwritten: bool = False,
    optimized: bool = True,
) -> tuple[KernelFacts, EmulatedKernel]: ...

class UnwrittenMemory:
    """Memory with the buffer protocol that records which of its bytes were never written."""

    def __init__(self, bytes: int) -> None: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    @staticmethod
    def find(address: int) -> UnwrittenMemory | None:
        """Return the memory that contains `address`."""

    def shadow(self) -> bytes:
        """Return a copy of the shadow memory, whose bits are set for bytes that were never written."""

def lane_form(function: Any, types: list, values: list, target: str, options: Options) -> tuple[KernelFacts, str]:
    """Like `compile_emulated`, but return the kernel's lane form as text, with all locations."""

def emulate_lane(text: str, parameters: list[str], timing: bool = False) -> EmulatedKernel:
    """Return the kernel of a module in lane form, as "lane" or `lane_form` shows it. ValueError if there is none."""
