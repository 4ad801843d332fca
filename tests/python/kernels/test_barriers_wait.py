"""At every barrier of a kernel without warp pipelines, what the wave did to LDS is done, on whichever way it came."""

import importlib.util
import pathlib
import re

import pytest
from matmul_code import COLUMNS, LDS_BYTES, ROWS, code_of
from pipelined_loop import instructions_of

from hocket import language as gl
from hocket.kernels._attention.blocks_cdna import AttentionProblem, AttentionStrides
from hocket.kernels._attention.host_cdna import KERNELS
from hocket.kernels._attention.layouts_cdna import configure

pytestmark = pytest.mark.codegen

INPUTS = pathlib.Path(__file__).parents[2] / "lit" / "codegen" / "Inputs" / "prefetch_kernels.py"
TARGETS = tuple(LDS_BYTES)
LDS_ACCESS = r"ds_(read|write|add)"


def unsettled_barriers(code):
    """Barriers, as (block, position), that an access of LDS may reach without a wait for lgkmcnt 0."""
    texts = re.split(r"^(?=\.LBB|; %bb)", code[: code.index("s_endpgm")], flags=re.MULTILINE)
    label = {match[0]: i for i, text in enumerate(texts) if (match := re.match(r"\.LBB\d+_\d+", text))}
    blocks = [instructions_of(text) for text in texts]
    pending, found, work = [False] * len(blocks), set(), list(range(len(blocks)))
    while work:
        block = work.pop(0)
        state, falls_through = pending[block], True
        followers = []
        for position, line in enumerate(blocks[block]):
            if re.match(LDS_ACCESS, line):
                state = True
            elif line.startswith("s_waitcnt") and "lgkmcnt(0)" in line:
                state = False
            elif line == "s_barrier" and state:
                found.add((block, position))
            elif line.startswith(("s_branch", "s_cbranch")):
                followers.append(label.get(line.split()[-1]))
                falls_through = not line.startswith("s_branch")
        if falls_through and block + 1 < len(blocks):
            followers.append(block + 1)
        for follower in followers:
            if follower is not None and state and not pending[follower]:
                pending[follower] = True
                work.append(follower)
    return sorted(found)


def attention_code(target, head_size, is_causal):
    is_direct = target == "gfx950"
    config = configure(target, gl.float16, head_size, is_causal, is_direct, 4)
    strides = (16 * 4096 * head_size, 4096 * head_size, head_size, 1)
    arguments = [gl.float16] * 4 + [AttentionStrides(*[strides] * 4), AttentionProblem(16, 1, 4096, 4096, 0.125)]
    return KERNELS[False, is_direct].warmup(*arguments, cfg=config, num_warps=4, target=target).asm["amdgcn"]


def prefetched_code(target, name, stages):
    spec = importlib.util.spec_from_file_location("prefetch_kernels", INPUTS)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    element = gl.float16 if name == "through_registers" else gl.float32
    arguments = [element, element, gl.float32, 4096]
    return getattr(module, name).warmup(*arguments, STAGES=stages, num_warps=4, target=target).asm["amdgcn"]


@pytest.mark.parametrize("strides", [(ROWS, ROWS), (ROWS, COLUMNS), (COLUMNS, ROWS), (COLUMNS, COLUMNS)], ids=str)
@pytest.mark.parametrize("target", TARGETS)
def test_products(target, strides):
    code = code_of(target, target == "gfx950", *strides)
    assert code.count("s_barrier") > 1
    assert not unsettled_barriers(code)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("target", TARGETS)
def test_attention(target, is_causal):
    assert not unsettled_barriers(attention_code(target, 64, is_causal))


@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize(
    ("target", "name"),
    [("gfx942", "through_registers"), ("gfx942", "fused_multiply_adds"), ("gfx950", "fused_multiply_adds")],
)
def test_prefetched_loops(target, name, stages):
    assert not unsettled_barriers(prefetched_code(target, name, stages))


def test_a_missing_wait_is_found():
    code = code_of("gfx942", False)
    assert unsettled_barriers(re.sub(r"lgkmcnt\(0\)(?=\n(.*\n)?\ts_barrier)", "lgkmcnt(1)", code))
