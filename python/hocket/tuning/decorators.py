"""`@hocket.autotune(...)`, `hocket.autotune.use(...)` and `@hocket.heuristics(...)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any

from ..errors import LaunchError
from . import cluster
from .autotuner import Autotuner
from .checks import check_is_dict, checked_configs, checked_values
from .config import Config
from .wrapper import KernelWrapper, without_our_frames


class _Autotune:
    """Decorator for kernels: the first launch for each key times all configurations, and uses the fastest from then on.

    Args:
        configs: the candidate configurations. A single configuration is used without timing.
        key: names of arguments. New values of these arguments, or new element types of arrays, cause another tuning.
        prune_configs_by: a dict of
            "early_config_prune": a function (configs, named_args, **kwargs) that returns the configurations to compile;
            "perf_model": a function of all arguments and options by name that returns an estimated cost;
            "top_k": number of configurations with the least estimated cost to time; a float up to 1.0 is a fraction.
        reset_to_zero: names of arrays that are filled with zeros before each timed run.
        restore_value: names of arrays whose contents are restored after each timed run. By default, arrays that the
            kernel both reads and writes are restored before each run, outside of the measured time; () restores none.
        pre_hook: called as (named_args, reset_only=False) before each timed run, instead of `reset_to_zero` and
            `restore_value`.
        post_hook: called as (named_args, exception=None) after each timed run.
        warmup, rep: milliseconds for `hocket.testing.do_bench`.
        do_bench: a function (run, quantiles) that replaces `hocket.testing.do_bench`, and returns the quantiles of the
            time in ms.
        use_cuda_graph: time with `hocket.testing.do_bench_cudagraph`.
        cache_results: store the results on disk, in the cache of compiled kernels, for other processes.

    Kernels are compiled in parallel. Configurations that do not compile, or exceed the resources of the device, are
    left out; `kernel.explain()` gives the reasons. On the emulator, the cost is the time of its virtual clock: the
    clocks of one block, multiplied by the number of blocks, which is a rough model.

    Raises: ValueError for a key that is not a parameter; LaunchError if no configuration runs, with the reason of each.

    Example:
        @hocket.autotune([hocket.Config({"BLOCK": 512}), hocket.Config({"BLOCK": 1024}, num_warps=8)], key=["n"])
        @hocket.jit
        def add(x, y, out, n, BLOCK: gl.constexpr): ...
    """

    def __call__(
        self,
        configs: Sequence[Config],
        key: Sequence[str] = (),
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
    ) -> Callable[[Any], Autotuner]:
        configs = checked_configs(configs)

        def decorate(fn: Any) -> Autotuner:
            return Autotuner(
                fn,
                configs,
                key,
                prune_configs_by=prune_configs_by,
                reset_to_zero=reset_to_zero,
                restore_value=restore_value,
                pre_hook=pre_hook,
                post_hook=post_hook,
                warmup=warmup,
                rep=rep,
                use_cuda_graph=use_cuda_graph,
                do_bench=do_bench,
                cache_results=cache_results,
            )

        return decorate

    def use(self, client: Any) -> None:
        """Distributes compilation over the workers of a Dask cluster. With None, kernels are compiled in this process
        again.

        Workers receive the IR of the front end as text and return machine code. Workers need the same build of Hocket,
        but neither the file of the kernel nor a GPU. If a worker fails or is lost, its configurations are compiled in
        this process. Kernels for the emulator are always compiled in this process.

        Args:
            client: a `distributed.Client`, or None.

        Example:
            from distributed import Client, LocalCluster

            hocket.autotune.use(Client(LocalCluster(n_workers=4, threads_per_worker=1)))
        """
        cluster.use(client)


autotune = _Autotune()


class Heuristics(KernelWrapper):
    """The result of `@heuristics(...)` on a kernel."""

    decorator = "heuristics"

    def __init__(self, fn: Any, values: dict[str, Callable[[dict[str, Any]], Any]]):
        super().__init__(fn)
        self.values = checked_values(values, self.__name__, self.arg_names)

    @without_our_frames
    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        """Launches the kernel, like `kernel[grid](...)`; with `warmup`, only compiles it."""
        known = {**dict(zip(self.arg_names, args, strict=False)), **kwargs}
        for name, function in self.values.items():
            known[name] = kwargs[name] = self._computed(name, function, known)
        values = list(args)
        for index, name in enumerate(self.arg_names[: len(values)]):
            if name in self.values:
                values[index] = kwargs.pop(name)
        return self.fn.run(*values, grid=grid, warmup=warmup, **kwargs)

    def _computed(self, name: str, function: Callable[[dict[str, Any]], Any], known: dict[str, Any]) -> Any:
        try:
            return function(known)
        except KeyError as error:
            if error.args and isinstance(missing := error.args[0], str) and missing not in known:
                near = get_close_matches(missing, known, n=1)
                hint = f"did you mean `{near[0]}`?" if near else f"it receives {', '.join(known)}"
                raise LaunchError(
                    f"{self.__name__}(): the heuristic of `{name}` uses `{missing}`, which the launch does not pass"
                    f"\n  hint: {hint}"
                ) from None
            raise


def heuristics(values: dict[str, Callable[[dict[str, Any]], Any]]) -> Callable[[Any], Heuristics]:
    """Decorator for kernels with parameters that are computed from other arguments at each launch.

    Args:
        values: by name of a parameter or launch option, a function of a dict of the arguments so far, which returns its
            value. If the launch passes a value for the same name, the dict contains this value, and the result replaces
            it.

    Example:
        @hocket.heuristics({"BLOCK": lambda args: hocket.next_power_of_2(args["columns"])})
        @hocket.jit
        def softmax(x, out, columns, BLOCK: gl.constexpr): ...
    """
    check_is_dict(values)
    return lambda fn: Heuristics(fn, values)
