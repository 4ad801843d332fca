"""The reference of a public module: its docstring, and its names by the module that defines them.

Docstrings are read from the sources (griffe), nothing is imported; mkdocstrings renders them.
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
    """The module with this dotted name, `hocket` or one below it."""
    return functools.reduce(lambda parent, part: parent[part], name.split(".")[1:], package())


def public_names(module: griffe.Module) -> list[str]:
    """`__all__`; of a module without one, what it defines without an underscore."""
    if module.exports is not None:
        return [str(name) for name in module.exports]
    return [name for name, member in module.members.items() if name[0] != "_" and not member.is_alias]


def member_of(module: griffe.Module, name: str) -> griffe.Object:
    """Returns the object that a module exports as `name`: `hocket.kernels.matmul` is the function, not the module of
    that name."""
    member = module[name].final_target if module[name].is_alias else module[name]
    if member.is_module and name in member.members and not member[name].is_alias:
        return member[name]
    return member


def api_page(name: str) -> str:
    """The page of the module with this dotted name."""
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
    """Returns the title of a group: `hocket.language._shared_memory` in `hocket.language` is Shared memory."""
    below = home.removeprefix(module) if home != module else home.rsplit(".", 1)[-1]
    return re.sub(r"[._]+", " ", below).strip().capitalize()


def _summary(home: str) -> str:
    docstring = find_module(home).docstring
    return docstring.value.split("\n\n")[0] if docstring else ""
