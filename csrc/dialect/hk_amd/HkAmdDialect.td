// The `hk_amd` dialect: what CDNA GPUs do that others do not.
#ifndef HOCKET_DIALECT_HK_AMD_HKAMDDIALECT_TD
#define HOCKET_DIALECT_HK_AMD_HKAMDDIALECT_TD

include "mlir/IR/DialectBase.td"

def HkAmd_Dialect : Dialect {
  let name = "hk_amd";
  let cppNamespace = "::hocket::hk_amd";
  let summary = "Operations and layouts of AMD's CDNA GPUs on tiles.";
  let description = [{
    Stands beside `hk`: the same tensors and memory descriptors, with the accumulator layouts of matrix cores (MFMA),
    matrix products, accesses through buffer descriptors, and copies from global memory straight into LDS.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::hocket::hk::HkDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    /// Warps of a group: one on each SIMD unit of a compute unit. A warp pipeline has two groups.
    static constexpr int kWarpsPerGroup = 4;
    /// i32 attribute of a scf.for whose body is a warp pipeline of stages: how many stages the high group lags.
    static constexpr llvm::StringLiteral kPipelinedAttr = "hk_amd.pipelined";
    /// Unit attribute of a hk_amd.stage_begin that was written in the body of a loop. A loop with one iteration does
    /// not stay a loop: its stages are found in the block around it.
    static constexpr llvm::StringLiteral kInLoopAttr = "hk_amd.in_loop";
    /// Unit attribute of a scf.for that has loops with stages in it, but no stages of its own.
    static constexpr llvm::StringLiteral kAroundStagesAttr = "hk_amd.around_stages";
  }];
}

#endif
