"""Compiling on the workers of a Dask cluster.

What the front end makes of a specialisation is a text; a worker runs the passes and the back end on it. The function,
its file and its arguments stay here. Anything that goes wrong there, an error of the compiler's included, is done
again here: errors then are those of a kernel that is compiled here, and a worker that dies costs its time only.
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
    """See `hocket.autotune.use`."""
    global _client
    if client is not None and not (hasattr(client, "submit") and hasattr(client, "ncores")):
        raise LaunchError(f"autotune.use takes a distributed.Client or None, not {client!r}")
    _client = client


def workers() -> int:
    """How many compilations the cluster runs at once; 0 without one."""
    if _client is None:
        return 0
    try:
        return sum(_client.ncores().values())
    except Exception as error:  # its scheduler is gone
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
    """Runs on a worker: facts and artifacts of a kernel that a client's front end has emitted."""
    if build != _core.build_id():
        raise LaunchError(f"the worker has another build of hocket, {_core.build_id()}; the client's is {build}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are in the facts, and the client issues them
        facts, artifacts = _core.compile_emitted(text, parameters, target, Options(**options), wanted)
    if assembled:
        compiler.find_assembler()
        if _core.cubin_assembler(artifacts["ptx"]):
            artifacts["cubin"] = _core.ptx_to_cubin(artifacts["ptx"], target)
    return facts.to_bytes(), artifacts


def compile_remotely(request: compiler.Request, wanted: list[str], assembled: bool) -> Any:
    """Facts and artifacts as `request.run(wanted)` returns them, and a cubin if `assembled`; None where the cluster
    could not do it."""
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
        return None  # compiled here, a mistake of the kernel's is raised as ever
    facts = _core.KernelFacts.from_bytes(facts_bytes)
    if facts is None:
        return None
    facts.issue_warnings()
    return facts, artifacts


#: Seconds after which it is asked whether there are workers left at all.
_PATIENCE = 2.0


def _wait_for(future: Any) -> Any:
    """The result of a task, unless nobody is left to make it."""
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
