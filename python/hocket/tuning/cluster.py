"""Compiles on the workers of a Dask cluster.

The front end runs in this process and emits IR as text. A worker runs the passes and the back end. Workers receive
neither the function, nor its file, nor its arguments. If a worker fails, even with an error of the compiler, the
compilation is repeated in this process. Therefore errors do not depend on the cluster, and the loss of a worker only
costs time.
"""

from __future__ import annotations

import warnings
from concurrent.futures import CancelledError
from dataclasses import asdict
from typing import Any

from .. import _core
from ..errors import HocketError, LaunchError
from ..runtime import compiler
from ..runtime.options import Options

_client: Any = None


def use(client: Any) -> None:
    """Implements `hocket.autotune.use`."""
    global _client
    if client is not None and not (hasattr(client, "submit") and hasattr(client, "ncores")):
        raise LaunchError(f"autotune.use takes a distributed.Client or None, not {client!r}")
    _client = client


def workers() -> int:
    """Returns the number of compilations that the cluster runs at once; 0 without a cluster."""
    if _client is None:
        return 0
    try:
        return sum(_client.ncores().values())
    except Exception as error:  # for example, the scheduler of the cluster cannot be reached
        _warn(error)
        return 0


def compile_on_worker(
    text: str,
    parameters: list[str],
    target: str,
    options: dict[str, Any],
    wanted: list[str],
    assembled: bool,
    build: str,
) -> tuple[bytes, dict[str, bytes]]:
    """Compiles the IR of a client's front end on a worker. Returns the KernelFacts as bytes, and the artifacts."""
    if build != _core.build_id():
        raise LaunchError(f"the worker has another build of hocket, {_core.build_id()}; the client's is {build}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the client issues the warnings in `facts`
        facts, artifacts = _core.compile_emitted(text, parameters, target, Options(**options), wanted)
    if assembled:
        compiler.find_assembler()
        if _core.cubin_assembler(artifacts["ptx"]):
            artifacts["cubin"] = _core.ptx_to_cubin(artifacts["ptx"], facts)
    return facts.to_bytes(), artifacts


def compile_remotely(request: compiler.Request, wanted: list[str], assembled: bool) -> Any:
    """Compiles `request` on the cluster. Returns KernelFacts and artifacts, as `request.run(wanted)` does; the
    artifacts include a cubin if `assembled`. Returns None if the cluster has failed."""
    text, parameters = _core.emit_to_go_on(
        request.function, request.types, request.values, request.target, request.options
    )
    try:
        future = _client.submit(
            compile_on_worker,
            text,
            parameters,
            request.target,
            asdict(request.options),
            wanted,
            assembled,
            _core.build_id(),
            pure=False,
            retries=2,
        )
        facts_bytes, artifacts = _wait_for(future)
    except (Exception, CancelledError) as error:
        if not isinstance(error, HocketError):
            _warn(error)
        return None  # this process then compiles the kernel, and raises the error if the kernel has one
    facts = _core.KernelFacts.from_bytes(facts_bytes)
    if facts is None:
        return None
    facts.issue_warnings()
    return facts, artifacts


#: While the client waits for a task, it checks the number of workers at this interval, in seconds.
_PATIENCE = 2.0


def _wait_for(future: Any) -> Any:
    """Returns the result of a task. Raises a LaunchError if no worker is left."""
    while not future.done():
        try:
            return future.result(timeout=_PATIENCE)
        except TimeoutError:
            if not workers():
                future.cancel()
                raise LaunchError("no worker of the cluster is left") from None
    return future.result()


def _warn(error: BaseException) -> None:
    warnings.warn(
        f"autotune: the Dask cluster could not compile, so this process does: {type(error).__name__}: {error}",
        stacklevel=2,
    )
