"""The names that kernels use: `hocket.profiler.scope` is `hocket.language.profiler.scope`."""

from ..language.profiler import begin, end, mark, null_token, scope

__all__ = ["begin", "end", "mark", "null_token", "scope"]
