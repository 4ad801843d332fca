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

    Discardable attributes hold facts about modules, functions, loops and other operations:

    C1: `hk.target` on the module names a known architecture, such as "sm_90a".
    C2: `hk.num_warps` on the module is an i32, a power of two that the target's blocks can have, or 12. With 12
        warps, layouts have 16 warps, and elements that only warps 12 to 15 hold do not exist.
    C3: `hk.shared_bytes` on the module is an i32, and not negative; `hk.shared_alignment` on the module is an i32, a
        power of two.
    C4: `hk.divisibility` on an argument is an i32, a power of two.
    C5: in a function marked `hk.kernel`, every decided layout has the number of lanes of the target's warp and the
        number of warps that run the operation: `hk.num_warps`, or the number of warps of the surrounding
        `WarpPartition`.
    C6: `hk.fp_fusion` on the module is a bool: true, the default, if `a * b + c` may be contracted to an fma, which
        rounds once. `hk.maxnreg` (NVIDIA: maximum number of registers per lane) and `hk.waves_per_eu` (AMD: minimum
        number of waves per SIMD) are positive i32. `hk.maxnreg` has no effect on AMD GPUs, and `hk.waves_per_eu` has no
        effect on NVIDIA GPUs.
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
    C12: every discardable attribute of the dialect is one of those in `dialect/hk/facts/Facts.h`, has its type, and is on
         an operation that may have it.
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
    /// Number of warps in a group of a warp pipeline: one warp for each of the four SIMDs or SM partitions. A pipeline
    /// has two to four groups.
    static constexpr int kWarpsPerGroup = 4;
  }];
}

#endif
