"""`triton._C`: what files take from Triton's compiler, and what is an error when it is used."""

import pytest

IMPORTS = """
import triton._C.libtriton
from triton._C.libtriton import gluon_ir, ir, nvidia
from triton._C.libtriton.gluon_ir import make_cga_layout
from triton._C.libtriton.linear_layout import LinearLayout
"""


def test_layouts_of_clusters(python):
    status, output = python(
        IMPORTS
        + """
from triton.experimental.gluon import language as gl
assert make_cga_layout([2, 2], [2, 1], [1, 0]) == gl.make_cga_layout([2, 2], [2, 1], [1, 0]) == [[0, 0], [1, 0]]
assert gluon_ir.make_cga_layout is make_cga_layout
print("fine")
"""
    )
    assert (status, output) == (0, "fine\n"), output


@pytest.mark.parametrize(
    ("use", "name"),
    [
        ("ir.context()", "triton._C.libtriton.ir.context"),
        ("gluon_ir.GluonOpBuilder(None)", "triton._C.libtriton.gluon_ir.GluonOpBuilder"),
        ("nvidia.load_dialects(None)", "triton._C.libtriton.nvidia.load_dialects"),
        ("LinearLayout.identity_1d(4, 'a', 'b')", "triton._C.libtriton.linear_layout.LinearLayout"),
    ],
)
def test_what_is_missing_is_an_error_when_it_is_used(python, use, name):
    status, output = python(f"{IMPORTS}\nprint('imported')\n{use}\n")
    assert status == 1 and output.startswith("imported\n"), output
    assert f"{name} is part of Triton, but Hocket does not support it yet" in output, output


def test_cublas(python):
    pytest.importorskip("torch")
    status, output = python(
        IMPORTS
        + """
import torch
cublas = nvidia.cublas.CublasLt(torch.empty(1024, device="cuda", dtype=torch.uint8))
a, b = torch.randint(-4, 5, (8, 16), device="cuda"), torch.randint(-4, 5, (32, 16), device="cuda")
for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float8_e4m3fn):
    c = torch.zeros((8, 32), device="cuda", dtype=dtype)
    cublas.matmul(a.to(dtype), b.to(dtype), c)
    assert torch.equal(c.float(), (a.float() @ b.float().T).to(dtype).float()), dtype
half, d = torch.ones((8, 32), device="cuda", dtype=torch.float16), torch.zeros((8, 32), device="cuda").half()
cublas.gemm(a.half(), b.half(), half, d, 2.0, -3.0)
assert torch.equal(d, (2 * (a.float() @ b.float().T) - 3).half())
for call in (lambda: cublas.matmul(a.half(), b.half().T, d), lambda: cublas.matmul(a.half(), b, d),
             lambda: cublas.block_scaled_matmul_nvfp4(a, b, d, a, b)):
    try:
        call()
    except (ValueError, NotImplementedError) as error:
        print(error)
""",
        "--emulate",
        "sm_90a",
    )
    assert status == 0, output
    assert output.splitlines() == [
        "CublasLt: the shapes must be (M, K), (N, K) and (M, N), the second one transposed; got (8, 16), (16, 32), "
        "(8, 32)",
        "CublasLt: all three matrices must have one dtype, float8_e4m3fn, float16, bfloat16 or float32; got "
        "torch.float16, torch.int64, torch.float16",
        "triton._C.libtriton.nvidia.cublas.CublasLt.block_scaled_matmul_nvfp4 is part of Triton, for Blackwell, but "
        "Hocket does not support it",
    ]


def test_names_of_other_gpus_make_objects(python):
    """Lists of parameters name the layouts of all GPUs, and sets and dicts hold them."""
    status, output = python(
        """
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, TensorMemoryScalesLayout
from triton.experimental.gluon.language.amd.gfx1250 import PartitionedSharedLayout
assert TensorMemoryLayout([128, 64], 1) == TensorMemoryLayout((128, 64), 1)
assert len({TensorMemoryLayout([128, 64], 1), TensorMemoryLayout([128, 64], 1), TensorMemoryScalesLayout()}) == 2
wmma = gl.amd.AMDWMMALayout(version=2, transposed=True, warp_bases=[[0, 1], [1, 0]])
operand = gl.DotOperandLayout(operand_index=0, parent=wmma, k_width=8)
assert operand.rank == wmma.rank == 2 and gl.SliceLayout(1, operand).rank == 1 and len({wmma, operand}) == 2
print("fine")
"""
    )
    assert (status, output) == (0, "fine\n"), output
