"""Profile inside kernels. In kernels: `with profiler.scope("load"):`, `profiler.mark`, `profiler.begin` and `end`.

docs/profiling_compiler.md says what becomes of them, docs/profiling_format.md what they write.
"""

from .language import begin, end, mark, null_token, scope

__all__ = ["begin", "end", "mark", "null_token", "scope"]
