"""Which configurations are worth timing: the dict `prune_configs_by`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .config import Config

_KEYS = ("early_config_prune", "perf_model", "top_k")


class Pruning:
    """See `autotune`."""

    def __init__(self, given: dict[str, Any] | None):
        given = given or {}
        if unknown := [name for name in given if name not in _KEYS]:
            raise ValueError(f"prune_configs_by has {', '.join(map(repr, _KEYS))}, not {unknown[0]!r}")
        self.early: Callable[..., Sequence[Config]] | None = given.get("early_config_prune")
        self.model: Callable[..., float] | None = given.get("perf_model")
        self.top_k: int | float = given.get("top_k", 1.0)
        if self.top_k <= 0:
            raise ValueError(f"top_k must be positive, but is {self.top_k}")

    @property
    def functions(self) -> list[Callable]:
        return [function for function in (self.early, self.model) if function is not None]

    def __call__(self, configs: list[Config], named: dict[str, Any], kwargs: dict[str, Any]) -> list[Config]:
        """Those of `configs` that are left for a launch with these arguments."""
        if self.early is not None:
            configs = list(self.early(configs, named, **kwargs))
            if not configs:
                raise ValueError("early_config_prune has left no configuration")
        if self.model is None:
            return configs
        is_share = isinstance(self.top_k, float) and self.top_k <= 1.0
        wanted = max(1, int(len(configs) * self.top_k)) if is_share else int(self.top_k)
        if wanted >= len(configs):
            return configs
        expected = {id(config): self.model(**{**named, **kwargs, **config.all_kwargs()}) for config in configs}
        return sorted(configs, key=lambda config: expected[id(config)])[:wanted]
