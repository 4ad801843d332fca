"""Compiles a kernel for one specialization, or reads the kernel from the disk cache, and loads the kernel on its
GPU."""

from __future__ import annotations

import atexit
import contextlib
import contextvars
import functools
import hashlib
import importlib.util
import os
import pathlib
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .. import __version__, _core, hooks
from ..errors import InternalError
from . import environment, places
from .compiled import Artifacts, CompiledKernel
from .dependencies import NotStable, fingerprint, functions_in, stable_text, used_globals
from .stage_choice import choose_stages, restore_choice
from .stage_times import steps_of, timed
from .symbols import specialization_of

if TYPE_CHECKING:
    from types import FunctionType
    from typing import Protocol

    from .options import Options

    class JITFunction(Protocol):
        """Protocol with the attributes of `runtime.jit.JITFunction` that this module uses. This module cannot import
        runtime.jit, because runtime.jit imports this module."""

        fn: FunctionType
        parameters: list
        __name__: str

        def symbol_for(self, types: list, values: list) -> str: ...


def compile_specialization(
    function: JITFunction, types: list, values: list, options: Options, place: int | str
) -> CompiledKernel:
    """Returns the kernel for a specialization, ready to launch. `types` and `values` are the types of arguments and the
    values of constexprs, as LaunchFunction passes them. `place` is the ordinal of a GPU, the target of an emulated GPU,
    or COMPILE_ONLY and a target."""
    begin = time.perf_counter()
    start = None
    if hooks.compilation_enter or hooks.compilation:
        start = hooks.CompilationStart(function, specialization_of(function, types, values), options, place)
        hooks.compilation_enter(start)
    functions = [function.fn, *(inner for value in values for inner in functions_in(value))]
    dependencies = used_globals(functions)
    request = Request(function, types, values, options, place)
    try:
        if isinstance(place, int):
            device_kernel, facts, artifacts = _compile_for_gpu(request, functions, dependencies, place)
        elif place.startswith(places.COMPILE_ONLY):
            facts, artifacts = _run_chosen(request, [request.target_info.assembly])
            device_kernel = None
        else:
            device_kernel, facts = _compile_for_emulator(request)
            artifacts = {}
    except InternalError as error:
        raise InternalError(str(error), request.write_reproducer(str(error))) from None
    artifacts = Artifacts(request.target, artifacts, request.make)
    kernel = CompiledKernel(facts, artifacts, device_kernel, dependencies, request.arguments(), place, request)
    if start is not None and hooks.compilation:
        seconds = time.perf_counter() - begin
        hooks.compilation(hooks.CompilationEvent(start, kernel, seconds, request.steps, request.was_cached))
    return kernel


class Request:
    """A compilation request: a function, the specialization of its arguments, options and target."""

    def __init__(self, function: JITFunction, types: list, values: list, options: Options, place: int | str):
        self.function = function
        self.types = types
        self.values = values
        self.options = options
        #: True if the machine code has been read from the disk cache.
        self.was_cached = False
        #: Name of each step of the compiler, and its duration in seconds if it was measured.
        self.steps: list[tuple[str, float]] = []
        if isinstance(place, int):
            self.target = _core.device_info(place).target
        else:
            self.target = place.removeprefix(places.COMPILE_ONLY)

    @property
    def target_info(self) -> _core.TargetInfo:
        return next(info for info in _core.targets() if info.name == self.target)

    def arguments(self) -> dict[str, str]:
        """Returns the specialization of each parameter of the kernel: a type as in signatures, such as "*f32:16", or "=
        " and a constant."""

        def described(type: Any, value: Any) -> str:
            if isinstance(type, tuple):
                return f"({', '.join(map(described, type, value))})"
            return f"= {value!r}" if type is None else type

        names = (parameter.name for parameter in self.function.parameters)
        return dict(zip(names, map(described, self.types, self.values), strict=True))

    def run(
        self, wanted: list[str], trace: _core.CompileTrace | None = None
    ) -> tuple[_core.KernelFacts, dict[str, bytes]]:
        """Compiles until all artifacts in `wanted`, such as "ptx", are made. Returns the properties of the kernel
        (KernelFacts), and the artifacts by name."""
        return _core.compile(self.function, self.types, self.values, self.target, self.options, wanted, trace)

    def make(self, artifact: str) -> bytes:
        if artifact == self.target_info.machine_code and self.target_info.uses_installed_assembler:
            find_assembler()
        return self.run([artifact])[1][artifact]

    def write_reproducer(self, problem: str) -> str | None:
        """Writes the IR of the front end to a file for a bug report, and returns its path."""
        try:
            text = _core.emit(self.function, self.types, self.values, self.target, self.options)
        except Exception:
            return None  # the front end has failed, so there is no IR to write
        header = [
            f"hocket {__version__}, build {_core.build_id()}, target {self.target}, {self.options}",
            *problem.splitlines(),
        ]
        prefix = f"hocket-{self.function.__name__}-"
        with tempfile.NamedTemporaryFile("w", prefix=prefix, suffix=".mlir", delete=False) as file:
            file.write("".join(f"// {line}\n" for line in header) + text)
        return file.name

    def cache_key(self, functions: list, dependencies: list) -> str | None:
        """Returns a key that is equal for requests with equal results, in all processes. Returns None if the request
        has no stable key."""
        try:
            parts = [
                build_fingerprint(),
                _toolchain_stamp() if self.target_info.uses_installed_assembler else "",
                self.target,
                repr(self.options),
                self.function.symbol_for(self.types, self.values),
                repr(self.types),
                *map(stable_text, self.values),
                # With `debug`, the code contains assertions, and assertions contain source locations.
                fingerprint(functions, dependencies, with_places=self.options.debug),
            ]
        except NotStable:
            return None
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _compile_for_gpu(request: Request, functions: list, dependencies: list, ordinal: int) -> tuple:
    cache = disk_cache()
    key = request.cache_key(functions, dependencies) if cache else None
    cached = _read_entry(cache, key) if cache and key else None
    if cached is not None:
        facts, artifacts = cached
        request.was_cached = True
        restore_choice(request, facts)
        facts.issue_warnings()
    else:
        facts, artifacts = _compile_machine_code(request, _core.device_info(ordinal).needs_ptx)
        if cache and key:
            cache.write(key, {FACTS_PART: facts.to_bytes(), BUILD_PART: build_fingerprint().encode(), **artifacts})
    target = request.target_info
    code = next(artifacts[kind] for kind in (target.machine_code, target.assembly) if kind in artifacts)
    return _core.load_kernel(ordinal, code, facts), facts, artifacts


#: Parts of an entry of the disk cache: the KernelFacts, and the build_fingerprint. All other parts are artifacts.
FACTS_PART = "facts"
BUILD_PART = "build"


def _read_entry(cache: _core.DiskCache, key: str) -> tuple[_core.KernelFacts, dict[str, bytes]] | None:
    """Returns the KernelFacts and the artifacts of a kernel from the disk cache. Returns None if there is no entry, or
    if another build of the compiler has written it."""
    entry = cache.read(key)
    facts = _core.KernelFacts.from_bytes(entry.pop(FACTS_PART, b"")) if entry else None
    if entry:
        entry.pop(BUILD_PART, None)
    return (facts, entry) if entry and facts else None


def _compile_machine_code(request: Request, needs_ptx: bool) -> tuple[_core.KernelFacts, dict[str, bytes]]:
    """Compiles a kernel. Returns its KernelFacts, and its artifacts, including the artifact that the GPU's driver
    loads."""
    target = request.target_info
    if not target.uses_installed_assembler:
        return _run_chosen(request, [target.machine_code])
    find_assembler()  # the assembler loads in the background while the kernel is compiled
    facts, artifacts = _run(request, [target.assembly], assembled=not needs_ptx)
    # Without an assembler, or on a GPU that is newer than hocket's targets, the driver compiles the assembly text.
    text = artifacts[target.assembly]
    if not needs_ptx and target.machine_code not in artifacts and _core.cubin_assembler(text):
        with timed("machine code"):
            artifacts[target.machine_code] = _core.ptx_to_cubin(text, facts)
    return facts, artifacts


#: Function that compiles a request and returns KernelFacts and artifacts, or None if the function cannot compile the
#: request. The second argument is the list of the artifacts to return, such as "ptx". If the third argument is True,
#: the PTX is also assembled to a cubin.
Compiler = Callable[["Request", list[str], bool], "tuple[_core.KernelFacts, dict[str, bytes]] | None"]

_elsewhere: contextvars.ContextVar[Compiler | None] = contextvars.ContextVar("hocket_compiler", default=None)


@contextlib.contextmanager
def compiling_with(compiler: Compiler | None) -> Iterator[None]:
    """Returns a context manager in which this thread compiles kernels for GPUs by `compiler`. If `compiler` returns
    None, the kernel is compiled in this process."""
    token = _elsewhere.set(compiler)
    try:
        yield
    finally:
        _elsewhere.reset(token)


def _run_chosen(request: Request, wanted: list[str]) -> tuple[_core.KernelFacts, dict[str, bytes]]:
    """Compiles a request. If the compiler forms stages, the function chooses among the best ones (stage_choice.py)."""
    return choose_stages(request, _run(request, wanted), _run, wanted)


def _run(request: Request, wanted: list[str], assembled: bool = False) -> tuple[_core.KernelFacts, dict[str, bytes]]:
    compiler = _elsewhere.get()
    made = compiler(request, wanted, assembled) if compiler else None
    if made is not None:
        return made
    _core.set_machine_verifier(environment.verify_machine())
    trace = _core.CompileTrace() if environment.timing() or hooks.compilation else None
    begin = time.perf_counter()
    with timed(f"{request.function.__name__} for {request.target}", trace):
        result = request.run(wanted, trace)
    if trace is not None:
        request.steps = steps_of(trace, time.perf_counter() - begin)
    return result


def _compile_for_emulator(request: Request) -> tuple[_core.DeviceKernel, _core.KernelFacts]:
    from .emulated import load

    with timed(f"{request.function.__name__} for an emulated {request.target}"):
        return load(request)


# Parts of the cache's keys -----------------------------------------------------------------------------------------


@functools.cache
def build_fingerprint() -> str:
    """Returns a text that identifies the compiler: the core's build, and the contents of the Python files that take
    part in compilation. Installations of one wheel on several machines have equal texts."""
    digest = hashlib.sha256("\0".join([__version__, _core.build_id()]).encode())
    package = pathlib.Path(__file__).parent.parent
    for folder in ("language", "runtime"):
        for root, _, names in sorted(os.walk(package / folder)):
            for name in sorted(names):
                if name.endswith(".py"):
                    contents = pathlib.Path(root, name).read_bytes()
                    digest.update(f"\0{name}:{len(contents)}\0".encode() + contents)
    return digest.hexdigest()


def disk_cache() -> _core.DiskCache | None:
    directory = environment.cache_directory()
    if directory is None:
        return None
    return _core.DiskCache(directory / "kernels", min(environment.cache_limit(), 2**63))


@functools.cache
def _cuda_folders() -> list[str]:
    """Returns the folders that may contain CUDA's libraries, in order of priority. CUDA's programs are in the folder
    `bin` beside such a folder."""
    folders = []
    spec = sys.modules.get("nvidia") or importlib.util.find_spec("nvidia")
    roots = getattr(spec, "__path__", None) or getattr(spec, "submodule_search_locations", None) or []
    # PyTorch and hocket[cuda] install NVIDIA's pip packages, which have their libraries in these folders. Up to CUDA
    # 12, each library has a folder; later versions have one folder for all libraries.
    for root in roots:
        folders += [os.path.join(root, *parts, "lib") for parts in (["cu13"], ["nvjitlink"], ["cuda_nvcc"])]
    if (home := environment.cuda_home()) is not None:
        folders += [os.path.join(home, "lib64"), os.path.join(home, "lib")]
    return folders


_BYTES_OF_ENDS = 1 << 16


@functools.cache
def _toolchain_stamp() -> str:
    """Returns a text that identifies the installed assembler. The result is part of the cache key. Machines with equal
    assemblers have equal texts, wherever the assemblers are installed."""
    bins = [os.path.join(os.path.dirname(folder), "bin") for folder in _cuda_folders()]
    program = shutil.which("ptxas", path=os.pathsep.join([*bins, os.environ.get("PATH", "")]))
    files = [file for folder in _cuda_folders() for file in sorted(pathlib.Path(folder).glob("libnvJitLink.so*"))]
    stamps = []
    for path in [*files, *([pathlib.Path(program)] if program else [])]:
        with contextlib.suppress(OSError):
            stamps.append((path.name, *_digest_of_ends(path)))
    return repr(stamps)


def _digest_of_ends(path: pathlib.Path) -> tuple[int, str]:
    """Returns the size of a large file, and a digest of its begin and end, which differ between versions of a library:
    the table of sections is at the end."""
    with path.open("rb") as file:
        digest = hashlib.sha256(file.read(_BYTES_OF_ENDS))
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - _BYTES_OF_ENDS, 0))
        digest.update(file.read())
    return size, digest.hexdigest()


@functools.cache
def find_assembler() -> None:
    """Sets the folders of CUDA's libraries, and starts loading the PTX assembler in the background.
    `_core.cubin_assembler()` waits until the assembler is loaded, and returns its name."""
    _core.set_cuda_toolchain(_cuda_folders(), _core.cuda.driver_version // 1000)
    atexit.register(_core.finish_prefetch)
