"""A bar that shows how far long work has come: rich's, where rich is installed and stderr is a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[int], object]]:
    """Inside, the result is told how much of `total` is done."""
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        yield lambda done: None
        return
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.update(task, completed=done)
