"""Finds the dependences of a kernel other than its arguments: its source text, and the globals that it reads.

This module finds the dependences in the bytecode. The result contains all dependences of a specialization, and possibly
more. Finding the dependences takes microseconds, and does not require the front end. The result has two uses:

    used_globals    compared before every launch: a changed global recompiles the kernel
    fingerprint     part of the key in the disk cache: a cache hit does not run the front end
"""

import enum
import hashlib
import sys
import types
from collections.abc import Iterable
from opcode import EXTENDED_ARG, opmap, opname
from typing import Any, NamedTuple

from .. import _core
from ..language._aggregate import constants_of, functions_of, is_aggregate
from ..language._aggregate_fields import class_text
from ..language._constexpr import ConstexprFunction, constexpr

#: A global that a kernel reads: the dict, cell or class that holds the variable, the variable's name, and its value.
UsedGlobal = tuple[Any, str, Any]

_ATTRIBUTE_OPS = {opmap[name] for name in ("LOAD_ATTR", "LOAD_METHOD") if name in opmap}
_GLOBAL_OPS = {opmap[name] for name in ("LOAD_GLOBAL", "LOAD_NAME") if name in opmap}
_CLOSURE_OPS = {opmap[name] for name in ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF") if name in opmap}
# LOAD_GLOBAL since 3.11, and LOAD_ATTR since 3.12, use the lowest bit of their argument to encode how the value is
# pushed. The other bits are the index of the name.
_GLOBAL_SHIFT = 1 if sys.version_info >= (3, 11) else 0
_ATTRIBUTE_SHIFT = 1 if sys.version_info >= (3, 12) else 0


def _closure_name(code: types.CodeType, argument: int) -> str:
    """Returns the name of the variable that an instruction of _CLOSURE_OPS reads."""
    if sys.version_info >= (3, 11):
        return code._varname_from_oparg(argument)  # type: ignore[attr-defined]
    return (*code.co_cellvars, *code.co_freevars)[argument]


def _dotted_reads(code: types.CodeType, from_closure: bool = False) -> list[list[str]]:
    """Returns the names that `code` reads as globals, or as closure variables, each with the names of attributes that
    are read from it: [["gl", "load"], ["BLOCK"]]."""
    reads: list[list[str]] = []
    chain: list[str] | None = None
    argument = 0
    for op, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument = argument << 8 | low
        if op == EXTENDED_ARG:
            continue
        if from_closure and op in _CLOSURE_OPS:
            chain = [_closure_name(code, argument)]
            reads.append(chain)
        elif op in _GLOBAL_OPS and not from_closure:
            chain = [code.co_names[argument >> _GLOBAL_SHIFT if opname[op] == "LOAD_GLOBAL" else argument]]
            reads.append(chain)
        elif op in _ATTRIBUTE_OPS and chain is not None:
            shift = _ATTRIBUTE_SHIFT if opname[op] == "LOAD_ATTR" else 0
            chain.append(code.co_names[argument >> shift])
        elif opname[op] not in ("CACHE", "PRECALL", "PUSH_NULL"):
            chain = None
        argument = 0
    for constant in code.co_consts:  # comprehensions
        if isinstance(constant, types.CodeType):
            reads.extend(_dotted_reads(constant, from_closure))
    return reads


def _is_ours(module_name: str) -> bool:
    return module_name.partition(".")[0] == "hocket"


def _is_users(function: types.FunctionType) -> bool:
    return not _is_ours(function.__module__ or "")


class WholeClass(NamedTuple):
    """A class of the user that a function reads as a whole: `C()`, `C.method()`, or `D = C`. All attributes of the
    class are then dependences."""

    cls: type


def _is_users_class(value: Any) -> bool:
    """Returns True for a class that a `class` statement of the user has made, except aggregates."""
    if not isinstance(value, type) or not value.__flags__ & _HEAP_TYPE or is_aggregate(value):
        return False
    module = str(value.__module__)
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return not (_is_ours(module) or "/site-packages/" in file or module.partition(".")[0] in _STANDARD_LIBRARY)


#: Flag of classes that are made at run time (Py_TPFLAGS_HEAPTYPE).
_HEAP_TYPE = 1 << 9
_STANDARD_LIBRARY = sys.stdlib_module_names - {"__main__"}


def _resolve(owner: dict[str, Any], chain: list[str]) -> list[UsedGlobal]:
    """Returns the variables that a chain of names reads. If a name is a module, the variable is the attribute that is
    read from the module. Modules themselves, builtins, and attributes of hocket's modules are omitted, because they
    cannot change."""
    for depth, name in enumerate(chain):
        if name not in owner:
            return []
        value = owner[name]
        if not isinstance(value, types.ModuleType):
            return [(owner, name, value), *_attributes_of_classes(name, value, chain[depth + 1 :])]
        if _is_ours(value.__name__):
            return []
        owner = vars(value)
    return []


def _attributes_of_classes(name: str, value: Any, names: list[str]) -> list[UsedGlobal]:
    """Returns the class attributes that `names` read from `value`, a class that serves as a namespace. These
    attributes, and the attributes of nested classes, may be reassigned. The last entry is a WholeClass if the class
    itself is read, or an attribute that cannot be compared."""
    found: list[UsedGlobal] = []
    for attribute in names:
        if not isinstance(value, type) or _is_ours(value.__module__):
            break
        owner, value = value, getattr(value, attribute, None)
        # Each read of a method makes a new object, so methods cannot be compared. They cannot be assigned to either, so
        # they are omitted.
        if value is None or getattr(owner, attribute) is not value:
            value = owner
            break
        name = attribute
        found.append((owner, attribute, value))
    if _is_users_class(value):
        whole = WholeClass(value)
        found.append(({name: whole}, name, whole))
    return found


def function_of(value: Any) -> types.FunctionType | None:
    """Returns the Python function inside a jit function or a constexpr function, or the function itself."""
    inner = getattr(value, "fn", value)
    return inner if isinstance(inner, types.FunctionType) else None


def used_globals(functions: Iterable[types.FunctionType]) -> list[UsedGlobal]:
    """Returns the globals and closure variables of `functions` and of the functions that they call, each once."""
    found: dict[tuple[int, str], UsedGlobal] = {}
    seen: set[int] = set()
    for function in functions:
        _collect(function, found, seen)
    return list(found.values())


def functions_in(value: Any) -> list[types.FunctionType]:
    """Returns the user's functions inside a constexpr argument: jit functions, constexpr functions, aggregates, or
    tuples of these."""
    if isinstance(value, constexpr):
        return functions_in(value.value)
    if isinstance(value, tuple | list):
        return [function for item in value for function in functions_in(item)]
    if is_aggregate(value) or is_aggregate(type(value)):
        cls = value if isinstance(value, type) else type(value)
        fields = [] if cls is value else [getattr(value, name) for name in cls._fields]
        return [function for item in (*functions_of(cls), *fields) for function in functions_in(item)]
    inner = function_of(value)
    return [inner] if inner is not None and _is_users(inner) else []


def _collect(function: types.FunctionType, found: dict[tuple[int, str], UsedGlobal], seen: set[int]) -> None:
    if id(function) in seen:
        return
    seen.add(id(function))
    reads = [read for chain in _dotted_reads(function.__code__) for read in _resolve(function.__globals__, chain)]
    chains = _dotted_reads(function.__code__, from_closure=True) if function.__closure__ else []
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            value = cell.cell_contents
        except ValueError:  # a closure variable without a value: if the kernel reads it, the front end reports an error
            continue
        reads.append((cell, name, value))
        for chain in chains:
            if chain[0] == name and isinstance(value, types.ModuleType):
                reads.extend(_resolve(vars(value), chain[1:]))
            elif chain[0] == name:
                reads.extend(_attributes_of_classes(name, value, chain[1:]))
    for read in reads:
        found.setdefault((id(read[0]), read[1]), read)
        for constant in constants_of(read[2]) if is_aggregate(read[2]) else ():
            found.setdefault((id(constant[0]), constant[1]), constant)
        for inner in functions_in(read[2]):
            _collect(inner, found, seen)


class NotStable(Exception):
    """Raised for a value without a unique text that is equal in all processes."""


def stable_text(value: Any, inside: tuple[Any, ...] = ()) -> str:
    """Returns a text that is unique for the value and equal in all processes. Raises NotStable if there is no such
    text.

    The text of a user's function does not include its source, which is part of the fingerprint. `inside` are the
    functions whose closures contain the value, and the classes of which it is an attribute.
    """

    def text(part: Any) -> str:
        return stable_text(part, inside)

    if isinstance(value, WholeClass):
        return _text_of_class(value.cls, inside)
    if isinstance(value, enum.Enum):
        return f"{_type_name(value)}.{value.name}({text(value.value)})"
    if value is None or isinstance(value, bool | int | str | bytes):
        return f"{type(value).__name__}:{value!r}"
    if isinstance(value, float):
        return f"float:{value.hex()}"
    if isinstance(value, constexpr):
        return f"constexpr({text(value.value)})"
    if isinstance(value, tuple | list):
        return f"{_type_name(value)}({','.join(map(text, value))})"
    if is_aggregate(value):
        constants = (f"{name}={text(constant)}" for _, name, constant in constants_of(value))
        return f"{value.__module__}.{value.__qualname__}({class_text(value)};{','.join(constants)})"
    if is_aggregate(type(value)):
        fields = ",".join(text(getattr(value, name)) for name in value._fields)
        return f"{text(type(value))}({fields})"
    if isinstance(value, types.BuiltinFunctionType | type):
        return f"{value.__module__}.{value.__qualname__}"
    if _is_numpy_scalar(value) and type(number := value.item()) is not type(value):
        return text(number)  # the front end treats NumPy's numbers like Python's numbers
    inner = function_of(value)
    if inner is not None:
        kind = "constexpr_function" if isinstance(value, ConstexprFunction) else type(value).__name__
        return f"{kind}:{_function_text(inner, inside)}"
    if _is_ours(type(value).__module__):
        return f"{_type_name(value)}:{value!r}"  # the repr of dtypes and layouts contains all their properties
    raise NotStable(_type_name(value))


def _function_text(function: types.FunctionType, inside: tuple[Any, ...]) -> str:
    """Returns the name of a function, and the values that distinguish the function from others of the same `def`:
    `libdevice.add_rz` and `libdevice.add_ru` are one function that closes over "rz" or "ru"."""
    if any(function is outer for outer in inside):
        return f"outer {inside.index(function)}"  # the closure of a recursive function contains the function itself
    parts = [f"{function.__module__}.{function.__qualname__}"]
    if hasattr(function, "__hocket_builtin__"):
        return f"{parts[0]}:{function.__hocket_builtin__}"
    inside = (*inside, function)
    parts.extend(stable_text(value, inside) for value in function.__defaults__ or ())
    parts.extend(f"{name}={stable_text(value, inside)}" for name, value in (function.__kwdefaults__ or {}).items())
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            value = cell.cell_contents
        except ValueError:  # the closure variable is not assigned yet
            continue
        parts.append(f"{name}={stable_text(value, inside)}")
    return f"{parts[0]}({','.join(parts[1:])})"


#: Attributes of classes that do not influence the results of functions, or that other attributes determine.
_SILENT_ATTRIBUTES = frozenset(
    {"__annotations__", "__dict__", "__doc__", "__firstlineno__", "__module__", "__qualname__"}
    | {"__static_attributes__", "__weakref__"}
)


def _text_of_class(cls: type, inside: tuple[Any, ...]) -> str:
    """Returns a text of all attributes of a user's class and of its base classes, with the sources of its methods."""
    if any(cls is outer for outer in inside):
        return f"outer {inside.index(cls)}"
    inside = (*inside, cls)
    if issubclass(cls, enum.Enum):
        members = ",".join(f"{name}={stable_text(member, inside)}" for name, member in cls.__members__.items())
        return f"{_type_name_of(cls)}({members})"
    parts = []
    for base in cls.__mro__:
        parts.append(_type_name_of(base))
        for name, value in vars(base).items() if _is_users_class(base) else ():
            if name not in _SILENT_ATTRIBUTES:
                parts.append(f"{name}={_text_of_attribute(value, inside)}")
    return f"class({','.join(parts)})"


def _text_of_attribute(value: Any, inside: tuple[Any, ...]) -> str:
    function = function_of(getattr(value, "__func__", value))
    if function is None:
        return _text_of_class(value, inside) if _is_users_class(value) else stable_text(value, inside)
    if any(function is outer for outer in inside):
        return f"outer {inside.index(function)}"
    inside = (*inside, function)
    parts = [_source(function)]
    for _, name, read in used_globals([function]):
        parts.append(f"{name}={stable_text(read, inside)}")
        parts.extend(_source(inner) for inner in functions_in(read))
    return f"{type(value).__name__}:{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()}"


def _is_numpy_scalar(value: Any) -> bool:
    return any(base.__module__ == "numpy" and base.__name__ == "generic" for base in type(value).__mro__)


def _type_name(value: Any) -> str:
    return _type_name_of(type(value))


def _type_name_of(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def fingerprint(
    functions: Iterable[types.FunctionType], globals_read: Iterable[UsedGlobal], with_places: bool = False
) -> str:
    """Returns a hash of the source of `functions` and of all functions that they call, and of the values of globals.

    The hash does not change if code moves within a file, unless `with_places` includes line numbers. Raises NotStable
    if a global has no stable text.
    """

    def source(function: types.FunctionType) -> str:
        code = function.__code__
        return _source(function) + (f"\0{code.co_filename}:{code.co_firstlineno}" if with_places else "")

    parts = [source(function) for function in functions]
    for _, name, value in globals_read:
        parts.append(f"{name}={stable_text(value)}")
        parts.extend(source(inner) for inner in functions_in(value))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _source(function: types.FunctionType) -> str:
    source = _core.definition_source(function)
    if not source:
        raise NotStable(function.__qualname__)
    defaults = [stable_text(value) for value in function.__defaults__ or ()]
    keyword_defaults = [f"{name}={stable_text(value)}" for name, value in (function.__kwdefaults__ or {}).items()]
    return "\0".join([function.__qualname__, source, *defaults, *keyword_defaults, *_modules_of_ours(function)])


def _modules_of_ours(function: types.FunctionType) -> list[str]:
    """Returns the names by which `function` accesses hocket's modules, such as `gl=hocket.language`. A name may begin
    with a module of the user."""
    found = {}
    for chain in _dotted_reads(function.__code__):
        owner = function.__globals__
        for depth, name in enumerate(chain):
            value = owner.get(name)
            if not isinstance(value, types.ModuleType):
                break
            if _is_ours(value.__name__):
                found[".".join(chain[: depth + 1])] = value.__name__
                break
            owner = vars(value)
    return [f"{name}={module}" for name, module in found.items()]
