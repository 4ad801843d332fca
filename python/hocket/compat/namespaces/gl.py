"""`triton.experimental.gluon.language`, where Hocket has names elsewhere."""

from __future__ import annotations

import importlib
from typing import Any

_OF_THE_PACKAGE = ("aggregate", "aggregate_replace", "must_use_result")


def __getattr__(name: str) -> Any:
    if name in _OF_THE_PACKAGE:
        return getattr(importlib.import_module("hocket"), name)
    raise AttributeError(name)
