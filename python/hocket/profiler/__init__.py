"""Records the activities of a kernel's warps on a GPU or on the emulator, by code that the compiler adds to the kernel.

    import hocket
    from hocket import profiler

    with profiler.session("gemm", out="gemm.json") as profile:
        gemm[grid](a, b, c)
    print(profile.summary())    # time of each stage, and its share of the warps' time
    print(profile.explain())    # the bottleneck of the loop, the waits for it, the possible gain
    profile.picture()           # at the end of a Jupyter cell: a row for each warp

Stages of warp pipelines, partitions of `gl.warp_specialize` and lifetimes of warps are recorded automatically. Kernels
can record further scopes and points in time. Outside of sessions, calls that record emit no code:

    with profiler.scope("load"):
        a = gl.load(x + i)
    profiler.mark("tile", k)
    token = profiler.begin("tma", payload=k)    # may end in another iteration, function or partition
    ...
    profiler.end(token)

A scope whose name begins with "wait" counts as waiting time in `explain`.

gemm.json is a trace for https://ui.perfetto.dev. The trace has a process for each block, and a track for each warp with
its scopes. Below the track of a warp are tracks for the warp's stages. Tokens are asynchronous slices.
docs/profiling.md describes the profiler.
"""

from __future__ import annotations

from ..language.profiler import begin, end, mark, null_token, scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .decoding import KINDS
    from .explanation import Explanation, Waiting, Work
    from .launches import ProfiledLaunch
    from .profile import Profile
    from .sessions import ProfileWarning, Session, session
    from .statistics import ProfileSummary, SiteTimes

__all__ = [
    "KINDS",
    "Explanation",
    "Profile",
    "ProfileSummary",
    "ProfileWarning",
    "ProfiledLaunch",
    "Session",
    "SiteTimes",
    "Waiting",
    "Work",
    "begin",
    "end",
    "mark",
    "null_token",
    "scope",
    "session",
]

# The modules of the profiler are imported on first use. Launches need only the module `facts`, and kernels need only
# `hocket.language.profiler`.
_HOMES = {
    "KINDS": "decoding",
    "Explanation": "explanation",
    "ProfiledLaunch": "launches",
    "Profile": "profile",
    "ProfileWarning": "sessions",
    "Session": "sessions",
    "SiteTimes": "statistics",
    "ProfileSummary": "statistics",
    "Waiting": "explanation",
    "Work": "explanation",
    "session": "sessions",
}

if not TYPE_CHECKING:  # with a `__getattr__`, type checkers would accept any name of the module

    def __getattr__(name: str):
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        module = import_module(f"{__name__}.{_HOMES[name]}")
        globals().update({known: getattr(module, known) for known, home in _HOMES.items() if home == _HOMES[name]})
        return globals()[name]


def __dir__() -> list[str]:
    return __all__
