"""Every name of the language is declared, documented and given a meaning."""

import importlib
import types

import pytest
from builtin_checks import assert_documented_and_typed, objection_to_nones

from hocket import language as gl

BUILTINS = sorted(name for name in gl.__all__ if hasattr(getattr(gl, name), "__hocket_builtin__"))


def test_gluons_core_is_there():
    core = """
        void int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 float8e5
        float8e4nv pointer_type block_type distributed_type tensor tuple tuple_type constexpr base_value
        base_type shared_memory_descriptor shared_memory_descriptor_type program_id num_programs num_warps
        num_ctas arange full zeros zeros_like full_like load store atomic_add atomic_and atomic_or atomic_xor
        atomic_max atomic_min atomic_xchg atomic_cas atomic_load atomic_poll atomic_store convert_layout
        set_auto_layout where maximum minimum clamp
        add sub mul logical_and logical_or expand_dims broadcast reshape permute join split ravel cast reduce
        sum max min xor_sum reduce_or associative_scan cumsum cumprod gather histogram map_elementwise
        inline_asm_elementwise
        exp exp2 log log2 sin cos sqrt sqrt_rn rsqrt abs fma fdiv div_rn erf floor ceil umulhi fp4_to_fp dot_fma
        allocate_shared_memory barrier warp_specialize static_assert static_print static_range device_assert
        device_print assume multiple_of max_contiguous max_constancy expect_zero to_tensor to_linear_layout
        bank_conflicts cdiv constexpr_function AutoLayout CoalescedLayout BlockedLayout SliceLayout
        DistributedLinearLayout DotOperandLayout NVMMADistributedLayout NVMMASharedLayout SwizzledSharedLayout
        PaddedSharedLayout SharedLinearLayout CachePolicy nvidia amd extra
    """.split()
    assert [name for name in core if not hasattr(gl, name)] == []


def test_all_lists_what_there_is():
    assert [name for name in gl.__all__ if not hasattr(gl, name)] == []
    assert len(set(gl.__all__)) == len(gl.__all__)


@pytest.mark.parametrize("module", ["", ".amd", ".amd.cdna3", ".amd.cdna4", ".amd.cdna4.async_copy", ".nvidia"])
def test_dir_shows_what_users_may_use(module):
    module = importlib.import_module(f"hocket.language{module}")
    assert dir(module) == sorted(module.__all__)


def test_files_of_the_language_are_no_names_of_it():
    modules = {name for name, value in vars(gl).items() if isinstance(value, types.ModuleType)}
    assert {name for name in modules if not name.startswith("_")} == {"amd", "extra", "nvidia", "profiler"}
    assert not hasattr(gl, "dot")


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"module 'hocket\.language' has no attribute 'rnage'"):
        _ = gl.rnage


@pytest.mark.parametrize("name", BUILTINS)
def test_builtins_are_documented_and_typed(name):
    stub = getattr(gl, name)
    assert stub.__hocket_builtin__ == name
    assert_documented_and_typed(stub)


@pytest.mark.parametrize("name", BUILTINS)
def test_builtins_have_a_meaning(emit, name):
    assert "is not supported yet" not in objection_to_nones(emit, getattr(gl, name))
