"""Stores results of autotuning on disk, in the folder of the compiled kernels.

An entry is a small JSON text. The name of an entry is a hash of its dependences: the compiler's build, the device,
the source of the kernel and of hooks, the configurations and the values of the key. Results whose dependences have no
stable hash are not stored. Entries that cannot be parsed are ignored.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from typing import Any

from .. import _core
from ..runtime import environment
from ..runtime.compiler import build_fingerprint
from ..runtime.dependencies import NotStable, fingerprint, function_of, stable_text, used_globals
from .config import Config
from .trials import Trial, order

_VERSION = 1
_PART = "trials"


def _folder() -> _core.DiskCache | None:
    directory = environment.cache_directory()
    if directory is None:
        return None
    return _core.DiskCache(directory / "tuned", min(environment.cache_limit(), 2**63))


def entry_key(
    functions: Sequence[Callable], configs: Sequence[Config], place: str, key: Sequence[Any], unit: str
) -> str | None:
    """Returns the name of the entry for a tuning; None if the result must not be stored. `functions` are the kernel's
    function, and all other functions that affect the cost."""
    try:
        hooks = [config.pre_hook for config in configs if config.pre_hook is not None]
        plain = [function_of(one) for one in (*functions, *hooks)]
        if None in plain:
            return None  # a callable object that is not a Python function has no source
        known = [function for function in plain if function is not None]
        parts = [
            str(_VERSION),
            build_fingerprint(),
            place,
            unit,
            *(_config_text(config) for config in configs),
            *map(_key_text, key),
            fingerprint(known, used_globals(known)),
        ]
    except NotStable:
        return None
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _config_text(config: Config) -> str:
    return ";".join(f"{name}={stable_text(value)}" for name, value in config.all_kwargs().items())


def _key_text(value: Any) -> str:
    try:
        return stable_text(value)
    except NotStable:
        # dtypes and devices of PyTorch and NumPy
        if any(base.__name__ in ("dtype", "device") for base in type(value).__mro__):
            return str(value)
        raise


def read(key: str | None, configs: Sequence[Config]) -> list[Trial] | None:
    """Returns all trials in an entry, sorted by cost; None if there is no valid entry."""
    cache = _folder() if key else None
    entry = cache.read(key) if cache and key else None
    if entry is None:
        return None
    try:
        kept = json.loads(entry[_PART])
        trials = [_trial(fields, configs) for fields in kept]
    except (KeyError, ValueError, TypeError, IndexError):
        return None
    chosen = order(trials)
    return chosen if len(chosen) == len(configs) and chosen[0].cost is not None else None


def _trial(fields: dict[str, Any], configs: Sequence[Config]) -> Trial:
    cost, spread = fields["cost"], fields["spread"]
    if cost is not None and not (isinstance(cost, float) and math.isfinite(cost)):
        raise ValueError("a cost is a number")
    low_high = (float(spread[0]), float(spread[1])) if spread is not None else None
    return Trial(configs[fields["config"]], cost, low_high, str(fields["failure"]))


def write(key: str | None, trials: Sequence[Trial], configs: Sequence[Config]) -> None:
    """Stores the trials. Does nothing if the disk is full or read-only."""
    cache = _folder() if key else None
    if not cache or not key:
        return
    kept = [
        {
            "config": next(i for i, config in enumerate(configs) if config is trial.config),
            "cost": trial.cost,
            "spread": trial.spread,
            "failure": trial.failure,
        }
        for trial in trials
    ]
    cache.write(key, {_PART: json.dumps(kept).encode()})
