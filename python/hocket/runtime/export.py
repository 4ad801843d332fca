"""Exports compiled kernels as bundles: folders that C programs and Python launch without the compiler
(hocket/deploy/manifest.py)."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import __version__, _core
from ..deploy.bundle_files import entry_of, write_bundle
from ..deploy.c_source import c_header, c_source, check_argument_names
from ..deploy.element_types import ELEMENT_TYPES, identifier, short_name
from ..deploy.grid_rules import parse_rules
from ..deploy.manifest import Argument, BundleParameter, KernelCode, Launch, Manifest, TensorMap, capability_of
from ..errors import InternalError, LaunchError

if TYPE_CHECKING:
    from .compiled import CompiledKernel

#: Values of CUtensorMapDataType by element type. TMA copies elements of other types as unsigned integers of their size.
_TMA_ELEMENTS = {"i32": 3, "i64": 5, "f16": 6, "f32": 7, "f64": 8, "bf16": 9}
_TMA_UNSIGNED = {1: 0, 2: 1, 4: 2, 8: 4}
_TMA_TF32 = 11
#: Largest number of implicit arguments of a kernel in a bundle.
_MOST_SCRATCH = 4


class Slot(NamedTuple):
    """An explicit argument of a compiled kernel. `kind`, `dimension`: as in Argument. `type`: the type in a signature.
    `description`: for kind "map", the DescriptorType."""

    name: str
    kind: str
    type: str
    root: str
    dimension: int = 0
    description: Any = None


def export_kernel(
    compiled: CompiledKernel,
    folder: str | os.PathLike,
    *,
    grid: Any = None,
    name: str | None = None,
    emulator: bool = False,
    given: dict[str, Any] | None = None,
) -> Manifest:
    """Writes a bundle for a kernel that was compiled without being loaded. Returns the manifest.

    Args:
        compiled: the kernel.
        folder: the folder of the bundle.
        grid: rules for the grid (deploy/grid_rules.py); None if the caller passes the grid.
        name: prefix of the names in C; by default, the name of the kernel.
        emulator: whether the bundle also contains code for the emulator.
        given: the arguments by name, from which the properties of tensor descriptors are read.
    """
    request = compiled._request
    slots = list(slots_of(request))
    parameters, arguments, constants = _parameters(compiled, slots, given or {})
    names = {p.name: None for p in parameters if not p.is_array and p.type[0] in "iu" and p.type != "i1"}
    numbers = {name: value for name, value in constants.items() if type(value) is int}
    rules = None if grid is None else [rule.text for rule in parse_rules(grid, {**names, **numbers})]
    if rules is not None:
        rules = _with_constants(rules, numbers)
    files = BundleFiles(emulator)
    files.add(compiled)
    manifest = Manifest(
        hocket=__version__,
        build=_core.build_id(),
        name=checked_name(name or compiled.name, name is not None),
        target=compiled.target,
        parameters=parameters,
        kernels=files.kernels,
        launches=[Launch(0, rules, arguments)],
        constants={name: repr(value) for name, value in constants.items()},
    )
    return write(folder, manifest, files)


def _with_constants(rules: list[str], constants: dict[str, int]) -> list[str]:
    """Returns the rules with the values of constants instead of their names."""
    if not constants:
        return rules
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, constants))})\b")
    return [pattern.sub(lambda found: str(constants[found[1]]), rule) for rule in rules]


def checked_name(name: str, is_given: bool) -> str:
    """Returns the bundle's name, an identifier of C. Raises LaunchError if the user's name is not an identifier."""
    if is_given and identifier(name) != name:
        raise LaunchError(f"the name of an export must be an identifier of C, not {name!r}")
    return identifier(name)


def write(folder: str | os.PathLike, manifest: Manifest, files: BundleFiles) -> Manifest:
    """Writes a bundle with its C header and C source."""
    check_argument_names(manifest)
    contents = dict(files.contents)
    manifest.files = files.entries()
    contents[f"{manifest.name}.h"] = c_header(manifest).encode()
    contents[f"{manifest.name}.c"] = c_source(manifest).encode()
    write_bundle(folder, manifest, contents)
    return manifest


# Machine code ---------------------------------------------------------------------------------------------------------


class BundleFiles:
    """The machine code of a bundle. `with_emulator`: whether the lane form is added, which the emulator runs."""

    def __init__(self, with_emulator: bool):
        self.with_emulator = with_emulator
        self.kernels: list[KernelCode] = []
        self.contents: dict[str, bytes] = {}
        self._indices: dict[int, int] = {}

    def add(self, compiled: CompiledKernel) -> int:
        """Adds a kernel. Returns its index; the index of the earlier one if the kernel was added before."""
        if id(compiled) not in self._indices:
            self._indices[id(compiled)] = len(self.kernels)
            self.kernels.append(self._kernel(compiled))
        return self._indices[id(compiled)]

    def entries(self) -> dict[str, dict[str, Any]]:
        """Returns the size and the SHA-256 of each file."""
        return {name: entry_of(contents) for name, contents in self.contents.items()}

    def _kernel(self, compiled: CompiledKernel) -> KernelCode:
        facts = compiled.metadata
        _check_exportable(facts)
        stem = identifier(facts.name)
        if any(file.startswith(f"{stem}.") for file in self.contents):
            stem = f"{stem}_{len(self.kernels)}"
        codes = _machine_code(compiled)
        if self.with_emulator:
            request = compiled._request
            _, lane = _core.lane_form(
                request.function, request.types, request.values, request.target, request.options, is_generic=True
            )
            codes["lane"] = lane.encode()
        self.contents.update({f"{stem}.{kind}": contents for kind, contents in codes.items()})
        code = next((kind for kind in ("cubin", "hsaco") if kind in codes), "")
        return KernelCode(
            symbol=facts.name,
            code=code and f"{stem}.{code}",
            ptx=f"{stem}.ptx" if "ptx" in codes else "",
            lane=f"{stem}.lane" if "lane" in codes else "",
            num_warps=facts.num_warps,
            worker_warps=facts.worker_warps,
            warp_size=facts.warp_size,
            num_ctas=facts.num_ctas,
            shared_bytes=facts.shared,
            is_cooperative=facts.launch_cooperative_grid,
            is_programmatic=facts.launch_pdl,
            scratch=[[per_launch, per_block] for _, per_launch, per_block in facts.implicit_arguments],
            parameters=list(facts.parameters),
        )


def _check_exportable(facts: _core.KernelFacts) -> None:
    if facts.profile:
        raise LaunchError(f"{facts.name} records times for the profiler, which an export cannot hold")
    for kind, _, _ in facts.implicit_arguments:
        if kind != "scratch":
            raise LaunchError(
                f"{facts.name} prints or asserts, for which {facts.target} needs memory of the host; an export cannot "
                "hold this yet\n  hint: export the kernel without print and debug=True"
            )
    if len(facts.implicit_arguments) > _MOST_SCRATCH:
        raise LaunchError(f"{facts.name} has more than {_MOST_SCRATCH} implicit arguments, which an export cannot hold")


def _machine_code(compiled: CompiledKernel) -> dict[str, bytes]:
    """Returns the machine code, and the PTX if it runs on more GPUs than the machine code or no assembler is
    installed."""
    if "hsaco" in compiled.asm:
        return {"hsaco": compiled.asm["hsaco"]}
    from .compiler import find_assembler

    ptx = compiled.asm["ptx"].encode()
    find_assembler()
    codes = {"cubin": _core.ptx_to_cubin(ptx, compiled.metadata)} if _core.cubin_assembler(ptx) else {}
    _, suffix = capability_of(compiled.target)
    return codes if codes and suffix else {**codes, "ptx": ptx}


# Parameters -----------------------------------------------------------------------------------------------------------


def slots_of(request: Any) -> Iterator[Slot]:
    """Yields the explicit arguments of a compiled kernel, in order."""
    for parameter, type_, value in zip(request.function.parameters, request.types, request.values, strict=True):
        yield from _slots(parameter.name, type_, value)


def _slots(name: str, type_: Any, value: Any) -> Iterator[Slot]:
    if type_ is None:
        return
    if isinstance(type_, tuple):
        for i, (inner, element) in enumerate(zip(type_, value, strict=True)):
            yield from _slots(f"{name}[{i}]", inner, element)
    elif value is not None:
        rank = value.im2col or len(value.block_shape)
        yield Slot(name, "map", type_, name, description=value)
        for i in range(rank):
            yield Slot(f"{name}.shape[{i}]", "shape", "i32", name, i)
        for i in range(rank - 1):
            yield Slot(f"{name}.strides[{i}]", "stride", "i64", name, i)
    else:
        yield Slot(name, "address" if type_.startswith("*") else "number", type_, name)


def _parameters(
    compiled: CompiledKernel, slots: list[Slot], given: dict[str, Any]
) -> tuple[list[BundleParameter], list[Argument], dict[str, Any]]:
    """Returns the parameters of the bundle, the arguments of the kernel, and the kernel's constants."""
    facts, request = compiled.metadata, compiled._request
    check_slots(facts, slots)
    parameters: list[BundleParameter] = []
    arguments = []
    positions: dict[str, int] = {}
    for slot in slots:
        if slot.root not in positions:
            positions[slot.root] = len(parameters)
            parameters.append(_parameter(slot, facts))
        tensor_map = _map_of(slot, _given(slot.root, given)) if slot.kind == "map" else None
        arguments.append(Argument(slot.kind, positions[slot.root], dimension=slot.dimension, map=tensor_map))
    names = (parameter.name for parameter in request.function.parameters)
    constants = {
        name: value for name, type_, value in zip(names, request.types, request.values, strict=True) if type_ is None
    }
    return parameters, arguments, constants


def check_slots(facts: _core.KernelFacts, slots: list[Slot]) -> None:
    if [slot.name for slot in slots] != list(facts.parameters):
        raise InternalError(f"{facts.name}: the arguments are {facts.parameters}, not {[slot.name for slot in slots]}")


def _parameter(slot: Slot, facts: _core.KernelFacts) -> BundleParameter:
    is_written = slot.root in facts.written_arguments
    if slot.kind == "map":
        element = short_name(slot.description.dtype.name)
        rank = len(slot.description.block_shape)
        return BundleParameter(slot.name, "tensordesc", 16, _element(element), is_written, rank=rank)
    type_, _, multiple = slot.type.partition(":")
    if slot.kind == "number" and not ELEMENT_TYPES[type_].c_name:
        raise LaunchError(f"{facts.name}: `{slot.name}` is a number of type {type_}, which launches cannot pass")
    return BundleParameter(slot.name, type_, int(multiple or 1), is_written=is_written)


def _element(name: str) -> str:
    """Returns the name in signatures of an element type of hocket.language, such as "f8e5" for "float8e5"."""
    if name in ELEMENT_TYPES:
        return name
    return {"float8e5": "f8e5", "float8e4nv": "f8e4nv", "float8e5b16": "f8e5b16", "float8e4b8": "f8e4b8"}[name]


def _given(name: str, given: dict[str, Any]) -> Any:
    """Returns the argument `name`, such as "x" or "x[0]"."""
    first, *indices = name.replace("]", "").split("[")
    value = given.get(first)
    for index in indices:
        value = value[int(index)] if value is not None else None
    return value


def _map_of(slot: Slot, descriptor: Any) -> TensorMap:
    """Returns the properties of the tensor map that do not depend on the caller's array."""
    if slot.description.im2col:
        raise LaunchError(f"`{slot.name}` is an im2col descriptor, which an export cannot hold yet")
    if not hasattr(descriptor, "_launch_arguments"):
        raise LaunchError(f"`{slot.name}` is a tensor descriptor\n  hint: pass a hocket.nvidia.hopper.TensorDescriptor")
    _, _, _, box, swizzle_bytes, fills_nan, rounds_to_tf32, _ = descriptor._launch_arguments
    element = _element(short_name(slot.description.dtype.name))
    size = ELEMENT_TYPES[element].size_bytes
    number = _TMA_TF32 if rounds_to_tf32 else _TMA_ELEMENTS.get(element, _TMA_UNSIGNED[size])
    return TensorMap(number, size, list(reversed(box)), swizzle_bytes, bool(fills_nan))


# kernel.export --------------------------------------------------------------------------------------------------------


def export_call(
    kernel: Any, folder: str | os.PathLike, args: tuple[Any, ...], target: str, settings: dict[str, Any], kwargs: Any
) -> Manifest:
    """Compiles and exports a kernel for arguments that `warmup` takes. `settings`: keyword arguments of
    export_kernel."""
    compiled = kernel.warmup(*args, target=target, **kwargs)
    own = {name: value for name, value in kwargs.items() if name in kernel.arg_names}
    try:
        given = inspect.signature(kernel.fn).bind_partial(*args, **own).arguments
    except TypeError:
        given = {}
    return export_kernel(compiled, folder, given=dict(given), **settings)
