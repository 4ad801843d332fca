"""Shows a progress bar during long work, if rich is installed and stderr is a terminal."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def progress_bar(what: str, total: int, after: float = 0.0) -> Iterator[Callable[[int], object]]:
    """Returns a context manager that yields a function. Calling the function with the amount of completed work updates
    the bar. Nothing is shown in the first `after` seconds."""
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        yield lambda done: None
        return
    console = Console(stderr=True)
    progress = Progress(console=console, transient=True, disable=not sys.stderr.isatty())
    task = progress.add_task(what, total=total)
    begin = time.monotonic()

    def show(done: int) -> None:
        progress.update(task, completed=done)
        if time.monotonic() - begin >= after:
            progress.start()

    show(0)
    try:
        yield show
    finally:
        progress.stop()
