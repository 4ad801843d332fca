"""Writes the C header and the C source of a bundle.

NAME_load      reads the machine code, checks its SHA-256, and loads it on the current GPU
NAME_launch    queues the launches of the bundle on a stream
NAME_unload    unloads the machine code
NAME_error     text of the calling thread's last error
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..errors import LaunchError
from . import c_texts
from .element_types import ELEMENT_TYPES, identifier
from .grid_rules import GridRule
from .manifest import Argument, BundleParameter, KernelCode, Launch, Manifest, TensorMap, capability_of

#: Names that arguments must not have in C: keywords of C11, C23, GNU C and C++ (C++ programs include the header),
#: macros of the C library, and the names that the launching function uses.
_KEYWORDS = (
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while"
)
_OTHER_KEYWORDS = (
    "alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t char8_t class co_await co_return "
    "co_yield compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit "
    "export false friend linux mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
    "protected public reinterpret_cast requires static_assert static_cast template this thread_local throw "
    "true try typeid typename typeof typeof_unqual unix using virtual wchar_t xor xor_eq"
)
_RESERVED = {
    *_KEYWORDS.split(),
    *_OTHER_KEYWORDS.split(),
    *"EOF BUFSIZ RAND_MAX int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t".split(),
    *"kernel stream failed grid grid_x grid_y grid_z arrays temporaries sizes maps values v i".split(),
    *"launch allocate release encode fail".split(),
    *"grid_div grid_mod grid_cdiv grid_min grid_max driver library message kernels find check start read_file".split(),
    *("NULL", "TARGET", "KERNELS", "I64", "U64", "U32"),
}

#: Values of CUtensorMapSwizzle by the size of the swizzle pattern in bytes.
_SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}


def argument_name(name: str) -> str:
    """Returns the name of an argument in C."""
    text = identifier(name)
    return f"{text}_" if text in _RESERVED else text


def check_argument_names(manifest: Manifest) -> None:
    """Raises LaunchError if two arguments have the same name in C."""
    names: dict[str, str] = {}
    for parameter in manifest.parameters:
        name = argument_name(parameter.name)
        if name in names:
            raise LaunchError(
                f"{manifest.name}: the arguments `{names[name]}` and `{parameter.name}` both have the name {name} in "
                "C\n  hint: rename one of them"
            )
        names[name] = parameter.name


def c_header(manifest: Manifest) -> str:
    """Returns the text of the header."""
    name, count = manifest.name, len(manifest.kernels)
    guard = f"{name.upper()}_H"
    driver = "the HIP runtime" if manifest.is_amd else "the CUDA driver"
    device, stream = ("GPU", "hipStream_t") if manifest.is_amd else ("CUDA context", "CUstream")
    grid = "\n   grid_x, grid_y, grid_z: number of programs along each axis." if manifest.has_free_grid else ""
    lines = "".join(f"\n   {_described(parameter)}" for parameter in manifest.parameters)
    comment = (
        f"/* Queues the launch on `stream`, a {stream}; null for the default stream. Any thread may call this function."
        f"{grid}{lines} */"
    )
    return f"""\
/* Loads and launches `{name}` for {manifest.target} with {driver} alone. Written by Hocket {manifest.hocket}. */
#ifndef {guard}
#define {guard}

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

typedef struct {{
  void *module, *function, *code;
}} {name}_module;
typedef struct {{
  {name}_module modules[{count}];
}} {name}_kernel;

/* Each function that returns an int returns 0 on success. This function returns the text of the calling thread's last
   error. */
const char *{name}_error(void);

/* Loads the machine code in `folder`, the folder that Hocket exported, into the calling thread's current {device}. */
int {name}_load({name}_kernel *kernel, const char *folder);
void {name}_unload({name}_kernel *kernel);

{comment}
{_prototype(manifest)};

#ifdef __cplusplus
}}
#endif

#endif
"""


def c_source(manifest: Manifest) -> str:
    """Returns the text of the source."""
    kernels = manifest.kernels
    has_maps = any(argument.kind == "map" for launch in manifest.launches for argument in launch.arguments)
    has_attributes = any(_has_attributes(kernel) for kernel in kernels)
    if manifest.is_amd:
        structs, functions = "", c_texts.HIP_FUNCTIONS + c_texts.HIP_ATTRIBUTE_FUNCTIONS * has_attributes
        vendor = c_texts.HIP + (c_texts.HIP_START_WITH_ATTRIBUTES if has_attributes else c_texts.HIP_START)
        unload = "hipModuleUnload"
    else:
        structs = c_texts.CUDA_ATTRIBUTES * has_attributes
        functions = (
            c_texts.CUDA_FUNCTIONS
            + c_texts.CUDA_ATTRIBUTE_FUNCTIONS * has_attributes
            + c_texts.CUDA_TENSOR_MAP_FUNCTIONS * has_maps
        )
        vendor = c_texts.CUDA + (c_texts.CUDA_START_WITH_ATTRIBUTES if has_attributes else c_texts.CUDA_START)
        unload = "cuModuleUnload"
    rows = ",\n  ".join(_row(manifest, kernel) for kernel in kernels)

    def named(text: str) -> str:
        return re.sub(r"\bNAME(?=\b|_)", manifest.name, text)

    return f"""\
/* Loads and launches `{manifest.name}`, see {manifest.name}.h. Compile: cc -c {manifest.name}.c, and link with -ldl. */
#include "{manifest.name}.h"
{_target_constants(manifest)}#define KERNELS {len(kernels)}
#define I64(...) (const int64_t[]){{__VA_ARGS__}}
{structs}{functions}
{named(c_texts.COMMON + vendor + c_texts.TENSOR_MAPS * has_maps)}
static const Kernel kernels[KERNELS] = {{
  {rows}
}};
{named(c_texts.LOAD.replace("MODULE_UNLOAD", unload))}{_grid_functions(manifest)}
{_launch_function(manifest)}"""


def _has_attributes(kernel: KernelCode) -> bool:
    return kernel.is_cooperative or kernel.is_programmatic or kernel.num_ctas > 1


def _target_constants(manifest: Manifest) -> str:
    text = f'#define TARGET "{manifest.target}"\n'
    if manifest.is_amd:
        return text
    number, suffix = capability_of(manifest.target)
    return (
        f"{text}enum {{ TARGET_MAJOR = {number // 10}, TARGET_MINOR = {number % 10}, TARGET_IS_PORTABLE = "
        f"{int(not suffix)} }};\n"
    )


def _row(manifest: Manifest, kernel: KernelCode) -> str:
    """Returns the initializer of a Kernel in C."""

    def file(name: str) -> str:
        if not name:
            return "{0, 0, 0}"
        entry = manifest.files[name]
        return f'{{"{name}", "{entry["sha256"]}", {entry["bytes"]}}}'

    scratch = ", ".join(f"{{{per_launch}, {per_block}}}" for per_launch, per_block in kernel.scratch) or "{0}"
    return (
        f'{{"{kernel.symbol}", {file(kernel.code)},\n   {file(kernel.ptx)}, {kernel.threads}, {kernel.num_ctas}, '
        f"{kernel.shared_bytes}, {int(kernel.is_cooperative)}, {int(kernel.is_programmatic)}, {len(kernel.scratch)}, "
        f"{{{scratch}}}}}"
    )


def _described(parameter: BundleParameter) -> str:
    """Returns the line of the header's comment on a parameter."""
    name, kind = argument_name(parameter.name), parameter.element_type
    if not parameter.is_array:
        multiple = f", a multiple of {parameter.multiple_of}" if parameter.multiple_of > 1 else ""
        return f"{name}: {kind}{multiple}."
    address = f"at a multiple of {parameter.multiple_of} bytes" if parameter.multiple_of > 1 else "at any address"
    if parameter.shape is not None:
        shape = " x ".join(map(str, parameter.shape))
        strides = ", ".join(map(str, parameter.strides or ()))
        return f"{name}: {kind} [{shape}], strides of {strides} elements, {address}."
    if parameter.rank:
        return (
            f"{name}: {kind}, {parameter.rank} dimensions, {address}; {name}_shape, and {name}_strides in elements: "
            "outermost first, without the last stride, which is 1."
        )
    return f"{name}: array of {kind}, {address}."


def _prototype(manifest: Manifest) -> str:
    items = [f"const {manifest.name}_kernel *kernel", "void *stream"]
    if manifest.has_free_grid:
        items.append("int64_t grid_x, int64_t grid_y, int64_t grid_z")
    for parameter in manifest.parameters:
        name = argument_name(parameter.name)
        if parameter.is_array:
            items.append(f"{'' if parameter.is_written else 'const '}void *{name}")
            if parameter.rank:
                items.append(f"const int64_t {name}_shape[{parameter.rank}]")
            if parameter.rank > 1:
                items.append(f"const int64_t {name}_strides[{parameter.rank - 1}]")
        else:
            items.append(f"{ELEMENT_TYPES[parameter.type].c_name} {name}")
    return _wrapped(f"int {manifest.name}_launch(", items, ")")


def _wrapped(begin: str, items: list[str], end: str, column: int = 0) -> str:
    """Returns the items, separated by commas, in lines of at most 120 characters. The first line starts at `column`."""
    lines, indent = [" " * column + begin], " " * (column + len(begin))
    for i, item in enumerate(items):
        text = item + (", " if i + 1 < len(items) else end)
        if len(lines[-1]) + len(text.rstrip()) > 120 and lines[-1].strip():
            lines[-1] = lines[-1].rstrip()
            lines.append(indent)
        lines[-1] += text
    return "\n".join(lines)[column:]


#: Functions of the rules of grids; a function follows those that it calls. // and % round as in Python.
_GRID_FUNCTIONS = {
    "grid_div": "{ return a / b - (a % b != 0 && (a < 0) != (b < 0)); }",
    "grid_mod": "{ return a - b * grid_div(a, b); }",
    "grid_cdiv": "{ return -grid_div(-a, b); }",
    "grid_min": "{ return a < b ? a : b; }",
    "grid_max": "{ return a > b ? a : b; }",
}


def _grid_functions(manifest: Manifest) -> str:
    """Returns the functions that the rules of grids call."""
    text = " ".join(_c_rule(rule, manifest) for launch in manifest.launches for rule in launch.grid or ())
    used = set(re.findall(r"grid_\w+(?=\()", text))
    if used & {"grid_mod", "grid_cdiv"}:
        used.add("grid_div")
    found = "".join(
        f"static int64_t {name}(int64_t a, int64_t b) {body}\n"
        for name, body in _GRID_FUNCTIONS.items()
        if name in used
    )
    return f"\n{found}" if found else ""


# The function that launches ------------------------------------------------------------------------------------------


def _launch_function(manifest: Manifest) -> str:
    temporaries = manifest.temporaries
    lines = [f"{_prototype(manifest)} {{", *_checks(manifest), "  int failed = 0;"]
    if temporaries:
        sizes = ", ".join(f"{{{temporary.bytes}, {int(temporary.fill == 0)}}}" for temporary in temporaries)
        lines += [
            f"  static const int64_t sizes[][2] = {{{sizes}}}; /* bytes, 1 for zeros */",
            f"  void *temporaries[{len(temporaries)}] = {{NULL}};",
            f"  for (int i = 0; i < {len(temporaries)} && !failed; ++i)",
            "    failed = allocate(&temporaries[i], sizes[i][0], (int)sizes[i][1], stream);",
        ]
    for launch in manifest.launches:
        lines += ["  if (!failed) {", *(f"    {line}" for line in _launch_lines(manifest, launch)), "  }"]
    if temporaries:
        lines.append(f"  for (int i = 0; i < {len(temporaries)}; ++i) release(temporaries[i], stream);")
    return "\n".join([*lines, "  return failed;", "}", ""])


def _checks(manifest: Manifest) -> list[str]:
    """Returns the lines that check the alignment of addresses and the divisibility of numbers."""
    lines = []
    parameters = [parameter for parameter in manifest.parameters if parameter.multiple_of > 1]
    entries = [
        f'{{"{(name := argument_name(parameter.name))}", {name}, {parameter.multiple_of}}}'
        for parameter in parameters
        if parameter.is_array
    ]
    if entries:
        lines += [
            "  const struct { const char *name; const void *address; unsigned multiple; } arrays[] = {",
            f"      {_wrapped('', entries, '};', 6)}",
            f"  for (int i = 0; i < {len(entries)}; ++i)",
            "    if ((uintptr_t)arrays[i].address % arrays[i].multiple)",
            '      return fail("the address of %s must be a multiple of %u bytes", arrays[i].name, '
            "arrays[i].multiple);",
        ]
    for parameter in parameters:
        if not parameter.is_array:
            name, multiple = argument_name(parameter.name), parameter.multiple_of
            lines += [f"  if ({name} % {multiple})", f'    return fail("{name} must be a multiple of {multiple}");']
    names = _names_in_c(manifest)
    for rule in dict.fromkeys(rule for launch in manifest.launches for rule in launch.grid or ()):
        for divisor in GridRule(rule, dict.fromkeys(names)).c_divisors(names):
            text = re.sub(r"[\s\\]+", " ", rule).replace("%", "%%")
            lines += [f"  if ({divisor} == 0)", f'    return fail("the grid `{text}` divides by zero");']
    return lines


def _launch_lines(manifest: Manifest, launch: Launch) -> list[str]:
    """Returns the lines that queue a kernel. The variable `v` has the values of up to 64 bits. A number of the caller,
    and a tensor map, have memory of their own."""
    lines: list[str] = []
    narrow: list[str] = []
    others: list[str] = []
    maps = sum(argument.kind == "map" for argument in launch.arguments)
    if maps:
        lines.append(f"_Alignas(64) unsigned char maps[{maps}][128];")
    for i, argument in enumerate(launch.arguments):
        parameter = manifest.parameters[argument.parameter] if argument.parameter >= 0 else None
        if argument.kind == "map":
            assert argument.map
            number = len(lines) - 1
            lines.append(_encoding(number, argument, argument.map, parameter))
            others.append(f"values[{i}] = maps[{number}];")
            narrow.append("0")
        elif argument.kind == "number":
            assert parameter
            others.append(f"values[{i}] = (void *)&{argument_name(parameter.name)};")
            narrow.append("0")
        elif argument.kind == "bits":
            narrow.append(f"UINT64_C({argument.bits})" if argument.bits >> 31 else str(argument.bits))
        elif argument.kind == "address":
            address = _address(argument, parameter)
            narrow.append(f"(uintptr_t)({address})" if argument.offset else f"(uintptr_t){address}")
        else:
            assert parameter
            array = "shape" if argument.kind == "shape" else "strides"
            narrow.append(f"(uint64_t){argument_name(parameter.name)}_{array}[{argument.dimension}]")
    explicit, count = len(narrow), max(len(narrow) + len(manifest.kernels[launch.kernel].scratch), 1)
    lines.append(_wrapped("uint64_t v[] = {", narrow or ["0"], "};", 4))
    lines += [f"void *values[{count}];", f"for (int i = 0; i < {explicit}; ++i) values[i] = &v[i];"]
    lines += _filled(others, 116)
    if launch.grid is None:
        grid = "grid_x, grid_y, grid_z"
    else:
        grid = ", ".join(_c_rule(rule, manifest) for rule in launch.grid)
    items = ["kernel", str(launch.kernel), f"I64({grid})", "stream", "values", str(explicit)]
    lines.append(_wrapped("failed = failed || launch(", items, ");", 4))
    return lines


def _filled(statements: list[str], width: int) -> list[str]:
    """Returns the statements in lines of at most `width` characters."""
    lines: list[str] = []
    for statement in statements:
        if lines and len(lines[-1]) + len(statement) < width:
            lines[-1] += f" {statement}"
        else:
            lines.append(statement)
    return lines


def _names_in_c(manifest: Manifest) -> dict[str, str]:
    return {parameter.name: argument_name(parameter.name) for parameter in manifest.parameters}


def _c_rule(rule: str, manifest: Manifest) -> str:
    names = _names_in_c(manifest)
    text = GridRule(rule, dict.fromkeys(names)).c_expression(names)
    return re.sub(r"^INT64_C\((\d+)\)$", r"\1", text)


def _address(argument: Argument, parameter: BundleParameter | None) -> str:
    base = argument_name(parameter.name) if parameter else f"temporaries[{argument.temporary}]"
    return f"(const char *){base} + {argument.offset}" if argument.offset else base


def _encoding(number: int, argument: Argument, given: TensorMap, parameter: BundleParameter | None) -> str:
    """Returns the statement that encodes a tensor map in `maps[number]`."""
    rank = given.rank

    def listed(type_: str, of: Callable[[int], object], begin: int = 0) -> str:
        return f"{type_}({', '.join(str(of(k)) for k in range(begin, rank)) or '0'})"

    if given.sizes is not None and given.stride_bytes is not None:
        sizes, strides = given.sizes, given.stride_bytes
        size_text, stride_text = listed("U64", lambda k: sizes[k]), listed("U64", lambda k: strides[k], 1)
    else:
        assert parameter
        name, size = argument_name(parameter.name), given.element_bytes
        size_text = listed("U64", lambda k: f"(uint64_t){name}_shape[{rank - 1 - k}]")
        stride_text = listed("U64", lambda k: f"(uint64_t){name}_strides[{rank - 1 - k}] * {size}", 1)
    items = [
        f"maps[{number}]", str(given.element), str(rank), _address(argument, parameter), size_text, stride_text,
        listed("U32", lambda k: given.box[k]), str(_SWIZZLES[given.swizzle_bytes]), str(int(given.fills_nan)),
    ]  # fmt: skip
    return _wrapped("failed = failed || encode(", items, ");", 4)
