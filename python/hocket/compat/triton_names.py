"""The names in each module of Triton 3.9, including names that Hocket lacks."""


def _modules(*groups: tuple[str, str]) -> dict[str, frozenset[str]]:
    return {module: frozenset(names.split()) for module, names in groups}


NAMES = _modules(
    (
        "triton",
        """
        AsyncCompileMode CompilationError Config FutureKernel InterpreterError JITFunction KernelInterface
        MockTensor OutOfResources TensorWrapper TritonError aggregate autotune backends cdiv compile
        constexpr_function errors heuristics jit must_use_result next_power_of_2 reinterpret set_allocator tools
        """,
    ),
    (
        "triton.language",
        """
        PropagateNan TRITON_MAX_TENSOR_NUMEL abs add aggregate_replace arange argmax argmin associative_scan assume
        atomic_add atomic_and atomic_cas atomic_load atomic_max atomic_min atomic_or atomic_poll atomic_store
        atomic_xchg atomic_xor bfloat16 bitonic_merge block_type broadcast broadcast_to cast cat cdiv ceil clamp
        condition const constexpr constexpr_type cos cumprod cumsum debug_barrier device_assert device_print div_rn
        dot dot_scaled dtype erf exp exp2 expand_dims expect_zero fdiv flip float16 float32 float64 float8e4b15
        float8e4b8 float8e4nv float8e5 float8e5b16 floor fma full gather histogram inline_asm_elementwise int1 int16
        int32 int64 int8 interleave join load load_tensor_descriptor log log2 make_block_ptr make_tensor_descriptor
        map_elementwise max max_constancy max_contiguous maximum min minimum mul multiple_of num_programs
        pair_uniform_to_normal permute philox philox_impl pi32_t pointer_type program_id rand rand4x randint
        randint4x randn randn4x random range ravel reduce reduce_or reshape rsqrt sigmoid sin slice softmax sort
        split sqrt sqrt_rn squeeze static_assert static_print static_range store store_tensor_descriptor str_to_ty
        sub sum swizzle2d tensor tensor_descriptor tensor_descriptor_type to_tensor topk trans tuple tuple_type
        uint16 uint32 uint64 uint8 uint_to_uniform_float umulhi unsqueeze view void where xor_sum zeros zeros_like
        """,
    ),
    (
        "triton.testing",
        """
        Benchmark Mark assert_close cublas cuda_graph_without_gc cuda_memcheck do_bench do_bench_cudagraph
        do_bench_cudagraph_proton do_bench_proton get_dram_gbps get_max_simd_tflops get_max_tensorcore_tflops nvsmi
        perf_report runtime set_gpu_clock
        """,
    ),
    (
        "triton.runtime",
        """
        Autotuner Config Heuristics InterpreterError JITFunction KernelInterface MockTensor OutOfResources
        RedisRemoteCacheBackend RemoteCacheBackend TensorWrapper autotune build cache heuristics reinterpret
        """,
    ),
    (
        "triton.runtime.driver",
        """
        DriverBase DriverConfig backends driver
        """,
    ),
    (
        "triton.runtime.errors",
        """
        AutotunerError InterpreterError OutOfResources PTXASError TritonError
        """,
    ),
    (
        "triton.compiler",
        """
        ASTSource CompilationError CompiledKernel IRSource LazyDict compile compiler get_cache_key make_backend
        max_shared_mem
        """,
    ),
    (
        "triton.compiler.errors",
        """
        CompilationError CompileTimeAssertionFailure TritonError UnsupportedLanguageConstruct
        """,
    ),
    (
        "triton.backends.compiler",
        """
        BaseBackend GPUTarget Language
        """,
    ),
    (
        "triton.tools.tensor_descriptor",
        """
        TensorDescriptor canonicalize_dtype validate_block_shape
        """,
    ),
    (
        "triton.tools.mxfp",
        """
        MXFP4Tensor MXScaleTensor fp8e8m0_to_float32
        """,
    ),
    (
        "triton._internal_testing",
        """
        ProcessResult ReplenishingProcessPool TensorWrapper backends default_alloc_fn dtypes dtypes_with_bfloat16
        float_dtypes float_dtypes_with_bfloat16 get_current_target get_hip_lds_size int_dtypes integral_dtypes
        is_ampere_or_newer is_blackwell is_blackwell_ultra is_compile_warmup is_cuda is_hip is_hip_cdna is_hip_cdna2
        is_hip_cdna3 is_hip_cdna3_or_newer is_hip_cdna4 is_hip_gfx1250 is_hip_rdna is_hip_rdna3 is_hip_rdna4
        is_hip_rdna4m is_hopper is_hopper_or_newer is_interpreter is_rubin is_sm12x is_xpu knobs numpy_random
        random_float random_int reinterpret requires_tma run_in_process skip_if_unsupported_cluster_size
        str_to_triton_dtype supports_clc supports_tma supports_ws tma_dtypes tma_skip_msg to_numpy to_triton
        torch_dtype_name torch_dtypes torch_float8_dtypes type_canonicalisation_dict uint_dtypes unwrap_tensor
        use_process_pool
        """,
    ),
    ("triton.experimental", ""),
    (
        "triton.experimental.gluon",
        """
        GluonASTSource GluonJITFunction aggregate constexpr_function jit must_use_result
        """,
    ),
    (
        "triton.experimental.gluon.language",
        """
        AutoLayout BlockedLayout CachePolicy CoalescedLayout DistributedLinearLayout DotOperandLayout
        NVMMADistributedLayout NVMMASharedLayout PaddedSharedLayout SharedLinearLayout SliceLayout
        SwizzledSharedLayout abs add aggregate_replace allocate_shared_memory arange associative_scan assume
        atomic_add atomic_and atomic_cas atomic_load atomic_max atomic_min atomic_or atomic_poll atomic_store
        atomic_xchg atomic_xor bank_conflicts barrier base_type base_value bfloat16 block_type broadcast cast cdiv
        ceil clamp constexpr convert_layout cos cumprod cumsum device_assert device_print distributed_type div_rn
        dot_fma dtype erf exp exp2 expand_dims expect_zero fdiv float16 float32 float64 float8e4b15 float8e4b8
        float8e4nv float8e5 float8e5b16 floor fma fp4_to_fp full full_like gather histogram inline_asm
        inline_asm_elementwise int1 int16 int32 int64 int8 join load log log2 map_elementwise max max_constancy
        max_contiguous maximum min minimum mul multiple_of num_ctas num_programs num_warps permute pointer_type
        program_id ravel reduce reduce_or reshape rsqrt set_auto_layout shared_memory_descriptor
        shared_memory_descriptor_type sin split sqrt sqrt_rn static_assert static_print static_range store sub sum
        tensor to_linear_layout to_tensor tuple tuple_type uint16 uint32 uint64 uint8 umulhi void warp_specialize
        where xor_sum zeros zeros_like
        """,
    ),
    ("triton.experimental.gluon.nvidia", ""),
    (
        "triton.experimental.gluon.nvidia.hopper",
        """
        NVMMASharedLayout TensorDescriptor TensorDescriptorIm2Col canonicalize_dtype get_primitive_bitwidth
        validate_block_shape
        """,
    ),
    (
        "triton.experimental.gluon.nvidia.blackwell",
        """
        TensorDescriptor
        """,
    ),
    (
        "triton.experimental.gluon.amd",
        """
        cdna5
        """,
    ),
    (
        "triton.experimental.gluon.amd.gfx1250",
        """
        TensorDescriptor
        """,
    ),
    (
        "triton.experimental.gluon.language.amd",
        """
        AMDMFMALayout AMDWMMALayout slice warp_pipeline warp_pipeline_stage
        """,
    ),
    (
        "triton.experimental.gluon.language.amd.cdna3",
        """
        AMDMFMALayout buffer_atomic_add buffer_atomic_and buffer_atomic_max buffer_atomic_min buffer_atomic_or
        buffer_atomic_xchg buffer_atomic_xor buffer_load buffer_store get_scaled_upcast_fp4_scale_layout int8 knobs
        mfma scaled_upcast uint8
        """,
    ),
    (
        "triton.experimental.gluon.language.amd.cdna4",
        """
        AMDMFMALayout DotOperandLayout buffer_atomic_add buffer_atomic_and buffer_atomic_max buffer_atomic_min
        buffer_atomic_or buffer_atomic_xchg buffer_atomic_xor buffer_load buffer_store
        compute_efficient_padded_shared_layout constexpr_function get_mfma_scale_layout
        get_scaled_upcast_fp4_scale_layout int8 load_shared_fp4_repacked mfma mfma_scaled scaled_downcast
        scaled_upcast uint8
        """,
    ),
    (
        "triton.experimental.gluon.language.amd.cdna4.async_copy",
        """
        DistributedLayout buffer_load_to_shared commit_group global_load_to_shared load_shared_relaxed wait_group
        """,
    ),
    (
        "triton.experimental.gluon.language.amd.cdna5",
        """
        AMDWMMALayout PartitionedSharedLayout async_copy buffer_load buffer_store cluster constexpr_function
        float8e4nv get_scaled_upcast_fp4_scale_layout get_wmma_scale_layout int32 int8 load_shared_fp4_repacked
        make_partitioned_dot_layouts mbarrier scaled_downcast scaled_upcast tdm tensor uint8 wmma wmma_scaled
        """,
    ),
    (
        "triton.experimental.gluon.language.amd.gfx1250",
        """
        PartitionedSharedLayout async_copy buffer_load buffer_store cluster get_scaled_upcast_fp4_scale_layout
        get_wmma_scale_layout load_shared_fp4_repacked make_partitioned_dot_layouts mbarrier scaled_downcast
        scaled_upcast tdm wmma wmma_scaled
        """,
    ),
    (
        "triton.experimental.gluon.language.amd.rdna3",
        """
        wmma
        """,
    ),
    (
        "triton.experimental.gluon.language.amd.rdna4",
        """
        wmma
        """,
    ),
    (
        "triton.experimental.gluon.language.amd.hint",
        """
        sched_barrier
        """,
    ),
    ("triton.experimental.gluon.language.nvidia", ""),
    (
        "triton.experimental.gluon.language.nvidia.ampere",
        """
        CachePolicy DotOperandLayout FractionalEvictionPolicy NVMMADistributedLayout constexpr_type knobs mma_v2
        """,
    ),
    (
        "triton.experimental.gluon.language.nvidia.ampere.async_copy",
        """
        async_copy_global_to_shared async_load commit_group mbarrier_arrive wait_group
        """,
    ),
    (
        "triton.experimental.gluon.language.nvidia.ampere.mbarrier",
        """
        MBarrierLayout SwizzledSharedLayout allocate_mbarrier arrive constexpr_function init invalidate jit wait
        """,
    ),
    (
        "triton.experimental.gluon.language.nvidia.hopper",
        """
        CachePolicy FractionalEvictionPolicy async_copy async_store fence_async_shared mma_v2 unflatten_ir_values
        warpgroup_mma warpgroup_mma_accumulator warpgroup_mma_accumulator_type warpgroup_mma_init warpgroup_mma_wait
        """,
    ),
    (
        "triton.experimental.gluon.language.nvidia.hopper.tma",
        """
        CachePolicy NVMMASharedLayout async_atomic_add async_atomic_and async_atomic_max async_atomic_min
        async_atomic_or async_atomic_xor async_copy_global_to_shared async_copy_global_to_shared_im2col
        async_copy_shared_to_global async_load async_load_im2col async_store base_type base_value
        make_tensor_descriptor store_wait tensor_descriptor tensor_descriptor_im2col tensor_descriptor_im2col_type
        tensor_descriptor_type
        """,
    ),
    (
        "triton.experimental.gluon.language.nvidia.hopper.mbarrier",
        """
        MBarrierLayout allocate_mbarrier arrive expect init invalidate wait
        """,
    ),
    (
        "triton.experimental.gluon.language.nvidia.hopper.cluster",
        """
        barrier
        """,
    ),
    (
        "triton.experimental.gluon.language.nvidia.blackwell",
        """
        CachePolicy FractionalEvictionPolicy TensorMemoryLayout TensorMemoryScalesLayout add2 allocate_tensor_memory
        async_copy async_store base_type base_value cluster constexpr_function fence_async_shared fma2 gluon_ir max2
        mbarrier min2 mma_v2 mul2 sub2 tcgen05_commit tcgen05_copy tcgen05_mma tcgen05_mma_barrier_count
        tcgen05_mma_scaled tensor_memory_descriptor tensor_memory_descriptor_type
        """,
    ),
    (
        "triton.experimental.gluon.language.nvidia.blackwell.tma",
        """
        async_atomic_add async_atomic_and async_atomic_max async_atomic_min async_atomic_or async_atomic_xor
        async_copy_global_to_shared async_copy_shared_to_global async_gather async_load async_load_im2col
        async_scatter async_store make_tensor_descriptor store_wait tensor_descriptor tensor_descriptor_type
        """,
    ),
    (
        "triton.experimental.gluon.language.nvidia.blackwell.clc",
        """
        base_type base_value clc_result clc_result_type gl load_result shared_memory_descriptor tensor try_cancel
        """,
    ),
    (
        "triton.experimental.gluon.language.nvidia.rubin",
        """
        CachePolicy FractionalEvictionPolicy TensorMemoryLayout TensorMemoryScalesLayout add2 add4
        allocate_tensor_memory async_copy async_store clc cluster fence_async_shared fma2 fma4 max2 mbarrier min2
        mma_v2 mul2 mul4 sub2 sub4 tcgen05_commit tcgen05_copy tcgen05_mma tcgen05_mma_barrier_count
        tcgen05_mma_scaled tensor_memory_descriptor tensor_memory_descriptor_type tma
        """,
    ),
    (
        "triton.experimental.gluon.language.extra",
        """
        libdevice
        """,
    ),
    (
        "triton.language.extra",
        """
        is_pkg module module_finder module_from_spec module_name modules spec
        """,
    ),
    (
        "triton.language.extra.libdevice",
        """
        abs acos acosh add_rd add_rn add_ru add_rz asin asinh atan atan2 atanh brev byte_perm cbrt ceil clz copysign
        cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 div_rd div_rn div_ru div_rz double2float_rd double2float_rn
        double2float_ru double2float_rz double2hiint double2int_rd double2int_rn double2int_ru double2int_rz
        double2ll_rd double2ll_rn double2ll_ru double2ll_rz double2loint double2uint_rd double2uint_rn
        double2uint_ru double2uint_rz double2ull_rd double2ull_rn double2ull_ru double2ull_rz double_as_longlong erf
        erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fast_cosf fast_dividef fast_exp10f fast_expf fast_log10f
        fast_log2f fast_logf fast_powf fast_sinf fast_tanf fast_tanhf fdim ffs finitef float2int_rd float2int_rn
        float2int_ru float2int_rz float2ll_rd float2ll_rn float2ll_ru float2ll_rz float2uint_rd float2uint_rn
        float2uint_ru float2uint_rz float2ull_rd float2ull_rn float2ull_ru float2ull_rz float_as_int float_as_uint
        floor fma fma_rd fma_rn fma_ru fma_rz fmod hadd hiloint2double hypot ilogb int2double_rn int2float_rd
        int2float_rn int2float_ru int2float_rz int_as_float isfinited isinf isnan j0 j1 jn ldexp lgamma ll2double_rd
        ll2double_rn ll2double_ru ll2double_rz ll2float_rd ll2float_rn ll2float_ru ll2float_rz llrint llround log
        log10 log1p log2 logb longlong_as_double mul24 mul_rd mul_rn mul_ru mul_rz mulhi nearbyint nextafter norm3d
        norm4d normcdf normcdfinv popc pow rcbrt rcp64h rcp_rd rcp_rn rcp_ru rcp_rz remainder rhadd rhypot rint
        rnorm3d rnorm4d round rsqrt rsqrt_rn sad saturatef scalbn signbit sin sinh sinpi sqrt sqrt_rd sqrt_rn
        sqrt_ru sqrt_rz sub_rd sub_rn sub_ru sub_rz tan tanh tgamma trunc uint2double_rn uint2float_rd uint2float_rn
        uint2float_ru uint2float_rz uint_as_float ull2double_rd ull2double_rn ull2double_ru ull2double_rz
        ull2float_rd ull2float_rn ull2float_ru ull2float_rz y0 y1 yn
        """,
    ),
    (
        "triton.language.target_info",
        """
        constexpr_function cuda_capability_geq current_target driver is_cuda is_hip is_hip_cdna3 is_hip_cdna4
        is_hip_gfx1250
        """,
    ),
    (
        "triton.language.extra.cuda",
        """
        convert_custom_float8_sm70 convert_custom_float8_sm80 gdc_launch_dependents gdc_wait globaltimer libdevice
        num_threads num_warps smid
        """,
    ),
    (
        "triton.language.extra.hip",
        """
        libdevice memrealtime num_threads num_warps smid
        """,
    ),
    (
        "triton.experimental.gluon.language.fpsan",
        """
        dtype embed tensor unembed
        """,
    ),
)
