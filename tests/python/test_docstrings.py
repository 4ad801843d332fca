"""Every public name has a docstring, and every public module a page of the site's reference (mkdocs.yml)."""

import pathlib
import re
import sys

import pytest

griffe = pytest.importorskip("griffe")
ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools" / "website"))
from api_pages import find_module, member_of, package, public_names  # noqa: E402

PAGES = re.findall(r"^ +- [\w.]+: api/([\w.]+)\.md$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
#: Names of Gluon's for GPUs that hocket does not compile for: they import and are errors in kernels.
FOREIGN = re.compile(r"hocket\.compat\.other_gpus\b")
#: Only modules in them are public.
ONLY_FOLDERS = {"hocket.language.extra", "hocket.language.nvidia", "hocket.nvidia"}


def own_or_inherited(owner, name):
    """The docstring of a class's member, or of the member of a base class that it takes the place of."""
    for base in [owner, *owner.mro()]:
        if name in base.members and base.members[name].docstring:
            return base.members[name].docstring
    return None


def is_overload_for_checkers(member):
    """Returns True if a method is declared only for type checkers: the definition of the builtin adds it to the
    class."""
    return member.is_function and not member.runtime


def undocumented_names(module):
    for name in public_names(module):
        value = member_of(module, name)
        if value.is_attribute or value.is_module:
            continue
        if value.docstring is None:
            yield f"{module.path}.{name}"
        if value.is_class:
            for member in value.members.values():
                shown = not member.name.startswith("_") and not member.is_alias
                shown = shown and (member.is_function or "property" in member.labels)
                if shown and not is_overload_for_checkers(member) and own_or_inherited(value, member.name) is None:
                    yield f"{module.path}.{name}.{member.name}"


@pytest.mark.parametrize("page", PAGES)
def test_every_public_name_has_a_docstring(page):
    module = find_module(page)
    assert module.docstring is not None
    assert list(undocumented_names(module)) == []


def test_a_missing_docstring_is_noticed():
    text = 'class A:\n    """A."""\n    def f(self): ...\n    def _g(self): ...\ndef h(): ...\n'
    with griffe.temporary_visited_module(text, module_name="planted") as module:
        assert list(undocumented_names(module)) == ["planted.A.f", "planted.h"]


def exported_modules(module):
    """The modules that `__all__` of a package names, and those below them."""
    for name in module.exports or ():
        member = member_of(module, str(name))
        if member.is_module:
            yield member.path
            yield from exported_modules(member)


def test_every_public_module_has_a_page():
    assert len(PAGES) > 25
    exported = {path for path in exported_modules(package()) if not FOREIGN.match(path)}
    assert len(exported) > 20
    assert exported - set(PAGES) - ONLY_FOLDERS == set(), "list it in nav of mkdocs.yml, as api/MODULE.md"
