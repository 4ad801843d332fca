"""Compiles all configurations in parallel, in threads of this process or on a cluster."""

from __future__ import annotations

import contextvars
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import Any

from ..errors import CompileError, InternalError, LaunchError
from ..profiler.progress import progress_bar
from ..runtime import compiler
from . import cluster
from .config import Config

#: Seconds of compilation after which a progress bar is shown.
_PATIENCE = 1.0
#: Number of configurations that a worker gets at once: it compiles one configuration while the other waits in its
#: queue.
_QUEUED_ON_A_WORKER = 2

Built = Any  # a CompiledKernel, or the error from compiling a configuration


def build_all(compile_one: Callable[[Config], Any], configs: Sequence[Config], what: str) -> list[Built]:
    """Returns a CompiledKernel or an error for each configuration. Configurations with a pre_hook are compiled one
    after another, because the hook may change arguments. The hook is called by `compile_one`."""
    apart = [config for config in configs if config.pre_hook is None]
    remote = cluster.workers()
    results: dict[int, Built] = {}
    with progress_bar(f"compiling {what}", len(configs), after=_PATIENCE) as show:
        if len(apart) > 1:
            threads = remote * _QUEUED_ON_A_WORKER or os.cpu_count() or 1
            _in_threads(compile_one, apart, threads, bool(remote), results, show)
        for config in configs:
            if id(config) not in results:
                results[id(config)] = _guarded(compile_one, config)
                show(len(results))
    return [results[id(config)] for config in configs]


def _in_threads(
    compile_one: Callable[[Config], Any],
    configs: Sequence[Config],
    threads: int,
    is_remote: bool,
    results: dict[int, Built],
    show: Callable[[int], object],
) -> None:
    def work(config: Config) -> Built:
        with compiler.compiling_with(cluster.compile_remotely if is_remote else None):
            return _guarded(compile_one, config)

    pool = ThreadPoolExecutor(min(threads, len(configs)), thread_name_prefix="hocket-autotune")
    try:
        futures: dict[Future, Config] = {
            pool.submit(contextvars.copy_context().run, work, config): config for config in configs
        }
        for future in as_completed(futures):
            results[id(futures[future])] = future.result()
            show(len(results))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _guarded(compile_one: Callable[[Config], Any], config: Config) -> Built:
    try:
        return compile_one(config)
    except (CompileError, LaunchError, InternalError) as error:
        return error
