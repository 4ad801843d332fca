"""The manifest of a bundle: manifest.json, which describes the kernels of the bundle and their launches.

    format        version of this format
    hocket, build version and build of the compiler
    name, target  prefix of the names in C; the target, such as "sm_90a"
    parameters    arguments of a launch, in order: BundleParameter
    kernels       machine code and its resources: KernelCode
    temporaries   memory that each launch of the bundle allocates: Temporary
    launches      launches of kernels, in order: Launch
    files         size and SHA-256 of each other file of the bundle
    sha256        SHA-256 of the manifest without this entry

The launches of an exported kernel are one launch. An exported function, such as `hocket.kernels.matmul`, can launch
several kernels, whose arguments are arrays of the caller, temporaries and constants.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from typing import Any

from ..errors import LaunchError

FORMAT = 1
FILE_NAME = "manifest.json"


@dataclasses.dataclass
class BundleParameter:
    """An argument of a launch.

    Attributes:
        name: the name in Python.
        type: "*f32" for an array, "i32" for a number, "tensordesc" for an array that the kernel reads by TMA.
        multiple_of: the address of an array, or the value of an integer, is a multiple of this power of two.
        element: the type of the elements of a tensordesc.
        is_written: True if a kernel writes the array.
        shape, strides: of an array of an exported function, which is compiled for them; strides in elements.
        rank: number of dimensions of a tensordesc.
    """

    name: str
    type: str
    multiple_of: int = 1
    element: str = ""
    is_written: bool = False
    shape: list[int] | None = None
    strides: list[int] | None = None
    rank: int = 0

    @property
    def is_array(self) -> bool:
        return self.type.startswith("*") or self.type == "tensordesc"

    @property
    def element_type(self) -> str:
        """The type of an array's elements, or of a number."""
        return self.element or self.type.removeprefix("*")


@dataclasses.dataclass
class KernelCode:
    """A compiled kernel.

    Attributes:
        symbol: name of the function in the machine code.
        code: file with the machine code (cubin or hsaco); "" if the driver compiles the PTX.
        ptx: file with the PTX, or "".
        lane: file with the lane form, which the emulator runs, or "".
        num_warps, worker_warps, warp_size: `num_warps + worker_warps` warps of `warp_size` lanes form a block.
        num_ctas: blocks of a cluster; the grid counts clusters.
        shared_bytes: shared memory of a block.
        is_cooperative, is_programmatic: attributes of launches.
        scratch: for each implicit argument, memory of one launch: bytes per launch, and bytes per block.
        parameters: names of the explicit arguments.
    """

    symbol: str
    code: str
    ptx: str
    lane: str
    num_warps: int
    worker_warps: int
    warp_size: int
    num_ctas: int
    shared_bytes: int
    is_cooperative: bool
    is_programmatic: bool
    scratch: list[list[int]]
    parameters: list[str]

    @property
    def threads(self) -> int:
        return (self.num_warps + self.worker_warps) * self.warp_size


@dataclasses.dataclass
class Temporary:
    """Memory that a launch of the bundle allocates and frees in stream order. `fill`: 0, or None if the memory is
    undefined."""

    bytes: int
    fill: int | None = None


@dataclasses.dataclass
class TensorMap:
    """Arguments of cuTensorMapEncodeTiled. In lists, the innermost dimension comes first. The lists `sizes` and
    `stride_bytes` are None if the caller passes the shape and the strides."""

    element: int
    element_bytes: int
    box: list[int]
    swizzle_bytes: int
    fills_nan: bool
    sizes: list[int] | None = None
    stride_bytes: list[int] | None = None

    @property
    def rank(self) -> int:
        return len(self.box)


@dataclasses.dataclass
class Argument:
    """An explicit argument of a kernel.

    Attributes:
        kind: "address", "map", "number", "shape", "stride", or "bits".
        parameter: index of the bundle's parameter that the argument comes from; -1 for a temporary and for "bits".
        temporary: index of the temporary that the argument comes from, or -1.
        offset: bytes from the begin of the array to the address.
        dimension: for "shape" and "stride" of a tensordesc, the dimension; the outermost one is 0.
        bits: the value of a constant.
        map: the tensor map.
    """

    kind: str
    parameter: int = -1
    temporary: int = -1
    offset: int = 0
    dimension: int = 0
    bits: int = 0
    map: TensorMap | None = None


@dataclasses.dataclass
class Launch:
    """A launch of the kernel with index `kernel`. `grid`: three rules (grid_rules.py), or None if the caller passes
    the grid."""

    kernel: int
    grid: list[str] | None
    arguments: list[Argument]


@dataclasses.dataclass
class Manifest:
    hocket: str
    build: str
    name: str
    target: str
    parameters: list[BundleParameter]
    kernels: list[KernelCode]
    launches: list[Launch]
    temporaries: list[Temporary] = dataclasses.field(default_factory=list)
    #: Constants of an exported kernel, as text.
    constants: dict[str, str] = dataclasses.field(default_factory=dict)
    files: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)

    @property
    def is_amd(self) -> bool:
        return self.target.startswith("gfx")

    @property
    def has_free_grid(self) -> bool:
        """True if the caller passes the grid."""
        return any(launch.grid is None for launch in self.launches)

    def to_json(self) -> str:
        """Returns the text of manifest.json. Equal manifests have equal texts."""
        fields = {"format": FORMAT, **dataclasses.asdict(self)}
        return _text({**fields, "sha256": _digest(fields)})


def capability_of(target: str) -> tuple[int, str]:
    """Returns the compute capability times 10, and the suffix of a target: 90 and "a" for "sm_90a". Machine code and
    PTX for a target with a suffix run on GPUs of exactly this compute capability."""
    found = re.fullmatch(r"sm_(\d+)([a-z]*)", target)
    assert found
    return int(found[1]), found[2]


def parse_manifest(text: str, where: str) -> Manifest:
    """Returns the manifest with the text of manifest.json. `where`: the bundle's folder, for messages. Raises
    LaunchError if the text is damaged, or was written in another version of the format."""
    try:
        fields = json.loads(text)
        digest = fields.pop("sha256")
        version = fields.pop("format")
    except (ValueError, KeyError, AttributeError, TypeError):
        raise LaunchError(f"{where} is not a bundle: {FILE_NAME} is damaged") from None
    if version != FORMAT:
        raise LaunchError(
            f"{where} was exported by Hocket {fields.get('hocket')} in version {version} of the format; this Hocket "
            f"reads version {FORMAT}\n  hint: export it again"
        )
    if digest != _digest({"format": version, **fields}):
        raise LaunchError(f"{where} was changed after the export: the SHA-256 of {FILE_NAME} is wrong")
    fields["parameters"] = [BundleParameter(**entry) for entry in fields["parameters"]]
    fields["kernels"] = [KernelCode(**entry) for entry in fields["kernels"]]
    fields["temporaries"] = [Temporary(**entry) for entry in fields["temporaries"]]
    fields["launches"] = [
        Launch(**{**entry, "arguments": [_argument(given) for given in entry["arguments"]]})
        for entry in fields["launches"]
    ]
    return Manifest(**fields)


def _argument(entry: dict[str, Any]) -> Argument:
    tensor_map = entry["map"]
    return Argument(**{**entry, "map": tensor_map and TensorMap(**tensor_map)})


def _digest(fields: dict[str, Any]) -> str:
    canonical = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _text(fields: dict[str, Any]) -> str:
    return json.dumps(fields, indent=1) + "\n"
