"""Makes the reference page of a public module: its docstring, and its names, grouped by the module that defines them.

griffe reads the docstrings from source files without importing them; mkdocstrings renders the docstrings.
"""

import functools
import pathlib
import re

import griffe

PYTHON = pathlib.Path(__file__).resolve().parents[2] / "python"


@functools.cache
def package() -> griffe.Module:
    return griffe.load("hocket", search_paths=[PYTHON], resolve_aliases=True)


def find_module(name: str) -> griffe.Module:
    """Returns the module with a dotted name, such as `hocket` or `hocket.kernels`."""
    return functools.reduce(lambda parent, part: parent[part], name.split(".")[1:], package())


def public_names(module: griffe.Module) -> list[str]:
    """Returns the names in `__all__` of a module. Without `__all__`, returns the names that the module defines, except
    names with a leading underscore."""
    if module.exports is not None:
        return [str(name) for name in module.exports]
    return [name for name, member in module.members.items() if name[0] != "_" and not member.is_alias]


def member_of(module: griffe.Module, name: str) -> griffe.Object:
    """Returns the object that a module exports as `name`. For `hocket.kernels.matmul`, this is the function, not the
    submodule of that name."""
    member = module[name].final_target if module[name].is_alias else module[name]
    if member.is_module and name in member.members and not member[name].is_alias:
        return member[name]
    return member


def api_page(name: str) -> str:
    """Returns the reference page of the module with the dotted name `name`."""
    module = find_module(name)
    groups: dict[str, list[str]] = {}
    modules, values = [], []
    for member in public_names(module):
        defined = member_of(module, member)
        if defined.is_module:
            modules.append(member)
        elif defined.docstring is None:
            values.append(member)
        else:
            by_module = module[member].is_module
            groups.setdefault(defined.parent.path, []).append(defined.path if by_module else f"{name}.{member}")

    parts = [f"# {name}", module.docstring.value if module.docstring else ""]
    if modules:
        parts.append("Modules: " + ", ".join(_linked(f"{name}.{member}") for member in modules) + ".")
    if values:
        parts.append("Values: " + ", ".join(f"`{member}`" for member in values) + ".")
    for home, members in sorted(groups.items(), key=lambda group: group[0] != name):
        if len(groups) > 1:
            parts.append(f"## {_title(home, name)}\n\n{_summary(home)}")
        parts += [f"::: {member}" for member in members]
    return "\n\n".join(part for part in parts if part) + "\n"


def _linked(name: str) -> str:
    page = f"{name}.md"
    listed = f"api/{page}" in (PYTHON.parent / "mkdocs.yml").read_text()
    return f"[`{name}`]({page})" if listed else f"`{name}`"


def _title(home: str, module: str) -> str:
    """Returns the title of the group of names that the module `home` defines: "Shared memory" for
    `hocket.language._shared_memory`."""
    below = home.removeprefix(module) if home != module else home.rsplit(".", 1)[-1]
    return re.sub(r"[._]+", " ", below).strip().capitalize()


def _summary(home: str) -> str:
    docstring = find_module(home).docstring
    return docstring.value.split("\n\n")[0] if docstring else ""
