"""The front end's tables of builtins (csrc/frontend/semantics) have the signatures of the stubs in hocket.language.

A comparison at import would load all stubs and the extension module, which `import hocket` does not.
"""

import importlib
import inspect
import pkgutil

import pytest

import hocket.language as gl
from hocket import _core


def builtins_in(namespace, seen):
    """Yields the stubs in a module or class, and in the classes in it; `seen` has those visited before."""
    for found in list(vars(namespace).values()):
        found = found.fget if isinstance(found, property) else found
        if isinstance(getattr(found, "__hocket_builtin__", None), str):
            yield found
        elif inspect.isclass(found) and found.__module__.startswith(gl.__name__) and found not in seen:
            seen.add(found)
            yield from builtins_in(found, seen)


def find_stubs():
    modules = [
        gl,
        *(importlib.import_module(info.name) for info in pkgutil.walk_packages(gl.__path__, "hocket.language.")),
    ]
    seen = set()
    return {stub.__hocket_builtin__: stub for module in modules for stub in builtins_in(module, seen)}


def signature_of(stub):
    """The parameters with their defaults, without annotations."""
    signature = inspect.signature(getattr(stub, "__wrapped__", stub))
    plain = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    return str(inspect.Signature(plain))


STUBS = find_stubs()


def test_all_builtins_are_implemented():
    assert set(_core.builtin_signatures()) == set(STUBS)


@pytest.mark.parametrize("name", sorted(STUBS))
def test_signature(name):
    assert _core.builtin_signatures()[name] == signature_of(STUBS[name])
