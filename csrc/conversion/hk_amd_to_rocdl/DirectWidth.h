//===- DirectWidth.h - Chooses the width of copies directly to LDS --------------------------===//
#ifndef HOCKET_CONVERSION_HK_AMD_TO_ROCDL_DIRECTWIDTH_H
#define HOCKET_CONVERSION_HK_AMD_TO_ROCDL_DIRECTWIDTH_H

#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "dialect/hk/ir/HkDialect.h"

namespace hocket {

struct DirectWidth {
  /// Number of bytes that one instruction copies per lane.
  int32_t bytes = 0;
  /// The registers that each instruction copies; their elements are adjacent in LDS and in global memory.
  std::vector<std::vector<int32_t>> groups;
  /// Shape, element type and layout of the source.
  mlir::RankedTensorType source;
};

/// Returns the widest copy into `tile` with which `op` (a hk::GlobalAccess) can be lowered. If `op` cannot be lowered
/// with any width, emits an error at `op` that compares the layouts of `op` with the required layouts.
mlir::FailureOr<DirectWidth> chooseDirectWidth(const LoweringContext &lowering, mlir::Operation *op,
                                               hk::MemDescType tile);

} // namespace hocket

#endif
