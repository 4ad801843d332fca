"""The `hocket` command: one module for each of its commands, and what they share."""

from .command_line import main
from .kernel_files import UsageError

__all__ = ["UsageError", "main"]
