"""Launch options: `k[grid](..., num_warps=8)`."""

import operator
from dataclasses import dataclass, fields
from typing import Any

from .. import _core
from ..errors import LaunchError
from . import environment

#: Largest number of registers of a thread on all NVIDIA GPUs.
_MOST_REGISTERS = 255
_LARGEST_INT = 2**31 - 1
_BOOLS = ("enable_fp_fusion", "keep_waits", "debug", "sanitize_overflow", "launch_cooperative_grid", "launch_pdl")


@dataclass(frozen=True)
class Options:
    """Launch options. Equal options give equal code.

    Attributes:
        num_warps: number of warps of a block: a power of two, or 12, for warp pipelines with three groups.
        num_ctas: number of blocks of a cluster, which runs one program: 1, 2, 4, 8 or 16 (Hopper). The grid counts
            programs.
        num_stages: number of iterations in flight in loops that copy tiles from global to shared memory, for loops
            without a number of their own (gl.range); None for no preference. Results do not depend on the number.
        warp_pipeline: "auto" lets the compiler form the stages of a warp pipeline from every loop of the kernel for
            which it expects a gain, as `gl.range(..., warp_pipeline="auto")` does for one loop. With None, the default,
            only the loops that request it get stages. Results do not depend on this option.
            `kernel.explain_schedule()` shows the decisions.
        stage_choice: which stages the compiler forms in loops with `warp_pipeline="auto"`, among those with the best
            estimates: 1 for no stages, 2 for the best estimate, and so on. With None, the default, the compiler uses
            the best estimate, or, for AMD GPUs, compiles the kernel with each choice and keeps the fastest one by the
            schedule model of the machine code. Results do not depend on this option.
        maxnreg: largest number of registers per thread, or None for no limit (NVIDIA; no effect elsewhere).
        enable_fp_fusion: contract `a * b + c` into an fma, which rounds once.
        keep_waits: keep the explicit waits for copies and MMAs unchanged. By default, unnecessary waits are removed,
            and waits that are stronger than necessary are relaxed.
        skip_passes: names of Hocket's own code generation passes to skip, separated by commas; "all" skips every one
            (AMD; no effect elsewhere). The option serves to compare machine code, and to find the pass that miscompiles
            a kernel. docs/isa.md lists the passes.
        debug: check `assert` and `device_assert` in the kernel, as the emulator always does.
        sanitize_overflow: where assertions are checked, report additions, subtractions and multiplications of integers
            narrower than 64 bits whose result does not fit. Functions of reductions and scans are not checked.
        waves_per_eu: number of waves that should fit on one SIMD, 0 for no preference (AMD; no effect elsewhere).
        launch_cooperative_grid: run all blocks of the grid at the same time, so that they may wait for each other. A
            grid that does not fit on the GPU is rejected.
        launch_pdl: allow the launch to begin before the previous one on the stream has ended (a programmatic dependent
            launch: Hopper; no effect elsewhere). The kernel must call `gl.extra.cuda.gdc_wait()` before it accesses
            data that the previous kernel reads or writes.
        profile: settings of the profiler, `hocket.profiler.facts.ProfileConfig(...).text()`. With the default "", the
            kernel records nothing. Sessions of the profiler set this option.
    """

    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int | None = None
    warp_pipeline: str | None = None
    stage_choice: int | None = None
    maxnreg: int | None = None
    enable_fp_fusion: bool = True
    keep_waits: bool = False
    skip_passes: str = ""
    debug: bool = False
    sanitize_overflow: bool = False
    waves_per_eu: int = 0
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    profile: str = ""

    def __post_init__(self) -> None:
        for name in ("num_warps", "num_ctas", "num_stages", "stage_choice", "maxnreg", "waves_per_eu"):
            self._make_plain_int(name)
        for name in _BOOLS:
            self._make_plain_bool(name)
        if self.num_warps != 12 and (self.num_warps < 1 or self.num_warps & (self.num_warps - 1)):
            raise LaunchError(f"num_warps must be a power of two or 12, not {self.num_warps!r}")
        if self.num_stages is not None and self.num_stages < 1:
            raise LaunchError(f"num_stages must be at least 1, but is {self.num_stages}")
        if self.warp_pipeline not in (None, "auto"):
            raise LaunchError(f'warp_pipeline must be "auto" or None, not {self.warp_pipeline!r}')
        if self.stage_choice is not None and self.stage_choice < 1:
            raise LaunchError(f"stage_choice must be at least 1, but is {self.stage_choice}")
        if self.maxnreg is not None and not 1 <= self.maxnreg <= _MOST_REGISTERS:
            raise LaunchError(f"maxnreg must be from 1 to {_MOST_REGISTERS}, not {self.maxnreg}")
        if self.waves_per_eu < 0:
            raise LaunchError(f"waves_per_eu must not be negative, but is {self.waves_per_eu}")
        self._check_skip_passes()
        self._check_profile()
        if self.num_ctas < 1 or self.num_ctas & (self.num_ctas - 1):
            raise LaunchError(f"num_ctas must be a power of two, not {self.num_ctas}")

    @property
    def forms_stages(self) -> bool:
        """True if the compiler forms the stages of warp pipelines from all loops."""
        return self.warp_pipeline == "auto"

    def _check_skip_passes(self) -> None:
        if not isinstance(self.skip_passes, str):
            raise LaunchError(f"skip_passes must be a str, not {type(self.skip_passes).__name__}")
        known = _core.codegen_passes()
        for name in filter(None, self.skip_passes.split(",")):
            if name not in (*known, "all"):
                raise LaunchError(
                    f"skip_passes: Hocket has no code generation pass {name!r}\n"
                    f"  hint: write all, or some of {', '.join(known)}"
                )

    def _check_profile(self) -> None:
        if not isinstance(self.profile, str):
            raise LaunchError(
                f"profile must be a text, ProfileConfig(...).text(), not {type(self.profile).__name__}: sessions of "
                "the profiler set it"
            )
        if self.profile:
            from ..profiler.facts import ProfileConfig

            ProfileConfig.parse(self.profile)

    def _make_plain_int(self, name: str) -> None:
        """Converts the field `name` from a NumPy integer, which autotuners may use, to a Python int, so that equal
        options have equal texts."""
        value = getattr(self, name)
        if value is None and type(self).__dataclass_fields__[name].default is None:
            return
        try:
            object.__setattr__(self, name, operator.index(value))
        except TypeError:
            raise LaunchError(f"{name} must be an integer, not {value!r}") from None
        if abs(getattr(self, name)) > _LARGEST_INT:
            raise LaunchError(f"{name} must fit in 32 bits, but is {value}")

    def _make_plain_bool(self, name: str) -> None:
        """Converts the field `name` from a NumPy bool, 0 or 1 to a Python bool."""
        value = getattr(self, name)
        if value not in (False, True):
            raise LaunchError(f"{name} must be True or False, not {value!r}")
        object.__setattr__(self, name, bool(value))

    @classmethod
    def given(cls, values: dict[str, Any], debug: bool) -> "Options":
        """Returns the options of a launch: `values` override the defaults. `debug` is the option of `@hocket.jit` with
        this name."""
        defaults = {"debug": debug or environment.debug(), "warp_pipeline": environment.warp_pipeline()}
        return cls(**{**defaults, **values})


#: Pairs (name, default) of all options, in the form that the launch path takes.
OPTION_LIST = [(field.name, field.default) for field in fields(Options)]
