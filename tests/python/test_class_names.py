"""Names of classes are unique in the package, so that a name in a message, a report or a search means one class."""

import ast
import collections
import pathlib

import hocket

PACKAGE = pathlib.Path(hocket.__file__).parent

#: Classes with the name of another one, on purpose: `compat` has the names of Triton.
ALLOWED = {"TensorDescriptor"}


def is_protocol(node):
    """True for a protocol, which has the name of the class that it describes."""
    return any(ast.unparse(base).endswith("Protocol") for base in node.bases)


def test_names_of_classes_are_unique():
    files = collections.defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not is_protocol(node):
                files[node.name].append(str(path.relative_to(PACKAGE)))
    assert {name: found for name, found in files.items() if len(found) > 1 and name not in ALLOWED} == {}
