"""Launches with attributes: clusters, cooperative grids and programmatic launches arrive at cuLaunchKernelEx."""

import re

import pytest
from stand_ins.arrays import CudaArray, aligned

import hocket
from hocket import language as gl

PLAIN = (-1, -1)


@hocket.jit
def fill(out, value, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    gl.extra.cuda.gdc_wait()
    gl.store(out + gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout), value)


def launch(driver, grid, **options):
    """(cooperative, programmatic) of the launch."""
    fill[grid](CudaArray(aligned(1024)), 7, BLOCK=128, **options)
    return driver.get("cooperative"), driver.get("programmatic")


@pytest.mark.parametrize(
    "options, expected",
    [
        ({}, PLAIN),
        ({"launch_cooperative_grid": False, "launch_pdl": False}, PLAIN),
        ({"launch_cooperative_grid": True}, (1, 0)),
        ({"launch_pdl": True}, (0, 1)),
        ({"launch_cooperative_grid": True, "launch_pdl": True}, (1, 1)),
    ],
    ids=str,
)
def test_attributes(driver, options, expected):
    assert launch(driver, (3,), **options) == expected


def test_everything_else_arrives_as_ever(driver):
    driver.set("parameter_count", 2)
    out = CudaArray(aligned(1024))
    fill[(2, 3, 4)](out, 7, BLOCK=128, num_warps=8, stream=0x1234, launch_pdl=True)
    assert (list(driver.last.grid), list(driver.last.block)) == ([2, 3, 4], [256, 1, 1])
    assert (driver.last.stream, driver.last.shared_bytes) == (0x1234, 0)
    address, value = driver.parameters(2)
    assert (address, value & 0xFFFFFFFF) == (out.address, 7)


def test_the_options_are_facts_of_the_kernel():
    kernel = fill.warmup(gl.int32, 7, BLOCK=128, target="sm_90a", launch_cooperative_grid=True)
    assert (kernel.metadata.launch_cooperative_grid, kernel.metadata.launch_pdl) == (True, False)


def test_a_kernel_from_the_disk_cache_keeps_its_options(driver):
    assert launch(driver, (1,), launch_pdl=True) == (0, 1)
    fill._forget()
    assert launch(driver, (1,), launch_pdl=True) == (0, 1)
    assert launch(driver, (1,)) == PLAIN


def test_a_grid_that_fits_exactly(driver):
    assert launch(driver, (2, 132), launch_cooperative_grid=True) == (1, 0)


def test_a_grid_that_does_not_fit(driver):
    message = (
        "out of resource: blocks at once: launch_cooperative_grid=True runs all blocks of a grid at once, which are "
        "265; Stand-in GPU can run 264 of kernel 'fill' at once, 2 on each of its 132 multiprocessors\n"
        "  hint: launch fewer blocks and let each do several tiles in a loop"
    )
    with pytest.raises(hocket.OutOfResources, match=re.escape(message)):
        launch(driver, (265,), launch_cooperative_grid=True)
    assert launch(driver, (265,)) == PLAIN


def test_a_launch_that_fails(driver):
    driver.set("next_launch_result", 1)
    with pytest.raises(hocket.LaunchError, match="launching kernel 'fill' failed: the stand-in was told to fail"):
        launch(driver, (1,), launch_pdl=True)


def test_a_first_launch_may_be_captured(driver):
    """The launch selects the relaxed capture mode to load the module, because the driver rejects it otherwise, and
    restores the thread's mode."""
    relaxed, the_threads_own = 2, 0
    fill._forget()
    launch(driver, (1,))
    assert driver.get("load_capture_mode") == relaxed
    assert driver.get("capture_mode") == the_threads_own


@pytest.mark.parametrize("blocks, large", [(2, 0), (8, 0), (16, 1)])
def test_clusters(driver, blocks, large):
    """The grid counts programs; each is a cluster, and those follow each other along x."""
    fill[(3, 2)](CudaArray(aligned(1024)), 7, BLOCK=128, num_ctas=blocks)
    assert (driver.get("cluster"), driver.get("large_clusters")) == (blocks, large)
    assert list(driver.last.grid) == [3 * blocks, 2, 1]


def test_clusters_with_everything_else(driver):
    assert launch(driver, (1,), num_ctas=4, launch_cooperative_grid=True, launch_pdl=True) == (1, 1)
    assert driver.get("cluster") == 4


def test_single_blocks_are_no_clusters(driver):
    assert launch(driver, (1,), num_ctas=1, launch_pdl=True) == (0, 1)
    assert driver.get("cluster") == 0


def test_a_cooperative_grid_of_clusters_that_does_not_fit(driver):
    """Clusters of 4 blocks: 264 blocks have room, but only 5 clusters in each group of 22 multiprocessors, twice."""
    assert launch(driver, (60,), launch_cooperative_grid=True, num_ctas=4) == (1, 0)
    message = (
        "out of resource: clusters at once: launch_cooperative_grid=True runs all clusters of a grid at once, which "
        "are 61; Stand-in GPU can run 60 of kernel 'fill' at once, 4 blocks each\n"
        "  hint: launch fewer clusters and let each do several tiles in a loop"
    )
    with pytest.raises(hocket.OutOfResources, match=re.escape(message)):
        launch(driver, (61,), launch_cooperative_grid=True, num_ctas=4)
    assert launch(driver, (61,), num_ctas=4) == (0, 0)
