// The `hk` dialect: target-neutral tile IR.
#ifndef HOCKET_DIALECT_HK_IR_HKDIALECT_TD
#define HOCKET_DIALECT_HK_IR_HKDIALECT_TD

include "mlir/IR/DialectBase.td"

def Hk_Dialect : Dialect {
  let name = "hk";
  let cppNamespace = "::hocket::hk";
  let summary = "Target-neutral tile IR: tensors with layouts, memory descriptors, barriers.";
  let description = [{
    A program of `hk` describes the work of one block (CTA) of a grid on tiles. A tile in registers is a ranked tensor
    whose encoding is a *distributed layout*: it defines which element each register of each lane of each warp holds. A
    tile in shared memory is a `!hk.memdesc` whose encoding is a *shared layout*: it defines the offset of each element.
    Arithmetic on such tensors uses `arith` and `math`; control flow uses `scf` on scalars.

    Attributes of the module and of its operations hold the facts that every pass needs:

    C1: `hk.target` on the module names a known architecture, such as "sm_90a".
    C2: `hk.num_warps` on the module is an i32, a power of two that the target's blocks can have.
    C3: `hk.shared_bytes` on the module and `hk.offset` on an operation are i32, and not negative; an offset is below 1
        MiB; `hk.shared_alignment` on the module is an i32, a power of two.
    C4: `hk.divisibility` on an argument is an i32, a power of two.
    C5: in a function marked `hk.kernel`, every decided layout has the number of lanes of the target's warp and the
        number of warps that run the operation: `hk.num_warps`, or the number of warps of the surrounding
        `WarpPartition`.
    C6: `hk.fp_fusion` on the module is a bool: whether `a * b + c` may round once; the default is true. `hk.maxnreg`
        (NVIDIA: maximum number of registers per lane) and `hk.waves_per_eu` (AMD: minimum number of waves per SIMD) are
        positive i32. Neither attribute has an effect on the other vendor's GPUs.
    C7: a module with a function marked `hk.kernel` has `hk.target` and `hk.num_warps`.
    C8: `hk.implicit` on an argument is an `#hk.implicit`; the argument is a pointer, and all arguments after it are
        implicit, too.
    C9: `hk.num_stages` (on loops and the module), `hk.unroll` and `hk.pipelined` (on an `scf.for`) are i32 of at least
        1, 2 and 1, and at most 256.
    C10: `hk.partition` on a function is an `#hk.partition`; `hk.worker_warps` on the module, the extra warps of a
         block, is a positive i32.
    C11: `hk.num_ctas` on the module, the number of blocks in a cluster, is an i32, a power of two that the target's
         clusters can have; the default is 1. In a kernel, every layout has that number of blocks, or is the same for
         all of them.
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
    /// Unit attribute of arith.divf and math.sqrt of f32: the result is rounded correctly. Without the attribute, an
    /// error of 2 ulp is allowed.
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
    /// Module attribute that reserveMemory increases: shared memory of one block, in bytes.
    static constexpr llvm::StringLiteral kSharedBytesAttr = "hk.shared_bytes";
    /// Module attribute that reserveMemory sets if a buffer needs an alignment of more than 16 bytes: alignment of the
    /// block's shared memory.
    static constexpr llvm::StringLiteral kSharedAlignmentAttr = "hk.shared_alignment";
    /// Argument attribute, an #hk.implicit: the runtime passes the argument, not the caller. See ImplicitArguments.h.
    static constexpr llvm::StringLiteral kImplicitAttr = "hk.implicit";
    /// Module attribute set by WriteMessages: an array with a dictionary for each operation of the kernel that sends
    /// messages to the host. A print has the entry `format`. An assertion has the entries `message`, `where` (a
    /// location) and perhaps `index`.
    static constexpr llvm::StringLiteral kMessagesAttr = "hk.messages";
    /// Operation attribute set by AllocateMemory: byte offset of a buffer, or of the operation's scratch space.
    static constexpr llvm::StringLiteral kOffsetAttr = "hk.offset";
    /// Attribute of hk.local_alloc: name of the user's variable that holds the buffer.
    static constexpr llvm::StringLiteral kNameAttr = "hk.name";
    /// Module attribute that reserveMemory extends: the allocations of shared memory, an array of dictionaries with
    /// `name` (as in messages), `offset` and `bytes`. Allocations that are never live together may overlap.
    static constexpr llvm::StringLiteral kBuffersAttr = "hk.buffers";
    /// Warps in a group of a warp pipeline: one for each of the four SIMDs or SM partitions. A pipeline has two groups.
    static constexpr int kWarpsPerGroup = 4;
    /// Function attribute, an #hk.partition: the warps of the block that run the function. A function without the
    /// attribute is run by all warps.
    static constexpr llvm::StringLiteral kPartitionAttr = "hk.partition";
    /// Module attribute set by OutlineWorkers: number of warps of a block beyond hk.num_warps, which run the workers.
    static constexpr llvm::StringLiteral kWorkerWarpsAttr = "hk.worker_warps";
    /// i32 attribute of an scf.for whose body is a warp pipeline of stages: the number of stages by which the high
    /// group lags behind the low group.
    static constexpr llvm::StringLiteral kPipelinedAttr = "hk.pipelined";
    /// Unit attribute of an hk.stage_begin that was written in the body of a loop. A loop with one iteration is
    /// removed, and its stages move to the enclosing block.
    static constexpr llvm::StringLiteral kInLoopAttr = "hk.in_loop";
    /// Unit attribute of an scf.for that contains loops with stages, or has stages only in branches: the loop is not a
    /// warp pipeline, and the stages in its own body are straight-line stages.
    static constexpr llvm::StringLiteral kAroundStagesAttr = "hk.around_stages";
    /// Attribute of hk.sched_barrier and of its lowered form: the label of the stage of a warp pipeline that begins
    /// here; empty at the end of the pipeline.
    static constexpr llvm::StringLiteral kStageLabelAttr = "hk.stage_label";
    /// Unit attribute of operations that access shared memory and are already ordered after preceding accesses: no
    /// barrier must be inserted before them.
    static constexpr llvm::StringLiteral kOrderedAttr = "hk.ordered";
    /// Attribute of scf.for, an i32: number of iterations in flight (gl.range, num_stages). On the module: the default
    /// for all loops that copy tiles.
    static constexpr llvm::StringLiteral kNumStagesAttr = "hk.num_stages";
    /// Attribute of scf.for, an i32 above 1: unroll factor (gl.range, loop_unroll_factor).
    static constexpr llvm::StringLiteral kUnrollAttr = "hk.unroll";
    /// Attribute of scf.for, an i32: of two loops with the same number, the second is the remainder loop of the first.
    /// The remainder loop executes one iteration at a time, where the first loop executes several iterations at once.
    static constexpr llvm::StringLiteral kSeriesAttr = "hk.series";
  }];
}

#endif
