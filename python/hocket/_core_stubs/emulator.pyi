"""Functions and classes of the emulator (csrc/bindings/Emulator.cpp)."""

from collections.abc import Callable
from typing import Any

from hocket.runtime.options import Options

from .dispatch import LaunchFunction, LaunchSetting
from .kernel_facts import KernelFacts
from .runtime import DeviceKernel

class EmulatedKernel:
    """A kernel that is compiled to host code."""

    def launch(
        self, grid: tuple[int, int, int], values: list, seed: int, threads: int, races: bool, completion: str
    ) -> None:
        """Runs the kernel without the settings of `hocket.emulator`, for tests. DeviceKernel.launch describes
        `values`."""

class EmulatorSettings:
    """The LaunchSettings that every launch on the emulator reads."""

    def __init__(
        self,
        schedule: LaunchSetting,
        watcher: LaunchSetting,
        recorder: LaunchSetting,
        printer: LaunchSetting,
        bank_counter: LaunchSetting,
        clock_start: LaunchSetting[int],
    ) -> None: ...

def load_emulated(
    function: LaunchFunction,
    target: str,
    constants: list,
    options: Options,
    compile: Callable[[bool, bool, bool, bool], tuple[KernelFacts, EmulatedKernel]],
    settings: EmulatorSettings,
) -> tuple[DeviceKernel, KernelFacts]:
    """Returns a kernel that runs on the emulator. `compile(timing, undefined, unwritten, optimized)` compiles a variant
    of the kernel. This function compiles the variant for the current settings; each other variant is compiled at its
    first use."""

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
    """Memory that records which of its bytes were never written. It supports the buffer protocol."""

    def __init__(self, bytes: int) -> None: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    @staticmethod
    def find(address: int) -> UnwrittenMemory | None:
        """Returns the UnwrittenMemory that contains `address`; None if there is none."""

    def shadow(self) -> bytes:
        """Returns a copy of the shadow memory, in which the bits of never written bytes are set."""

def lane_form(
    function: Any, types: list, values: list, target: str, options: Options, is_generic: bool = False
) -> tuple[KernelFacts, str]:
    """Works like `compile_emulated`, but returns the kernel in the dialect `lane` as text, with all source locations.
    If `is_generic` is True, the text is in MLIR's generic form, which `emulate_lane` parses for every kernel."""

def emulate_lane(text: str, parameters: list[str], timing: bool = False) -> EmulatedKernel:
    """Compiles the kernel in `text`, a module in the dialect `lane`, such as the artifact "lane" or the result of
    `lane_form`. Raises ValueError if the module contains no kernel."""
