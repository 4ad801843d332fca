"""Shows a progress line on a terminal during long work."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from .report import counted

#: `_DELAY_SECONDS`: delay before the first output. `_INTERVAL_SECONDS`: interval between updates.
_DELAY_SECONDS = 1.0
_INTERVAL_SECONDS = 0.2
_CELLS = 24


class Progress:
    """Shows progress on stderr, if that is a terminal and `wanted`. The progress line is removed at the end of the
    `with` block."""

    def __init__(self, total: int, wanted: bool):
        self._total = total
        self._is_wanted = wanted and sys.stderr.isatty()
        self._started = self._shown = time.monotonic()
        self._width = 0

    def show(self, done: int, findings: int) -> None:
        now = time.monotonic()
        if not self._is_wanted or now - self._started < _DELAY_SECONDS or now - self._shown < _INTERVAL_SECONDS:
            return
        self._shown = now
        filled = _CELLS * done // self._total
        left = (now - self._started) / done * (self._total - done)
        bar = "#" * filled + "." * (_CELLS - filled)
        self._write(f"[{bar}] {done} of {self._total} schedules, {counted(findings, 'finding')}, {left:.0f} s left")

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._width:
            self._write("")
            self._write("")
