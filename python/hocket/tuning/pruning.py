"""Selects the configurations to time, according to the dict `prune_configs_by`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .checks import check_function
from .config import Config

_KEYS = ("early_config_prune", "perf_model", "top_k")


class Pruning:
    """The argument `prune_configs_by` of `autotune`."""

    def __init__(self, given: dict[str, Any] | None):
        given = {} if given is None else given
        if not isinstance(given, dict):
            raise TypeError(f"prune_configs_by takes a dict, not {given!r}")
        if unknown := [name for name in given if name not in _KEYS]:
            raise ValueError(f"prune_configs_by has {', '.join(map(repr, _KEYS))}, not {unknown[0]!r}")
        self.early: Callable[..., Sequence[Config]] | None = given.get("early_config_prune")
        self.model: Callable[..., float] | None = given.get("perf_model")
        self.top_k: int | float = given.get("top_k", 1.0)
        for name, function in (("early_config_prune", self.early), ("perf_model", self.model)):
            if function is not None and not callable(function):
                raise TypeError(f"{name} must be a function, not {function!r}")
        is_number = isinstance(self.top_k, int | float) and not isinstance(self.top_k, bool)
        if not is_number or not self.top_k > 0 or (self.top_k > 1 and self.top_k != int(self.top_k)):
            raise ValueError(
                f"top_k must be positive, a number of configurations or a fraction up to 1.0, but is {self.top_k!r}"
            )

    @property
    def functions(self) -> list[Callable]:
        return [function for function in (self.early, self.model) if function is not None]

    def __call__(self, configs: list[Config], named: dict[str, Any], kwargs: dict[str, Any]) -> list[Config]:
        """Returns the configurations to time for a launch with these arguments."""
        if self.early is not None:
            configs = self._left(self.early, configs, named, kwargs)
        if self.model is None:
            return configs
        is_share = isinstance(self.top_k, float) and self.top_k <= 1.0
        wanted = max(1, int(len(configs) * self.top_k)) if is_share else int(self.top_k)
        if wanted >= len(configs):
            return configs
        expected = {id(config): self._cost(config, {**named, **kwargs}) for config in configs}
        return sorted(configs, key=lambda config: expected[id(config)])[:wanted]

    def _left(
        self, early: Callable[..., Any], configs: list[Config], named: dict[str, Any], kwargs: dict[str, Any]
    ) -> list[Config]:
        call = "early_config_prune(configs, named_args, **kwargs)"
        check_function("early_config_prune", early, call, configs, named, **kwargs)
        left = early(configs, named, **kwargs)
        left = list(left) if isinstance(left, Iterable) else left
        if not isinstance(left, list) or not all(isinstance(config, Config) for config in left):
            raise TypeError(f"early_config_prune must return a list of hocket.Config, not {left!r}")
        if not left:
            raise ValueError("early_config_prune has left no configuration")
        return left

    def _cost(self, config: Config, arguments: dict[str, Any]) -> float:
        assert self.model is not None
        given = {**arguments, **config.all_kwargs()}
        check_function("perf_model", self.model, f"perf_model({', '.join(f'{name}=...' for name in given)})", **given)
        cost = self.model(**given)
        try:
            if not math.isnan(cost):
                return cost
        except TypeError:
            pass
        raise ValueError(f"perf_model must return a number, but returned {cost!r} for {config}")
