"""Names of Triton, Gluon, NumPy, PyTorch and CUDA."""

import math

import numpy as np
from cases import mistake

import hocket
import hocket.language as gl

LINE = gl.BlockedLayout([1], [32], [4], [0])


@mistake("*f32")
def triton_dot(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.dot(v, v, v)


@mistake("*f32")
def triton_dot_scaled(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.dot_scaled(v, v, v, v)


@mistake("*f32, i32")
def triton_block_pointer(x, n):
    result = gl.make_block_ptr(x, (n,), (1,), (0,), (128,), (0,))


@mistake("*f32, i32")
def triton_tensor_descriptor(x, n):
    result = gl.make_tensor_descriptor(x, [n], [1], [128])


@mistake()
def triton_debug_barrier():
    result = gl.debug_barrier()


@mistake()
def gluon_thread_barrier():
    result = gl.thread_barrier()


@mistake("*f32")
def torch_prod(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.prod(v, 0)


@mistake("*f32")
def torch_cummax(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.cummax(v, 0)


@mistake("*f32")
def torch_argsort(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.argsort(v)


@mistake("*f32")
def torch_median(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.median(v)


@mistake("*f32")
def torch_roll(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.roll(v)


@mistake("*f32")
def torch_stack(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.stack(v, v)


@mistake("*f32")
def numpy_concatenate(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.concatenate(v, v)


@mistake("*f32")
def torch_silu(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.silu(v)


@mistake("*f32")
def torch_logsumexp(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.logsumexp(v)


@mistake()
def numpy_uniform():
    i = gl.arange(0, 128, LINE)
    result = gl.uniform(7, i)


@mistake()
def triton_philox():
    i = gl.arange(0, 128, LINE)
    result = gl.philox(7, i, i, i, i)


@mistake("i32")
def triton_swizzle2d(n):
    result = gl.swizzle2d(n, n, n, n, 8)


@mistake("*f32")
def triton_math(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.math.exp(v)


@mistake("*f32")
def triton_libdevice(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.libdevice.exp(v)


@mistake("*f32")
def inline_assembly(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.inline_asm(v)


@mistake()
def torch_half():
    result = gl.half


@mistake()
def torch_float():
    result = gl.float


@mistake()
def numpy_bool():
    result = gl.bool_


@mistake()
def torch_float8():
    result = gl.float8_e4m3fn


@mistake()
def numpy_ones():
    result = gl.ones([128], gl.float32)


@mistake("*f32")
def numpy_mean(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.mean(v)


@mistake("*f32")
def numpy_clip(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.clip(v, 0.0, 1.0)


@mistake("*f32")
def numpy_power(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.power(v, 2.0)


@mistake("*f32")
def numpy_isnan(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.isnan(v)


@mistake()
def numpy_inf():
    result = gl.inf


@mistake("*f32")
def torch_relu(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.relu(v)


@mistake("*f32")
def cuda_thread_index(x):
    result = gl.threadIdx.x


@mistake()
def cuda_syncthreads():
    result = gl.syncthreads()


@mistake("*f32")
def cuda_atomic_sub(out):
    result = gl.atomic_sub(out, 1.0)


@mistake()
def cuda_lane():
    result = gl.lane_id()


@mistake("*f32")
def gluon_blackwell(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.nvidia.blackwell.tcgen05_mma(v, v, v)


@mistake("*f32")
def gluon_mbarrier(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.mbarrier.init(v)


@mistake()
def gluon_tma():
    result = gl.nvidia.ampere.tma.store_wait(0)


@mistake()
def gluon_wmma_layout():
    result = gl.amd.AMDWMMALayout


@mistake("*f32")
def numpy_function(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = np.exp(v)


@mistake("*f32")
def numpy_reduction(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = np.mean(v)


@mistake("i32")
def numpy_type_of_a_runtime_value(n):
    result = np.float32(n)


@mistake("i32")
def type_called(n):
    result = gl.float32(n)


@mistake("*f32")
def math_function(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = math.sin(v)


@mistake("i32")
def host_cdiv_of_a_runtime_value(n):
    result = hocket.cdiv(n, 128)


@mistake()
def do_bench_in_a_kernel():
    result = hocket.do_bench


@mistake("*f32")
def language_name_in_the_package(x):
    result = hocket.full_like(x)


@mistake("*f32")
def load_of_a_bundle_in_a_kernel(x):
    result = hocket.load(x)


@mistake("i32")
def name_without_its_module(n):
    result = cdiv(n, 128)


@mistake("*f32")
def triton_module_that_is_not_imported(x):
    result = tl.load(x)


@mistake("*f32")
def python_any(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = any(v > 0)


@mistake("*f32")
def python_round(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = round(v)


@mistake("*f32")
def python_max(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = max(v)


@mistake("i32")
def range_outside_of_a_loop(n):
    result = range(n)


@mistake("*f32")
def torch_dim(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.sum(v, dim=0)


@mistake("*f32")
def triton_return_indices(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.max(v, axis=0, return_indices=True)


@mistake("*f32")
def triton_boundary_check(x):
    i = gl.arange(0, 128, LINE)
    result = gl.load(x + i, boundary_check=(0,))


@mistake("*f32")
def three_values_for_minimum(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.minimum(v, 3.0, 4.0)


@mistake("*f32")
def three_values_for_add(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.add(v, v, v)


@mistake("*f32")
def wrong_flag(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.maximum(v, 0.0, propagate_nan=True)


@mistake("i32")
def comparisons_joined_without_parentheses(n):
    i = gl.arange(0, 128, LINE)
    result = i < n & i > 3


@mistake("*f32")
def inferred_size(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = v.reshape(-1)


@mistake("i32")
def list_repeated(n):
    result = [n] * 3


@mistake("*f32")
def pointer_advanced_by_floats(x):
    i = gl.arange(0, 128, LINE)
    v = gl.load(x + i)
    result = gl.load(x + v)
