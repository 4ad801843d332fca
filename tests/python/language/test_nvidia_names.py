"""The names of hocket.language.nvidia, as Gluon kernels import them."""

import importlib

import pytest
from builtin_checks import assert_documented_and_typed, objection_to_nones

from hocket import language as gl
from hocket.language.nvidia import ampere, hopper

MODULES = {
    "ampere.async_copy": ampere.async_copy,
    "ampere.mbarrier": ampere.mbarrier,
    "ampere.named_barrier": ampere.named_barrier,
    "hopper.mbarrier": hopper.mbarrier,
}
STUBS = sorted(
    (module, name)
    for module, names in MODULES.items()
    for name in names.__all__
    if hasattr(getattr(names, name), "__hocket_builtin__")
)


def test_gluons_names_are_there():
    both = {"MBarrierLayout", "allocate_mbarrier", "arrive", "init", "invalidate", "wait"}
    assert both <= set(ampere.mbarrier.__all__)
    assert both | {"expect"} <= set(hopper.mbarrier.__all__)
    assert {"async_load", "commit_group", "mbarrier_arrive", "wait_group"} <= set(ampere.async_copy.__all__)


def test_modules_are_found_by_their_paths():
    assert importlib.import_module("hocket.language.nvidia.hopper.mbarrier") is gl.nvidia.hopper.mbarrier


def test_hopper_has_the_named_barriers_of_ampere():
    assert hopper.named_barrier is ampere.named_barrier
    with pytest.raises(TypeError, match="allocated in kernels"):
        ampere.named_barrier.NamedBarrier()


@pytest.mark.parametrize("module", MODULES)
def test_dir_shows_what_users_may_use(module):
    assert dir(MODULES[module]) == sorted(MODULES[module].__all__)


@pytest.mark.parametrize("module, name", STUBS)
def test_builtins_are_documented_and_typed(module, name):
    stub = getattr(MODULES[module], name)
    assert stub.__hocket_builtin__.startswith("nvidia.") and stub.__hocket_builtin__.endswith("." + stub.__name__)
    assert_documented_and_typed(stub)


@pytest.mark.parametrize("module, name", STUBS)
def test_the_compiler_knows_each_builtin(emit, module, name):
    assert "is not supported yet" not in objection_to_nones(emit, getattr(MODULES[module], name), _target="sm_90a")


def test_layout_of_mbarriers():
    layout = hopper.mbarrier.MBarrierLayout()
    assert layout == hopper.mbarrier.MBarrierLayout.multicta(1)
    assert (layout.rank, repr(layout)) == (1, "MBarrierLayout()")
    assert hopper.mbarrier.MBarrierLayout.multicta(4).cga_layout == [[1], [2]]
    with pytest.raises(NotImplementedError, match="two_cta=True"):
        hopper.mbarrier.MBarrierLayout.multicta(4, two_cta=True)
