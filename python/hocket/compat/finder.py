"""An import finder for `triton` and its submodules, which Python calls before all other finders. Hocket provides the
names of the imported modules.

Each module of Triton has a list of *home modules* in Hocket. A name is searched in the home modules in order. A name
that only Triton has becomes a `Missing`. For a name that neither Triton nor Hocket has, Python raises its usual error.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from types import ModuleType
from typing import Any

from .missing import Missing
from .triton_names import NAMES

_OURS = "hocket.compat.namespaces"

_LANGUAGE = {
    "triton.language": (f"{_OURS}.tl", "hocket.language"),
    "triton.language.core": (f"{_OURS}.tl", "hocket.language"),
    "triton.language.standard": (f"{_OURS}.tl", "hocket.language"),
    "triton.language.math": (f"{_OURS}.tl", "hocket.language"),
    "triton.language.target_info": (f"{_OURS}.target_info",),
    "triton.language.extra": (),
    "triton.language.extra.cuda": ("hocket.language.extra.cuda",),
    "triton.language.extra.hip": (),
    "triton.language.extra.libdevice": ("hocket.language.extra.libdevice",),
    "triton.language.extra.cuda.libdevice": ("hocket.language.extra.libdevice",),
    "triton.language.extra.hip.libdevice": ("hocket.language.extra.libdevice",),
}

_GLUON = "triton.experimental.gluon"
_GL = f"{_GLUON}.language"

#: Modules of Gluon's language for which hocket.language has a module with an equal name.
_SAME = """
amd amd.cdna3 amd.cdna4 amd.cdna4.async_copy amd.hint nvidia nvidia.ampere nvidia.ampere.async_copy
nvidia.ampere.mbarrier nvidia.hopper nvidia.hopper.tma nvidia.hopper.mbarrier nvidia.hopper.cluster extra extra.cuda
""".split()

#: Modules for GPUs that Hocket does not compile for. Files can import names from these modules.
_OTHER_GPUS = """
nvidia.blackwell nvidia.blackwell.tma nvidia.blackwell.clc nvidia.blackwell.float2 amd.gfx1250
""".split()

#: Modules of Triton that have no counterpart in Hocket. Files can import these modules.
_ABSENT = "amd.cdna5 amd.rdna3 amd.rdna4 nvidia.rubin fpsan".split()

_C = "triton._C"
_LIBRARY = f"{_C}.libtriton"

#: Modules of Triton's compiler that files import. Hocket has a few of the helpers in these modules; other names are
#: `Missing`.
_LIBRARY_MODULES: dict[str, tuple[str, ...]] = {
    _C: (),
    _LIBRARY: (),
    f"{_LIBRARY}.gluon_ir": (f"{_OURS}.gluon_ir",),
    f"{_LIBRARY}.nvidia": (),
    f"{_LIBRARY}.nvidia.cublas": (f"{_OURS}.cublas",),
    **{f"{_LIBRARY}.{name}": () for name in "amd gsan_testing interpreter ir linear_layout llvm passes".split()},
}

#: For each module of Triton: its home modules in Hocket, in the order of the search.
HOMES: dict[str, tuple[str, ...]] = {
    "triton": (f"{_OURS}.package",),
    "triton.testing": (f"{_OURS}.testing",),
    "triton.compiler": (f"{_OURS}.compiler",),
    "triton.compiler.compiler": (f"{_OURS}.compiler",),
    "triton.compiler.errors": (f"{_OURS}.compiler",),
    "triton.errors": (f"{_OURS}.compiler", f"{_OURS}.runtime"),
    "triton.backends": (),
    "triton.backends.compiler": (f"{_OURS}.compiler",),
    "triton.knobs": (f"{_OURS}.knobs",),
    "triton.runtime": (f"{_OURS}.runtime",),
    "triton.runtime.autotuner": (f"{_OURS}.package", "hocket.tuning"),
    "triton.runtime.driver": (f"{_OURS}.driver",),
    "triton.runtime.errors": (f"{_OURS}.runtime",),
    "triton.runtime.jit": (f"{_OURS}.runtime", f"{_OURS}.package"),
    "triton.tools": (),
    "triton.tools.tensor_descriptor": (f"{_OURS}.descriptors",),
    "triton.tools.mxfp": (f"{_OURS}.mxfp",),
    "triton._internal_testing": (f"{_OURS}.internal_testing",),
    **_LIBRARY_MODULES,
    **_LANGUAGE,
    "triton.experimental": (),
    _GLUON: (f"{_OURS}.package",),
    f"{_GLUON}._runtime": (f"{_OURS}.package", f"{_OURS}.compiler"),
    _GL: (f"{_OURS}.gl", "hocket.language"),
    f"{_GL}._core": (f"{_OURS}.gl", "hocket.language"),
    f"{_GL}._layouts": ("hocket.language", "hocket.language.nvidia", "hocket.language.amd"),
    f"{_GL}._standard": (f"{_OURS}.gl", "hocket.language"),
    f"{_GL}._math": ("hocket.language",),
    f"{_GL}.extra.libdevice": ("hocket.language.extra.libdevice",),
    **{f"{_GL}.{name}": (f"hocket.language.{name}",) for name in _SAME},
    **{f"{_GL}.{name}": (f"hocket.compat.other_gpus.{name}",) for name in _OTHER_GPUS},
    **{f"{_GL}.{name}": () for name in _ABSENT},
    f"{_GL}.amd": (f"{_OURS}.amd", "hocket.language.amd"),
    f"{_GL}.amd._layouts": (f"{_OURS}.amd", "hocket.language.amd"),
    f"{_GLUON}.nvidia": (),
    f"{_GLUON}.nvidia.hopper": (f"{_OURS}.descriptors",),
    f"{_GLUON}.nvidia.blackwell": (f"{_OURS}.descriptors",),
    f"{_GLUON}.amd": (),
    f"{_GLUON}.amd.gfx1250": (),
}

#: Maps modules of Triton that have no entry in triton_names.NAMES to modules whose entries contain the same names.
_SAME_NAMES = {f"{_GL}._core": _GL, f"{_GL}._layouts": _GL, "triton.language.core": "triton.language"}

_FOR_USERS = "__version__", "__all__"


class Mirror(ModuleType):
    """Replacement of a module of Triton. The names in the replacement are names of Hocket."""

    def __init__(self, full_name: str):
        homes = HOMES[full_name]
        # Messages of the compiler contain the module's `__name__`. The compiler recognizes Hocket's modules by
        # `__name__`.
        super().__init__(homes[-1] if homes else full_name.replace("triton", "hocket", 1), f"{full_name}, of Hocket")
        self.__path__ = []
        self._full_name = full_name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in _FOR_USERS:
            raise AttributeError(name)
        value = find(self._full_name, name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *names_of(self._full_name)})


def find(module: str, name: str) -> Any:
    """Returns Hocket's counterpart of `module.name`. Raises AttributeError for a name that neither Triton nor Hocket
    has."""
    if f"{module}.{name}" in HOMES:
        return importlib.import_module(f"{module}.{name}")
    for home in HOMES[module]:
        try:
            value = getattr(importlib.import_module(home), name)
        except (AttributeError, ImportError):
            continue
        # a submodule of Hocket with a private name does not count as the object `name`
        if not (name.startswith("_") and isinstance(value, ModuleType)):
            return value
    if name in NAMES.get(_SAME_NAMES.get(module, module), ()) or module in _LIBRARY_MODULES:
        return Missing(f"{module}.{name}", _hint(name))
    raise AttributeError(f"module '{module}' has no attribute '{name}', neither of Triton's nor of Hocket's")


def has(module: str, name: str) -> bool:
    """Returns True if Hocket implements the name `name` of Triton's module `module`."""
    from .meaning import is_meant

    try:
        return is_meant(find(module, name))
    except AttributeError:
        return False


def names_of(module: str) -> set[str]:
    """Returns the names in Triton's module `module`."""
    known = set(NAMES.get(_SAME_NAMES.get(module, module), ()))
    return known | {full.rpartition(".")[2] for full in HOMES if full.rpartition(".")[0] == module}


def _hint(name: str) -> str:
    from ..language._foreign_names import advice

    return advice("language", name) or advice("package", name)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds and loads `triton` and its submodules."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if fullname not in HOMES:
            if fullname.partition(".")[0] == "triton":
                raise ModuleNotFoundError(
                    f"Hocket has no module for {fullname}, and Triton itself is not used in this process",
                    name=fullname,
                )
            return None
        return importlib.machinery.ModuleSpec(fullname, self, origin="hocket.compat", is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return Mirror(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


def is_installed() -> bool:
    """Returns True if `import triton` imports Hocket in this process."""
    return any(isinstance(finder, Finder) for finder in sys.meta_path)


def install(emulate: str | None = None) -> None:
    """Makes `import triton` import Hocket in this process, even if Triton is installed.

    Args:
        emulate: "sm_80", "sm_90a", "gfx942" or "gfx950": kernels run on an emulated GPU of this kind, and PyTorch's
            tensors created on "cuda" lie in host memory (hocket.compat.emulation).

    Raises: RuntimeError if Triton itself was imported before; LaunchError for an unknown target.

    Example:
        hocket.compat.install(emulate="gfx950")
    """
    if not is_installed():
        if "triton" in sys.modules:
            raise RuntimeError(
                "Triton itself is imported already: call hocket.compat.install() before anything imports it"
            )
        sys.meta_path.insert(0, Finder())
    if emulate is not None:
        from .emulation import emulate as start

        start(emulate)
