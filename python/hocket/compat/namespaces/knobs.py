"""`triton.knobs`: Triton's settings. All can be read and set, but only `autotuning.print` has an effect in Hocket."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ...tuning.autotuner import Autotuner

__all__ = ["amd", "autotuning", "build", "cache", "compilation", "language", "nvidia", "proton", "redis", "runtime"]


class Knobs:
    """A group of settings. A setting that was never set is None."""

    def __init__(self, **values: Any):
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """Context manager that restores the settings when it ends."""
        before = dict(self.__dict__)
        try:
            yield
        finally:
            self.__dict__.clear()
            self.__dict__.update(before)


class AutotuningKnobs(Knobs):
    @property
    def print(self) -> bool:
        """True if each choice of an autotuned kernel is printed."""
        return Autotuner.prints

    @print.setter
    def print(self, value: Any) -> None:
        Autotuner.prints = bool(value)


amd, build, cache, language, nvidia, proton, redis = (Knobs() for _ in range(7))
autotuning = AutotuningKnobs()
compilation = Knobs(always_compile=False, override=False, dump_ir=False, store_binary_only=False)
runtime = Knobs(debug=False, interpret=False)
