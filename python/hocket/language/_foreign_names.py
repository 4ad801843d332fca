"""Hints for names of Triton, Gluon, NumPy and PyTorch that have other names here, or that the language lacks.

The compiler and the packages call `advice` for names that do not exist, so an entry never hides an existing name. Each
entry is a hint as messages show it. Names in a group share one hint.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def _each(*groups: tuple[str, str]) -> dict[str, str]:
    """A dict from each name of the groups to its hint: `("a b", hint)` has two names."""
    return {name: hint for names, hint in groups for name in names.split()}


_MATRIX_MULTIPLY = (
    "a matrix multiply names its unit: gl.nvidia.hopper.warpgroup_mma on Hopper, gl.nvidia.ampere.mma_v2 on Ampere and "
    "later, gl.amd.cdna3.mfma on CDNA, gl.dot_fma(a, b, acc) without matrix units on every GPU; tutorials/03_matmul.py "
    "shows the layouts of the operands"
)
_WGMMA = "write acc = gl.nvidia.hopper.warpgroup_mma(a, b, acc), with b, and a or its tile, in shared memory"
_DESCRIPTORS = (
    "compute the offsets: gl.load(ptr + rows[:, None] * stride + columns[None, :], mask=...), where rows and columns "
    "are gl.arange in gl.SliceLayout(1, layout) and gl.SliceLayout(0, layout)"
)
_RANDOM = "gl.rand(seed, offset), gl.randn and gl.randint give uniform, normal and integer numbers: a function of both"
_JOIN = "gl.cat(a, b, dim) puts one tile after the other, gl.join(a, b) makes pairs of the elements of two tiles"
_SCAN = (
    "write gl.associative_scan(x, axis, combine), where combine(a, b), a @hocket.jit function, returns "
    "gl.maximum(a, b), gl.minimum(a, b), or whatever is associative"
)
_SORT = (
    "gl.sort(x) sorts the values of a tile, gl.topk(x, k) finds the largest ones; to sort positions, sort keys that "
    "hold them, such as x * 1024 + index"
)
_PRODUCT = "write gl.reduce(x, axis, product), where product(a, b), a @hocket.jit function, returns a * b"
_MEAN = "divide the sum: gl.sum(x, axis) / x.shape[axis]"
_VARIANCE = "from two sums: mean = gl.sum(x, axis) / n, variance = gl.sum(x * x, axis) / n - mean * mean"
_POWER = "write x * x for squares; for x > 0 gl.exp2(gl.log2(x) * y)"
_TRIGONOMETRY = "it is not in the language yet; gl.sin, gl.cos, gl.tanh, gl.exp and gl.log are"
_ROUND = "gl.floor(x + 0.5) rounds halves up; x.to(gl.int32) drops the fraction"
_REMAINDER = "write `x % y` for integers, x - y * gl.floor(x / y) for floats"
_THREADS = (
    "kernels are written for a block, not for its threads: gl.arange(0, size, layout) numbers the elements of a tile, "
    "and the layout says which lane holds which"
)
_CLOCK = "kernels cannot read clocks or numbers of multiprocessors; time them with hocket.testing.do_bench"
_GRID = "gl.program_id(axis) is the block's position, gl.num_programs(axis) the size of the grid"
_ASYNC_BARRIERS = (
    "asynchronous barriers are NVIDIA's: gl.nvidia.ampere.mbarrier, gl.nvidia.hopper.mbarrier; on AMD copies are "
    "waited for by groups: gl.amd.cdna4.async_copy.commit_group and wait_group"
)
_TMA = "TMA is gl.nvidia.hopper.tma; the host describes tensors with hocket.nvidia.hopper.TensorDescriptor"
_BLACKWELL = (
    "Blackwell's tensor memory and tcgen05 are not supported yet; on Hopper, gl.nvidia.hopper.warpgroup_mma multiplies "
    "and gl.nvidia.hopper.tma copies"
)
_WMMA = "RDNA and gfx1250 are not supported yet; matrix cores of CDNA are: gl.amd.AMDMFMALayout and gl.amd.cdna3.mfma"
_AUTO_BARRIER = "write gl.barrier(); between accesses of shared memory the compiler inserts the barriers itself"
_FLOAT8 = (
    "the formats of 8 bits are gl.float8e4nv (e4m3fn), gl.float8e5 (e5m2), and with fnuz gl.float8e4b8, gl.float8e5b16"
)

#: Functions and types: `gl.dot`, `tl.dot`, `numpy.dot` of a run-time value, `x.dot(...)`.
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
    ("const", "write the parameter without an annotation: what a kernel does not store to is read only"),
    ("pi32_t", "write gl.pointer_type(gl.int32)"),
    ("prefetch", "gl.range(..., num_stages=3) loads iterations ahead"),
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
    ("layer_norm rms_norm", "normalise with gl.sum and gl.rsqrt(variance + eps)"),
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
    ("cbrt", "for x > 0 gl.exp2(gl.log2(x) / 3)"),
    ("tan", "write gl.sin(x) / gl.cos(x)"),
    ("cosh sinh asin acos atan atan2 arcsin arccos arctan arctan2", _TRIGONOMETRY),
    ("asinh acosh atanh lgamma gamma erfc erfinv", _TRIGONOMETRY),
    ("expf fast_expf fast_exp", "write gl.exp(x)"),
    ("fast_dividef fast_div", "write x / y"),
    ("exp10", "write gl.exp2(x * 3.321928094887362)"),
    ("expm1", "write gl.exp(x) - 1"),
    ("log10", "write gl.log2(x) * 0.30102999566398120"),
    ("log1p", "write gl.log(1 + x)"),
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
    ("pi", "write the number, or a constant of the module: PI = 3.141592653589793"),
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
    ("popc clz ffs brev popcount", "operations on bits beyond & | ^ ~ << >> are not in the language yet"),
    # Shapes
    ("concat concatenate stack hstack vstack", _JOIN),
    ("roll", "load the tile in that order: the offsets may run backwards, or around with %"),
    ("tile repeat repeat_interleave", "gl.broadcast_to(x, shape) stretches dimensions of size 1"),
    ("transpose swapaxes moveaxis", "write gl.trans(x), or gl.permute(x, order)"),
    ("flatten", "write gl.ravel(x)"),
    ("squeeze", "write gl.reshape(x, shape), with the shape that it should have"),
    ("unsqueeze", "write x[:, None], or gl.expand_dims(x, axis)"),
    ("expand", "write gl.broadcast_to(x, shape)"),
    ("ones", "write gl.full(shape, 1, dtype, layout)"),
    ("ones_like", "write gl.full_like(x, 1)"),
    ("empty", "write gl.zeros(shape, dtype, layout)"),
    ("empty_like", "write gl.zeros_like(x)"),
    ("iota linspace", "write gl.arange(start, end, layout)"),
    ("eye", "write gl.where(rows[:, None] == columns[None, :], 1.0, 0.0)"),
    ("tril triu", "write gl.where(rows[:, None] >= columns[None, :], x, 0)"),
    ("array asarray", "tiles come from gl.load, gl.arange, gl.full and what is computed with them"),
    ("swizzle2d", "compute the block's row and column from gl.program_id(0) with // and %"),
    ("next_power_of_2", "hocket.next_power_of_2(n), of what is known at compile time"),
    # Random numbers
    ("philox philox_impl random uniform normal", _RANDOM),
    ("uint_to_uniform_float uint32_to_uniform_float pair_uniform_to_normal seed manual_seed", _RANDOM),
    # Blocks and threads
    ("thread_id num_threads threadIdx thread_idx tid lane_id laneId warp_id warpIdx lane warpid get_tid", _THREADS),
    ("blockIdx blockDim gridDim block_id block_idx program_ids grid_dim get_program_id pid", _GRID),
    ("globaltimer clock clock64 smid", _CLOCK),
    ("warp_shuffle shfl shfl_sync shfl_down shfl_xor", "gl.convert_layout and reductions move elements between lanes"),
    ("gdc_wait gdc_launch_dependents", "dependent launches are not supported yet"),
    ("target_info", "what differs between GPUs is a constexpr that the caller passes"),
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
    ("printf", "gl.static_print shows what is known at compile time"),
    ("inline_asm asm", "gl.inline_asm_elementwise runs assembly for a few elements of each lane at a time"),
    ("libdevice", "the functions are in gl.extra.libdevice; exp, erf, rsqrt and others in gl itself, too"),
    ("cuda hip", "what is NVIDIA's is in gl.nvidia, what is AMD's in gl.amd"),
    ("math core standard semantic", "the functions are in gl itself: gl.exp, gl.sum, gl.cdiv"),
    ("tl", "gl is what Triton calls tl: gl.load, gl.arange"),
    ("jit", "write hocket.jit"),
    ("autotune heuristics Config", "it is of the package, for decorators: hocket.autotune, hocket.heuristics"),
    ("_aggregate", "write hocket.aggregate"),
    ("parallel pipelined", "write gl.range(start, end, step, num_stages=...)"),
    ("condition", "write the condition into the `while`"),
    # Modules of vendors
    ("blackwell tcgen05_mma tcgen05_mma_scaled tcgen05_commit tcgen05_copy TensorMemoryLayout", _BLACKWELL),
    ("allocate_tensor_memory tensor_memory_descriptor get_tmem_reg_layout TensorMemoryScalesLayout", _BLACKWELL),
    ("wmma wmma_scaled AMDWMMALayout", _WMMA),
    ("sched_group_barrier s_setprio", "gl.amd.warp_pipeline_stage groups the parts of a loop"),
    ("load_async cp_async", "gl.amd.cdna4.async_copy.global_load_to_shared copies without registers"),
    ("expect", "gl.assume(condition) tells the compiler what holds"),
)  # fmt: skip

_AS_TYPE = "x.to(gl.float32) converts, x.to(gl.int32, bitcast=True) keeps the bits"
_IS_A_VALUE = "a tile is a value already: assigning it copies; gl.convert_layout gives it another layout"
_ON_THE_DEVICE = "the kernel runs on the device and its tiles are in registers: nothing is to be moved or asked"
_NO_MUTATION = "tiles are values that do not change: x = gl.where(mask, new, x)"

#: Attributes of tensors and scalars; these take precedence over the functions above.
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
    ("tolist", "a scalar is used as it is; gl.sum(x) and gl.max(x) make one of a tile"),
    ("clone copy contiguous detach data", _IS_A_VALUE),
    ("cpu cuda device numpy is_cuda get_device data_ptr grad backward requires_grad", _ON_THE_DEVICE),
    ("copy_ fill_ zero_ add_ mul_ masked_fill_ fill", _NO_MUTATION),
    ("element_ty dtype_ scalar", "write x.dtype"),
    ("nbytes itemsize element_size", "write x.numel * x.dtype.itemsize"),
    ("stride strides is_contiguous", "a tile has a layout instead, x.layout; strides of arrays are arguments"),
    ("load", "write gl.load(pointer + offsets)"),
    ("transpose t mT", "write x.T, or x.permute(order)"),
    ("unsqueeze", "write x[:, None], or x.expand_dims(axis)"),
    ("flatten", "write x.ravel()"),
    ("mean", _MEAN),
)  # fmt: skip

_POINTER_ONLY = "of an array a kernel gets the address only: pass sizes and strides as arguments"
_NOT_DESCRIBED = (
    "an array is passed as a pointer; for TMA, launch with a descriptor of it: "
    "hocket.nvidia.hopper.TensorDescriptor.from_tensor(array, block_shape, layout)"
)

#: Attributes of pointers; these take precedence over those of tensors.
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

#: Attributes of tensor descriptors.
DESCRIPTOR = _each(
    ("load gather async_load get", _LOAD_BLOCK),
    ("store scatter async_store set put", _STORE_BLOCK),
    (
        "atomic_add atomic_min atomic_max atomic_and atomic_or atomic_xor",
        "write tma.async_atomic_add(desc, coord, smem)",
    ),
    ("base ptr data data_ptr", "the kernel gets the descriptor only: pass the array, too, for its address"),
    ("nbytes size numel bytes", "desc.nbytes_per_cta is what a copy brings to this block"),
    ("stride", "write desc.strides[dim]"),
    ("element_ty", "write desc.dtype"),
)

#: Attributes of shared memory.
SHARED_MEMORY = _each(
    ("get subtile at", "smem.index(i) is a slot, smem.slice(start, length, dim) a part"),
    ("T transpose trans t", "write smem.permute(order)"),
    ("sum max min mean exp to", "load it first: smem.load(layout)"),
    ("size", "write smem.shape[axis], or smem.numel for all"),
    ("ndim dim", "write smem.rank"),
    ("element_ty", "write smem.dtype"),
    ("view", "write smem.reinterpret(dtype, shape, layout)"),
    ("read get_value", "write smem.load(layout)"),
    ("write set copy_ copy fill_ set_value", "write smem.store(value)"),
    ("wait arrive", _ASYNC_BARRIERS),
)  # fmt: skip

#: Names of the package: `triton.autotune`, `gluon.aggregate`.
PACKAGE = _each(
    ("Autotuner Heuristics", "it is in hocket.tuning; decorators are hocket.autotune and hocket.heuristics"),
    ("do_bench", "write hocket.testing.do_bench"),
    ("perf_report Benchmark", "write hocket.testing.perf_report and hocket.testing.Benchmark"),
    ("assert_close allclose", "write hocket.testing.assert_close"),
    ("compile", "kernel.warmup(*args, target=...) compiles without launching; `hocket compile` does so from a shell"),
    ("TensorDescriptor reinterpret", "pass the array and its strides as arguments"),
    ("set_allocator knobs runtime", "nothing is to be set: scratch memory is the launch's own business"),
    ("gluon", "write hocket.jit and hocket.language are what Gluon calls gluon.jit and gluon.language"),
    ("tl", "write from hocket import language as tl"),
    ("gl", "write from hocket import language as gl"),
    ("interpret", "NumPy arrays run on the emulator: kernel[grid](numpy_array, ...)"),
)  # fmt: skip

#: Parameters of functions.
KEYWORD = _each(
    ("dim dims", "it is called `axis`"),
    ("keepdim keepdims", "it is called `keep_dims`"),
    ("return_indices return_indices_tie_break_left", "gl.argmax(x, axis) and gl.argmin(x, axis) give the index"),
    ("boundary_check padding_option", "mask what lies outside: mask=offsets < n, other=0"),
    ("allow_tf32 input_precision out_dtype max_num_imprecise_acc", "the type of the accumulator decides the precision"),
    ("device", "tiles are in registers of the block that makes them"),
    ("flatten", "write one loop over all pairs, and take both numbers from its index with // and %"),
    ("disallow_acc_multi_buffer disable_licm", "leave it out: no pass here needs to be kept from its work"),
    ("warp_specialize", "say what each warp does: gl.warp_specialize([(compute, args), (copy, args)], [4])"),
    ("type element_ty", "it is called `dtype`"),
    ("out", "the result is returned: tiles are values"),
    ("default fill_value", "it is called `other`"),
    ("num_warps num_stages", "it is an option of the launch: kernel[grid](..., num_warps=8)"),
    ("use_accumulator accumulate use_d", "it is called `use_acc`"),
)

#: Names in gl.profiler: those of Proton and NVTX, and host functions.
PROFILER = _each(
    ("enter_scope exit_scope range annotate", 'write `with gl.profiler.scope("load"):` above what it holds'),
    ("start stop range_push range_pop", "write token = gl.profiler.begin(..), gl.profiler.end(token)"),
    ("record event instant", "gl.profiler.mark(name) is a moment, gl.profiler.scope and begin are times"),
    ("session summary explain trace picture", "it is the host's: `with hocket.profiler.session():` around the launch"),
)  # fmt: skip

#: Names of CUDA, CUTLASS and Triton, by the last part of the module's name.
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
            "hopper.async_store(dst, value, mbarrier) stores to shared memory of other blocks",
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
            "mbarrier.arrive(bar) and mbarrier.wait(bar, phase); for all warps of the block, gl.barrier()",
        ),
    ),
    "named_barrier": _each(
        ("sync wait barrier", "write named_barrier.arrive_and_wait(barrier)"),
        ("alloc create init NamedBarrier", "write named_barrier.allocate(num_warps=8)"),
    ),
    "tma": _each(
        ("load copy async_copy", "write tma.async_load(desc, coord, barrier, smem)"),
        ("store", "write tma.async_store(desc, coord, smem)"),
        ("commit commit_group store_commit store_arrive", "leave it out: each tma.async_store is a group of its own"),
        ("wait wait_group store_wait_group", "tma.store_wait(n) for stores; loads are waited for at their mbarrier"),
        ("TensorDescriptor make_descriptor", "tma.make_tensor_descriptor, or hocket.nvidia.hopper.TensorDescriptor"),
        ("load_im2col async_im2col", "write tma.async_load_im2col(desc, coord, offsets, barrier, smem)"),
    ),
    "async_copy": _each(
        ("commit cp_async_commit", "write async_copy.commit_group()"),
        ("wait wait_all cp_async_wait", "write async_copy.wait_group(n), which leaves the n newest groups in flight"),
    ),
}

#: Attributes of the handle of a named barrier.
NAMED_BARRIER = _each(
    ("arrive", "write named_barrier.arrive(barrier)"),
    ("wait sync arrive_and_wait", "write named_barrier.arrive_and_wait(barrier)"),
)

#: Launch options of Triton and CUDA.
OPTION = _each(
    ("cluster_dims clusterDim cluster_size cluster ctas", "blocks form clusters by num_ctas=2, in a grid of programs"),
    ("warps threads num_threads block block_dim blockDim", "the size of a block is given in warps: num_warps=4"),
    ("stages num_buffers", "write num_stages=3"),
    ("shared smem shared_mem dynamic_smem_bytes", "leave it out: the compiler counts the bytes of shared memory"),
    ("blocks grid_dim gridDim", "the grid is in brackets: kernel[grid](...)"),
    ("registers max_registers maxrregcount", "write maxnreg=128"),
    ("device", "arrays say the device, `with hocket.emulator.target(...)` the emulated one"),
    (
        "target arch",
        "for a launch on NumPy arrays, `with hocket.emulator.target(...)`; kernel.warmup(..., target=...) compiles",
    ),
    ("warmup", "write kernel.warmup(...)"),
    ("num_consumer_groups num_buffers_warp_spec", "say what each warp does: gl.warp_specialize"),
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
    """The hint for `name`, which a value or module of this kind lacks; "" if there is none."""
    return next((table[name] for table in _KINDS[kind] if name in table), "")


def module_advice(module: str, name: str) -> str:
    """The hint for `name`, which a module of the language lacks, although similar modules elsewhere have it."""
    return _MODULES.get(module.rpartition(".")[2], {}).get(name, "")


def missing_attribute(module: str, name: str, known: Iterable[str]) -> Exception:
    """The exception for `__getattr__` of a module to raise: an AttributeError with the hint, or an ImportError if
    the name is in an import statement, which would discard the text of an AttributeError."""
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
    """A hint for a name of another module of hocket, or for a misspelled one."""
    import sys
    from difflib import get_close_matches

    if module == "hocket" and name in sys.modules["hocket.language"].__all__:
        return f"it is hocket.language.{name}"
    near = get_close_matches(name, known, n=1)
    return f"did you mean `{near[0]}`?" if near else ""
