"""A configuration of a kernel, for `autotune`."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

#: Launch options that are parameters of the constructor of Config.
_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


class Config:
    """Values of a kernel's parameters and launch options, which `autotune` tries together.

    Args:
        kwargs: values by name, for parameters of the kernel, and for launch options that are not arguments here.
        num_warps: number of warps of a block.
        num_stages: number of iterations in flight in loops that copy tiles, for loops without a number of their own;
            None for no preference.
        num_ctas: number of blocks of a cluster (Hopper).
        maxnreg: largest number of registers per thread (NVIDIA); None for no limit.
        pre_hook: called before each launch with a dict of all arguments and options by name, to set values that depend
            on the configuration, such as the block shape of a tensor descriptor.

    Example:
        >>> Config({"BLOCK": 1024}, num_warps=8)
        BLOCK=1024, num_warps=8
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Config:
        if wrong := [name for name in kwargs if name not in ("kwargs", "pre_hook", *_OPTIONS)]:
            text = ", ".join(f'"{name}": {kwargs[name]!r}' for name in wrong)
            near = [name for name in _OPTIONS if name.endswith(f"_{wrong[0]}")] or get_close_matches(wrong[0], _OPTIONS)
            hint = (
                f"did you mean `{near[0]}`?"
                if near
                else f"parameters of the kernel go into its dict: Config({{{text}}})"
            )
            raise TypeError(
                f"Config has no argument `{wrong[0]}`: it has kwargs, {', '.join(_OPTIONS)}, pre_hook\n  hint: {hint}"
            )
        return super().__new__(cls)

    def __init__(
        self,
        kwargs: dict[str, Any],
        num_warps: int = 4,
        num_stages: int | None = None,
        num_ctas: int = 1,
        maxnreg: int | None = None,
        pre_hook: Callable[[dict[str, Any]], object] | None = None,
    ):
        if not isinstance(kwargs, dict):
            raise TypeError(f"a Config takes a dict of the kernel's parameters first, not {kwargs!r}")
        if wrong := [name for name in kwargs if not isinstance(name, str)]:
            raise TypeError(f"the dict of a Config has names of parameters as keys, not {wrong[0]!r}")
        if twice := [name for name in _OPTIONS if name in kwargs]:
            raise ValueError(f"`{twice[0]}` is given in the dict of a Config: it is an argument, {twice[0]}=...")
        if pre_hook is not None and not callable(pre_hook):
            raise TypeError(f"pre_hook must be a function, not {pre_hook!r}")
        self.kwargs = dict(kwargs)
        self.num_warps = num_warps
        self.num_stages = num_stages
        self.num_ctas = num_ctas
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook

    def all_kwargs(self) -> dict[str, Any]:
        """Returns the keyword arguments of a launch, without options that are None."""
        options = {name: getattr(self, name) for name in _OPTIONS}
        return {**self.kwargs, **{name: value for name, value in options.items() if value is not None}}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Config):
            return NotImplemented
        return self.all_kwargs() == other.all_kwargs() and self.pre_hook == other.pre_hook

    def __hash__(self) -> int:
        return hash((tuple(self.all_kwargs()), self.pre_hook))

    def __repr__(self) -> str:
        shown = {**self.kwargs, "num_warps": self.num_warps}
        if self.num_stages is not None:
            shown["num_stages"] = self.num_stages
        if self.num_ctas != 1:
            shown["num_ctas"] = self.num_ctas
        if self.maxnreg is not None:
            shown["maxnreg"] = self.maxnreg
        return ", ".join(f"{name}={value!r}" for name, value in shown.items())
