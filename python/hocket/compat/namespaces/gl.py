"""`triton.experimental.gluon.language`: the names that Hocket has in another module."""

from __future__ import annotations

import importlib
from typing import Any

#: Maps names of Triton's module to names of the package hocket. `triton.language.core` has `aggregate` under the name
#: `_aggregate`.
_OF_THE_PACKAGE = {
    "_aggregate": "aggregate",
    **{name: name for name in ("aggregate", "aggregate_replace", "must_use_result")},
}


def __getattr__(name: str) -> Any:
    if name in _OF_THE_PACKAGE:
        return getattr(importlib.import_module("hocket"), _OF_THE_PACKAGE[name])
    raise AttributeError(name)
