"""`triton.runtime` and `triton.runtime.errors`."""

from ... import Config, autotune, heuristics
from ...errors import CompileError, HocketError, LaunchError, OutOfResources
from ...runtime.jit import MockTensor
from ...tuning import Autotuner, Heuristics
from ...tuning.wrapper import KernelWrapper as KernelInterface
from ..functions import GluonFunction as JITFunction

__all__ = [
    "Autotuner",
    "AutotunerError",
    "Config",
    "Heuristics",
    "InterpreterError",
    "JITFunction",
    "KernelInterface",
    "MockTensor",
    "OutOfResources",
    "PTXASError",
    "TritonError",
    "autotune",
    "heuristics",
]

TritonError = InterpreterError = HocketError
AutotunerError = LaunchError
PTXASError = CompileError
