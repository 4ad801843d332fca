"""Implicit arguments, and arguments that are wider than 64 bits."""

import pytest

import hocket
from hocket import _core

MAP = bytes(range(128))


def kernel_with(**facts):
    return _core.load_kernel(0, b"code", _core.KernelFacts(name="k", num_warps=4, warp_size=32, **facts))


def test_scratch_memory_follows_the_arguments(driver):
    kernel = kernel_with(implicit_arguments=[("scratch", 64, 16), ("scratch", 8, 0)])
    driver.set("parameter_count", 4)
    before = driver.get("async_allocations")
    kernel.launch((2, 3, 1), [7, 11], stream=0x77)
    seven, eleven, first, second = driver.parameters(4)
    assert (seven, eleven) == (7, 11)
    assert first and second and first != second
    assert driver.last.stream == 0x77
    assert driver.get("async_allocations") - before == 2
    assert driver.get("async_bytes") == 8
    assert driver.get("async_frees") == driver.get("async_allocations")


def test_bytes_per_block_count_every_block(driver):
    kernel_with(implicit_arguments=[("scratch", 64, 16)]).launch((2, 3, 5), [])
    assert driver.get("async_bytes") == 64 + 16 * 30


def test_no_scratch_memory_for_no_blocks(driver):
    before = driver.get("async_allocations")
    kernel_with(implicit_arguments=[("scratch", 64, 16)]).launch((0, 1, 1), [])
    assert driver.get("async_allocations") == before


def test_a_kernel_without_scratch_allocates_nothing(driver):
    before = driver.get("async_allocations")
    kernel_with().launch((1, 1, 1), [5])
    assert driver.get("async_allocations") == before


def test_no_scratch_memory_is_left(driver):
    kernel = kernel_with(implicit_arguments=[("scratch", 64, 16)])
    driver.set("next_allocation_result", 2)
    launches = driver.get("launches")
    with pytest.raises(hocket.LaunchError, match="allocating the kernel's scratch memory failed"):
        kernel.launch((1, 1, 1), [])
    assert driver.get("launches") == launches


def test_scratch_memory_of_a_launch_that_fails_is_freed(driver):
    kernel = kernel_with(implicit_arguments=[("scratch", 64, 16)])
    driver.set("next_launch_result", 1)
    with pytest.raises(hocket.LaunchError, match="launching kernel 'k' failed"):
        kernel.launch((1, 1, 1), [])
    assert driver.get("async_frees") == driver.get("async_allocations")


def test_a_tensor_map_arrives_whole_and_aligned(driver):
    driver.set("wide_parameter", 1)
    driver.set("parameter_count", 3)
    kernel_with().launch((1, 1, 1), [7, MAP, 11])
    assert driver.wide_bytes == MAP
    assert driver.get("wide_misalignment") == 0
    assert driver.parameters(3)[::2] == [7, 11]


def test_a_tensor_map_beside_scratch_memory(driver):
    driver.set("wide_parameter", 0)
    driver.set("parameter_count", 2)
    kernel_with(implicit_arguments=[("scratch", 64, 0)]).launch((1, 1, 1), [MAP])
    assert driver.wide_bytes == MAP
    assert driver.parameters(2)[1] != 0
