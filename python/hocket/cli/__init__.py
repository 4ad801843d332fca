"""The `hocket` command: one module for each of its commands, and modules that several commands use."""

from .command_line import main
from .kernel_files import UsageError

__all__ = ["UsageError", "main"]
