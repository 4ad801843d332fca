"""`triton.experimental.gluon.language`, where Hocket has names elsewhere."""

from __future__ import annotations

import importlib
from typing import Any

#: By the names that files take them by; `_aggregate` is what `triton.language.core` calls it.
_OF_THE_PACKAGE = {
    "_aggregate": "aggregate",
    **{name: name for name in ("aggregate", "aggregate_replace", "must_use_result")},
}


def __getattr__(name: str) -> Any:
    if name in _OF_THE_PACKAGE:
        return getattr(importlib.import_module("hocket"), _OF_THE_PACKAGE[name])
    raise AttributeError(name)
