"""Hints for names of Triton, Gluon, NumPy and PyTorch that have other names in Hocket, or that the language lacks.

The compiler and the packages call `advice` only for names that do not exist, so a hint never hides an existing name.
Each entry is the text of a hint. Names in a group share one hint.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def _each(*groups: tuple[str, str]) -> dict[str, str]:
    """Returns a dict from names to hints. A group lists names that share a hint: `("a b", hint)` is for the names a and
    b."""
    return {name: hint for names, hint in groups for name in names.split()}


_MATRIX_MULTIPLY = (
    "write the MMA function of the target: gl.nvidia.hopper.warpgroup_mma on Hopper, gl.nvidia.ampere.mma_v2 on Ampere "
    "and later, gl.amd.cdna3.mfma on CDNA, or gl.dot_fma(a, b, acc) on every GPU, without matrix cores; "
    "tutorials/03_matmul.py shows the layouts of the operands"
)
_WGMMA = "write acc = gl.nvidia.hopper.warpgroup_mma(a, b, acc), with b, and a or its tile, in shared memory"
_DESCRIPTORS = (
    "compute the offsets: gl.load(ptr + rows[:, None] * stride + columns[None, :], mask=...), where rows and columns "
    "are gl.arange in gl.SliceLayout(1, layout) and gl.SliceLayout(0, layout)"
)
_RANDOM = "write gl.rand(seed, offset), gl.randn or gl.randint: uniform, normal or integer numbers"
_JOIN = "write gl.cat(a, b, dim) to concatenate two tiles, gl.join(a, b) for pairs of their elements"
_SCAN = (
    "write gl.associative_scan(x, axis, combine), where combine(a, b), a @hocket.jit function, returns "
    "gl.maximum(a, b), gl.minimum(a, b), or another associative combination"
)
_SORT = (
    "write gl.sort(x), or gl.topk(x, k) for the largest values; to sort indices, sort keys that contain them, such as "
    "x * 1024 + index"
)
_PRODUCT = "write gl.reduce(x, axis, product), where product(a, b), a @hocket.jit function, returns a * b"
_MEAN = "divide the sum: gl.sum(x, axis) / x.shape[axis]"
_VARIANCE = "from two sums: mean = gl.sum(x, axis) / n, variance = gl.sum(x * x, axis) / n - mean * mean"
_POWER = "write x * x for squares, or gl.extra.libdevice.pow(x, y)"
_IN_LIBDEVICE = "it is in gl.extra.libdevice"
_ROUND = "write gl.extra.libdevice.rint(x), round(x) or trunc(x); x.to(gl.int32) rounds toward zero"
_REMAINDER = "write `x % y` for integers, x - y * gl.floor(x / y) for floats"
_THREADS = (
    "kernels are written for a block, not for a thread: gl.arange(0, size, layout) returns the indices of a tile's "
    "elements, and the layout maps elements to lanes"
)
_CLOCK = "kernels cannot read clocks or SM numbers; measure times with hocket.testing.do_bench or gl.profiler.scope"
_GRID = "write gl.program_id(axis) for the index of the block, gl.num_programs(axis) for the size of the grid"
_ASYNC_BARRIERS = (
    "mbarriers exist on NVIDIA GPUs only: gl.nvidia.ampere.mbarrier, gl.nvidia.hopper.mbarrier; on AMD, wait for "
    "commit groups of copies: gl.amd.cdna4.async_copy.commit_group and wait_group"
)
_TMA = "TMA is in gl.nvidia.hopper.tma; the host makes descriptors with hocket.nvidia.hopper.TensorDescriptor"
_BLACKWELL = (
    "Blackwell's tensor memory and tcgen05 are not supported yet; for Hopper there are "
    "gl.nvidia.hopper.warpgroup_mma and gl.nvidia.hopper.tma"
)
_WMMA = "RDNA and gfx1250 are not supported yet; for CDNA there are gl.amd.AMDMFMALayout and gl.amd.cdna3.mfma"
_AUTO_BARRIER = "write gl.barrier(); the compiler inserts the barriers between accesses of shared memory"
_FLOAT8 = (
    "8-bit floats are gl.float8e4nv (e4m3fn), gl.float8e5 (e5m2), gl.float8e4b8 (e4m3fnuz), gl.float8e5b16 (e5m2fnuz)"
)

#: Hints for functions and types, such as `gl.dot`, `tl.dot`, `numpy.dot` of a run-time value, and `x.dot(...)`.
LANGUAGE = _each(
    # Matrix multiplies
    ("dot matmul mm bmm mma einsum inner vdot addmm dot_precise", _MATRIX_MULTIPLY),
    ("wgmma wgmma_async warpgroup_mma_async mma_v3 dot_wait_wgmma", _WGMMA),
    ("wgmma_wait warpgroup_wait", "write acc = gl.nvidia.hopper.warpgroup_mma_wait(0, deps=[acc])"),
    ("dot_scaled", "write gl.amd.cdna4.mfma_scaled(a, a_scale, a_format, b, b_scale, b_format, acc), on gfx950"),
    # Addresses
    ("make_block_ptr advance load_tensor_descriptor store_tensor_descriptor", _DESCRIPTORS),
    ("make_tensor_descriptor", f"on Hopper, gl.nvidia.hopper.tma.make_tensor_descriptor; elsewhere {_DESCRIPTORS}"),
    ("TensorDescriptor tensor_descriptor tensor_descriptor_base make_tensor_ptr block_ptr", _DESCRIPTORS),
    ("ld", "write gl.load(pointer + offsets, mask=..., other=...)"),
    ("st", "write gl.store(pointer + offsets, value, mask=...)"),
    ("const", "write the parameter without an annotation: the compiler finds the arrays that a kernel only reads"),
    ("pi32_t", "write gl.pointer_type(gl.int32)"),
    ("prefetch", "write gl.range(..., num_stages=3): loads start up to 2 iterations before their use"),
    # Synchronization and shared memory
    ("debug_barrier thread_barrier syncthreads __syncthreads sync_threads sync s_barrier __syncwarp", _AUTO_BARRIER),
    ("shared_memory alloc_shared shared alloc local_alloc", "write gl.allocate_shared_memory(dtype, shape, layout)"),
    ("threadfence __threadfence fence", "atomics order memory: gl.atomic_add(pointer, value, sem='acq_rel')"),
    ("atomic_sub", "write gl.atomic_add(pointer, -value)"),
    ("atomic_exch atomic_exchange", "write gl.atomic_xchg(pointer, value)"),
    ("atomic_inc", "write gl.atomic_add(pointer, 1)"),
    ("atomic_dec", "write gl.atomic_add(pointer, -1)"),
    ("mbarrier", _ASYNC_BARRIERS),
    ("tma async_tma tdm", _TMA),
    ("clc", _BLACKWELL),
    # Reductions, scans, order
    ("prod product", _PRODUCT),
    ("mean average", _MEAN),
    ("std var variance", _VARIANCE),
    ("any", "write gl.max(condition.to(gl.int32), axis) != 0"),
    ("all", "write gl.min(condition.to(gl.int32), axis) != 0"),
    ("count_nonzero", "write gl.sum(condition.to(gl.int32), axis)"),
    ("amax nanmax", "write gl.max(x, axis)"),
    ("amin nanmin", "write gl.min(x, axis)"),
    ("norm", "write gl.sqrt(gl.sum(x * x, axis))"),
    ("logsumexp", "write m = gl.max(x, axis), then m + gl.log(gl.sum(gl.exp(x - m), axis))"),
    ("layer_norm rms_norm", "write it with gl.sum and gl.rsqrt(variance + eps), or call hocket.kernels.norms"),
    ("cummax cummin scan", _SCAN),
    ("sorted argsort bitonic_merge median quantile unique searchsorted", _SORT),
    # Elementwise
    ("expit", "write gl.sigmoid(x)"),
    ("silu swish", "write x * gl.sigmoid(x)"),
    ("relu", "write gl.maximum(x, 0)"),
    ("leaky_relu elu", "write gl.where(x > 0, x, ...)"),
    ("gelu", "write 0.5 * x * (1 + gl.erf(x * 0.7071067811865476))"),
    ("softplus", "write gl.log(1 + gl.exp(x))"),
    ("square", "write x * x"),
    ("pow power float_power powf", _POWER),
    ("cosh sinh tan asin acos atan atan2 arcsin arccos arctan arctan2", _IN_LIBDEVICE),
    ("asinh acosh atanh cbrt lgamma gamma erfc erfinv", _IN_LIBDEVICE),
    ("expf fast_expf fast_exp", "write gl.exp(x)"),
    ("fast_dividef fast_div", "write x / y"),
    ("exp10 expm1 log10 log1p", _IN_LIBDEVICE),
    ("fabs absolute", "write gl.abs(x)"),
    ("fmax fmaxf", "write gl.maximum(x, y)"),
    ("fmin fminf", "write gl.minimum(x, y)"),
    ("sqrtf", "write gl.sqrt(x)"),
    ("rsqrtf", "write gl.rsqrt(x)"),
    ("reciprocal rcp inv", "write 1 / x"),
    ("round rint nearbyint around trunc fix", _ROUND),
    ("fmod remainder mod modf", _REMAINDER),
    ("sign", "write gl.where(x > 0, 1, gl.where(x < 0, -1, 0))"),
    ("isnan", "write x != x"),
    ("isinf", "write gl.abs(x) == float('inf')"),
    ("isfinite", "write gl.abs(x) < float('inf')"),
    ("inf", "write float('inf')"),
    ("nan", "write float('nan')"),
    ("pi", "write the number, or a global of the module: PI = gl.constexpr(3.141592653589793)"),
    ("clip", "write gl.clamp(x, low, high)"),
    ("lerp", "write a + (b - a) * t"),
    ("mulhi mul_hi", "write gl.umulhi(x, y)"),
    ("logical_not", "write `~x` for int1, `x == 0` for others"),
    ("logical_xor", "write (x != 0) ^ (y != 0)"),
    ("bitwise_and", "write x & y"),
    ("bitwise_or", "write x | y"),
    ("bitwise_xor", "write x ^ y"),
    ("bitwise_not invert", "write ~x"),
    ("neg negative", "write -x"),
    ("equal eq", "write x == y"),
    ("not_equal ne", "write x != y"),
    ("greater gt less lt greater_equal ge less_equal le", "use the operator: x > y, x <= y"),
    ("divide div true_divide", "write x / y"),
    ("floor_divide floordiv", "write x // y for integers, gl.floor(x / y) for floats"),
    ("multiply", "write gl.mul(x, y), or x * y"),
    ("subtract", "write gl.sub(x, y), or x - y"),
    ("select ifelse", "write gl.where(condition, x, y)"),
    ("masked_fill", "write gl.where(mask, value, x)"),
    ("popc clz ffs brev", _IN_LIBDEVICE),
    ("popcount", "write gl.extra.libdevice.popc(x)"),
    # Shapes
    ("concat concatenate stack hstack vstack", _JOIN),
    ("roll", "load the tile in rotated order: compute the offsets with %"),
    ("tile repeat repeat_interleave", "gl.broadcast_to(x, shape) repeats dimensions of size 1"),
    ("transpose swapaxes moveaxis", "write gl.trans(x), or gl.permute(x, order)"),
    ("flatten", "write gl.ravel(x)"),
    ("squeeze", "write gl.reshape(x, shape) with the new shape"),
    ("unsqueeze", "write x[:, None], or gl.expand_dims(x, axis)"),
    ("expand", "write gl.broadcast_to(x, shape)"),
    ("ones", "write gl.full(shape, 1, dtype, layout)"),
    ("ones_like", "write gl.full_like(x, 1)"),
    ("empty", "write gl.zeros(shape, dtype, layout)"),
    ("empty_like", "write gl.zeros_like(x)"),
    ("iota linspace", "write gl.arange(start, end, layout)"),
    ("eye", "write gl.where(rows[:, None] == columns[None, :], 1.0, 0.0)"),
    ("tril triu", "write gl.where(rows[:, None] >= columns[None, :], x, 0)"),
    ("array asarray", "tiles are results of gl.load, gl.arange, gl.full and of operations on tiles"),
    ("swizzle2d", "compute the block's row and column from gl.program_id(0) with // and %"),
    ("next_power_of_2", "write hocket.next_power_of_2(n), for n known at compile time"),
    # Random numbers
    ("philox philox_impl random uniform normal", _RANDOM),
    ("uint_to_uniform_float uint32_to_uniform_float pair_uniform_to_normal seed manual_seed", _RANDOM),
    # Blocks and threads
    ("thread_id num_threads threadIdx thread_idx tid lane_id laneId warp_id warpIdx lane warpid get_tid", _THREADS),
    ("blockIdx blockDim gridDim block_id block_idx program_ids grid_dim get_program_id pid", _GRID),
    ("globaltimer clock clock64 smid", _CLOCK),
    ("warp_shuffle shfl shfl_sync shfl_down shfl_xor", "write gl.gather, gl.convert_layout or a reduction"),
    ("gdc_wait gdc_launch_dependents", "it is in gl.extra.cuda"),
    ("target_info", "pass properties of the GPU to the kernel as gl.constexpr arguments"),
    # Types
    ("half fp16 f16 float16_t", "write gl.float16"),
    ("float single fp32 f32 tfloat32 tf32", "write gl.float32"),
    ("double fp64 f64", "write gl.float64"),
    ("bf16", "write gl.bfloat16"),
    ("int int32_t i32 intc", "write gl.int32"),
    ("long longlong int64_t i64 intp", "write gl.int64"),
    ("short i16", "write gl.int16"),
    ("char i8", "write gl.int8"),
    ("uint uint32_t u32", "write gl.uint32"),
    ("u8 uchar", "write gl.uint8"),
    ("bool bool_ i1", "write gl.int1"),
    ("float8 fp8 float8e4m3 float8_e4m3fn float8_e4m3 float8_e4m3fnuz float8e4b15", _FLOAT8),
    ("float8_e5m2 float8_e5m2fnuz float8e5m2 fp8e4nv fp8e5 e4m3 e5m2", _FLOAT8),
    # Printing, assembly, libraries
    ("printf", "write gl.device_print(prefix, x), or gl.static_print(x) for constants"),
    ("inline_asm asm", "write gl.inline_asm_elementwise: assembly for a few elements of a lane at a time"),
    ("libdevice", "the module is gl.extra.libdevice; gl itself has exp, erf, rsqrt and others"),
    ("cuda hip", "functions for NVIDIA GPUs are in gl.nvidia, those for AMD GPUs in gl.amd"),
    ("math core standard semantic", "the functions are in gl itself: gl.exp, gl.sum, gl.cdiv"),
    ("tl", "gl is what Triton calls tl: gl.load, gl.arange"),
    ("jit", "write hocket.jit"),
    ("autotune heuristics Config", "decorators are in the package: hocket.autotune, hocket.heuristics, hocket.Config"),
    ("_aggregate", "write hocket.aggregate"),
    ("parallel pipelined", "write gl.range(start, end, step, num_stages=...)"),
    ("condition", "write the condition in the `while` statement"),
    # Modules of vendors
    ("blackwell rubin tcgen05_mma tcgen05_mma_scaled tcgen05_commit tcgen05_copy TensorMemoryLayout", _BLACKWELL),
    ("allocate_tensor_memory tensor_memory_descriptor get_tmem_reg_layout TensorMemoryScalesLayout", _BLACKWELL),
    ("wmma wmma_scaled AMDWMMALayout rdna3 rdna4 gfx1250 cdna5", _WMMA),
    ("s_setprio", "write gl.amd.cdna3.set_prio(priority)"),
    ("load_async cp_async", "write gl.amd.cdna4.async_copy.global_load_to_shared"),
    ("expect", "write gl.assume(condition)"),
)  # fmt: skip

_AS_TYPE = "x.to(gl.float32) converts values, x.to(gl.int32, bitcast=True) reinterprets bits"
_IS_A_VALUE = "assignments copy a tile, as tiles are values; gl.convert_layout changes its layout"
_ON_THE_DEVICE = "tiles are in registers of the device that runs the kernel; they have no device and no gradient"
_NO_MUTATION = "tiles are values that cannot be modified: write x = gl.where(mask, new, x)"

#: Hints for attributes of tensors and scalars. A hint in this table replaces the hint for a function of the same name.
TENSOR = _each(
    ("astype type_as view_dtype", _AS_TYPE),
    ("float", "write x.to(gl.float32)"),
    ("half", "write x.to(gl.float16)"),
    ("bfloat16", "write x.to(gl.bfloat16)"),
    ("double", "write x.to(gl.float64)"),
    ("int", "write x.to(gl.int32)"),
    ("long", "write x.to(gl.int64)"),
    ("bool", "write x != 0"),
    ("size", "write x.shape[axis], or x.numel for all"),
    ("ndim dim ndims", "write x.rank"),
    ("tolist", "use the scalar itself; gl.sum(x) and gl.max(x) reduce a tile to a scalar"),
    ("clone copy contiguous detach data", _IS_A_VALUE),
    ("cpu cuda device numpy is_cuda get_device data_ptr grad backward requires_grad", _ON_THE_DEVICE),
    ("copy_ fill_ zero_ add_ mul_ masked_fill_ fill", _NO_MUTATION),
    ("element_ty dtype_ scalar", "write x.dtype"),
    ("nbytes itemsize element_size", "write x.numel * x.dtype.itemsize"),
    ("stride strides is_contiguous", "a tile has a layout (x.layout), no strides; pass strides of arrays as arguments"),
    ("load", "write gl.load(pointer + offsets)"),
    ("transpose t mT", "write x.T, or x.permute(order)"),
    ("unsqueeze", "write x[:, None], or x.expand_dims(axis)"),
    ("flatten", "write x.ravel()"),
    ("mean", _MEAN),
)  # fmt: skip

_POINTER_ONLY = "a kernel gets only the address of an array: pass sizes and strides as arguments"
_NOT_DESCRIBED = (
    "an array is passed as a pointer; for TMA, launch with a descriptor of it: "
    "hocket.nvidia.hopper.TensorDescriptor.from_tensor(array, block_shape, layout)"
)

#: Hints for attributes of pointers. A hint in this table replaces the hint for an attribute of tensors of the same
#: name.
POINTER = _each(
    ("shape size numel ndim rank dim T stride strides nbytes is_contiguous contiguous", _POINTER_ONLY),
    ("layout block_shape block_type nbytes_per_cta base padding", _NOT_DESCRIBED),
    ("data_ptr data ptr", "the pointer is the address: x + offsets"),
    ("element_ty itemsize element_size", "write x.dtype.element_ty"),
    ("astype to_ptr", "write x.to(gl.pointer_type(gl.int32), bitcast=True)"),
    ("mean item", "load it first: gl.load(x + offsets)"),
)  # fmt: skip

_LOAD_BLOCK = "tma.async_load(desc, coord, barrier, smem) copies a block to shared memory, smem.load(layout) reads it"
_STORE_BLOCK = "tma.async_store(desc, coord, smem) copies a tile of shared memory to the block at coord"

#: Hints for attributes of tensor descriptors.
DESCRIPTOR = _each(
    ("load gather async_load get", _LOAD_BLOCK),
    ("store scatter async_store set put", _STORE_BLOCK),
    (
        "atomic_add atomic_min atomic_max atomic_and atomic_or atomic_xor",
        "write tma.async_atomic_add(desc, coord, smem)",
    ),
    ("base ptr data data_ptr", "the kernel gets only the descriptor: pass the array too, for its address"),
    ("nbytes size numel bytes", "desc.nbytes_per_cta is the number of bytes that a copy writes to this block"),
    ("stride", "write desc.strides[dim]"),
    ("element_ty", "write desc.dtype"),
)

#: Hints for attributes of handles to shared memory.
SHARED_MEMORY = _each(
    ("get subtile at", "write smem.index(i), or smem.slice(start, length, dim) for a range"),
    ("T transpose trans t", "write smem.permute(order)"),
    ("sum max min mean exp to", "load the tile first: smem.load(layout)"),
    ("size", "write smem.shape[axis], or smem.numel for all"),
    ("ndim dim", "write smem.rank"),
    ("element_ty", "write smem.dtype"),
    ("view", "write smem.reinterpret(dtype, shape, layout)"),
    ("read get_value", "write smem.load(layout)"),
    ("write set copy_ copy fill_ set_value", "write smem.store(value)"),
    ("wait arrive", _ASYNC_BARRIERS),
)  # fmt: skip

#: Hints for names of the package, such as `triton.autotune` and `gluon.aggregate`.
PACKAGE = _each(
    ("Autotuner Heuristics", "it is in hocket.tuning; the decorators are hocket.autotune and hocket.heuristics"),
    ("do_bench", "write hocket.testing.do_bench"),
    ("perf_report Benchmark", "write hocket.testing.perf_report and hocket.testing.Benchmark"),
    ("assert_close allclose", "write hocket.testing.assert_close"),
    ("compile", "kernel.warmup(*args, target=...) compiles without launching; `hocket compile` does so from a shell"),
    ("TensorDescriptor reinterpret", "pass the array and its strides as arguments"),
    ("set_allocator knobs runtime", "it is not needed: a launch allocates its scratch memory itself"),
    ("gluon", "write hocket.jit and hocket.language for Gluon's gluon.jit and gluon.language"),
    ("tl", "write from hocket import language as tl"),
    ("gl", "write from hocket import language as gl"),
    ("interpret", "launches with NumPy arrays run on the emulator: kernel[grid](numpy_array, ...)"),
)  # fmt: skip

#: Hints for parameters of functions.
KEYWORD = _each(
    ("dim dims", "it is called `axis`"),
    ("keepdim keepdims", "it is called `keep_dims`"),
    ("return_indices return_indices_tie_break_left", "write gl.argmax(x, axis) or gl.argmin(x, axis) for the index"),
    ("boundary_check padding_option", "mask the elements outside the array: mask=offsets < n, other=0"),
    ("allow_tf32 input_precision out_dtype max_num_imprecise_acc", "the accumulator's dtype determines the precision"),
    ("device", "tiles are in registers of the block that computes them"),
    ("flatten", "write one loop over all pairs of indices, and compute both indices with // and %"),
    ("disallow_acc_multi_buffer disable_licm", "leave it out: the compiler has no such pass"),
    ("warp_specialize", "write a function per partition: gl.warp_specialize([(compute, args), (copy, args)], [4])"),
    ("type element_ty", "it is called `dtype`"),
    ("out", "the result is returned: tiles are values"),
    ("default fill_value", "it is called `other`"),
    ("num_warps num_stages", "it is an option of the launch: kernel[grid](..., num_warps=8)"),
    ("use_accumulator accumulate use_d", "it is called `use_acc`"),
)

#: Hints for names that gl.profiler lacks: names of Proton and NVTX, and functions of the host.
PROFILER = _each(
    ("enter_scope exit_scope range annotate", 'write `with gl.profiler.scope("load"):`'),
    ("start stop range_push range_pop", 'write token = gl.profiler.begin("load"), gl.profiler.end(token)'),
    ("record event instant", "write gl.profiler.mark(name) for a point in time, gl.profiler.scope(name) for a span"),
    ("session summary explain trace picture", "write `with hocket.profiler.session():` around the launch on the host"),
)  # fmt: skip

#: Hints for names of CUDA, CUTLASS and Triton. The key is the last part of the module's name.
_MODULES = {
    "cluster": _each(
        (
            "sync syncthreads cluster_sync synchronize",
            "write cluster.barrier(), or cluster.arrive() and cluster.wait()",
        ),
        ("block_rank ctarank rank block_id cta_id cluster_ctarank block_idx", "write cluster.cta_rank()"),
        ("num_blocks num_ctas size dim_blocks", "write gl.num_ctas()"),
        (
            "map_shared_rank mapa dsmem",
            "write hopper.async_store(dst, value, mbarrier), which stores to shared memory of other blocks",
        ),
    ),
    "mbarrier": _each(
        (
            "expect_tx arrive_expect_tx arrive_and_expect_tx expect_bytes arrive_expect",
            "write mbarrier.expect(bar, bytes)",
        ),
        ("try_wait test_wait wait_parity try_wait_parity arrive_and_wait", "write mbarrier.wait(bar, phase)"),
        ("alloc allocate create", "write mbarrier.allocate_mbarrier()"),
        ("inval destroy free", "write mbarrier.invalidate(bar)"),
        (
            "sync barrier",
            "write mbarrier.arrive(bar) and mbarrier.wait(bar, phase), or gl.barrier() for all warps of the block",
        ),
    ),
    "named_barrier": _each(
        ("sync wait barrier", "write named_barrier.arrive_and_wait(barrier)"),
        ("alloc create init NamedBarrier", "write named_barrier.allocate(num_warps=8)"),
    ),
    "tma": _each(
        ("load copy async_copy", "write tma.async_load(desc, coord, barrier, smem)"),
        ("store", "write tma.async_store(desc, coord, smem)"),
        ("commit commit_group store_commit store_arrive", "leave it out: each tma.async_store is a bulk group"),
        ("wait wait_group store_wait_group", "write tma.store_wait(n) for stores, mbarrier.wait(bar, phase) for loads"),
        ("TensorDescriptor make_descriptor", "tma.make_tensor_descriptor, or hocket.nvidia.hopper.TensorDescriptor"),
        ("load_im2col async_im2col", "write tma.async_load_im2col(desc, coord, offsets, barrier, smem)"),
    ),
    "async_copy": _each(
        ("commit cp_async_commit", "write async_copy.commit_group()"),
        ("wait wait_all cp_async_wait", "write async_copy.wait_group(n), which leaves the n newest groups in flight"),
    ),
}

#: Hints for attributes of the handle of a named barrier.
NAMED_BARRIER = _each(
    ("arrive", "write named_barrier.arrive(barrier)"),
    ("wait sync arrive_and_wait", "write named_barrier.arrive_and_wait(barrier)"),
)

#: Hints for launch options of Triton and CUDA.
OPTION = _each(
    ("cluster_dims clusterDim cluster_size cluster ctas", "write num_ctas=2 for clusters of two blocks"),
    ("warps threads num_threads block block_dim blockDim", "write num_warps=4: a block's size is its number of warps"),
    ("stages num_buffers", "write num_stages=3"),
    ("shared smem shared_mem dynamic_smem_bytes", "leave it out: the compiler computes the size of shared memory"),
    ("blocks grid_dim gridDim", "write the grid in brackets: kernel[grid](...)"),
    ("registers max_registers maxrregcount", "write maxnreg=128"),
    ("device", "the arrays determine the device; `with hocket.emulator.target(...)` selects the emulated one"),
    (
        "target arch",
        "write `with hocket.emulator.target(...)` for NumPy arrays; kernel.warmup(..., target=...) only compiles",
    ),
    ("warmup", "write kernel.warmup(...)"),
    ("num_consumer_groups num_buffers_warp_spec", "write a function per partition: gl.warp_specialize"),
)

_KINDS = {
    "named_barrier": (NAMED_BARRIER,),
    "option": (OPTION,),
    "keyword": (KEYWORD,),
    "language": (LANGUAGE,),
    "tensor": (TENSOR, LANGUAGE),
    "pointer": (POINTER, TENSOR, LANGUAGE),
    "shared_memory": (SHARED_MEMORY, TENSOR, LANGUAGE),
    "descriptor": (DESCRIPTOR,),
    "package": (PACKAGE,),
    "profiler": (PROFILER,),
}


def advice(kind: str, name: str) -> str:
    """Returns the hint for `name`, an attribute that values or modules of kind `kind` lack; "" if there is no hint."""
    return next((table[name] for table in _KINDS[kind] if name in table), "")


def module_advice(module: str, name: str) -> str:
    """Returns the hint for a name that `module` lacks, but that a similar module of CUDA, CUTLASS or Triton has."""
    return _MODULES.get(module.rpartition(".")[2], {}).get(name, "")


def missing_attribute(module: str, name: str, known: Iterable[str]) -> Exception:
    """Returns the exception that `__getattr__` of a module raises: an AttributeError with the hint. The exception for a
    name in an import statement is an ImportError, because import statements discard the text of an AttributeError."""
    if name.startswith("__"):
        return AttributeError(f"module '{module}' has no attribute '{name}'")
    import sys
    from opcode import opname

    hint = module_advice(module, name) or advice("package" if module == "hocket" else "language", name)
    hint = hint or _elsewhere(module, name, known)
    hint = f"\n  hint: {hint}" if hint else ""
    reader = sys._getframe(2)
    if opname[reader.f_code.co_code[reader.f_lasti]] == "IMPORT_FROM":
        return ImportError(f"cannot import name '{name}' from '{module}'{hint}", name=name)
    return AttributeError(f"module '{module}' has no attribute '{name}'{hint}")


def _elsewhere(module: str, name: str, known: Iterable[str]) -> str:
    """Returns a hint if `name` is a name of another module of hocket, or a misspelled name of `module`."""
    import sys
    from difflib import get_close_matches

    if module == "hocket" and name in sys.modules["hocket.language"].__all__:
        return f"it is hocket.language.{name}"
    near = get_close_matches(name, known, n=1)
    return f"did you mean `{near[0]}`?" if near else ""
