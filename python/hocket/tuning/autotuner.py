"""A kernel that measures its configurations at the first launch for each key, and then uses the fastest
configuration."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any

from .. import _core
from ..errors import CompileError, InternalError, LaunchError, OutOfResources
from ..runtime import places
from ..runtime.compiled import CompiledKernel
from . import checks, store
from .building import build_all
from .config import Config
from .hooks import ArrayHooks, hooks_of
from .pruning import Pruning
from .restoring import Restored
from .timing import GpuStopwatch, VirtualStopwatch, gpu_bench
from .trials import Trial, Tuning, order
from .wrapper import KernelWrapper, kernel_of, without_our_frames


class Autotuner(KernelWrapper):
    """The result of `@hocket.autotune(...)` on a kernel. An Autotuner is launched like the kernel: `k[grid](...)`.

    Attributes:
        configs: the candidate configurations.
        best_config: configuration of the last launch; None before the first.
        cache: by key, the chosen configuration.
        tunings: by key, the `Tuning`: all trials with their times, or the reasons why they failed.
        prints: class attribute: whether to print each choice when it is made.
    """

    prints = False
    decorator = "autotune"

    def __init__(
        self,
        fn: Any,
        configs: Sequence[Config],
        key: Sequence[str] = (),
        *,
        prune_configs_by: dict[str, Any] | None = None,
        reset_to_zero: Sequence[str] | None = None,
        restore_value: Sequence[str] | None = None,
        pre_hook: Callable[..., object] | None = None,
        post_hook: Callable[..., object] | None = None,
        warmup: float | None = None,
        rep: float | None = None,
        use_cuda_graph: bool = False,
        do_bench: Callable[..., Any] | None = None,
        cache_results: bool = True,
    ):
        super().__init__(fn)
        self.configs = checks.checked_configs(configs)
        self.keys = self._names("key", key)
        self._prune = Pruning(prune_configs_by)
        self._before, self._after = hooks_of(
            ArrayHooks(
                self.__name__, self._names("reset_to_zero", reset_to_zero), self._names("restore_value", restore_value)
            ),
            pre_hook,
            post_hook,
        )
        checks.check_function("do_bench", do_bench, "do_bench(run, quantiles=(...))", None, quantiles=())
        checks.check_milliseconds("warmup", warmup)
        checks.check_milliseconds("rep", rep)
        for what, flag in (("use_cuda_graph", use_cuda_graph), ("cache_results", cache_results)):
            if not isinstance(flag, bool):
                raise TypeError(f"{what} must be True or False, not {flag!r}")
        self._bench = do_bench
        self._bench_on_gpu = gpu_bench(do_bench, warmup, rep, use_cuda_graph)
        self._is_kept = cache_results
        #: Names of arrays that the autotuner does not restore automatically; None if it restores no array.
        self._left_out = None if pre_hook or restore_value is not None else self._names("reset_to_zero", reset_to_zero)
        self._lock = threading.RLock()
        self.cache: dict[tuple, Config] = {}
        self.tunings: dict[tuple, Tuning] = {}
        self.best_config: Config | None = None
        self._last_key: tuple | None = None

    def _names(self, what: str, names: Sequence[str] | None) -> list[str]:
        return checks.checked_names(what, names, self.__name__, self.arg_names)

    # Launching -------------------------------------------------------------------------------------------------------

    @without_our_frames
    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        """Launches the kernel, like `kernel[grid](...)`. With `warmup`, compiles all configurations without running
        any, and returns a list of those that compile."""
        named = dict(zip(self.arg_names, args, strict=False))
        self._check_not_given({**named, **kwargs})
        self._check_complete({**named, **kwargs})
        if warmup:
            configs = self._prune(self.configs, named, kwargs)
            built = self._build(configs, args, kwargs, grid)
            if compiled := [kernel for kernel in built if isinstance(kernel, CompiledKernel)]:
                return compiled
            raise self._none_runs(configs, built)
        key = self._key({**named, **kwargs})
        config = self.cache.get(key)
        if config is None:
            config = self._choose(key, args, kwargs, grid)
        self.best_config, self._last_key = config, key
        if config.pre_hook is not None:
            config.pre_hook({**named, **kwargs, **config.all_kwargs()})
        return self.fn.run(*args, grid=grid, **kwargs, **config.all_kwargs())

    def _check_not_given(self, given: dict[str, Any]) -> None:
        """Raises a LaunchError if an argument of the launch is also set by the configurations."""
        tuned = {name for config in self.configs for name in config.all_kwargs()}
        if twice := sorted(tuned & given.keys()):
            raise LaunchError(
                f"{self.__name__}(): `{twice[0]}` is given, but autotune chooses it\n"
                f"  hint: leave it out, or launch the kernel inside: {self.__name__}.fn[grid](...)"
            )

    def _check_complete(self, given: dict[str, Any]) -> None:
        """Raises a LaunchError unless each parameter gets a value: from the launch, from all configurations, or from a
        `heuristics` decorator inside the autotuner."""
        computed: set[str] = set()
        inner = self.fn
        while isinstance(inner, KernelWrapper):
            computed |= getattr(inner, "values", {}).keys()
            inner = inner.fn
        for config in self.configs:
            known = given.keys() | config.all_kwargs().keys() | computed
            for parameter in kernel_of(self).parameters:
                if parameter.has_default or parameter.name in known or not parameter.is_constexpr:
                    continue
                misspelt = get_close_matches(parameter.name, config.kwargs.keys() - set(self.arg_names), n=1)
                hint = (
                    f"the configuration names `{misspelt[0]}`, which the kernel does not have"
                    if misspelt
                    else f'write autotune([hocket.Config({{"{parameter.name}": 64}})]), with your values, or pass it'
                )
                raise LaunchError(
                    f"{self.__name__}(): `{parameter.name}` has no value: neither the launch nor the configuration "
                    f"{config} of autotune gives it one\n  hint: {hint}"
                )

    def _key(self, given: dict[str, Any]) -> tuple:
        """Returns the cache key of a launch: the values of the `key` arguments, types and devices of arrays, and the
        emulated target."""
        parts = [given.get(name) for name in self.keys]
        for value in given.values():
            dtype = getattr(value, "dtype", None) or getattr(getattr(value, "base", None), "dtype", None)
            if dtype is not None:
                parts += [dtype, getattr(value, "device", None)]
        key = (*parts, places.emulated_target.get_if_agreed())
        try:
            hash(key)
        except TypeError:
            raise LaunchError(
                f"{self.__name__}(): the key of autotune, {', '.join(self.keys)}, has a value that cannot be hashed"
            ) from None
        return key

    # Choosing --------------------------------------------------------------------------------------------------------

    def _choose(self, key: tuple, args: tuple, kwargs: dict[str, Any], grid: Any) -> Config:
        with self._lock:
            if key in self.cache:  # another thread has chosen the configuration in the meantime
                return self.cache[key]
            named = dict(zip(self.arg_names, args, strict=False))
            configs = self._prune(self.configs, named, kwargs)
            if len(configs) == 1:
                self.cache[key] = configs[0]
                return configs[0]
            tuning = self._tune(key, configs, args, kwargs, grid)
            self.tunings[key], self.cache[key] = tuning, tuning.best.config
            self._before({**named, **kwargs, **tuning.best.config.all_kwargs()}, reset_only=True)
        if self.prints:
            print(tuning)
        return tuning.best.config

    def _tune(self, key: tuple, configs: list[Config], args: tuple, kwargs: dict[str, Any], grid: Any) -> Tuning:
        place, is_gpu = self._place(configs, args, kwargs, grid)
        watch = GpuStopwatch(self._bench_on_gpu) if is_gpu or self._bench else VirtualStopwatch()
        functions = [kernel_of(self).fn, *self._prune.functions, *([self._bench] if self._bench else [])]
        entry = store.entry_key(functions, configs, place, key, watch.unit) if self._is_kept else None
        trials = store.read(entry, configs)
        origin = "kept from an earlier process" if trials else "timed in this process"
        if trials is None:
            trials = order(self._time(watch, configs, args, kwargs, grid))
            store.write(entry, trials, configs)
        values = ", ".join(f"{name}={value!r}" for name, value in zip(self.keys, key, strict=False))
        pruned = len(self.configs) - len(configs)
        return Tuning(self.__name__, place, values, watch.unit, trials, pruned, origin)

    def _place(self, configs: list[Config], args: tuple, kwargs: dict[str, Any], grid: Any) -> tuple[str, bool]:
        """Returns a description of the device of a launch with these arguments, and whether the device is a GPU."""
        built = []
        for config in configs:
            built += self._build([config], args, kwargs, grid)
            if isinstance(built[-1], CompiledKernel):
                place = built[-1].place
                if isinstance(place, str):
                    return f"an emulated {place}", False
                facts = _core.device_info(place)
                return f"{facts.name} ({facts.target})", True
        raise self._none_runs(configs, built)

    def _time(
        self, watch: Callable[..., Any], configs: list[Config], args: tuple, kwargs: dict[str, Any], grid: Any
    ) -> list[Trial]:
        built = self._build(configs, args, kwargs, grid)
        arguments = {**dict(zip(self.arg_names, args, strict=False)), **kwargs}
        restored = Restored([] if self._left_out is None else built, arguments, self._left_out or ())
        try:
            trials = [
                self._time_one(watch, config, kernel, restored, args, kwargs, grid)
                for config, kernel in zip(configs, built, strict=True)
            ]
        finally:
            restored.put_back()
        if all(trial.cost is None for trial in trials):
            raise self._none_runs(configs, [trial.error for trial in trials])
        return trials

    def _time_one(
        self,
        watch: Callable[..., Any],
        config: Config,
        built: Any,
        restored: Restored,
        args: tuple,
        kwargs: dict[str, Any],
        grid: Any,
    ) -> Trial:
        if isinstance(built, Exception):
            return Trial.failed(config, built)
        full = {**dict(zip(self.arg_names, args, strict=False)), **kwargs, **config.all_kwargs()}

        def run() -> None:
            if config.pre_hook is not None:
                config.pre_hook(full)
            self._before(full)
            try:
                self.fn.run(*args, grid=grid, **kwargs, **config.all_kwargs())
            except Exception as error:
                self._after(full, exception=error)
                raise
            self._after(full, exception=None)

        try:
            restored.put_back()
            cost, spread = watch(run, restored.prepare)
        except (OutOfResources, CompileError) as error:
            return Trial.failed(config, error)
        return Trial(config, cost, spread)

    def _build(self, configs: list[Config], args: tuple, kwargs: dict[str, Any], grid: Any) -> list[Any]:
        def compile_one(config: Config) -> Any:
            if config.pre_hook is not None:
                named = dict(zip(self.arg_names, args, strict=False))
                config.pre_hook({**named, **kwargs, **config.all_kwargs()})
            return self.fn.run(*args, grid=grid, warmup=True, **kwargs, **config.all_kwargs())

        return build_all(compile_one, configs, self.__name__)

    def _none_runs(self, configs: list[Config], errors: list[Any]) -> Exception:
        """Returns the error to raise if no configuration can be compiled and run. If all configurations fail with an
        equal CompileError, the result is this error."""
        first = errors[0]
        is_one_mistake = all(str(error) == str(first) for error in errors)
        if isinstance(first, InternalError) or (is_one_mistake and isinstance(first, CompileError)):
            return first
        reasons = "\n".join(f"  {config}: {error}" for config, error in zip(configs, errors, strict=True))
        kind = OutOfResources if all(isinstance(error, OutOfResources) for error in errors) else LaunchError
        return kind(f"none of the {len(configs)} configurations of {self.__name__}() can be launched\n{reasons}")

    def explain(self) -> str:
        """Explains the choice for the last launch: a table of all configurations with their times, best first, and
        failed ones with the reason."""
        if self._last_key is None:
            return f"{self.__name__} has not been launched yet"
        tuning = self.tunings.get(self._last_key)
        if tuning is None:
            return f"{self.__name__} has one configuration left to choose from: {self.best_config}"
        return str(tuning)
