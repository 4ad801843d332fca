"""`triton.experimental.gluon.language`: the names that Hocket has in another module."""

from __future__ import annotations

import importlib
from typing import Any

#: For names in Triton's module: the name in the package hocket. In `triton.language.core`, the name of `aggregate` is
#: `_aggregate`.
_OF_THE_PACKAGE = {
    "_aggregate": "aggregate",
    **{name: name for name in ("aggregate", "aggregate_replace", "must_use_result")},
}


def __getattr__(name: str) -> Any:
    if name in _OF_THE_PACKAGE:
        return getattr(importlib.import_module("hocket"), _OF_THE_PACKAGE[name])
    raise AttributeError(name)
