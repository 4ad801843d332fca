// The `hk` dialect: target-neutral tile IR.
#ifndef HOCKET_DIALECT_HK_HKDIALECT_TD
#define HOCKET_DIALECT_HK_HKDIALECT_TD

include "mlir/IR/DialectBase.td"

def Hk_Dialect : Dialect {
  let name = "hk";
  let cppNamespace = "::hocket::hk";
  let summary = "Target-neutral tile IR: tensors with layouts, memory descriptors, barriers.";
  let description = [{
    A program of `hk` is what one block (CTA) of a grid does to tiles. A tile in registers is a ranked tensor whose
    encoding is a *distributed layout*: it says which element each register of each lane of each warp holds. A tile in
    shared memory is a `!hk.memdesc` whose encoding is a *shared layout*: it says at which offset each element lies.
    Arithmetic is that of `arith` and `math` on such tensors; control flow is `scf` on scalars.

    The module carries the facts that every pass needs as attributes:

    C1: `hk.target` on the module names a known architecture, such as "sm_90a".
    C2: `hk.num_warps` on the module is an i32, a power of two that the target's blocks can have.
    C3: `hk.shared_bytes` on the module and `hk.offset` on an operation are i32, and not negative; an offset is below 1 MiB;
        `hk.shared_alignment` on the module is an i32, a power of two.
    C4: `hk.divisibility` on an argument is an i32, a power of two.
    C5: in a function marked `hk.kernel`, every layout that is decided has as many lanes as the target's warp and as
        many warps as run the operation: `hk.num_warps`, or what a `WarpPartition` around it says.
    C6: `hk.fp_fusion` on the module is a bool: whether `a * b + c` may round once; true where it is missing.
        `hk.maxnreg` (NVIDIA: registers per lane, at most) and `hk.waves_per_eu` (AMD: waves that should fit on a SIMD
        unit, at least) are positive i32. Where a vendor has no such limit, it has no effect.
    C7: a module with a function marked `hk.kernel` has `hk.target` and `hk.num_warps`.
    C8: `hk.implicit` on an argument is an `#hk.implicit`, the argument is a pointer, and all that follow it are implicit.
    C9: `hk.num_stages` (on loops and the module), `hk.unroll` and `hk.pipelined` (on an `scf.for`) are i32 of at least
        1, 2 and 1, and at most 256.
    C10: `hk.partition` on a function is an `#hk.partition`; `hk.worker_warps` on the module, the extra warps of a block,
        is a positive i32.
    C11: `hk.num_ctas` on the module, the blocks of a cluster, is an i32, a power of two that the target's clusters can
        have; 1 where it is missing. In a kernel, every layout has as many blocks, or is the same for all of them.
  }];
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::ub::UBDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    /// Function attribute: the kernel of the module.
    static constexpr llvm::StringLiteral kKernelAttr = "hk.kernel";
    static constexpr llvm::StringLiteral kTargetAttr = "hk.target";
    /// Unit attribute of arith.divf and math.sqrt of f32: round correctly. Without it 2 ulp are allowed.
    static constexpr llvm::StringLiteral kRoundNearestAttr = "hk.round_nearest";
    static constexpr llvm::StringLiteral kNumWarpsAttr = "hk.num_warps";
    static constexpr llvm::StringLiteral kNumCtasAttr = "hk.num_ctas";
    static constexpr llvm::StringLiteral kFpFusionAttr = "hk.fp_fusion";
    static constexpr llvm::StringLiteral kMaxRegistersAttr = "hk.maxnreg";
    static constexpr llvm::StringLiteral kWavesPerEuAttr = "hk.waves_per_eu";
    /// Argument attribute: the value (or address, in bytes) is a multiple of this power of two.
    static constexpr llvm::StringLiteral kDivisibilityAttr = "hk.divisibility";
    /// Module attribute: names of Hocket's code generation passes to leave out, separated by commas.
    static constexpr llvm::StringLiteral kSkipPassesAttr = "hk.skip_passes";
    /// Module attribute that reserveShared extends: shared memory of one block, in bytes.
    static constexpr llvm::StringLiteral kSharedBytesAttr = "hk.shared_bytes";
    /// Module attribute that reserveShared sets if a buffer needs more than 16: what the address of the block's shared
    /// memory is a multiple of.
    static constexpr llvm::StringLiteral kSharedAlignmentAttr = "hk.shared_alignment";
    /// Argument attribute, an #hk.implicit: no caller passes the argument, the runtime does. See ImplicitArguments.h.
    static constexpr llvm::StringLiteral kImplicitAttr = "hk.implicit";
    /// Module attribute set by WriteMessages: the places of the kernel that tell the host something, an array of
    /// dictionaries. A line has its `format`; a failure a `message`, `where` (a location) and, if it has one, `index`.
    static constexpr llvm::StringLiteral kMessagesAttr = "hk.messages";
    /// Operation attribute set by AllocateShared: byte offset of a buffer, or of the operation's scratch space.
    static constexpr llvm::StringLiteral kOffsetAttr = "hk.offset";
    /// Attribute of hk.local_alloc: the variable that the user assigned the buffer to.
    static constexpr llvm::StringLiteral kNameAttr = "hk.name";
    /// Module attribute that reserveShared extends: what owns which bytes of shared memory, an array of dictionaries with
    /// `name` (as messages put it), `offset` and `bytes`. Those that are never in use together may overlap.
    static constexpr llvm::StringLiteral kBuffersAttr = "hk.buffers";
    /// Warps of a group of a warp pipeline, which has two: one on each of a multiprocessor's four schedulers.
    static constexpr int kWarpsPerGroup = 4;
    /// Function attribute, an #hk.partition: which warps of the block run it. Without one, all do.
    static constexpr llvm::StringLiteral kPartitionAttr = "hk.partition";
    /// Module attribute set by OutlineWorkers: warps of a block beyond hk.num_warps, which run what workers do.
    static constexpr llvm::StringLiteral kWorkerWarpsAttr = "hk.worker_warps";
    /// i32 attribute of an scf.for whose body is a warp pipeline of stages: how many stages the high group lags.
    static constexpr llvm::StringLiteral kPipelinedAttr = "hk.pipelined";
    /// Unit attribute of an hk.stage_begin that was written in the body of a loop. A loop with one iteration does not
    /// stay a loop: its stages are found in the block around it.
    static constexpr llvm::StringLiteral kInLoopAttr = "hk.in_loop";
    /// Unit attribute of an scf.for that has loops with stages in it, or stages in branches only: it is no pipeline, and
    /// stages of its own are in a straight line.
    static constexpr llvm::StringLiteral kAroundStagesAttr = "hk.around_stages";
    /// Attribute of hk.sched_barrier and what it becomes: the label of the stage of a warp pipeline that begins here;
    /// empty where the pipeline has ended.
    static constexpr llvm::StringLiteral kStageLabelAttr = "hk.stage_label";
    /// Unit attribute of operations that access shared memory: they are in order with what comes before them, so no
    /// barrier is to be inserted before them.
    static constexpr llvm::StringLiteral kOrderedAttr = "hk.ordered";
    /// Attribute of scf.for, an i32: how many iterations the user wants in flight (gl.range, num_stages). On the module:
    /// the same for all loops that copy tiles and do not say themselves.
    static constexpr llvm::StringLiteral kNumStagesAttr = "hk.num_stages";
    /// Attribute of scf.for, an i32 above 1: how many iterations the user wants in one (gl.range, loop_unroll_factor).
    static constexpr llvm::StringLiteral kUnrollAttr = "hk.unroll";
    /// Attribute of scf.for, an i32: of two loops with the same number, the second continues where the first stopped,
    /// one iteration at a time where the first did several at once.
    static constexpr llvm::StringLiteral kSeriesAttr = "hk.series";
  }];
}

#endif
